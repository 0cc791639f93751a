/* The folded panel above an answer: a live line with the seconds, the thoughts themselves once it is opened. */

import { el, icon } from "./element.js";
import { visibleText } from "./markdown.js";
import { seconds, t } from "./texts.js";

export class ThinkingPanel {
  #line = el("span", { class: "thinking-line" });
  #body = el("div", { class: "thinking-body" });
  #thinking = null;
  #clock = null;
  #threads = new Map(); // trajectory → {node, paragraphs}

  constructor() {
    const summary = el("summary", {}, icon("chevron"), this.#line);
    this.element = el("details", { class: "thinking", ontoggle: () => this.#fill() }, summary, this.#body);
  }

  update(thinking) {
    this.#thinking = thinking;
    const isLive = thinking.durationMs === null;
    this.element.classList.toggle("live", isLive);
    this.#tell();
    if (isLive) this.#clock ??= setInterval(() => this.#tell(), 1000);
    else this.#rest();
    this.#fill();
  }

  #rest() {
    clearInterval(this.#clock);
    this.#clock = null;
  }

  /** The panel left the page, perhaps in mid-thought. */
  leave() {
    this.#rest();
  }

  #tell() {
    const { durationMs, startedAt, label } = this.#thinking;
    const isLive = durationMs === null;
    const soFar = Math.floor((Date.now() - startedAt) / 1000);
    const live = soFar < 1 ? t("thinking.begins") : t("thinking.now", { s: soFar });
    const text = isLive ? live : t("thinking.done", { time: seconds(durationMs) });
    this.#line.textContent = label ? t("thinking.labelled", { label, text }) : text;
  }

  #fill() {
    if (!this.element.open || !this.#thinking) return;
    for (const [trajectory, paragraphs] of this.#thinking.threads) this.#fillThread(trajectory, paragraphs);
    this.#body.classList.toggle("threads", this.#threads.size > 1);
  }

  #fillThread(trajectory, paragraphs) {
    let thread = this.#threads.get(trajectory);
    if (!thread) {
      const node = el("section", {}, trajectory && el("h4", {}, ...visibleText(trajectory)));
      thread = { node, shown: [], nodes: [] };
      this.#threads.set(trajectory, thread);
      this.#body.append(node);
    }
    paragraphs.forEach((text, at) => {
      if (thread.shown[at] === text) return;
      thread.nodes[at] ??= thread.node.appendChild(el("p", { dir: "auto" }));
      thread.nodes[at].replaceChildren(...visibleText(text.trim()));
      thread.shown[at] = text;
    });
  }
}
