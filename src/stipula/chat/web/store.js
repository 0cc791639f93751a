/* What the browser keeps for this page: drafts, questions on their way, choices. One field an entry, so that two tabs never
 * overwrite each other's. A browser that forbids storage costs the memory of a reload, nothing else. */

const PREFIX = "stipula.";

function read(key) {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    if (value === null || value === "") localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch {
    // full or forbidden: the page goes on with what it holds itself
  }
}

/** The key of a conversation that does not exist yet. */
export const UNBORN = "new";

export const choices = {
  get: (name) => read(`choice.${name}`),
  set: (name, value) => write(`choice.${name}`, value),
};

/** The text in the composer, one a conversation. */
export const drafts = {
  get: (conversation) => read(`draft.${conversation}`) ?? "",
  set: (conversation, text) => write(`draft.${conversation}`, text),
};

/** A question that was sent and that the service has not taken yet: it must survive a reload. */
export const unsent = {
  get: (conversation) => read(`unsent.${conversation}`) ?? "",
  set: (conversation, text) => write(`unsent.${conversation}`, text),
  clear: (conversation) => write(`unsent.${conversation}`, null),
};

/** Forget all that belongs to a conversation. */
export function forget(conversation) {
  drafts.set(conversation, "");
  unsent.clear(conversation);
}

/** A random id, also where the page came over plain http and `crypto.randomUUID` is missing. */
export function freshId() {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
