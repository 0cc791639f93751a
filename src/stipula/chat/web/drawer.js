/* Where the list of conversations lies: beside the page on a wide screen, over it on a narrow one. */

import { isTouch } from "./composer.js";
import { el, iconButton } from "./element.js";
import { choices } from "./store.js";
import { t } from "./texts.js";

export class Drawer {
  #list;
  #main;

  /** `list`: the element that opens and closes; `main`: what lies under it on a narrow screen. */
  constructor(list, main) {
    this.#list = list;
    this.#main = main;
    this.toggle = iconButton("menu", t("sidebar.toggle"), () => this.turn(), { "aria-controls": list.id });
    this.scrim = el("div", { class: "scrim", hidden: true, onclick: () => this.close() });
    document.body.classList.toggle("wide-list", choices.get("sidebar") !== "closed");
    this.#tell();
  }

  get #isNarrow() {
    return matchMedia("(max-width: 760px)").matches;
  }

  open() {
    if (this.#isNarrow) this.#lay(true);
    else document.body.classList.add("wide-list");
    this.#tell();
  }

  /** Take the list off the page; false where it did not lie over it. */
  close() {
    if (!document.body.classList.contains("list-over")) return false;
    this.#lay(false);
    this.#tell();
    if (!isTouch()) this.toggle.focus();
    return true;
  }

  turn() {
    if (!this.#isNarrow) {
      choices.set("sidebar", document.body.classList.toggle("wide-list") ? "open" : "closed");
      this.#tell();
    } else if (!this.close()) {
      this.open();
      this.#list.querySelector("button").focus();
    }
  }

  #lay(isOver) {
    document.body.classList.toggle("list-over", isOver);
    this.scrim.hidden = !isOver;
    this.#main.inert = isOver;
  }

  #tell() {
    const isOpen = document.body.classList.contains(this.#isNarrow ? "list-over" : "wide-list");
    this.toggle.setAttribute("aria-expanded", String(isOpen));
  }
}
