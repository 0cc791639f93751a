/* Elements without HTML text: whatever comes in becomes a text node or an attribute from a short list of our own. */

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  send: "M12 19V5M5.5 11.5 12 5l6.5 6.5",
  stop: "M7.5 7.5h9v9h-9z",
  plus: "M12 5v14M5 12h14",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20 20l-4-4",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  pencil: "M4 20h4L19 9l-4-4L4 16v4Z",
  bin: "M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7",
  copy: "M9 9h10v11H9zM5 15V4h10",
  done: "M5 12.5l4.5 4.5L19 7.5",
  again: "M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z",
  half: "M12 4a8 8 0 1 0 0 16V4ZM12 4a8 8 0 0 1 0 16",
  down: "M12 5v14M5.5 12.5 12 19l6.5-6.5",
  chevron: "M9 6l6 6-6 6",
  keys: "M3.5 7h17v10h-17zM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17 10.5h.01M8.5 14h7",
  close: "M6 6l12 12M18 6 6 18",
};

/** Make an element. `on…` keys are listeners; children are nodes or text; empty ones are left out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A line drawing of 24 × 24 that says nothing to a screen reader: the control around it has the name. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button that is only a drawing, with its name as label and as tooltip. */
export function iconButton(name, label, onclick, attributes = {}) {
  return el("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick, ...attributes }, icon(name));
}
