/* The turns of this visit: asked, followed over lost connections, stopped, tried again, picked up after a reload.
 * A turn belongs to its conversation and goes on when another one is on the screen. */

import * as service from "./api-service.js";
import { UNBORN, unsent } from "./store.js";
import { t } from "./texts.js";
import { Turn } from "./turn.js";

const TITLE_LENGTH = 60;
const STOP_PATIENCE_MS = 5000;

export class Turns {
  #last = new Map(); // conversation → its last turn of this visit
  #page;
  #announcer;

  /** `page`: isOpen(turn), wishes() → {model, mode}, show(turn), adopt(turn, row), changed(), settled(). */
  constructor(page, announcer) {
    this.#page = page;
    this.#announcer = announcer;
  }

  of(conversation) {
    return this.#last.get(conversation);
  }

  forget(turn) {
    this.#last.delete(turn.conversation);
    unsent.clear(turn.conversation);
  }

  /** Take a question; false where it has to wait for the answer that is still coming. */
  ask(conversation, question) {
    if (this.#isBusy(conversation)) return false;
    unsent.set(conversation, question);
    this.#begin(new Turn({ conversation, question, ...this.#page.wishes() }));
    return true;
  }

  #isBusy(conversation) {
    const isBusy = this.of(conversation)?.isRunning === true;
    if (isBusy) this.#announcer.say(t("busy"));
    return isBusy;
  }

  #begin(turn) {
    this.#last.set(turn.conversation, turn);
    this.#page.show(turn);
    this.#ask(turn);
  }

  async #ask(turn) {
    this.#page.changed();
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

  /** Make the conversation that a first question begins; false where the service did not. */
  async #bear(turn) {
    try {
      const row = await service.newConversation({ model: turn.model, title: titleOf(turn.question) });
      unsent.clear(UNBORN);
      unsent.set(row._id, turn.question);
      this.#last.delete(UNBORN);
      this.#last.set(row._id, turn);
      this.#page.adopt(turn, row);
      return true;
    } catch (fault) {
      this.#failed(turn, fault);
      this.#settled(turn);
      return false;
    }
  }

  #failed(turn, fault) {
    const kind = fault.kind ?? "unreachable";
    turn.retryAfter = fault.retryAfter ?? null;
    if (turn.isRunning) turn.end(turn.isStopping ? "stopped" : kind, kind === "refused" ? fault.message : "");
  }

  /** Follow a turn on its line until it ended, one way or another. */
  async #carry(turn, connect) {
    turn.abort = new AbortController();
    const unwatch = turn.watch(() => this.#tell(turn));
    try {
      await connect(this.#line(turn));
      if (turn.isRunning) turn.end("interrupted");
    } catch (fault) {
      this.#failed(turn, fault);
    }
    unwatch();
    this.#settled(turn);
  }

  /** What the connection of a turn has to say. */
  #line(turn) {
    return {
      signal: turn.abort.signal,
      onRequest: (id, metadata) => this.#taken(turn, id, metadata),
      onProgress: (lastId) => (turn.lastId = lastId),
      onWait: (ms, wake) => {
        if (!turn.waiting) this.#announcer.say(t("reconnecting"));
        turn.waiting = { until: Date.now() + ms, wake };
        turn.changed();
      },
      onBack: () => {
        turn.waiting = null;
        turn.changed();
      },
    };
  }

  /** The service has the question; it need not be kept here any more. */
  #taken(turn, id, metadata) {
    turn.requestId = id ?? turn.requestId;
    turn.model = metadata?.model ?? turn.model;
    unsent.clear(turn.conversation);
    if (turn.isStopping) this.#stopNow(turn);
  }

  #tell(turn) {
    if (!this.#page.isOpen(turn)) return;
    this.#page.changed();
    if (turn.phase !== "answering" || turn.isTold) return;
    turn.isTold = true;
    this.#announcer.say(t("answer.begins"));
  }

  #settled(turn) {
    if (this.#page.isOpen(turn)) this.#sayEnd(turn);
    this.#page.settled(turn);
  }

  #sayEnd({ outcome, text }) {
    const words = text.split(/\s+/).filter(Boolean).length;
    if (outcome === "complete") this.#announcer.say(t("answer.complete", { n: words }));
    else if (outcome === "stopped") this.#announcer.say(t("answer.stopped"));
    else this.#announcer.warn(t(`card.${outcome}`));
  }

  // -------------------------------------------------------------- stop, try again, pick up

  stop(conversation) {
    const turn = this.of(conversation);
    if (!turn?.isRunning || turn.isStopping) return;
    turn.isStopping = true;
    turn.changed();
    this.#page.changed();
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
    if (this.#isBusy(turn.conversation)) return;
    const wasNotTaken = turn.outcome === "refused" || turn.outcome === "unreachable";
    if (kind === "attach") {
      turn.restart();
      this.#last.set(turn.conversation, turn);
      this.#page.changed();
      this.#carry(turn, (line) => service.resumeChat(turn.requestId, turn.lastId, turn.callbacks(), line));
    } else if (wasNotTaken) {
      turn.model = this.#page.wishes().model || turn.model;
      turn.restart();
      this.#ask(turn);
    } else this.#begin(turn.again(this.#page.wishes()));
  }

  /** The last turn of a conversation: of this visit, or one that runs by what the service says of its last answer. */
  pickUp(conversation, messages) {
    const known = this.of(conversation);
    if (known) return known;
    const told = runningBy(messages);
    if (!told) return null;
    const turn = new Turn({ ...told, conversation });
    this.#last.set(conversation, turn);
    this.#carry(turn, (line) => service.resumeChat(turn.requestId, null, turn.callbacks(), line));
    return turn;
  }
}

function runningBy(messages) {
  const { role, metadata } = messages.at(-1) ?? {};
  if (role !== "assistant" || metadata?.status !== "streaming" || !metadata.request_id) return null;
  const question = messages.findLast((message) => message.role === "user");
  const { model = "", thinking_mode: mode = "" } = metadata;
  return { requestId: metadata.request_id, question: question?.content ?? "", messageId: question?._id, model, mode };
}

function titleOf(question) {
  const line = question.trim().split("\n")[0];
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`;
}
