/* One question and its answer while it comes: what the seven callbacks and the connection say, kept as plain fields.
 * Views watch it; it watches nobody. A turn goes on when its conversation is not on the screen. */

import { freshId } from "./store.js";

/** The thinking of one turn: one or more threads of text, and how long it took. */
class Thinking {
  label = "";
  category = "";
  threads = new Map(); // trajectory id, "" where there is only one → paragraphs
  summary = "";
  startedAt = Date.now();
  durationMs = null; // null while it lasts

  add(step, isFragment, trajectory) {
    const paragraphs = this.threads.get(trajectory) ?? [];
    if (isFragment && paragraphs.length) paragraphs[paragraphs.length - 1] += step;
    else paragraphs.push(step);
    this.threads.set(trajectory, paragraphs);
  }

  end(summary, steps, durationMs) {
    this.summary = summary;
    this.durationMs = durationMs;
    if (this.threads.size === 0 && steps.length) this.threads.set("", [...steps]);
  }
}

export class Turn {
  phase = "sending"; // sending, thinking, answering
  isStopping = false;
  waiting = null; // {until, wake} while the line is down
  outcome = null; // complete, stopped, error, refused, unreachable, lost, interrupted
  text = "";
  thinking = null;
  reason = ""; // what the service said where it failed
  retryAfter = null; // seconds
  requestId = null;
  lastId = null; // the last frame that came
  facts = {}; // of complete: model, elapsed_time, tokens …
  #lastChunk = null;
  #watchers = new Set();

  constructor({ conversation, question, model, mode, messageId = freshId(), requestId = null }) {
    Object.assign(this, { conversation, question, model, mode, messageId, requestId });
    this.startedAt = new Date().toISOString();
  }

  /** A turn as the service has stored it. */
  static stored(message, conversation) {
    const facts = message.metadata ?? {};
    const turn = new Turn({ conversation, question: null, model: facts.model ?? "", mode: facts.thinking_mode ?? "" });
    turn.text = message.content ?? "";
    turn.startedAt = message.created_at ?? "";
    turn.requestId = facts.request_id ?? null;
    turn.facts = facts;
    turn.reason = facts.error ?? "";
    turn.outcome = message.is_stopped ? "stopped" : storedOutcome(facts);
    const steps = facts.thinking_steps ?? [];
    if (steps.length || facts.thinking_summary) {
      turn.thinking = new Thinking();
      turn.thinking.end(facts.thinking_summary ?? "", steps, facts.thinking_duration_ms ?? 0);
    }
    return turn;
  }

  get isRunning() {
    return this.outcome === null;
  }

  /** One word for what the reader sees. */
  get state() {
    if (this.outcome) return this.outcome;
    if (this.waiting) return "reconnecting";
    return this.isStopping ? "stopping" : this.phase;
  }

  watch(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  changed() {
    for (const watcher of this.#watchers) watcher(this);
  }

  /** The same question once more, as a new answer beside this one. */
  again({ model, mode }) {
    const { conversation, question, messageId } = this;
    return new Turn({ conversation, question, model, mode, messageId });
  }

  /** Begin once more, before anything was answered. */
  restart() {
    Object.assign(this, { phase: "sending", outcome: null, reason: "", retryAfter: null, waiting: null, isStopping: false });
    this.changed();
  }

  end(outcome, reason = "") {
    this.outcome = outcome;
    this.reason = reason;
    this.waiting = null;
    if (this.thinking && this.thinking.durationMs === null) this.thinking.durationMs = Date.now() - this.thinking.startedAt;
    this.changed();
  }

  /** The seven callbacks of the response contract. */
  callbacks() {
    return {
      onThinkingStart: (data) => {
        this.thinking ??= new Thinking(); // a second block, after a fallback, goes on in the same panel
        this.thinking.durationMs = null;
        this.thinking.category = data.category ?? "";
        this.thinking.label = data.label ?? "";
        this.phase = "thinking";
        this.changed();
      },
      onThinking: (data) => {
        this.thinking ??= new Thinking();
        this.thinking.add(data.step ?? "", data.is_reasoning_chunk === true, data.trajectory_id ?? "");
        this.changed();
      },
      onThinkingEnd: (data) => {
        this.thinking ??= new Thinking();
        this.thinking.end(data.summary ?? "", data.steps ?? [], data.duration_ms ?? 0);
        this.phase = "answering";
        this.changed();
      },
      onChunk: (data) => {
        if (this.#isRepeat(data.chunk_index)) return;
        this.text += data.content ?? "";
        this.phase = "answering";
        this.changed();
      },
      onComplete: (data) => {
        if (typeof data.response === "string" && (data.response !== "" || !this.isStopping)) this.text = data.response;
        this.facts = data;
        this.model = data.model ?? this.model;
        this.end(this.isStopping ? "stopped" : "complete");
      },
      onSuggestions: () => {}, // reserved: its shape is not set, so nothing of it is shown
      onError: (data) => {
        this.requestId = data.request_id ?? this.requestId;
        this.end(this.isStopping ? "stopped" : "error", data.error ?? "");
      },
    };
  }

  #isRepeat(index) {
    if (typeof index !== "number") return false;
    if (this.#lastChunk !== null && index <= this.#lastChunk) return true;
    this.#lastChunk = index;
    return false;
  }
}

function storedOutcome(facts) {
  const known = { interrupted: "interrupted", error: "error", failed: "error", stopped: "stopped" };
  return known[facts.status] ?? "complete";
}
