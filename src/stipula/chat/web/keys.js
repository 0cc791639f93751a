/* Keys that work everywhere on the page, and the list of them. None takes a key that the browser needs. */

import { el, iconButton } from "./element.js";
import { t } from "./texts.js";

const isMac = /mac|iphone|ipad/i.test(navigator.platform);
const COMMAND = isMac ? "⌘" : "Ctrl";

/** Which action a key press means, or null. */
function actionOf(event) {
  if (event.isComposing || event.keyCode === 229) return null;
  const isCommand = isMac ? event.metaKey : event.ctrlKey;
  const key = event.key.toLowerCase();
  if (key === "escape") return event.shiftKey ? "composer" : "escape";
  if (!isCommand || event.altKey) return null;
  if (event.shiftKey) return { o: "create", s: "sidebar" }[key] ?? null;
  return { k: "search", "/": "list" }[key] ?? null;
}

/** `actions`: search, create, sidebar, list, composer, escape. */
export function onKeys(actions) {
  addEventListener("keydown", (event) => {
    const action = actionOf(event);
    if (!action || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    actions[action]();
  });
}

export class KeyList {
  constructor() {
    const keys = [
      ["keys.send", ["Enter"]],
      ["keys.newline", ["Shift", "Enter"]],
      ["keys.stop", ["Esc"]],
      ["keys.search", [COMMAND, "K"]],
      ["keys.new", [COMMAND, "Shift", "O"]],
      ["keys.sidebar", [COMMAND, "Shift", "S"]],
      ["keys.rename", ["F2"]],
      ["keys.composer", ["Shift", "Esc"]],
      ["keys.list", [COMMAND, "/"]],
    ];
    const rows = keys.flatMap(([text, names]) => [el("dt", {}, t(text)), el("dd", {}, ...names.map((name) => el("kbd", {}, name)))]);
    const head = el("div", { class: "dialog-head" }, el("h2", {}, t("keys")), iconButton("close", t("keys.close"), () => this.element.close()));
    this.element = el("dialog", { class: "keys", "aria-label": t("keys") }, head, el("dl", {}, ...rows));
  }

  open() {
    this.element.showModal();
  }
}
