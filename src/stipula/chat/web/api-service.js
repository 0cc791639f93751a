/* The way to the service: one event stream a turn, read frame by frame, and the plain JSON routes.
 *
 * What the page reads of each event is written down in the response contract (callbacks and their keys).
 * Nothing here touches the document; the same file runs in Node for its tests. */

const RETRY_AFTER_MS = [500, 1000, 2000, 4000, 8000];
const GIVE_UP_AFTER_MS = 60_000;
const SILENCE_MS = 20_000; // the service sends a comment at least every 15 s
const FIRST_BYTE_MS = 60_000; // a local model may have to be read from disk first
const LONGEST_FRAME = 8 * 1024 * 1024;

/** What went wrong on the way. `kind`: unreachable, refused, lost, interrupted; `status` where an answer came. */
export class ServiceError extends Error {
  constructor(kind, message, { status = 0, retryAfter = null, requestId = null } = {}) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

// ---------------------------------------------------------------- frames

/** Bytes in, frames {event, data, id, isNumbered} out, as the event-stream specification reads them; bytes may be cut
 * anywhere. `id` stays from frame to frame, `isNumbered` says that this frame brought it. */
export class FrameParser {
  #decoder = new TextDecoder("utf-8"); // drops one leading byte order mark
  #line = "";
  #endedWithReturn = false;
  #event = "";
  #data = [];
  #size = 0;
  #id = null;
  #isNumbered = false;

