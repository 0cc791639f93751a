/* Which model answers: the list from the service, the reader's choice, and what is missing where one is not ready. */

import { listModels } from "./api-service.js";
import { el } from "./element.js";
import { choices } from "./store.js";
import { t } from "./texts.js";

const AGAIN_MS = 5000; // a model that is being fetched becomes ready while the page is open

export class Models {
  #composer;
  #banner;
  #rows = [];
  #failed = false;
  #timer = null;

  constructor(composer, banner) {
    this.#composer = composer;
    this.#banner = banner;
  }

  async load() {
    clearTimeout(this.#timer);
    try {
      const { models } = await listModels();
      this.#rows = (models ?? []).map((row) => ({ ...row, name: row.name || row.id, available: row.available !== false }));
      this.#failed = false;
    } catch {
      this.#failed = true;
    }
    this.show();
    if (this.#failed || this.#rows.some((row) => !row.available)) this.#timer = setTimeout(() => this.#again(), AGAIN_MS);
  }

  #again() {
    if (!document.hidden) this.load();
    else document.addEventListener("visibilitychange", () => this.load(), { once: true });
  }

  /** The wanted model where it is ready, else the first that is. */
  #choose() {
    const ready = this.#rows.filter((row) => row.available);
    return ready.find((row) => row.id === choices.get("model")) ?? ready[0] ?? null;
  }

  show() {
    const chosen = this.#choose();
    this.#composer.setModels(this.#rows, chosen?.id);
    if (!navigator.onLine) this.#banner.show("offline", t("banner.offline"));
    else if (this.#failed) this.#banner.show("fault", t("banner.models"), retryLink(() => this.load()));
    else this.#showMissing(chosen);
  }

  #showMissing(chosen) {
    const missing = this.#rows.find((row) => !row.available);
    const note = missing?.note ?? missing?.description ?? "";
    if (!chosen) this.#banner.show("missing", t("banner.model.none", { note }), retryLink(() => this.load()));
    else if (missing && chosen.id === "echo") this.#banner.show("missing", t("banner.model.echo", { name: missing.name, note }));
    else if (missing && this.#rows.indexOf(missing) < this.#rows.indexOf(chosen)) {
      this.#banner.show("missing", t("banner.model", { name: missing.name, note, other: chosen.name }));
    } else this.#banner.hide();
  }
}

function retryLink(onclick) {
  return el("button", { type: "button", class: "link", onclick }, t("retry"));
}
