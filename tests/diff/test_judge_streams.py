"""Event streams: two events documents in, rules and levels out."""

from typing import Any

import pytest

from stipula.cli.documents import Options, compared

CHUNK: dict[str, Any] = {
    "type": "object",
    "properties": {"content": {"type": "string"}, "choices": {"type": "array", "minItems": 1}},
    "required": ["content"],
}
ORDER: dict[str, Any] = {
    "initial": "start",
    "final": ["done"],
    "states": {"start": {"open": "run"}, "run": {"chunk": "run", "end": "done"}, "done": {}},
}
LAW = {"id": "counting", "kind": "counts_up", "at": "chunk#/content"}


def stream(order=None, events=(), laws=(), keepalive=": keepalive", **shapes):
    named = {"open": True, "chunk": CHUNK, "end": True} | shapes
    kept = {name: shape for name, shape in named.items() if shape is not None}
    return {"events": kept, "order": order or ORDER, "laws": list(laws), "keepalive": keepalive}


def with_content(schema):
    return {**CHUNK, "properties": CHUNK["properties"] | {"content": schema}}


def states(**rows):
    return ORDER | {"states": ORDER["states"] | rows}


def found(old, new, **options):
    return sorted({(one.level, one.rule) for one in compared(old, new, Options(kind="events", **options))})


ENDLESS = {"initial": "start", "final": ["done", "run"], "states": ORDER["states"]}
CASES = {
    "S1 a second start": (
        stream(), stream(order=states(run={"open": "run", "chunk": "run", "end": "done"})),
        [("breaking", "stream-order-broken")]),
    "S2 the terminal event may be missing": (stream(), stream(order=ENDLESS), [("breaking", "stream-order-broken")]),
    "S3 a piece after the end": (
        stream(), stream(order=states(done={"chunk": "done"})), [("breaking", "stream-order-broken")]),
    "S5 null comes where nothing came": (
        stream(), stream(chunk=with_content({"type": ["string", "null"]})),
        [("breaking", "null-allowed")]),
    "S6 an event that is not known": (
        stream(), stream(ping=True, order=ORDER | {"anywhere": ["ping"]}), [("safe", "event-added")]),
    "S7 a list may be empty now": (
        stream(), stream(chunk={**CHUNK, "properties": {**CHUNK["properties"], "choices": {"type": "array"}}}),
        [("breaking", "min-items-removed")]),
    "an event is gone": (
        stream(), stream(end=None, order=ORDER | {"states": {"start": {"open": "run"}, "run": {"chunk": "done"},
                                                               "done": {}}}),
        [("breaking", "event-removed"), ("breaking", "stream-order-broken")]),
    "fewer orders": (stream(order=ENDLESS), stream(), [("safe", "stream-order-narrowed")]),
    "the same order by other names": (
        stream(), stream(order={"initial": "a", "final": ["c"],
                                "states": {"a": {"open": "b"}, "b": {"chunk": "b", "end": "c"}, "c": {}}}), []),
    "a law is gone": (stream(laws=[LAW]), stream(), [("breaking", "law-removed")]),
    "a law came": (stream(), stream(laws=[LAW]), [("safe", "law-added")]),
    "alive in another way": (stream(), stream(keepalive=": still"), [("warning", "keepalive-changed")]),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_a_change_of_a_stream_is_told_as_what_it_is(old, new, expected):
    assert found(old, new) == expected
    assert found(old, old) == found(new, new) == []


def test_an_order_that_breaks_is_shown_by_a_shortest_stream():
    [finding] = compared(stream(), stream(order=ENDLESS), Options(kind="events"))
    assert finding.evidence == {"stream": ["open"], "at": 1, "seen": "the end", "wanted": ["chunk", "end"]}


def test_a_payload_that_breaks_is_shown_in_its_stream():
    wide = stream(chunk={**CHUNK, "required": []})
    [finding] = compared(stream(), wide, Options(kind="events"))
    assert finding.witness == {}
    assert finding.evidence == {
        "stream": ["open", "chunk", "end"],
        "at": 1,
        "seen": "chunk",
        "wanted": ["chunk", "end"],
    }


def test_a_closed_reader_takes_no_new_event():
    new = stream(ping=True, order=ORDER | {"anywhere": ["ping"]})
    assert ("breaking", "stream-order-broken") in found(stream(), new, tier="wire-strict")