  feed(bytes) {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  #read(text) {
    const frames = [];
    if (text === "") return frames;
    if (this.#endedWithReturn && text[0] === "\n") text = text.slice(1);
    this.#endedWithReturn = text === "" ? false : text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#line + lines[0];
    this.#line = lines.pop();
    for (const line of lines) this.#take(line, frames);
    if (this.#line.length + this.#size > LONGEST_FRAME) throw new RangeError("a frame is larger than 8 MiB");
    return frames;
  }

  #take(line, frames) {
    if (line === "") return this.#dispatch(frames);
    if (line.startsWith(":")) return;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value), (this.#size += value.length);
    else if (field === "id" && !value.includes("\0")) (this.#id = value), (this.#isNumbered = true);
  }

  #dispatch(frames) {
    const frame = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id, isNumbered: this.#isNumbered };
    if (this.#data.length) frames.push(frame);
    this.#event = "";
    this.#isNumbered = false;
    this.#data = [];
    this.#size = 0;
  }
}

// ---------------------------------------------------------------- events to callbacks

/** Where a followed stream stands: what came, how far, and complete's payload once it is there. */
class Track {
  constructor(requestId = null, lastId = null) {
    this.requestId = requestId;
    this.lastId = lastId;
    this.lastChunk = null;
    this.done = false;
    this.result = {};
    this.metadata = null; // informational: no callback of the contract reads it
    this.failingSince = null;
    this.attempts = 0;
  }

  /** True where this frame came already, on the line before this one. */
  seen(frame) {
    if (!frame.isNumbered || !/^\d+$/.test(frame.id)) return false;
    if (this.lastId !== null && Number(frame.id) <= Number(this.lastId)) return true;
    this.lastId = frame.id;
    return false;
  }
}

function report(fault) {
  if (typeof globalThis.reportError === "function") globalThis.reportError(fault);
  else console.error(fault);
}

/** Hand one event to its callback. A fault inside a callback is reported and does not stop the stream. */
function dispatch(currentEvent, data, callbacks, track) {
  let result = track.result;
  try {
    switch (currentEvent) {
      case 'thinking_start': callbacks.onThinkingStart(data);  break;
      case 'thinking':       callbacks.onThinking(data);       break;
      case 'thinking_end':   callbacks.onThinkingEnd(data);    break;
      case 'chunk':          callbacks.onChunk(data);          break;
      case 'complete':       result = data; callbacks.onComplete(data); break;
      case 'suggestions':    callbacks.onSuggestions(data);    break;
      case 'error':          callbacks.onError(data);          break;
    }
  } catch (fault) {
    report(fault);
  }
  track.result = result;
}

/** Read one frame into the track and the callbacks. */
function take(frame, track, callbacks, line) {
  if (track.done || track.seen(frame)) return;
  let data;
  try {
    data = JSON.parse(frame.data);
  } catch {
    report(new SyntaxError(`the data of a ${frame.event} event is not JSON`));
    return;
  }
  track.failingSince = null;
  track.attempts = 0;
  if (frame.event === "metadata") track.metadata = data;
  if (data?.request_id && track.requestId === null) {
    track.requestId = data.request_id;
    line.onRequest?.(track.requestId, track.metadata);
  } else if (frame.event === "metadata") line.onRequest?.(track.requestId, data);
  dispatch(frame.event, data, callbacks, track);
  if (frame.event === "complete" || frame.event === "error") track.done = true;
}

// ---------------------------------------------------------------- the line: read, lose, find again

/** Read a response to its end. Ends early, without a fault, after the terminal event. */
async function readStream(response, silence, track, callbacks, line) {
  const parser = new FrameParser();
  const reader = response.body.getReader();
  try {
    while (!track.done) {
      silence.restart();
      const { value, done } = await reader.read();
      if (done) return;
      for (const frame of parser.feed(value)) take(frame, track, callbacks, line);
      line.onProgress?.(track.lastId);
    }
  } finally {
    silence.end();
    reader.cancel().catch(() => {}); // a line that is already dead cannot be closed again
  }
}

/** Abort a request on which no byte came for `SILENCE_MS`, or when the caller's own signal says so. */
class Silence {
  #timer = null;
  #abort = new AbortController();

  constructor(signal) {
    this.signal = signal ? AbortSignal.any([signal, this.#abort.signal]) : this.#abort.signal;
  }

  restart(ms = SILENCE_MS) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(), ms);
  }

  end() {
    clearTimeout(this.#timer);
  }
}

/** Wait, or less where `line.onWait`'s second argument is called or the browser says it is online again. */
function pause(ms, line) {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", wake);
      line.signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    globalThis.addEventListener?.("online", wake);
    line.signal?.addEventListener("abort", wake);
    line.onWait?.(ms, wake);
  });
}

/** Ask again for the rest of a turn until it answers; ends as lost after a minute, as interrupted where it is unknown. */
async function reconnect(track, line) {
  track.failingSince ??= Date.now();
  for (;;) {
    if (Date.now() - track.failingSince > GIVE_UP_AFTER_MS) throw new ServiceError("lost", "no answer for a minute");
    const step = RETRY_AFTER_MS[Math.min(track.attempts, RETRY_AFTER_MS.length - 1)];
    track.attempts += 1;
    await pause(step * (0.8 + 0.4 * Math.random()), line);
    if (line.signal?.aborted) throw new ServiceError("lost", "given up");
    const silence = new Silence(line.signal);
    silence.restart();
    try {
      const headers = track.lastId === null ? {} : { "Last-Event-ID": track.lastId };
      const response = await fetch(`/chat/stream/${encodeURIComponent(track.requestId)}`, { headers, signal: silence.signal });
      if (response.ok) return { response, silence };
      if (response.status === 404 || response.status === 410) throw await problem(response, "interrupted");
    } catch (fault) {
      silence.end();
      if (fault instanceof ServiceError) throw fault;
    }
    silence.end();
  }
}

async function follow(track, opened, callbacks, line) {
  for (;;) {
    try {
      await readStream(opened.response, opened.silence, track, callbacks, line);
    } catch (fault) {
      if (fault instanceof RangeError) throw new ServiceError("lost", fault.message);
    }
    if (track.done) return track.result;
    if (line.signal?.aborted) throw new ServiceError("lost", "given up");
    if (track.requestId === null) throw new ServiceError("unreachable", "the stream ended before it began");
    opened = await reconnect(track, line);
    line.onBack?.();
  }
}

/** Ask a question and follow its stream to the end, over lost connections.
 *
 * `request`: the body of POST /chat/stream. `callbacks`: the seven of the contract. `line`: what the connection itself
 * has to say, each optional: onRequest(id, metadata), onProgress(lastId), onWait(ms, wake), onBack(), and `signal`.
 * Gives complete's payload, {} where the stream ended with an error event; throws ServiceError. */
export async function streamChat(request, callbacks, line = {}) {
  const track = new Track();
  const silence = new Silence(line.signal);
  silence.restart(FIRST_BYTE_MS);
  let response;
  try {
    response = await fetch("/chat/stream", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify(request),
      signal: silence.signal,
    });
  } catch (fault) {
    silence.end();
    throw new ServiceError("unreachable", fault.message);
  }
  if (!response.ok) {
    silence.end();
    throw await problem(response, "refused");
  }
  return follow(track, { response, silence }, callbacks, line);
}

/** Pick up a turn that is running, or ran within the last minutes, from the event after `lastId` (null: all of it). */
export async function resumeChat(requestId, lastId, callbacks, line = {}) {
  const track = new Track(requestId, lastId);
  const silence = new Silence(line.signal);
  silence.restart();
  const headers = lastId === null ? {} : { "Last-Event-ID": lastId };
  let opened;
  try {
    const response = await fetch(`/chat/stream/${encodeURIComponent(requestId)}`, { headers, signal: silence.signal });
    if (!response.ok) throw await problem(response, response.status === 404 || response.status === 410 ? "interrupted" : "refused");
    opened = { response, silence };
  } catch (fault) {
    silence.end();
    if (fault instanceof ServiceError) throw fault;
    opened = await reconnect(track, line);
    line.onBack?.();
  }
  return follow(track, opened, callbacks, line);
}

/** Ask the service to stop a turn; the stream then ends with its own terminal event. */
export function stopChat(requestId) {
  return call("DELETE", `/chat/stream/${encodeURIComponent(requestId)}`);
}

// ---------------------------------------------------------------- plain routes

/** A refusal in the service's words: {"error": text}, {"error": {message}}, or one error event. */
async function problem(response, kind) {
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  const requestId = response.headers.get("X-Request-Id");
  let message = `HTTP ${response.status}`;
  try {
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isStream = (response.headers.get("Content-Type") ?? "").startsWith("text/event-stream");
    const body = isStream ? new FrameParser().feed(bytes)[0]?.data : new TextDecoder().decode(bytes);
    const { error } = JSON.parse(body);
    message = (typeof error === "string" ? error : error?.message) || message;
  } catch {
    // a proxy's page or nothing at all: the status has to do
  }
  return new ServiceError(kind, message, { status: response.status, retryAfter, requestId });
}

async function call(method, path, body, options = {}) {
  const request = { method, headers: { Accept: "application/json" }, ...options };
  if (body !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch (fault) {
    if (fault.name === "AbortError") throw fault;
    throw new ServiceError("unreachable", fault.message);
  }
  if (!response.ok) throw await problem(response, "refused");
  try {
    return await response.json();
  } catch {
    throw new ServiceError("refused", "the answer is not JSON", { status: response.status });
  }
}

const conversation = (id) => `/conversations/${encodeURIComponent(id)}`;

/** The whole answer in one piece: {success, response, model, context, deep_thinking, thinking_process, tools, timestamp}. */
export function sendMessage(request) {
  return call("POST", "/chat", request);
}

/** {conversations: [...], count}. */
export function listConversations(signal) {
  return call("GET", "/conversations", undefined, { signal });
}

/** Conversations in whose title or messages the words stand: {success, conversations, count}. */
export function searchConversations(words, signal) {
  return call("GET", `/conversations/search?q=${encodeURIComponent(words)}`, undefined, { signal });
}

/** One conversation with its messages. */
export function openConversation(id, signal) {
  return call("GET", conversation(id), undefined, { signal });
}

export function newConversation(fields) {
  return call("POST", "/conversations/new", fields);
}

export function renameConversation(id, title) {
  return call("PATCH", conversation(id), { title });
}

/** `keepalive`: the request outlives the page that sends it. */
export function deleteConversation(id, { keepalive = false } = {}) {
  return call("DELETE", conversation(id), undefined, { keepalive });
}

/** {models: [{id, name, available, description, note?}], ...}. */
export function listModels() {
  return call("GET", "/api/models");
}
