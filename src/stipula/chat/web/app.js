/* The page: builds the panels, keeps the list of conversations, knows which one is open and what stands on the screen. */

import * as service from "./api-service.js";
import { Composer } from "./composer.js";
import { Drawer } from "./drawer.js";
import { el, iconButton } from "./element.js";
import { KeyList, onKeys } from "./keys.js";
import { useWords } from "./markdown.js";
import { Models } from "./models.js";
import { Sidebar } from "./sidebar.js";
import { Announcer, Banner, Undo } from "./status.js";
import { UNBORN, forget } from "./store.js";
import { loadTexts, preferredLanguage, t } from "./texts.js";
import { themeButton } from "./theme-button.js";
import { Transcript } from "./transcript.js";
import { Turns } from "./turns.js";

class Page {
  #id = null; // of the open conversation; null while it has none
  #opening = null;
  #rows = [];
  #doomed = new Set(); // deleted, but the delete can still be undone

  constructor() {
    this.announcer = new Announcer();
    this.banner = new Banner();
    this.undo = new Undo();
    this.keys = new KeyList();
    this.turns = new Turns(this, this.announcer);
    this.transcript = new Transcript(
      {
        retry: (turn, kind) => this.turns.retry(turn, kind),
        edit: (turn) => this.edit(turn),
        ask: (text) => this.send(text),
      },
      this.announcer,
    );
    this.composer = new Composer({ send: (text) => this.send(text), stop: () => this.turns.stop(this.#open) });
    this.models = new Models(this.composer, this.banner);
    this.sidebar = new Sidebar(
      {
        create: () => this.create(),
        rename: (row, title) => this.rename(row, title),
        remove: (row) => this.remove(row),
        close: () => this.drawer.close(),
      },
      el("div", { class: "sidebar-foot" }, themeButton(), iconButton("keys", t("keys"), () => this.keys.open(), { class: "quiet no-touch" })),
    );
    this.#build();
    this.#listen();
  }

  // -------------------------------------------------------------- panels

  #build() {
    const main = el("main");
    this.title = el("h1", { dir: "auto" });
    this.drawer = new Drawer(this.sidebar.element, main);
    const create = iconButton("plus", t("new"), () => this.create(), { class: "quiet when-closed" });
    main.append(
      el("header", { class: "head" }, this.drawer.toggle, this.title, create),
      this.transcript.element,
      el("div", { class: "foot" }, this.banner.element, this.composer.element),
    );
    const skip = el("a", { class: "skip", href: "#question" }, t("skip"));
    skip.addEventListener("click", (event) => {
      event.preventDefault(); // the address names the conversation
      this.composer.area.focus();
    });
    document.body.append(skip, this.sidebar.element, this.drawer.scrim, main);
    document.body.append(this.undo.element, this.keys.element, ...this.announcer.elements);
  }

  #listen() {
    addEventListener("hashchange", () => this.route());
    addEventListener("offline", () => this.models.show());
    addEventListener("online", () => {
      this.models.load();
      this.loadList();
    });
    addEventListener("pagehide", () => this.undo.settle({ keepalive: true }));
    onKeys({
      search: () => {
        this.drawer.open();
        this.sidebar.focusSearch();
      },
      create: () => this.create(),
      sidebar: () => this.drawer.turn(),
      list: () => this.keys.open(),
      composer: () => this.composer.area.focus(),
      escape: () => this.drawer.close() || this.turns.stop(this.#open),
    });
  }

  async start() {
    await Promise.all([this.models.load(), this.loadList(), this.route()]);
    this.composer.focus();
  }

  // -------------------------------------------------------------- list of conversations

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
    this.sidebar.show(
      this.#rows.filter((row) => !this.#doomed.has(row._id)),
      this.#doomed,
    );
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
      this.undo.offer(t("rename.failed"), t("retry"), () => this.rename(row, title));
    }
  }

