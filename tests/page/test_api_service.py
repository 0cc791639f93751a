"""The page's reader of event streams, in Node: frames cut anywhere, seven callbacks, faults kept apart."""

import json
from typing import Any

import pytest

FEED = """
const { FrameParser } = await import(`${WEB}/api-service.js`);
const bytes = new Uint8Array(given.bytes);
const read = (...pieces) => {
  const parser = new FrameParser();
  return pieces.flatMap((piece) => parser.feed(piece)).map(({ event, data, id }) => ({ event, data, id }));
};
"""
STREAM = (
    ": keepalive\n\n"
    'id: 0\nevent: metadata\ndata: {"model": "m"}\n\n'
    'id: 1\r\nevent: chunk\r\ndata: {"content": "één 🦉",\r\ndata: "chunk_index": 1}\r\n\r\n'
    'id:2\revent:chunk\rdata:{"content":"x","chunk_index":2}\r\r'
    "retry: 100\nunknown: field\nevent: complete\ndata: {}\n\n"
    "data: no name\n\n"
    "event: never finished\ndata: 1"
)
FRAMES = [
    {"event": "metadata", "data": '{"model": "m"}', "id": "0"},
    {"event": "chunk", "data": '{"content": "één 🦉",\n"chunk_index": 1}', "id": "1"},
    {"event": "chunk", "data": '{"content":"x","chunk_index":2}', "id": "2"},
    {"event": "complete", "data": "{}", "id": "2"},
    {"event": "message", "data": "no name", "id": "2"},
]


def as_bytes(text: str) -> dict[str, list[int]]:
    return {"bytes": list(text.encode())}


def test_frames_are_the_same_wherever_the_bytes_are_cut(node):
    text = (
        FEED
        + """
    const whole = JSON.stringify(read(bytes));
    const odd = [];
    for (let at = 0; at <= bytes.length; at += 1)
      if (JSON.stringify(read(bytes.slice(0, at), bytes.slice(at))) !== whole) odd.push(at);
    const single = read(...[...bytes].map((byte) => new Uint8Array([byte])));
    print({ frames: JSON.parse(whole), odd, single });
    """
    )
    assert node(text, given=as_bytes(STREAM)) == {"frames": FRAMES, "odd": [], "single": FRAMES}


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("\ufeffdata: 1\n\n", [{"event": "message", "data": "1", "id": None}]),
        ("data\n\n", [{"event": "message", "data": "", "id": None}]),
        ("data:  two spaces\n\n", [{"event": "message", "data": " two spaces", "id": None}]),
        ("event: only a name\n\n", []),
        ("id: 5\n\ndata: later\n\n", [{"event": "message", "data": "later", "id": "5"}]),
        ("id: a\0b\ndata: x\n\n", [{"event": "message", "data": "x", "id": None}]),
        ('data: {"a": "b: c"}\n\n', [{"event": "message", "data": '{"a": "b: c"}', "id": None}]),
    ],
    ids=[
        "byte order mark",
        "field without colon",
        "one space is dropped",
        "no data",
        "id stays",
        "id with NUL",
        "colon in value",
    ],
)
def test_frames_are_read_as_the_specification_says(node, text, frames):
    assert node(FEED + "print(read(bytes));", given=as_bytes(text)) == frames


def test_a_frame_without_an_end_is_refused_before_it_fills_the_memory(node):
    text = (
        FEED
        + """
    const parser = new FrameParser();
    const piece = new Uint8Array(1024 * 1024).fill(97);
    let refused = null;
    for (let n = 1; n <= 16 && refused === null; n += 1) {
      try { parser.feed(piece); } catch (fault) { refused = `${n} ${fault.name}`; }
    }
    print(refused);
    """
    )
    assert node(text, given=as_bytes("")) == "9 RangeError"


