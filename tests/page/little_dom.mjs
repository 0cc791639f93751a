/* As much of a document as markdown.js needs, so that its laws can be tried ten thousand times in Node. */

class Text {
  nodeType = 3;
  parentNode = null;
  constructor(data) {
    this.data = data;
  }
  get textContent() {
    return this.data;
  }
  remove() {
    this.parentNode?.removeChild(this);
  }
  replaceWith(node) {
    this.parentNode.replaceChild(node, this);
  }
  show() {
    return this.data;
  }
}

class Element {
  nodeType = 1;
  parentNode = null;
  childNodes = [];
  attributes = new Map();
  className = "";
  constructor(tag) {
    this.tag = tag;
  }
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }
  get textContent() {
    return this.childNodes.map((node) => node.textContent).join("");
  }
  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }
  append(...nodes) {
    for (const node of nodes) this.insertBefore(typeof node === "string" ? new Text(node) : node, null);
  }
  insertBefore(node, before) {
    const incoming = node.tag === "#fragment" ? [...node.childNodes] : [node];
    for (const one of incoming) {
      one.remove();
      const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
      if (at < 0) throw new Error("the node to insert before is not a child");
      this.childNodes.splice(at, 0, one);
      one.parentNode = this;
    }
  }
  removeChild(node) {
    this.childNodes = this.childNodes.filter((one) => one !== node);
    node.parentNode = null;
  }
  replaceChild(node, old) {
    this.insertBefore(node, old);
    old.remove();
  }
  replaceChildren(...nodes) {
    for (const node of [...this.childNodes]) node.remove();
    this.append(...nodes);
  }
  remove() {
    this.parentNode?.removeChild(this);
  }
  replaceWith(node) {
    this.parentNode.replaceChild(node, this);
  }
  isEqualNode(other) {
    return JSON.stringify(this.show()) === JSON.stringify(other.show());
  }
  /** The tree as nested arrays: [tag, {attributes}, ...children]; neighbouring texts are one. */
  show() {
    const children = [];
    for (const node of this.childNodes) {
      const shown = node.show();
      if (typeof shown === "string" && typeof children.at(-1) === "string") children.push(children.pop() + shown);
      else if (shown !== "") children.push(shown);
    }
    const attributes = Object.fromEntries(this.attributes);
    if (this.className) attributes.class = this.className;
    return [this.tag, attributes, ...children];
  }
}

globalThis.document = {
  createElement: (tag) => new Element(tag),
  createTextNode: (data) => new Text(data),
  createDocumentFragment: () => new Element("#fragment"),
};

export const box = () => new Element("div");
