/* The page: builds the panels, knows which conversation is open, and carries each turn from question to answer. */

import * as service from "./api-service.js";
import { Composer, isTouch } from "./composer.js";
import { el, icon, iconButton } from "./element.js";
import { KeyList, onKeys } from "./keys.js";
import { useWords } from "./markdown.js";
import { Models } from "./models.js";
import { Sidebar } from "./sidebar.js";
import { Announcer, Banner, Undo } from "./status.js";
import { UNBORN, choices, drafts, forget, running, unsent } from "./store.js";
import { loadTexts, preferredLanguage, t } from "./texts.js";
import { Transcript } from "./transcript.js";
import { Turn } from "./turn.js";

const TITLE_LENGTH = 60;
const STOP_PATIENCE_MS = 5000;
const THEMES = ["system", "light", "dark"];

class Page {
  #id = null; // of the open conversation; null while it has none
  #turns = new Map(); // conversation id → its last turn of this visit
  #opening = null;
  #rows = [];
  #doomed = new Set(); // deleted, but the delete can still be undone

  constructor() {
    this.announcer = new Announcer();
    this.banner = new Banner();
    this.undo = new Undo();
    this.keys = new KeyList();
    this.transcript = new Transcript(
      { retry: (turn, kind) => this.retry(turn, kind), edit: (turn) => this.edit(turn), ask: (text) => this.send(text) },
      this.announcer,
    );
    this.composer = new Composer({ send: (text) => this.send(text), stop: () => this.stop() });
    this.models = new Models(this.composer, this.banner);
    this.sidebar = new Sidebar(
      {
        create: () => this.create(),
        rename: (row, title) => this.rename(row, title),
        remove: (row) => this.remove(row),
        close: () => this.closeSidebar(),
      },
      this.#sidebarFoot(),
    );
    this.title = el("h1", { dir: "auto" });
    this.#build();
    this.#listen();
  }

  // -------------------------------------------------------------- panels