  /** Take a conversation off the list; it is deleted once that can no longer be undone. */
  remove(row) {
    const title = row.title || t("untitled");
    const restore = () => {
      this.#doomed.delete(row._id);
      this.#showList();
    };
    this.#doomed.add(row._id);
    if (row._id === this.#id) this.create();
    this.undo.offer(t("deleted", { title }), t("undo"), restore, (options) => this.#delete(row, restore, options));
    this.#showList();
    this.announcer.say(t("deleted", { title }));
  }

  async #delete(row, restore, options) {
    try {
      await service.deleteConversation(row._id, options);
    } catch (fault) {
      if (fault.status !== 404) {
        restore();
        this.announcer.warn(t("delete.failed", { title: row.title || t("untitled") }));
        return;
      }
    }
    this.#rows = this.#rows.filter(({ _id }) => _id !== row._id);
    forget(row._id);
  }

  // -------------------------------------------------------------- which conversation is open

  /** The key of the open conversation, also while it has no id. */
  get #open() {
    return this.#id ?? UNBORN;
  }

  create() {
    this.drawer.close();
    if (location.hash !== "" && location.hash !== "#/") location.hash = "#/";
    else this.route();
    this.composer.focus();
  }

  /** Show what the address names: `#/c/ID`, or a new conversation. */
  async route() {
    const id = /^#\/c\/(.+)$/.exec(location.hash)?.[1];
    this.#opening?.abort();
    this.#id = id === undefined ? null : decoded(id);
    this.sidebar.select(this.#id);
    this.#showTitle();
    const turn = this.turns.of(this.#open);
    this.composer.open(this.#open, { hasUnsentOnScreen: turn?.isRunning === false });
    this.changed();
    if (this.#id !== null) {
      await this.#load(this.#id);
      return;
    }
    this.transcript.showEmpty();
    if (turn) this.transcript.addTurn(turn);
  }

  async #load(id) {
    this.#opening = new AbortController();
    const { signal } = this.#opening;
    this.transcript.showLoading();
    try {
      const stored = await service.openConversation(id, signal);
      if (!signal.aborted) this.#showStored(id, [...(stored.messages ?? [])]);
    } catch (fault) {
      if (signal.aborted) return;
      const isGone = fault.status === 404;
      const text = isGone ? t("open.gone.text") : fault.message;
      this.transcript.showFault(t(isGone ? "open.gone" : "open.failed"), text, isGone ? null : () => this.route());
    }
  }

  /** What is stored, and after it the turn that runs or that ended badly on this visit. */
  #showStored(id, messages) {
    const turn = this.turns.pickUp(id, messages);
    const isShownByItself = turn && (turn.isRunning || turn.outcome !== "complete");
    if (isShownByItself) dropOwn(messages, turn);
    this.transcript.showConversation(id, messages);
    if (isShownByItself) this.transcript.addTurn(turn);
    this.changed();
  }

  // -------------------------------------------------------------- what the turns ask of the page

  isOpen(turn) {
    return turn.conversation === this.#open;
  }

  wishes() {
    return { model: this.composer.model, mode: this.composer.mode };
  }

  show(turn) {
    if (this.isOpen(turn)) this.transcript.addTurn(turn);
  }

  /** The conversation of a first question has got its row. */
  adopt(turn, row) {
    const wasOpen = this.isOpen(turn);
    turn.conversation = row._id;
    this.#rows.unshift(row);
    if (wasOpen) {
      this.#id = row._id;
      history.replaceState(null, "", `#/c/${encodeURIComponent(row._id)}`);
      this.composer.rename(row._id);
    }
    this.#showList();
  }

  changed() {
    const turn = this.turns.of(this.#open);
    this.composer.setRunning(turn?.isRunning ?? false, turn?.isStopping ?? false);
  }

  settled(turn) {
    this.changed();
    if (turn.conversation !== UNBORN) this.loadList();
  }

  // -------------------------------------------------------------- questions

  /** False where the question has to wait; then it stays in the composer. */
  send(text) {
    return this.turns.ask(this.#open, text);
  }

  /** Take a question that was not sent back into the composer. */
  edit(turn) {
    this.turns.forget(turn);
    this.transcript.remove(turn);
    if (turn.conversation === UNBORN) this.transcript.showEmpty();
    this.composer.giveBack(turn.question);
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

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // an address that nobody made; no conversation has it
  }
}

await loadTexts(preferredLanguage());
useWords({ copy: t("copy"), table: t("table"), image: t("image"), hidden: t("hidden") });
await new Page().start();
