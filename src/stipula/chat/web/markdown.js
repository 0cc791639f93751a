/* Markdown that a model wrote, as elements. The parser makes tokens; each token becomes an element of a short list made
 * here, so there is no HTML text at any point and nothing for a script to hide in. Links go to http, https and mailto
 * only and show where they lead; pictures are named, never loaded.
 *
 * `MarkdownStream` draws an answer while it grows: every top-level block but the last is finished and keeps its nodes. */

import MarkdownIt from "./vendor/markdown-it-15.0.3/markdown-it.js";

const DEEPEST = 56; // blocks inside blocks; beyond it the text stands as it came
const LONGEST = 200_000; // characters that are drawn as Markdown; the rest stands as plain text
const LINK = /^(https?:\/\/|mailto:)/i;
/* Characters that change what is seen without being seen: bidi overrides and isolates, tags, zero-width spaces. */
const HIDDEN = /[\u200b\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
/* A last line, still without its end, that may yet turn into a heading, list, rule, quote, fence or table row. */
const UNDECIDED = /^[ \t]*(?:[-=*+#>`~|:_ \t]+|\d{1,9}[.)][ \t]*)$/;

const md = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 60 });
md.validateLink = (url) => LINK.test(url.trim());
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
md.block.ruler.before("table", "too_deep", plainBeyondDepth, { alt: ["paragraph", "reference", "blockquote", "list"] });

/** The parser would drop what is nested deeper than its bound; this keeps it as one paragraph of plain text. */
function plainBeyondDepth(state, start, end, silent) {
  if (state.level < DEEPEST) return false;
  if (silent) return true;
  const text = state.getLines(start, end, 0, false);
  state.push("paragraph_open", "p", 1).map = [start, end];
  const inline = state.push("inline", "", 0);
  inline.content = "";
  inline.children = [];
  inline.plain = text;
  state.push("paragraph_close", "p", -1);
  state.line = end;
  return true;
}

// ---------------------------------------------------------------- tokens to elements

const WORDS = { copy: "Copy", table: "Table", image: "Image", hidden: "Hidden character" };
const sources = new WeakMap();

/** Name the few words that this file draws, in the page's language: copy, table, image, hidden. */
export function useWords(words) {
  Object.assign(WORDS, words);
}

/** The text of a code block exactly as it was written, without the last newline. */
export function sourceOf(figure) {
  return sources.get(figure) ?? "";
}

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

/** Text with its invisible characters made visible. */
export function visibleText(text) {
  if (text.search(HIDDEN) < 0) return [text];
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    const code = `U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    const mark = make("span", "hidden-character", code);
    mark.setAttribute("title", WORDS.hidden);
    pieces.push(text.slice(from, found.index), mark);
    from = found.index + found[0].length;
  }
  return [...pieces, text.slice(from)].filter((piece) => piece !== "");
}

function hostOf(url) {
  try {
    const parsed = new URL(url);
    return parsed.protocol === "mailto:" ? parsed.pathname : parsed.host;
  } catch {
    return url;
  }
}

/** A link that shows its host where its own text does not begin with the very same address. */
function linkTo(url, text) {
  const node = make("a", "");
  node.setAttribute("href", url);
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("referrerpolicy", "no-referrer");
  node.setAttribute("target", "_blank");
  const host = hostOf(url);
  const shown = text.trim().replace(/^(https?:\/\/|mailto:)/i, "");
  const isSame = shown === host || ["/", "?", "#"].some((next) => shown.startsWith(host + next));
  if (!isSame) node.setAttribute("data-host", host);
  return node;
}

/** A picture that is not loaded: its description, and a link to where it is. */
function pictureName(token) {
  const url = token.attrGet("src") ?? "";
  const words = make("span", "picture", `${WORDS.image}: `, ...visibleText(token.content || hostOf(url)));
  if (!LINK.test(url)) return words;
  const link = linkTo(url, "");
  link.append(words);
  return link;
}

function codeBlock(token) {
  const language = token.type === "fence" ? token.info.trim().split(/\s+/)[0] : "";
  const copy = make("button", "copy-code", WORDS.copy);
  copy.setAttribute("type", "button");
  copy.setAttribute("data-copy", "code");
  const code = make("code", "");
  code.setAttribute("dir", "ltr");
  const pre = make("pre", "", code);
  pre.setAttribute("tabindex", "0");
  const head = make("figcaption", "", make("span", "language", ...visibleText(language)), copy);
  const figure = make("figure", "code", head, pre);
  fillCode(figure, token.content);
  return figure;
}

function fillCode(figure, content) {
  const text = content.replace(/\n$/, "");
  const code = figure.lastChild.firstChild;
  const isPlain = text.search(HIDDEN) < 0;
  if (isPlain && code.childNodes.length === 1 && code.firstChild.nodeType === 3) code.firstChild.data = text;
  else code.replaceChildren(...visibleText(text));
  sources.set(figure, text);
}

function scrollingTable() {
  const table = make("table", "");
  const box = make("div", "table", table);
  box.setAttribute("role", "region");
  box.setAttribute("tabindex", "0");
  box.setAttribute("aria-label", WORDS.table);
  return [box, table];
}

function cell(token) {
  const node = make(token.tag, "");
  const align = /text-align:(left|center|right)/.exec(token.attrGet("style") ?? "");
  if (align) node.className = `align-${align[1]}`;
  if (token.tag === "th") node.setAttribute("scope", "col");
  return node;
}

const BLOCKS = ["p", "ul", "ol", "li", "blockquote", "thead", "tbody", "tr", "em", "strong", "s"];

/** The element that an opening token stands for: [what is put in, what its children go into]. */
function opened(token, tokens, at) {
  if (token.type === "heading_open") {
    const heading = make(`h${Math.min(6, Number(token.tag[1]) + 2)}`, ""); // the page has the first two levels itself
    heading.setAttribute("dir", "auto");
    return [heading, heading];
  }
  if (token.type === "table_open") return scrollingTable();
  if (token.type === "link_open") {
    const link = linkTo(token.attrGet("href") ?? "", textInside(tokens, at));
    return [link, link];
  }
  const isCell = token.tag === "th" || token.tag === "td";
  const node = isCell ? cell(token) : make(BLOCKS.includes(token.tag) ? token.tag : "span", "");
  if (token.tag === "ol" && token.attrGet("start") !== null) node.setAttribute("start", String(Number(token.attrGet("start"))));
  if (["p", "li", "blockquote"].includes(token.tag)) node.setAttribute("dir", "auto");
  return [node, node];
}

function textInside(tokens, at) {
  let text = "";
  for (let i = at + 1; i < tokens.length && tokens[i].type !== "link_close"; i += 1) text += tokens[i].content;
  return text;
}

/** What a token without children stands for: nodes and strings. */
function leaf(token) {
  switch (token.type) {
    case "softbreak":
    case "hardbreak": return [make("br", "")];
    case "code_inline": return [make("code", "", ...visibleText(token.content))];
    case "fence":
    case "code_block": return [codeBlock(token)];
    case "hr": return [make("hr", "")];
    case "image": return [pictureName(token)];
    default: return token.content ? visibleText(token.content) : [];
  }
}

function build(tokens, parent) {
  const stack = [parent];
  tokens.forEach((token, at) => {
    const top = stack[stack.length - 1];
    if (token.hidden) return; // the paragraphs of a tight list
    if (token.type === "inline") {
      if (token.plain !== undefined) top.append(...visibleText(token.plain));
      else build(token.children ?? [], top);
    } else if (token.nesting === 1) {
      const [outer, inner] = opened(token, tokens, at);
      top.append(outer);
      stack.push(inner);
    } else if (token.nesting === -1) stack.pop();
    else top.append(...leaf(token));
  });
}

/** The element of one top-level block. */
function blockNode(tokens) {
  const holder = document.createDocumentFragment();
  build(tokens, holder);
  return holder.firstChild ?? document.createTextNode("");
}

// ---------------------------------------------------------------- blocks and where they lie

/** Top-level blocks of a parsed text: {tokens, start, end} with lines counted from 0, end exclusive. */
function topBlocks(tokens) {
  const blocks = [];
  let open = null;
  for (const token of tokens) {
    if (open === null) {
      open = { tokens: [], start: token.map?.[0] ?? 0, end: token.map?.[1] ?? 0 };
      blocks.push(open);
    }
    open.tokens.push(token);
    if (token.level === 0 && token.nesting <= 0) open = null;
  }
  return blocks;
}

/** The offset at which each line begins. */
function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The text without a last line that cannot be judged yet. */
function decided(text) {
  const last = text.lastIndexOf("\n") + 1;
  return UNDECIDED.test(text.slice(last)) ? text.slice(0, last) : text;
}

/** Parse text into blocks that know their source; `references` is read and added to. */
function parse(text, references) {
  const env = { references };
  const blocks = topBlocks(md.parse(text, env));
  const starts = lineStarts(text);
  const offset = (line) => starts[line] ?? text.length;
  for (const block of blocks) {
    block.from = offset(block.start);
    block.source = text.slice(block.from, offset(block.end));
  }
  return blocks;
}

/** True where a definition elsewhere may change how this block looks. */
function mayRefer(source) {
  return source.includes("[");
}

/** Draws a growing Markdown text into `container`. */
export class MarkdownStream {
  #container;
  #done = ""; // the text whose blocks are finished
  #finished = []; // {source, node}
  #tail = []; // {source, node, code: the fence's first line or null}
  #references = {};
  #rest = null; // what is beyond `LONGEST`

  constructor(container) {
    this.#container = container;
  }

  /** The nodes that may still change. */
  get openNodes() {
    return this.#tail.map((block) => block.node);
  }

  /** How many characters the next `update` has to parse. */
  openLength(text) {
    return text.length - this.#done.length;
  }

  /** Show `text`, which begins with what was shown before. `isWhole`: nothing more will come. */
  update(text, isWhole = false) {
    let clean = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (!clean.startsWith(this.#done)) this.#reset();
    if (clean.length > LONGEST) {
      this.#showRest(clean.slice(LONGEST));
      clean = clean.slice(0, LONGEST);
    }
    const open = clean.slice(this.#done.length);
    const boundary = isWhole ? open.length : this.#boundary(open);
    if (boundary > 0) this.#finish(open.slice(0, boundary));
    const tail = open.slice(boundary);
    this.#showTail(parse(isWhole ? tail : decided(tail), { ...this.#references }));
  }

  /** Where the last block but one ends, once the first line of the last is whole: what is before can change no more.
   * What lies between the two (a definition, perhaps half of one) stays open. */
  #boundary(open) {
    const blocks = parse(open, { ...this.#references });
    const last = blocks[blocks.length - 1];
    if (blocks.length < 2 || open.indexOf("\n", last.from) < 0) return 0;
    const before = blocks[blocks.length - 2];
    return before.from + before.source.length;
  }

  #finish(source) {
    const known = Object.keys(this.#references).length;
    const blocks = parse(source, this.#references);
    blocks.forEach((block, at) => {
      const shown = this.#tail[at];
      const isSame = shown?.source === block.source && !mayRefer(block.source);
      const node = isSame ? shown.node : blockNode(block.tokens);
      if (!shown) this.#container.insertBefore(node, this.#rest);
      else if (!isSame) shown.node.replaceWith(node);
      this.#finished.push({ source: block.source, node });
    });
    for (const block of this.#tail.splice(blocks.length)) block.node.remove();
    this.#tail = [];
    this.#done += source;
    if (Object.keys(this.#references).length > known) this.#redrawReferring();
  }

  /** A definition came after its use: draw anew the blocks that name it, and only these. */
  #redrawReferring() {
    const keys = Object.keys(this.#references);
    for (const block of this.#finished) {
      const text = md.utils.normalizeReference(block.source);
      if (!keys.some((key) => text.includes(key))) continue;
      const [fresh] = parse(block.source, { ...this.#references });
      if (!fresh) continue;
      const node = blockNode(fresh.tokens);
      if (node.isEqualNode(block.node)) continue;
      block.node.replaceWith(node);
      block.node = node;
    }
  }

  #showTail(blocks) {
    blocks.forEach((block, at) => {
      const shown = this.#tail[at];
      const token = block.tokens[0];
      const code = token.type === "fence" ? token.info : null;
      if (shown?.source === block.source && !mayRefer(block.source)) return;
      if (shown && code !== null && shown.code === code) fillCode(shown.node, token.content);
      else this.#replace(at, blockNode(block.tokens));
      this.#tail[at] = { source: block.source, node: this.#tail[at].node, code };
    });
    for (const block of this.#tail.splice(blocks.length)) block.node.remove();
  }

  #replace(at, node) {
    if (this.#tail[at]) this.#tail[at].node.replaceWith(node);
    else this.#container.insertBefore(node, this.#rest);
    this.#tail[at] = { node };
  }

  #showRest(text) {
    if (!this.#rest) this.#container.append((this.#rest = make("p", "plain")));
    this.#rest.replaceChildren(...visibleText(text));
  }

  #reset() {
    this.#container.replaceChildren();
    this.#done = "";
    this.#finished = [];
    this.#tail = [];
    this.#references = {};
    this.#rest = null;
  }
}

/** Draw a whole text. */
export function renderMarkdown(text, container) {
  new MarkdownStream(container).update(text, true);
}
