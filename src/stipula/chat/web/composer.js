/* Where the question is written: text that is kept while it is typed, model, thinking mode, and one button that sends or
 * stops. It never loses a word: the draft belongs to its conversation and outlives a reload. */

import { el, icon } from "./element.js";
import { choices, drafts, unsent } from "./store.js";
import { t } from "./texts.js";

const SAVE_MS = 300;
const MODES = ["instant", "think"];

export class Composer {
  #act;
  #conversation = null;
  #timer = null;
  #isRunning = false;
  #composedAt = 0;

  /** `act`: send(text), stop(). */
  constructor(act) {
    this.#act = act;
    this.area = this.#makeArea();
    // Send turns into Stop under the pointer: the second half of a double click still means Send.
    this.button = el("button", { type: "submit", class: "go", onclick: (event) => event.detail > 1 && event.preventDefault() });
    this.models = el("select", { class: "models", "aria-label": t("model"), onchange: () => choices.set("model", this.model) });
    this.modes = this.#makeModes();
    const row = el("div", { class: "composer-row" }, this.models, this.modes, el("span", { class: "gap" }), this.button);
    this.element = el("form", { class: "composer", "aria-label": t("composer"), onsubmit: (event) => this.#submit(event) }, this.area, row);
    this.#dress();
    addEventListener("pagehide", () => this.#save());
  }

  #makeArea() {
    const area = el("textarea", {
      rows: 1,
      id: "question",
      dir: "auto",
      "aria-label": t("composer.label"),
      placeholder: t("composer.placeholder"),
      enterkeyhint: isTouch() ? "enter" : "send",
      oninput: () => this.#typed(),
      onkeydown: (event) => this.#key(event),
      oncompositionend: () => (this.#composedAt = performance.now()),
    });
    return area;
  }

  #makeModes() {
    const kept = choices.get("mode");
    const chosen = MODES.includes(kept) ? kept : MODES[0];
    const radios = MODES.map((mode) => {
      const input = el("input", { type: "radio", name: "mode", value: mode, onchange: () => choices.set("mode", mode) });
      input.checked = mode === chosen;
      return el("label", { title: t(`mode.${mode}.hint`) }, input, el("span", {}, t(`mode.${mode}`)));
    });
    return el("fieldset", { class: "modes" }, el("legend", { class: "unseen" }, t("mode")), ...radios);
  }

  get text() {
    return this.area.value;
  }

  get model() {
    return this.models.value;
  }

  get mode() {
    return this.modes.querySelector("input:checked").value;
  }

  /** Show the draft of a conversation; a question that was sent and never taken comes back into an empty composer. */
  open(conversation, { hasUnsentOnScreen = false } = {}) {
    if (this.#conversation !== null) this.#save();
    this.#conversation = conversation;
    this.#put(drafts.get(conversation) || (hasUnsentOnScreen ? "" : unsent.get(conversation)));
  }

  /** The conversation that was being written has got its id. */
  rename(conversation) {
    drafts.set(this.#conversation, "");
    this.#conversation = conversation;
    this.#save();
  }

  /** Bring text back that could not be sent, before what was typed since. */
  giveBack(text) {
    this.#put(this.text ? `${text}\n\n${this.text}` : text);
    this.#save();
    this.focus();
  }

  focus() {
    if (!isTouch()) this.area.focus();
  }

  setModels(rows, chosen) {
    const options = rows.map((row) => {
      const label = row.available ? row.name : t("model.missing", { name: row.name });
      return el("option", { value: row.id, disabled: !row.available }, label);
    });
    this.models.replaceChildren(...options);
    this.models.value = chosen ?? "";
    this.models.hidden = rows.length === 0;
  }

  /** Called for each piece of an answer: the button is touched only where something changes. */
  setRunning(isRunning, isStopping = false) {
    this.button.disabled = isStopping;
    if (isRunning === this.#isRunning) return;
    this.#isRunning = isRunning;
    this.#dress();
  }

  #dress() {
    const isRunning = this.#isRunning;
    const name = t(isRunning ? "stop" : "send");
    this.button.replaceChildren(icon(isRunning ? "stop" : "send"));
    this.button.setAttribute("aria-label", name);
    this.button.title = name;
    this.button.classList.toggle("stop", isRunning);
    this.#judge();
  }

  #judge() {
    this.button.setAttribute("aria-disabled", String(!this.#isRunning && this.text.trim() === ""));
  }

  #put(text) {
    this.area.value = text;
    this.#fit();
    this.#judge();
  }

  #typed() {
    this.#fit();
    this.#judge();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), SAVE_MS);
  }

  #save() {
    clearTimeout(this.#timer);
    if (this.#conversation !== null) drafts.set(this.#conversation, this.text);
  }

  /** As high as its text, where the browser does not do it itself. */
  #fit() {
    if (CSS.supports("field-sizing", "content")) return;
    this.area.style.height = "auto";
    this.area.style.height = `${this.area.scrollHeight}px`;
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey) return;
    const isComposing = event.isComposing || event.keyCode === 229 || performance.now() - this.#composedAt < 20;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isComposing || (isTouch() && !isCommand)) return;
    event.preventDefault();
    this.#send();
  }

  #submit(event) {
    event.preventDefault();
    if (!this.#isRunning) this.#send();
    else this.#act.stop();
  }

  #send() {
    const text = this.text.trim();
    if (text === "" || !this.#act.send(text)) return;
    this.#put("");
    this.#save();
  }
}

/** A finger and no mouse: the on-screen keyboard must not jump up by itself, and Enter makes a line. */
export function isTouch() {
  return matchMedia("(pointer: coarse)").matches;
}