TURN = """
const service = await import(`${WEB}/api-service.js`);
const calls = [], asked = [], reported = [];
globalThis.reportError = (fault) => reported.push(fault.message);
const names = ["onThinkingStart", "onThinking", "onThinkingEnd", "onChunk", "onComplete", "onSuggestions", "onError"];
const callbacks = Object.fromEntries(names.map((name) => [name, (data) => {
  calls.push([name, data]);
  if (given.throwsIn === name) throw new Error(`a fault in ${name}`);
}]));
const answers = [...given.answers];
globalThis.fetch = async (path, options = {}) => {
  asked.push([options.method ?? "GET", path, options.headers?.["Last-Event-ID"] ?? null]);
  const { status = 200, type = "text/event-stream", text = "", headers = {} } = answers.shift();
  return new Response(text, { status, headers: { "Content-Type": type, ...headers } });
};
const line = { onWait: (ms, wake) => wake() };
let result, thrown = null;
try { result = await service.streamChat({ message: "hello" }, callbacks, line); }
catch ({ kind, message, status, retryAfter }) { thrown = { kind, message, status, retryAfter }; }
print({ calls, result, thrown, asked, reported });
"""


def frames(*events: tuple[str, dict[str, Any]], first: int = 0) -> str:
    return "".join(
        f"id: {n}\nevent: {event}\ndata: {json.dumps(data)}\n\n" for n, (event, data) in enumerate(events, first)
    )


ALL = [
    ("metadata", {"model": "m", "request_id": "0123456789ab"}),
    ("thinking_start", {"category": "general", "timestamp": "t"}),
    ("thinking", {"step": "s", "step_index": 0, "category": "general", "is_reasoning_chunk": True}),
    ("thinking_end", {"summary": "s", "steps": ["s"], "category": "general", "duration_ms": 1}),
    ("chunk", {"content": "a", "chunk_index": 1}),
    ("suggestions", {"items": []}),
    ("complete", {"response": "a"}),
]


@pytest.mark.clause("RS-080")
@pytest.mark.clause("RS-084")
def test_each_event_reaches_its_callback_and_metadata_reaches_none(node):
    seen = node(TURN, given={"answers": [{"text": frames(*ALL)}]})
    names = ["onThinkingStart", "onThinking", "onThinkingEnd", "onChunk", "onSuggestions", "onComplete"]
    assert seen["calls"] == [[name, data] for name, (_, data) in zip(names, ALL[1:], strict=True)]
    assert seen["result"] == {"response": "a"}


@pytest.mark.clause("RS-080")
def test_an_error_event_ends_the_call_with_an_empty_result(node):
    seen = node(TURN, given={"answers": [{"text": frames(ALL[0], ("error", {"error": "broken"}), ALL[4])}]})
    assert seen["calls"] == [["onError", {"error": "broken"}]]
    assert seen["result"] == {}


def test_unknown_events_are_ignored(node):
    seen = node(TURN, given={"answers": [{"text": frames(ALL[0], ("router.selected", {"intent": "x"}), ALL[6])}]})
    assert [name for name, _ in seen["calls"]] == ["onComplete"]


@pytest.mark.parametrize(
    "name", ["onThinkingStart", "onThinking", "onThinkingEnd", "onChunk", "onSuggestions", "onComplete"]
)
def test_a_fault_in_a_callback_is_reported_and_stops_nothing(node, name):
    seen = node(TURN, given={"answers": [{"text": frames(*ALL)}], "throwsIn": name})
    assert seen["reported"] == [f"a fault in {name}"]
    assert (len(seen["calls"]), seen["result"]) == (6, {"response": "a"})


def test_data_that_is_not_json_is_reported_and_stops_nothing(node):
    text = frames(ALL[0]) + "event: chunk\ndata: {half\n\n" + frames(ALL[6], first=1)
    seen = node(TURN, given={"answers": [{"text": text}]})
    assert seen["reported"] == ["the data of a chunk event is not JSON"]
    assert seen["result"] == {"response": "a"}


def test_a_cut_stream_is_picked_up_after_the_last_frame_and_nothing_comes_twice(node):
    answers = [{"text": frames(*ALL[:5])}, {"status": 503}, {"text": frames(*ALL[3:], first=3)}]
    seen = node(TURN, given={"answers": answers})
    assert [name for name, _ in seen["calls"]] == [
        "onThinkingStart",
        "onThinking",
        "onThinkingEnd",
        "onChunk",
        "onSuggestions",
        "onComplete",
    ]
    again = ["GET", "/chat/stream/0123456789ab", "4"]
    assert seen["asked"] == [["POST", "/chat/stream", None], again, again]