  #sidebarFoot() {
    this.theme = iconButton("half", "", () => this.turnTheme());
    this.#showTheme();
    const keys = iconButton("keys", t("keys"), () => this.keys.open(), { class: "quiet no-touch" });
    return el("div", { class: "sidebar-foot" }, this.theme, keys);
  }

  #build() {
    const toggle = iconButton("menu", t("sidebar.toggle"), () => this.toggleSidebar(), { "aria-controls": "sidebar" });
    this.toggle = toggle;
    const create = iconButton("plus", t("new"), () => this.create(), { class: "quiet when-closed" });
    const head = el("header", { class: "head" }, toggle, this.title, create);
    const foot = el("div", { class: "foot" }, this.banner.element, this.composer.element);
    this.main = el("main", {}, head, this.transcript.element, foot);
    this.scrim = el("div", { class: "scrim", hidden: true, onclick: () => this.closeSidebar() });
    const skip = el("a", { class: "skip", href: "#question", onclick: (event) => (event.preventDefault(), this.composer.area.focus()) }, t("skip"));
    document.body.append(skip, this.sidebar.element, this.scrim, this.main, this.undo.element, this.keys.element, ...this.announcer.elements);
    document.body.classList.toggle("wide-list", choices.get("sidebar") !== "closed");
    this.#tellSidebar();
  }

  #listen() {
    addEventListener("hashchange", () => this.route());
    addEventListener("offline", () => this.models.show());
    addEventListener("online", () => this.#backOnline());
    addEventListener("pagehide", () => this.undo.settle({ keepalive: true }));
    onKeys({
      search: () => (this.openSidebar(), this.sidebar.focusSearch()),
      create: () => this.create(),
      sidebar: () => this.toggleSidebar(),
      list: () => this.keys.open(),
      composer: () => this.composer.area.focus(),
      escape: () => this.#escape(),
    });
  }

  async start() {
    await Promise.all([this.models.load(), this.loadList(), this.route()]);
    this.composer.focus();
  }

  #backOnline() {
    this.models.load();
    this.loadList();
  }

  // -------------------------------------------------------------- list of conversations

  get #isNarrow() {
    return matchMedia("(max-width: 760px)").matches;
  }

  openSidebar() {
    if (!this.#isNarrow) document.body.classList.add("wide-list");
    else {
      document.body.classList.add("list-over");
      this.scrim.hidden = false;
      this.main.inert = true;
    }
    this.#tellSidebar();
  }

  closeSidebar() {
    if (!document.body.classList.contains("list-over")) return false;
    document.body.classList.remove("list-over");
    this.scrim.hidden = true;
    this.main.inert = false;
    this.#tellSidebar();
    if (!isTouch()) this.toggle.focus();
    return true;
  }

  toggleSidebar() {
    if (this.#isNarrow) {
      if (this.closeSidebar()) return;
      this.openSidebar();
      this.sidebar.element.querySelector("button").focus();
    } else {
      const isOpen = document.body.classList.toggle("wide-list");
      choices.set("sidebar", isOpen ? "open" : "closed");
      this.#tellSidebar();
    }
  }

  #tellSidebar() {
    const isOpen = document.body.classList.contains(this.#isNarrow ? "list-over" : "wide-list");
    this.toggle.setAttribute("aria-expanded", String(isOpen));
  }

  async loadList() {
    try {
      const { conversations } = await service.listConversations();
      this.#rows = conversations ?? [];
      this.#showList();
    } catch {
      if (this.#rows.length === 0) this.sidebar.showFault(t("list.failed"), () => this.loadList());
    }
  }

  #showList() {
    this.sidebar.show(this.#rows.filter((row) => !this.#doomed.has(row._id)), this.#doomed);
    this.sidebar.select(this.#id);
    this.#showTitle();
  }

  #showTitle() {
    const row = this.#rows.find(({ _id }) => _id === this.#id);
    const title = this.#id === null ? t("new") : row?.title || t("untitled");
    this.title.textContent = title;
    this.title.className = this.#id === null ? "unseen" : "";
    document.title = this.#id === null ? t("brand") : `${title} · ${t("brand")}`;
  }

  async rename(row, title) {
    const before = row.title;
    row.title = title;
    this.#showList();
    try {
      await service.renameConversation(row._id, title);
    } catch {
      row.title = before;
      this.#showList();
      this.announcer.warn(t("rename.failed"));
      this.undo.offer(t("rename.failed"), () => this.rename(row, title), () => {});
    }
  }

  remove(row) {
    const title = row.title || t("untitled");
    this.#doomed.add(row._id);
    if (row._id === this.#id) this.create();
    const restore = () => {
      this.#doomed.delete(row._id);
      this.#showList();
    };
    // An offer that still stands is settled first: that one can no longer be undone.
    this.undo.offer(t("deleted", { title }), restore, (options) => this.#delete(row, restore, options));
    this.#showList();
    this.announcer.say(t("deleted", { title }));
  }

  async #delete(row, restore, options) {
    try {
      await service.deleteConversation(row._id, options);
      this.#rows = this.#rows.filter(({ _id }) => _id !== row._id);
      forget(row._id);
    } catch (fault) {
      if (fault.status === 404) return;
      restore();
      this.announcer.warn(t("delete.failed", { title: row.title || t("untitled") }));
    }
  }

  // -------------------------------------------------------------- which conversation is open

  create() {
    this.closeSidebar();
    if (location.hash !== "" && location.hash !== "#/") location.hash = "#/";
    else this.route();
    this.composer.focus();
  }

  /** Show what the address names: `#/c/ID`, or a new conversation. */
  async route() {
    const id = /^#\/c\/(.+)$/.exec(location.hash)?.[1];
    this.#opening?.abort();
    this.#id = id === undefined ? null : decodeURIComponent(id);
    this.sidebar.select(this.#id);
    this.#showTitle();
    const turn = this.#turns.get(this.#id ?? UNBORN);
    this.composer.open(this.#id ?? UNBORN, { hasUnsentOnScreen: turn?.isRunning === false });
    this.#showRunning();
    if (this.#id !== null) return this.#open(this.#id);
    this.transcript.showEmpty();
    if (turn) this.transcript.addTurn(turn);
  }

  async #open(id) {
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    this.transcript.showLoading();
    try {
      const stored = await service.openConversation(id, signal);
      if (!signal.aborted) this.#showStored(id, stored);
    } catch (fault) {
      if (signal.aborted) return;
      const isGone = fault.status === 404;
      const text = isGone ? t("open.gone.text") : fault.message;
      this.transcript.showFault(t(isGone ? "open.gone" : "open.failed"), text, isGone ? null : () => this.route());
    }
  }

  /** What is stored, and after it the turn that runs or ended badly on this visit. */
  #showStored(id, stored) {
    const messages = [...(stored.messages ?? [])];
    const turn = this.#turns.get(id) ?? this.#pickUp(id, messages);
    const isOwn = turn && (turn.isRunning || turn.outcome !== "complete");
    if (isOwn) dropOwn(messages, turn);
    this.transcript.showConversation(id, messages);
    if (isOwn) this.transcript.addTurn(turn);
    this.#showRunning();
  }

  /** A turn that still ran when the page was left, by what this browser noted or by what the service says. */
  #pickUp(id, messages) {
    const last = messages.at(-1);
    const facts = last?.role === "assistant" ? (last.metadata ?? {}) : {};
    const question = messages.findLast(({ role }) => role === "user");
    const told = facts.status === "streaming" && facts.request_id && { requestId: facts.request_id };
    const noted = running.get(id) ?? (told && { ...told, question: question?.content ?? "", messageId: question?._id });
    if (!noted) return null;
    const turn = new Turn({ ...noted, conversation: id });
    this.#turns.set(id, turn);
    this.#carry(turn, (line) => service.resumeChat(turn.requestId, null, turn.callbacks(), line));
    return turn;
  }

  // -------------------------------------------------------------- turns

  get #turn() {
    return this.#turns.get(this.#id ?? UNBORN);
  }

  /** Take a question; false where it has to wait, and then it stays in the composer. */
  send(text) {
    if (this.#turn?.isRunning) {
      this.announcer.say(t("busy"));
      return false;
    }
    const conversation = this.#id ?? UNBORN;
    const turn = new Turn({ conversation, question: text, model: this.composer.model, mode: this.composer.mode });
    unsent.set(conversation, text);
    this.#begin(turn);
    return true;
  }

  #begin(turn) {
    this.#turns.set(turn.conversation, turn);
    if (this.#isOpen(turn)) this.transcript.addTurn(turn);
    this.#ask(turn);
  }

  #isOpen(turn) {
    return turn.conversation === (this.#id ?? UNBORN);
  }

  async #ask(turn) {
    this.#showRunning();
    if (turn.conversation === UNBORN && !(await this.#bear(turn))) return;
    const request = {
      message: turn.question,
      model: turn.model,
      thinking_mode: turn.mode,
      conversation_id: turn.conversation,
      message_id: turn.messageId,
      language: document.documentElement.lang,
    };
    await this.#carry(turn, (line) => service.streamChat(request, turn.callbacks(), line));
  }

  /** Make the conversation that a first question begins. */
  async #bear(turn) {
    try {
      const row = await service.newConversation({ model: turn.model, title: titleOf(turn.question) });
      this.#adopt(turn, row);
      return true;
    } catch (fault) {
      turn.retryAfter = fault.retryAfter ?? null;
      turn.end(fault.kind ?? "unreachable", fault.kind === "refused" ? fault.message : "");
      this.#settled(turn);
      return false;
    }
  }

  #adopt(turn, row) {
    const wasOpen = this.#isOpen(turn);
    unsent.clear(UNBORN);
    unsent.set(row._id, turn.question);
    this.#turns.delete(UNBORN);
    this.#turns.set(row._id, turn);
    turn.conversation = row._id;
    this.#rows.unshift(row);
    if (wasOpen) {
      this.#id = row._id;
      history.replaceState(null, "", `#/c/${encodeURIComponent(row._id)}`);
      this.composer.rename(row._id);
    }
    this.#showList();
  }

  /** Follow a turn on its line until it ended, one way or another. */
  async #carry(turn, connect) {
    turn.abort = new AbortController();
    const unwatch = turn.watch(() => this.#tell(turn));
    try {
      await connect(this.#line(turn));
      if (turn.isRunning) turn.end("interrupted");
    } catch (fault) {
      turn.retryAfter = fault.retryAfter ?? null;
      const kind = fault.kind ?? "unreachable";
      if (turn.isRunning) turn.end(turn.isStopping ? "stopped" : kind, kind === "refused" ? fault.message : "");
    }
    unwatch();
    this.#settled(turn);
  }

  #line(turn) {
    return {
      signal: turn.abort.signal,
      onRequest: (id, metadata) => {
        turn.requestId = id ?? turn.requestId;
        turn.model = metadata?.model ?? turn.model;
        unsent.clear(turn.conversation);
        const { requestId, messageId, question, model, mode } = turn;
        running.set(turn.conversation, { requestId, messageId, question, model, mode });
        if (turn.isStopping) this.#stopNow(turn);
      },
      onProgress: (lastId) => (turn.lastId = lastId),
      onWait: (ms, wake) => {
        if (!turn.waiting) this.announcer.say(t("reconnecting"));
        turn.waiting = { until: Date.now() + ms, wake };
        turn.changed();
      },
      onBack: () => {
        turn.waiting = null;
        turn.changed();
      },
    };
  }

  #tell(turn) {
    if (this.#isOpen(turn)) this.#showRunning();
    if (turn.phase === "answering" && !turn.isTold && this.#isOpen(turn)) {
      turn.isTold = true;
      this.announcer.say(t("answer.begins"));
    }
  }

  #settled(turn) {
    if (turn.outcome !== "lost") running.clear(turn.conversation);
    if (this.#isOpen(turn)) {
      this.#showRunning();
      if (turn.outcome === "complete") this.announcer.say(t("answer.complete", { n: turn.text.split(/\s+/).filter(Boolean).length }));
      else if (turn.outcome === "stopped") this.announcer.say(t("answer.stopped"));
      else this.announcer.warn(t(`card.${turn.outcome}`));
    }
    if (turn.conversation !== UNBORN) this.loadList();
  }

  #showRunning() {
    const turn = this.#turn;
    this.composer.setRunning(turn?.isRunning ?? false, turn?.isStopping ?? false);
  }

  // -------------------------------------------------------------- stop and retry

  stop() {
    const turn = this.#turn;
    if (!turn?.isRunning || turn.isStopping) return;
    turn.isStopping = true;
    turn.changed();
    this.#showRunning();
    if (turn.requestId) this.#stopNow(turn);
    setTimeout(() => turn.isRunning && turn.abort?.abort(), STOP_PATIENCE_MS);
  }

  async #stopNow(turn) {
    try {
      await service.stopChat(turn.requestId);
    } catch {
      turn.abort.abort(); // it cannot be told: at least this page stops listening
    }
  }

  /** `attach`: the turn may still run at the service. `again`: ask once more. */
  retry(turn, kind) {
    if (this.#turn?.isRunning) {
      this.announcer.say(t("busy"));
      return;
    }
    if (kind === "attach") {
      turn.restart();
      this.#turns.set(turn.conversation, turn);
      this.#showRunning();
      this.#carry(turn, (line) => service.resumeChat(turn.requestId, turn.lastId, turn.callbacks(), line));
    } else if (turn.outcome === "refused" || turn.outcome === "unreachable") {
      turn.model = this.composer.model || turn.model;
      turn.restart();
      this.#ask(turn);
    } else this.#begin(turn.again({ model: this.composer.model, mode: this.composer.mode }));
  }

  /** Take a question that was not sent back into the composer. */
  edit(turn) {
    this.#turns.delete(turn.conversation);
    unsent.clear(turn.conversation);
    this.transcript.remove(turn);
    if (turn.conversation === UNBORN) this.transcript.showEmpty();
    this.composer.giveBack(turn.question);
  }

  #escape() {
    if (!this.closeSidebar()) this.stop();
  }

  // -------------------------------------------------------------- theme

  turnTheme() {
    const now = THEMES.indexOf(choices.get("theme") ?? "system");
    choices.set("theme", THEMES[(now + 1) % THEMES.length]);
    this.#showTheme();
  }

  #showTheme() {
    const theme = choices.get("theme") ?? "system";
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    const name = t(`theme.${theme}`);
    this.theme.replaceChildren(icon({ system: "half", light: "sun", dark: "moon" }[theme]));
    this.theme.setAttribute("aria-label", name);
    this.theme.title = name;
  }
}

/** Take off the end of the stored messages what the turn itself will show: the answer so far, and its question where no
 * other answer to it stands there. */
function dropOwn(messages, turn) {
  const answer = messages.at(-1);
  if (answer?.role === "assistant" && turn.requestId && answer.metadata?.request_id === turn.requestId) messages.pop();
  const question = messages.at(-1);
  if (question?.role === "user" && question._id === turn.messageId) messages.pop();
}

function titleOf(question) {
  const line = question.trim().split("\n")[0];
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`;
}

await loadTexts(preferredLanguage());
useWords({ copy: t("copy"), table: t("table"), image: t("image"), hidden: t("hidden") });
await new Page().start();
