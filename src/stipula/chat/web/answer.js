/* One answer on the page: thinking panel, text, the card that says how it ended, the line of facts. It draws at most once
 * a frame, not at all while the tab is hidden, and leaves text alone in which the reader is selecting. */

import { el, icon, iconButton } from "./element.js";
import { MarkdownStream } from "./markdown.js";
import { card } from "./status.js";
import { clock, fullTime, seconds, t } from "./texts.js";
import { ThinkingPanel } from "./thinking-panel.js";

const BIG_BLOCK = 20_000; // characters of one open block; beyond it it is drawn ten times a second
const SLOW_MS = 100;
const RETRY = { error: "again", interrupted: "again", lost: "attach", refused: "again", unreachable: "again" };

export class AnswerView {
  #turn;
  #act;
  #panel = null;
  #text = el("div", { class: "prose" });
  #foot = el("div", { class: "answer-foot" });
  #notice = el("div", { class: "notice" });
  #stream = new MarkdownStream(this.#text);
  #frame = null;
  #drawnAt = 0;
  #state = "";
  #unwatch;

  /** `act`: what the buttons do: retry(turn, kind), edit(turn), copy(text). */
  constructor(turn, act, { isLazy = false } = {}) {
    this.#turn = turn;
    this.#act = act;
    this.element = el("article", { class: "answer", tabindex: "-1" }, this.#text, this.#notice, this.#foot);
    this.#unwatch = turn.watch(() => this.#schedule());
    if (isLazy) this.#text.textContent = turn.text;
    else this.draw();
    if (isLazy) this.#drawState();
  }

  leave() {
    this.#unwatch();
    this.#panel?.leave();
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
  }

  #schedule() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#drawSoon();
    });
  }

  #drawSoon() {
    const isBusy = this.#turn.isRunning && this.#stream.openLength(this.#turn.text) > BIG_BLOCK;
    const isEarly = isBusy && performance.now() - this.#drawnAt < SLOW_MS;
    if (isEarly || (this.#turn.isRunning && this.#isSelecting())) this.#schedule();
    else this.draw();
  }

  #isSelecting() {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed) return false;
    return this.#stream.openNodes.some((node) => selection.containsNode(node, true));
  }

  draw() {
    this.#drawnAt = performance.now();
    if (this.#text.firstChild?.nodeType === 3) this.#text.replaceChildren(); // the plain text of a lazy answer
    this.#stream.update(this.#turn.text, !this.#turn.isRunning);
    this.#drawState();
  }

  #drawState() {
    if (this.#turn.thinking) this.#drawThinking();
    const { state } = this.#turn;
    this.element.setAttribute("aria-busy", String(this.#turn.isRunning));
    if (state === this.#state) return;
    this.#state = state;
    this.element.dataset.state = state;
    this.element.setAttribute("aria-label", this.#name());
    this.#notice.replaceChildren(...this.#noticeNodes(state));
    this.#foot.replaceChildren(...(this.#turn.isRunning ? [] : this.#footNodes()));
  }

  #drawThinking() {
    if (!this.#panel) {
      this.#panel = new ThinkingPanel();
      this.element.prepend(this.#panel.element);
    }
    this.#panel.update(this.#turn.thinking);
  }

  #name() {
    const { facts, model, startedAt } = this.#turn;
    return t("answer.name", { model: facts.model ?? model, time: clock(facts.timestamp ?? startedAt) });
  }

  #noticeNodes(state) {
    const turn = this.#turn;
    if (state === "sending") return [el("p", { class: "waiting" }, t("answer.waiting"))];
    if (state === "stopping") return [el("p", { class: "waiting" }, t("answer.stopping"))];
    if (state === "stopped") return [el("p", { class: "ended" }, icon("stop"), t("answer.stopped"))];
    if (state === "reconnecting") {
      return [card(state, t("card.reconnecting"), t("card.reconnecting.text"), null, [[t("retry.now"), () => turn.waiting?.wake()]])];
    }
    if (state in RETRY) return [this.#failure(state)];
    return state === "complete" && turn.text === "" ? [el("p", { class: "ended" }, t("answer.empty"))] : [];
  }

  #failure(state) {
    const turn = this.#turn;
    const isUnsent = state === "refused" || state === "unreachable";
    const actions = turn.question === null ? [] : [[t("retry"), () => this.#act.retry(turn, RETRY[state])]];
    if (isUnsent) actions.push([t("edit"), () => this.#act.edit(turn)]);
    const later = turn.retryAfter ? t("card.later", { time: seconds(turn.retryAfter * 1000) }) : "";
    const text = [turn.reason || t(`card.${state}.text`), later].filter(Boolean).join(" ");
    return card(state, t(`card.${state}`), text, turn.requestId, actions);
  }

  #footNodes() {
    const { facts, model, startedAt, text } = this.#turn;
    if (text === "") return [];
    const when = facts.timestamp ?? startedAt;
    const said = [
      facts.model ?? model,
      typeof facts.elapsed_time === "number" && seconds(facts.elapsed_time * 1000),
      typeof facts.tokens === "number" && t("answer.tokens", { n: facts.tokens }),
    ].filter(Boolean);
    const copy = iconButton("copy", t("copy.answer"), () => this.#act.copy(text, copy));
    return [copy, el("span", { class: "facts", title: fullTime(when) }, said.join(" · "))];
  }
}
