/* The list of conversations: new, search, switch, rename in place, delete with a way back. On a phone it lies over the page.
 *
 * A search shows at once what titles match; from the second character on the service adds what messages say. */

import { searchConversations } from "./api-service.js";
import { el, icon, iconButton } from "./element.js";
import { visibleText } from "./markdown.js";
import { clock, daysAgo, t } from "./texts.js";

const SEARCH_FROM = 2; // characters
const SEARCH_AFTER_MS = 150;
const AGES = [
  ["today", 0],
  ["yesterday", 1],
  ["week", 7],
  ["month", 30],
  ["older", Infinity],
];

export class Sidebar {
  #act;
  #rows = [];
  #current = null;
  #list = el("div", { class: "conversations" });
  #renaming = null;
  #hidden = new Set();
  #said = null; // what the service found: {words, rows}
  #asking = null;
  #timer = null;

  /** `act`: open(id), create(), rename(id, title), remove(row), close(). */
  constructor(act, foot) {
    this.#act = act;
    this.search = el("input", {
      type: "search",
      placeholder: t("search"),
      "aria-label": t("search.label"),
      autocomplete: "off",
      oninput: () => this.#searched(),
      onkeydown: (event) => this.#searchKey(event),
    });
    const head = el("div", { class: "sidebar-head" }, el("span", { class: "wordmark" }, t("brand")), iconButton("close", t("sidebar.close"), () => act.close(), { class: "quiet only-phone" }));
    const create = el("button", { type: "button", class: "new", onclick: () => act.create() }, icon("plus"), t("new"));
    const search = el("label", { class: "search" }, icon("search"), this.search);
    this.#list.addEventListener("keydown", (event) => this.#listKey(event));
    this.element = el("nav", { class: "sidebar", id: "sidebar", "aria-label": t("conversations") }, head, create, search, this.#list, foot);
  }

  /** `hidden`: ids that a search must not bring back. */
  show(rows, hidden) {
    this.#rows = rows;
    this.#hidden = hidden;
    this.#draw();
  }

  /** Nothing could be read: say so where the list would be. */
  showFault(text, retry) {
    this.#list.replaceChildren(el("div", { class: "list-note" }, el("p", {}, text), el("button", { type: "button", class: "link", onclick: retry }, t("retry"))));
  }

  select(id) {
    this.#current = id;
    for (const link of this.#list.querySelectorAll("a")) this.#mark(link);
  }

  #mark(link) {
    if (link.dataset.id === this.#current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }

  focusSearch() {
    this.search.focus();
    this.search.select();
  }

  #searched() {
    this.#draw();
    clearTimeout(this.#timer);
    this.#asking?.abort();
    const words = this.search.value.trim();
    if (words.length >= SEARCH_FROM) this.#timer = setTimeout(() => this.#ask(words), SEARCH_AFTER_MS);
  }

  async #ask(words) {
    this.#asking = new AbortController();
    try {
      const { conversations } = await searchConversations(words, this.#asking.signal);
      this.#said = { words, rows: conversations ?? [] };
      this.#draw();
    } catch {
      // the titles that match stay; the next key asks again
    }
  }

  #found() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const titled = this.#rows.filter((row) => words.every((word) => (row.title ?? "").toLowerCase().includes(word)));
    if (this.#said?.words !== this.search.value.trim()) return titled;
    const known = new Set(titled.map(({ _id }) => _id));
    return [...titled, ...this.#said.rows.filter(({ _id }) => !known.has(_id) && !this.#hidden.has(_id))];
  }

  #draw() {
    if (this.#renaming) return;
    const rows = this.#found();
    const groups = AGES.map(([age, most], at) => {
      const least = at === 0 ? -Infinity : AGES[at - 1][1];
      const members = rows.filter((row) => daysAgo(row.updated_at ?? row.created_at) > least && daysAgo(row.updated_at ?? row.created_at) <= most);
      return members.length && el("section", {}, el("h2", {}, t(`age.${age}`)), el("ul", {}, ...members.map((row) => this.#item(row))));
    });
    const none = rows.length === 0 && el("p", { class: "list-note" }, t(this.search.value ? "search.none" : "list.empty"));
    this.#list.replaceChildren(...groups.filter(Boolean), ...(none ? [none] : []));
  }

  #item(row) {
    const title = row.title || t("untitled");
    const when = clock(row.updated_at ?? row.created_at);
    const link = el("a", { href: `#/c/${encodeURIComponent(row._id)}`, "data-id": row._id, dir: "auto", title: when }, ...visibleText(title));
    link.addEventListener("click", () => this.#act.close());
    this.#mark(link);
    const rename = iconButton("pencil", t("rename.of", { title }), () => this.#rename(row, item));
    const remove = iconButton("bin", t("delete.of", { title }), () => this.#act.remove(row));
    const item = el("li", {}, link, el("span", { class: "item-actions" }, rename, remove));
    return item;
  }

  #rename(row, item) {
    const input = el("input", { type: "text", class: "rename", "aria-label": t("rename"), maxlength: 200, dir: "auto" });
    input.value = row.title ?? "";
    this.#renaming = row._id;
    let isOver = false;
    const end = (isKept) => {
      if (isOver) return;
      isOver = true;
      this.#renaming = null;
      const title = input.value.trim();
      if (isKept && title && title !== row.title) this.#act.rename(row, title);
      this.#draw();
      this.#list.querySelector(`a[data-id="${CSS.escape(row._id)}"]`)?.focus();
    };
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter") end(true);
      else if (event.key === "Escape") end(false);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    input.addEventListener("blur", () => end(true));
    item.replaceChildren(input);
    input.focus();
    input.select();
  }

  #searchKey(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") this.#list.querySelector("a")?.focus();
    else if (event.key === "Enter") this.#list.querySelector("a")?.click();
    else if (event.key === "Escape" && this.search.value) (this.search.value = ""), this.#searched();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #listKey(event) {
    const link = event.target.closest("a");
    if (!link) return;
    const links = [...this.#list.querySelectorAll("a")];
    const at = links.indexOf(link);
    const row = this.#found().find(({ _id }) => _id === link.dataset.id);
    if (event.key === "ArrowDown") links[at + 1]?.focus();
    else if (event.key === "ArrowUp") (links[at - 1] ?? this.search).focus();
    else if (event.key === "F2") this.#rename(row, link.parentElement);
    else if (event.key === "Delete") this.#act.remove(row);
    else return;
    event.preventDefault();
  }
}
