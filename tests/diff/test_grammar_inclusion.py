"""Inclusion of stream contracts: against every word of small worlds, on the chat's document, kind by kind."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import stipula
from stipula.diff.containment import Contained, NotContained, Undecided, contains
from stipula.diff.grammar_inclusion import Included, NotIncluded, Order, stream_beyond, stream_inclusion
from stipula.diff.law_schemas import Step
from stipula.diff.stream_composer import breaks
from stipula.wire import document as wire
from stipula.wire.grammar import Grammar
from stipula.wire.laws import Never
from stipula.wire.sse import Frame, FrameReader, encode

CHAT_FILE = Path(stipula.__path__[0]) / "chat" / "contract" / "chat_v2.json"
CHAT, PRODUCER = (
    Grammar.from_document(json.loads(CHAT_FILE.read_text(encoding="utf-8")), side=side)
    for side in ("reader", "producer")
)
EVENTS = "ab"
STATES = ("p", "q", "r")
ORDERS = st.builds(
    lambda rows, final, anywhere: {
        "initial": "p", "final": sorted(final), "states": dict(zip(STATES, rows, strict=True)), "anywhere": anywhere
    },
    st.lists(st.dictionaries(st.sampled_from(EVENTS), st.sampled_from(STATES)), min_size=3, max_size=3),
    st.sets(st.sampled_from(STATES), min_size=1),
    st.lists(st.just("c"), max_size=1),
)  # fmt: skip


def accepts(document, word):
    order = Order(document, set())
    state = order.initial
    for event in word:
        state = order.steps(state).get(event)
        if state is None:
            return False
    return state in order.final


@given(ORDERS, ORDERS)
@settings(max_examples=300, deadline=None)
def test_the_stream_that_is_shown_is_a_shortest_that_only_the_new_order_allows(new, old):
    shown = stream_beyond(Order(new, set()), Order(old, set()))
    words = ("".join(word) for size in range(6) for word in product("abc", repeat=size))
    first = next((word for word in words if accepts(new, word) and not accepts(old, word)), None)
    if shown is None:
        assert first is None
    else:
        assert accepts(new, shown.events)
        assert not accepts(old, shown.events)
        assert first is None or len(first) == len(shown.events)


@given(ORDERS)
def test_an_order_lies_within_itself(order):
    assert stream_beyond(Order(order, set()), Order(order, set())) is None


def test_what_a_reader_ignores_is_let_pass_and_what_it_waits_for_is_not():
    old = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "a", "end": "b"}, "b": {}}}
    new = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "a", "ping": "a", "end": "b"}, "b": {}}}
    instead = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "a", "ping": "b"}, "b": {}}}
    orders = [Order(one, set()) for one in (old, new, instead)]
    beyond = stream_beyond(orders[1], orders[0])
    assert beyond is not None
    assert beyond.evidence() == {
        "stream": ["ping", "end"], "at": 0, "seen": "ping", "wanted": ["chunk", "end"]
    }  # fmt: skip
    assert stream_beyond(orders[1], orders[0], ignores=lambda event: event == "ping") is None
    shown = stream_beyond(orders[2], orders[0], ignores=lambda event: event == "ping")
    assert shown is not None
    assert (shown.events, shown.at, shown.wanted) == (("ping",), 1, ("chunk", "end"))


# ---------------------------------------------------------------- whole contracts, against every word of a small world

SETS = st.lists(st.sampled_from([0, 1]), unique=True).map(lambda values: {"enum": sorted(values)})


def subset(left, right):
    """Containment of finite sets, in place of the engine."""
    allowed = right["enum"] if right else []
    rest = [value for value in left["enum"] if value not in allowed]
    return NotContained(rest[0]) if rest else Contained()


@st.composite
def small_grammars(draw):
    names = draw(st.sampled_from(["ab", "ac"]))
    rows = [draw(st.dictionaries(st.sampled_from(names), st.sampled_from(STATES))) for _ in STATES]
    final = draw(st.sets(st.sampled_from(STATES), min_size=1))
    order = wire.Order("p", tuple(sorted(final)), dict(zip(STATES, rows, strict=True)))
    shapes = {name: draw(SETS) for name in names}
    whole = Grammar.from_document({"events": shapes})
    return replace(whole, order=order, refuses_unknown_events=draw(st.booleans()))


def shortest_by_trying(writer, reader, longest=6):
    """The first of all streams, in the order of their length, that the writer may send and the reader refuses."""
    frontier = [((), writer.order.initial, reader.order.initial)]
    for _ in range(longest + 1):
        for word, here, there in frontier:
            if here in writer.order.final and there not in reader.order.final:
                return word
        frontier = [
            ((*word, (event, value)), following, taken(reader, there, event, value))
            for word, here, there in frontier
            for event in writer.order.allowed(here)
            for following in [writer.order.step(here, event)]
            for value in writer.events[event]["enum"]
        ]
    return None


def taken(reader, state, event, value):
    if state is None:
        return None
    if event not in reader.events:
        return state if reader.order.states[state] and not reader.refuses_unknown_events else None
    return reader.order.step(state, event) if value in reader.events[event]["enum"] else None


@given(small_grammars(), small_grammars())
@settings(max_examples=300)
def test_inclusion_is_what_trying_every_short_stream_finds(writer, reader):
    answer = stream_inclusion(reader, writer, contains=subset)
    first = shortest_by_trying(writer, reader)
    if isinstance(answer, NotIncluded):
        assert breaks(writer, answer.stream) == []
        assert breaks(reader, answer.stream)[0].number == answer.at + 1
        assert len(answer.stream) == len(first) if first is not None else len(answer.stream) > 6
    else:
        assert (answer, first) == (Included(), None)


def test_a_payload_that_nobody_can_judge_leaves_the_question_open():
    old, new = (Grammar.from_document({"events": {"a": {"enum": [size]}}}) for size in (1, 2))
    answer = stream_inclusion(old, new, contains=lambda _left, _right: Undecided("a back-reference"))
    assert answer == Undecided("the payloads of a: a back-reference")


def test_a_break_that_is_certain_is_told_beside_a_question_that_is_open():
    def half_blind(left, right):
        return subset(left, right) if right is False else Undecided("a back-reference")

    old = Grammar.from_document({"events": {"a": {"enum": [1]}}})
    new = Grammar.from_document({"events": {"a": {"enum": [2]}, "b": {"enum": [1]}}})
    answer = stream_inclusion(old, new, contains=half_blind, unknown_events="refuse")
    assert isinstance(answer, NotIncluded)
    assert (answer.stream, answer.why) == ((Step("b", 1),), "unknown_event")


# ---------------------------------------------------------------- the chat's own document


def test_the_strict_order_of_the_chat_lies_in_its_fallback():
    assert stream_inclusion(CHAT.form("fallback"), CHAT, contains=contains) == Included()


def test_the_fallback_is_more_than_the_strict_order_and_a_second_block_shows_it():
    answer = stream_inclusion(CHAT, CHAT.form("fallback"), contains=contains)
    assert isinstance(answer, NotIncluded)
    told = answer.evidence()
    assert told["stream"] == ["metadata", "thinking_start", "thinking_end", "thinking_start", "error"]
    assert (told["at"], told["why"], told["wanted"]) == (3, "event", "chunk | complete | error")
    assert told["payloads"][0]["thinking_mode"] != "instant"  # the law I9 forbids a block then
    assert told["payloads"][2] == {"category": "", "duration_ms": 0, "steps": [], "summary": ""}


def test_what_the_chat_holds_itself_to_lies_in_what_its_readers_rely_on_and_not_the_other_way():
    assert stream_inclusion(CHAT, PRODUCER, contains=contains) == Included()
    answer = stream_inclusion(PRODUCER, CHAT, contains=contains)
    assert isinstance(answer, NotIncluded)
    assert (answer.why, len(answer.stream)) == ("payload", 1)


def test_a_request_is_asked_the_other_way():
    wide = CHAT.form("fallback")
    assert stream_inclusion(CHAT, wide, contains=contains, direction="request") == Included()
    assert isinstance(stream_inclusion(wide, CHAT, contains=contains, direction="request"), NotIncluded)


@pytest.mark.parametrize("law", [law.id for law in PRODUCER.laws if not isinstance(law, Never)])
def test_each_law_of_the_chat_that_its_sender_drops_is_shown_broken(law):
    loose = replace(PRODUCER, laws=tuple(one for one in PRODUCER.laws if one.id != law))
    answer = stream_inclusion(PRODUCER, loose, contains=contains)
    assert isinstance(answer, NotIncluded)
    assert (answer.why, answer.law, answer.is_law_changed) == ("law", law, False)
    assert (breaks(loose, answer.stream), breaks(PRODUCER, answer.stream)[0].law) == ([], law)


# ---------------------------------------------------------------- the kinds of breaks that streams are known for

PIECE = {"type": "object", "properties": {"text": {"type": "string"}, "at": {"type": "integer"}}, "required": ["text"]}
CHOICES = {"type": "object", "properties": {"choices": {"type": "array", "minItems": 1}}, "required": ["choices"]}
WHOLE = {"type": "object", "properties": {"text": {"type": "string"}}}


def stream(laws=(), keepalive=": keepalive", unknown_events="allow", events=None, anywhere=(), **rows):
    """start, any number of pieces, end; and what a case says otherwise."""
    states = {"start": {"open": "run"}, "run": {"piece": "run", "end": "done"}, "done": {}} | rows
    order = {"initial": "start", "final": ["done"], "states": states, "anywhere": list(anywhere)}
    shapes = {"open": True, "piece": PIECE, "end": {"const": "[DONE]"}} | (events or {})
    return {
        "events": shapes, "order": order, "laws": list(laws), "keepalive": keepalive, "unknown_events": unknown_events
    }  # fmt: skip


COUNTED = {"id": "gapless", "kind": "counts_up", "at": "piece#/at"}
JOINED = {"id": "sum", "kind": "joined", "parts": "piece#/text", "whole": "end#/text"}
NULLABLE = {**PIECE, "properties": {"text": {"type": ["string", "null"]}}}
PING: dict[str, Any] = {"events": {"ping": True}, "anywhere": ["ping"]}
KINDS = {
    "S1 a second start": (stream(), stream(run={"open": "run", "piece": "run", "end": "done"}), ("event", 1)),
    "S2 no terminal event": (stream(), stream(run={"piece": "done", "end": "done"}), ("end", 2)),
    "S3 a piece after the stop": (stream(), stream(done={"piece": "done"}), ("event", 2)),
    "S4 the sentinel as any string": (stream(), stream(events={"end": {"type": "string"}}), ("payload", 1)),
    "S5 null becomes absent": (
        stream(events={"piece": NULLABLE}), stream(events={"piece": {**NULLABLE, "required": []}}), ("payload", 1)),
    "S6 an unknown event, refused": (stream(unknown_events="refuse"), stream(**PING), ("unknown_event", 1)),
    "S6 an unknown event, ignored": (stream(), stream(**PING), None),
    "S7 an empty list of choices": (
        stream(events={"piece": CHOICES}),
        stream(events={"piece": {**CHOICES, "properties": {"choices": {"type": "array"}}}}), ("payload", 1)),
    "S9 a gap in the numbers": (stream([COUNTED]), stream(), ("law", 2)),
    "S10 pieces that do not add up": (
        stream([JOINED], events={"end": WHOLE}), stream(events={"end": WHOLE}), ("law", 1)),
    "S11 an error, then the sentinel": (
        stream(events={"error": True}, run={"piece": "run", "end": "done", "error": "done"}),
        stream(events={"error": True}, run={"piece": "run", "end": "done", "error": "failed"}, failed={"end": "done"}),
        ("event", 2)),
    "S12 another comment": (stream(), stream(keepalive=": still"), ("keepalive", 0)),
    "the comment is gone": (stream(), stream(keepalive=""), ("keepalive", 0)),
    "a comment where none was promised": (stream(keepalive=""), stream(), None),
    "a law that came": (stream(), stream([COUNTED]), None),
    "an event that never comes": (stream(), stream(events={"ping": {"not": {}}}, anywhere=["ping"]), None),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), KINDS.values(), ids=KINDS.keys())
def test_each_kind_of_break_is_shown_where_it_happens(old, new, expected):
    before, after = Grammar.from_document(old), Grammar.from_document(new)
    answer = stream_inclusion(before, after, contains=contains)
    assert ((answer.why, answer.at) if isinstance(answer, NotIncluded) else None) == expected
    assert not isinstance(answer, Undecided)
    assert stream_inclusion(before, before, contains=contains) == Included()
    assert stream_inclusion(after, after, contains=contains) == Included()


def test_s8_how_bytes_are_cut_is_no_part_of_a_stream_of_events():
    frame = encode(Frame(event="piece", data='{"text": "č"}'))
    for at in range(len(frame)):
        reader = FrameReader()
        assert [*reader.feed(frame[:at]), *reader.feed(frame[at:])] == FrameReader().feed(frame)


def test_after_its_end_a_reader_ignores_nothing():
    old, new = (Grammar.from_document(one) for one in (stream(), stream(events={"ping": True}, done={"ping": "done"})))
    answer = stream_inclusion(old, new, contains=contains)
    assert isinstance(answer, NotIncluded)
    assert (answer.why, answer.at, answer.wanted) == ("event", 2, "nothing more")
