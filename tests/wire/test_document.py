from typing import Any

import pytest

from stipula.wire.document import GrammarBroken, Order, declared_keys, read_document

EVENTS = {"go": {"properties": {"n": {"type": "integer"}}}, "stop": {}}
ORDER: dict[str, Any] = {"initial": "a", "final": ["b"], "states": {"a": {"go": "a", "stop": "b"}, "b": {}}}
GOOD = {"$schema": "x", "x-note": 1, "title": "t", "events": EVENTS, "order": ORDER, "laws": [], "keepalive": ": k"}
COUNT = {"id": "L", "kind": "counts_up", "at": "go#/n"}


def order(**changes: object) -> dict:
    return {**GOOD, "order": {**ORDER, **changes}}


BROKEN = {
    "no events": ({"order": ORDER}, "missing required field `events`"),
    "an unknown key": ({**GOOD, "ordr": ORDER}, "unknown field `ordr`"),
    "an unknown kind of law": ({**GOOD, "laws": [{"id": "L", "kind": "often"}]}, r"laws\[0\]"),
    "an unknown key of a law": ({**GOOD, "laws": [{**COUNT, "by": 2}]}, "unknown field `by`"),
    "two laws with one id": ({**GOOD, "laws": [COUNT, COUNT]}, "laws L: seen two laws with one id"),
    "a law on an event that is not there": ({**GOOD, "laws": [{**COUNT, "at": "gone#/n"}]}, 'an event "gone"'),
    "a law on a field that is not there": ({**GOOD, "laws": [{**COUNT, "at": "go#/m"}]}, "go#/m, wanted a field of n"),
    "a law on what is no pointer": ({**GOOD, "laws": [{**COUNT, "at": "go#n"}]}, "wanted a JSON pointer"),
    "an initial state without a row": (order(initial="z"), 'a state "z" without a row, wanted a | b'),
    "a final state without a row": (order(final=["b", "z"]), 'a state "z" without a row'),
    "a next state without a row": (order(states={"a": {"go": "z", "stop": "b"}, "b": {}}), 'a state "z" without a row'),
    "an event without a shape": (order(states={"a": {"halt": "b"}, "b": {}}), 'an event "halt" without a shape'),
    "an event anywhere without a shape": (order(anywhere=["ping"]), 'an event "ping" without a shape'),
    "a state that no stream reaches": (order(states={**ORDER["states"], "c": {"go": "a"}}), "that no stream reaches"),
    "a state without an end": (order(states={"a": {"go": "c", "stop": "b"}, "b": {}, "c": {"go": "c"}}), "without a"),
    "no end": (order(final=[]), "without a way to an end, wanted a final state"),
    "a broken form": ({**GOOD, "forms": {"f": {"order": {**ORDER, "initial": "z"}}}}, "forms.f.order"),
    "a keepalive that is an event": ({**GOOD, "keepalive": "data: x"}, "keepalive: seen"),
    "a keepalive of two lines": ({**GOOD, "keepalive": ": a\n: b"}, "keepalive: seen"),
    "a narrowing of nothing": ({**GOOD, "producer": {"events": {"gone": {}}}}, "producer.events: seen gone"),
    "a producer's law with a taken id": ({**GOOD, "laws": [COUNT], "producer": {"laws": [COUNT]}}, "one id"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "words"), BROKEN.values(), ids=BROKEN)
def test_a_wrong_document_is_refused_with_its_place(document: dict, words: str):
    with pytest.raises(GrammarBroken, match=words.replace("|", r"\|")):
        read_document(document)


def test_notes_are_dropped_and_the_rest_is_read():
    told = read_document(GOOD)
    assert (told.events, told.keepalive, told.title) == (EVENTS, ": k", "t")
    assert told.order == Order("a", ("b",), ORDER["states"])


def test_an_order_knows_what_it_reaches_and_from_where_it_ends():
    loose = Order("a", ("b",), {"a": {"stop": "b"}, "b": {}, "c": {"stop": "b"}, "d": {"go": "d"}})
    assert loose.reachable() == {"a", "b"}
    assert loose.ending() == {"a", "b", "c"}


def test_events_that_may_come_anywhere_change_nothing_and_do_not_follow_the_end():
    pinged = Order("a", ("b",), {"a": {"stop": "b"}, "b": {}}, anywhere=("ping",))
    assert pinged.accepts(["ping", "ping", "stop"])
    assert not pinged.accepts(["stop", "ping"])
    assert pinged.allowed("a") == ["ping", "stop"]
    assert pinged.allowed("b") == []


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ({"properties": {"a": {}, "b": {}}}, ["a", "b"]),
        ({"allOf": [{"properties": {"a": {}}}], "oneOf": [{"properties": {"b": {}}}]}, ["a", "b"]),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}}, "$ref": "#"}}}, ["a"]),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, None),
        ({"properties": {"a": {}}, "patternProperties": {}}, None),
        ({"properties": {"a": {}}, "additionalProperties": False}, ["a"]),
        ({}, None),
        (True, None),
        ({"properties": 5, "allOf": 7, "$ref": 9}, None),
    ],
    ids=str,
)  # fmt: skip
def test_the_names_that_a_shape_declares(schema: dict, names: list | None):
    declared = declared_keys(schema)
    assert (declared if declared is None else sorted(declared)) == names
