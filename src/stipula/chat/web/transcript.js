/* The conversation on the screen: questions and answers in one reading column, and what stands there while there is none. */

import { AnswerView } from "./answer.js";
import { el, icon } from "./element.js";
import { sourceOf, visibleText } from "./markdown.js";
import { Follower } from "./scroll.js";
import { card } from "./status.js";
import { clock, fullTime, t } from "./texts.js";
import { Turn } from "./turn.js";

const RICH_AT_ONCE = 30; // answers drawn as Markdown when a conversation opens; older ones when they come near
const COPIED_MS = 1500;

export class Transcript {
  #act;
  #column = el("div", { class: "column", role: "log", "aria-live": "off" });
  #jump = el("button", { type: "button", class: "jump", hidden: true }, icon("down"), t("jump"));
  #views = [];
  #exchanges = new Map(); // message id → section
  #near;
  #follower;

  /** `act`: retry(turn, kind), edit(turn), ask(text), reopen(). */
  constructor(act, announcer) {
    this.#act = { ...act, copy: (text, button) => this.#copy(text, button) };
    this.announcer = announcer;
    this.#column.setAttribute("aria-label", t("transcript"));
    this.scroller = el("div", { class: "scroller", tabindex: "-1" }, this.#column);
    this.element = el("div", { class: "transcript" }, this.scroller, this.#jump);
    this.#follower = new Follower(this.scroller, this.#column, this.#jump);
    this.#near = new IntersectionObserver((seen) => this.#enrich(seen), { root: this.scroller, rootMargin: "100% 0px" });
    this.#column.addEventListener("click", (event) => this.#clicked(event));
  }

  #clear(...nodes) {
    for (const view of this.#views) view.leave();
    this.#views = [];
    this.#exchanges.clear();
    this.#near.disconnect();
    this.#column.replaceChildren(...nodes);
  }

  showEmpty() {
    const examples = ["example.1", "example.2", "example.3"].map((key) =>
      el("li", {}, el("button", { type: "button", class: "example", onclick: () => this.#act.ask(t(key)) }, t(key))),
    );
    this.#clear(el("div", { class: "empty" }, el("h2", {}, t("empty.title")), el("p", {}, t("empty.text")), el("ul", {}, ...examples)));
  }

  showLoading() {
    const lines = Array.from({ length: 5 }, () => el("div", { class: "bone" }));
    this.#clear(el("div", { class: "loading", role: "status", "aria-label": t("loading") }, ...lines));
  }

  showFault(title, text, retry) {
    this.#clear(el("div", { class: "fault" }, card("error", title, text, null, retry ? [[t("retry"), retry]] : [])));
    this.announcer.warn(title);
  }

  /** Put a stored conversation on the screen, at its end. */
  showConversation(id, messages) {
    this.#clear();
    const richFrom = messages.length - RICH_AT_ONCE;
    let section = null;
    messages.forEach((message, at) => {
      if (message.role === "user") section = this.#exchange(message._id, message.content, message.created_at);
      else if (message.role === "assistant") {
        section ??= this.#exchange(message._id, null);
        const turn = Turn.stored(message, id);
        Object.assign(turn, { question: section.question, messageId: section.id });
        this.#answer(section, turn, at < richFrom);
      }
    });
    this.#follower.follow();
  }

  /** A turn that runs, or one that could not be sent, at the end. */
  addTurn(turn) {
    this.#column.querySelector(".empty")?.remove();
    for (const old of this.#column.querySelectorAll(".exchange.live")) old.classList.remove("live");
    const known = this.#exchanges.get(turn.messageId);
    const section = known ?? this.#exchange(turn.messageId, turn.question, turn.startedAt);
    section.node.classList.add("live");
    this.#answer(section, turn, false);
    this.#follower.follow();
  }

  /** Take a question that was never answered off the screen. */
  remove(turn) {
    this.#exchanges.get(turn.messageId)?.node.remove();
    this.#exchanges.delete(turn.messageId);
  }

  focusLatest() {
    this.#column.querySelector(".exchange:last-child .answer:last-child")?.focus();
  }

  #exchange(id, question, time) {
    const node = el("section", { class: "exchange" });
    if (question !== null) {
      const text = el("p", { dir: "auto" }, ...visibleText(question));
      node.append(el("article", { class: "question", "aria-label": t("question.name", { time: clock(time) }), title: fullTime(time) }, text));
    }
    const section = { id, node, question };
    this.#exchanges.set(id, section);
    this.#column.append(node);
    return section;
  }

  #answer(section, turn, isLazy) {
    const view = new AnswerView(turn, this.#act, { isLazy });
    this.#views.push(view);
    section.node.append(view.element);
    if (!isLazy) return;
    view.element.drawAll = () => view.draw();
    this.#near.observe(view.element);
  }

  #enrich(seen) {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      this.#near.unobserve(target);
      target.drawAll();
    }
  }

  #clicked(event) {
    const button = event.target.closest("button[data-copy]");
    if (button) this.#copy(sourceOf(button.closest("figure")), button);
  }

  async #copy(text, button) {
    const isDone = await toClipboard(text);
    this.announcer.say(t(isDone ? "copied" : "copy.failed"));
    if (!isDone || button.dataset.done) return;
    const old = [...button.childNodes];
    button.dataset.done = "yes";
    button.replaceChildren(button.dataset.copy ? t("copied") : icon("done"));
    setTimeout(() => {
      delete button.dataset.done;
      button.replaceChildren(...old);
    }, COPIED_MS);
  }
}

/** Copy text; over plain http, where the clipboard is missing, by way of a selection. */
async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "unseen", readonly: true, "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    const before = document.activeElement;
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    before?.focus?.();
    return isDone;
  }
}
