/* The choice of light, dark or the system's; `theme.js` reads it back before the next first paint. */

import { icon, iconButton } from "./element.js";
import { choices } from "./store.js";
import { t } from "./texts.js";

const THEMES = { system: "half", light: "sun", dark: "moon" }; // and their drawings

export function themeButton() {
  const names = Object.keys(THEMES);
  const chosen = () => (names.includes(choices.get("theme")) ? choices.get("theme") : "system");
  const button = iconButton("half", "", () => {
    choices.set("theme", names[(names.indexOf(chosen()) + 1) % names.length]);
    show();
  });
  const show = () => {
    const theme = chosen();
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.replaceChildren(icon(THEMES[theme]));
    button.setAttribute("aria-label", t(`theme.${theme}`));
    button.title = t(`theme.${theme}`);
  };
  show();
  return button;
}
