/* What the page says about itself: two live regions for screen readers, the banner above the composer, cards inside a
 * turn, and the short message at the foot that can be undone. */

import { el, iconButton } from "./element.js";
import { t } from "./texts.js";

const UNDO_MS = 10_000;
const QUIET_MS = 1000; // a line of the polite region stays at least so long

/** The two regions of our own, there from the start: tokens never enter them. */
export class Announcer {
  #polite = el("div", { class: "unseen", role: "status", "aria-live": "polite" });
  #alert = el("div", { class: "unseen", role: "alert" });
  #next = null;
  #timer = null;

  constructor() {
    this.elements = [this.#polite, this.#alert];
  }

  say(text) {
    this.#next = text;
    if (this.#timer === null) this.#flush();
  }

  #flush() {
    this.#timer = null;
    if (this.#next === null) return;
    this.#polite.textContent = this.#next.slice(0, 250);
    this.#next = null;
    this.#timer = setTimeout(() => this.#flush(), QUIET_MS);
  }

  warn(text) {
    this.#alert.textContent = text.slice(0, 250);
  }
}

/** One line above the composer: offline, or a model that is missing. */
export class Banner {
  element = el("div", { class: "banner", hidden: true });

  show(kind, text, ...actions) {
    this.element.className = `banner ${kind}`;
    this.element.replaceChildren(el("p", {}, text), ...actions);
    this.element.hidden = false;
  }

  hide() {
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

/** A message beside the list with one way back. `onend` runs when that was not taken. */
export class Undo {
  element = el("div", { class: "undo", role: "status", hidden: true });
  #timer = null;
  #end = null;

  offer(text, label, onback, onend = null) {
    this.settle(); // the offer that still stands can no longer be taken
    this.#end = onend;
    const back = el("button", { type: "button", class: "link" }, label);
    back.addEventListener("click", () => {
      this.#clear();
      onback();
    });
    this.element.replaceChildren(el("span", {}, text), back, iconButton("close", t("dismiss"), () => this.settle()));
    this.element.hidden = false;
    this.#timer = setTimeout(() => this.settle(), UNDO_MS);
  }

  /** What was offered can no longer be undone: do it. */
  settle(options) {
    const end = this.#end;
    this.#clear();
    end?.(options);
  }

  #clear() {
    clearTimeout(this.#timer);
    this.#end = null;
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

/** The card that ends or interrupts an answer. Actions are [text, onclick] pairs, the first one is the main one. */
export function card(state, title, text, requestId, actions) {
  const buttons = actions.map(([label, onclick], at) =>
    el("button", { type: "button", class: at === 0 ? "main" : "plain", onclick }, label),
  );
  const id = requestId && el("p", { class: "request-id" }, t("card.request"), " ", el("code", { dir: "ltr" }, requestId));
  return el(
    "div",
    { class: `card ${state}` },
    el("div", {}, el("p", { class: "card-title" }, title), text && el("p", { class: "card-text", dir: "auto" }, text), id),
    buttons.length > 0 && el("div", { class: "card-actions" }, ...buttons),
  );
}