@pytest.mark.parametrize(
    ("answer", "thrown"),
    [
        ({"status": 400, "type": "application/json", "text": '{"error": "empty"}'}, ("refused", "empty", 400, None)),
        ({"status": 400, "text": frames(("error", {"error": "empty"}))}, ("refused", "empty", 400, None)),
        (
            {
                "status": 429,
                "type": "application/json",
                "text": '{"error": {"message": "slow"}}',
                "headers": {"Retry-After": "7"},
            },
            ("refused", "slow", 429, 7),
        ),
        ({"status": 502, "type": "text/html", "text": "<h1>Bad gateway</h1>"}, ("refused", "HTTP 502", 502, None)),
        ({"text": ""}, ("unreachable", "the stream ended before it began", 0, None)),
    ],
    ids=["json", "one error event", "gateway's shape", "a proxy's page", "no frame at all"],
)
def test_a_refusal_is_told_in_the_words_of_the_service(node, answer, thrown):
    seen = node(TURN, given={"answers": [answer]})["thrown"]
    assert (seen["kind"], seen["message"], seen["status"], seen["retryAfter"]) == thrown


def test_a_turn_that_the_service_has_forgotten_is_interrupted(node):
    answers = [
        {"text": frames(ALL[0], ALL[4])},
        {"status": 404, "type": "application/json", "text": '{"error": "gone"}'},
    ]
    seen = node(TURN, given={"answers": answers})
    assert seen["thrown"]["kind"] == "interrupted"
    assert seen["calls"] == [["onChunk", ALL[4][1]]]


@pytest.mark.clause("RS-083")
@pytest.mark.parametrize(
    "missing", ["mode", "label", "trajectory_id", "rounds", "trajectories", "time_to_first_chunk", "request_id"]
)
def test_a_turn_does_without_every_optional_key(node, missing):
    """And without all of them at once, since `ALL` holds the required keys only."""
    text = """
    globalThis.crypto ??= {};
    const { Turn } = await import(`${WEB}/turn.js`);
    const turn = new Turn({ conversation: "c", question: "q", model: "m", mode: "think", messageId: "1" });
    const on = turn.callbacks();
    const names = { thinking_start: "onThinkingStart", thinking: "onThinking", thinking_end: "onThinkingEnd",
                    chunk: "onChunk", suggestions: "onSuggestions", complete: "onComplete", error: "onError" };
    for (const [event, data] of given) if (names[event]) on[names[event]](data);
    print([turn.text, turn.outcome, [...turn.thinking.threads.values()]]);
    """
    optional = {
        "mode": "multi-thinking",
        "label": "4-Agents Reasoning",
        "trajectory_id": "one",
        "rounds": 1,
        "trajectories": 1,
    }
    optional |= {"time_to_first_chunk": None, "request_id": "0123456789ab"}
    kept = {key: value for key, value in optional.items() if key != missing}
    full = [(event, {**kept, **data}) for event, data in ALL]
    assert node(text, given=full) == node(text, given=ALL) == ["a", "complete", [["s"]]]


def test_a_chunk_that_comes_again_without_a_number_of_its_frame_is_dropped(node):
    text = """
    globalThis.crypto ??= {};
    const { Turn } = await import(`${WEB}/turn.js`);
    const turn = new Turn({ conversation: "c", question: "q", model: "m", mode: "instant", messageId: "1" });
    for (const [content, chunk_index] of given) turn.callbacks().onChunk({ content, chunk_index });
    print(turn.text);
    """
    assert node(text, given=[["a", 1], ["b", 2], ["a", 1], ["b", 2], ["c", 3]]) == "abc"


def test_the_whole_answer_route_gives_what_the_service_said(node):
    text = """
    globalThis.fetch = async (path, { method }) =>
      Response.json({ success: true, response: "Paris", asked: [path, method] });
    const { sendMessage } = await import(`${WEB}/api-service.js`);
    print(await sendMessage({ message: "capital?" }));
    """
    assert node(text) == {"success": True, "response": "Paris", "asked": ["/chat", "POST"]}
