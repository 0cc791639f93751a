import tracemalloc
from typing import Any, NamedTuple

import pytest

from stipula.wire.grammar import Grammar, StreamChecker, Violation

DOCUMENT: dict[str, Any] = {
    "events": {
        "open": {"type": "object", "properties": {"id": {"type": "string"}}},
        "part": {"type": "object", "properties": {"text": {"type": "string"}, "n": {"type": "integer"}}},
        "end": {"type": "object", "properties": {"text": {"type": "string"}}},
    },
    "order": {
        "initial": "start",
        "final": ["done"],
        "states": {"start": {"open": "on"}, "on": {"part": "on", "end": "done"}, "done": {}},
    },
    "laws": [
        {"id": "N", "kind": "counts_up", "at": "part#/n"},
        {"id": "T", "kind": "joined", "parts": "part#/text", "whole": "end#/text"},
    ],
    "forms": {
        "twice": {
            "order": {
                "initial": "start",
                "final": ["done"],
                "states": {
                    "start": {"open": "on"},
                    "on": {"part": "on", "end": "done", "open": "again"},
                    "again": {"part": "again", "end": "done"},
                    "done": {},
                },
            }
        }
    },
    "producer": {"events": {"open": {"required": ["id"]}}},
}


class Fault(NamedTuple):
    pointer: str
    wanted: str
    seen: str


def checker(**changes: object) -> StreamChecker:
    return StreamChecker(Grammar.from_document({**DOCUMENT, **changes}))


def run(one: StreamChecker, *events: tuple[str, object]) -> list[Violation]:
    return [violation for event in events for violation in one.accept(*event)] + one.close()


def test_a_whole_stream_breaks_nothing():
    one = checker()
    first, second = ("part", {"text": "a", "n": 4}), ("part", {"text": "b", "n": 5})
    assert run(one, ("open", {}), first, second, ("end", {"text": "ab"})) == []
    assert one.is_done


def test_an_event_that_may_not_come_is_told_with_its_number_and_what_may():
    assert run(checker(), ("open", {}), ("open", {}), ("end", {"text": ""})) == [
        Violation(2, "open", "", "order", "end | part", "open in state on")
    ]


def test_a_law_is_told_with_its_id_and_the_stream_goes_on():
    first, second = ("part", {"text": "a", "n": 1}), ("part", {"text": "b", "n": 3})
    assert run(checker(), ("open", {}), first, second, ("end", {"text": "a"})) == [
        Violation(3, "part", "/n", "N", "2", "3"),
        Violation(4, "end", "/text", "T", "the 2 × part#/text joined, 2 long", '1 long: "a"'),
    ]


def test_a_stream_cut_short_is_told_once():
    one = checker()
    one.accept("open", {})
    assert one.close() == [Violation(2, "", "", "order", "end | part", "the end of the stream in state on")]
    assert one.close() == []


def test_after_the_end_only_the_order_speaks():
    one = checker(unknown_keys="refuse")
    run(one, ("open", {}), ("end", {"text": ""}))
    assert [violation.law for violation in one.accept("part", {"n": "?", "x": 1})] == ["order"]
    assert one.accept("whatever", {}) == [
        Violation(4, "whatever", "", "order", "nothing more", "whatever in state done")
    ]


def test_what_a_validator_finds_is_told_as_a_break_of_the_shape():
    one = StreamChecker(Grammar.from_document(DOCUMENT), {"open": lambda _: [Fault("/id", "a string", "7")]})
    assert one.accept("open", {"id": 7}) == [Violation(1, "open", "/id", "shape", "a string", "7")]


def test_an_unknown_event_is_let_pass_or_refused_as_the_document_says():
    assert run(checker(), ("open", {}), ("news", {}), ("end", {"text": ""})) == []
    assert run(checker(unknown_events="refuse"), ("open", {}), ("news", {}), ("end", {"text": ""})) == [
        Violation(2, "news", "", "unknown_event", "open | part | end", '"news"')
    ]


def test_an_unknown_key_is_let_pass_or_refused_as_the_document_says():
    stream = ("open", {"id": "1", "a/b": [1]}), ("end", {"text": ""})
    assert run(checker(), *stream) == []
    assert run(checker(unknown_keys="refuse"), *stream) == [
        Violation(1, "open", "/a~1b", "unknown_key", "id", "an array of 1")
    ]


def test_a_producer_is_held_to_more_than_a_reader_may_rely_on():
    reader = Grammar.from_document(DOCUMENT)
    producer = Grammar.from_document(DOCUMENT, side="producer")
    assert (reader.refuses_unknown_events, reader.known_keys) == (False, {})
    assert (producer.refuses_unknown_events, producer.known_keys["open"]) == (True, {"id"})
    assert reader.events == DOCUMENT["events"]
    assert producer.events["open"] == {**DOCUMENT["events"]["open"], "allOf": [{"required": ["id"]}]}


def test_a_stream_may_take_another_form_in_the_middle():
    stream = ("open", {}), ("part", {"text": "a"}), ("open", {}), ("end", {"text": "a"})
    assert [violation.law for violation in run(checker(), *stream)] == ["order"]
    one = checker()
    for event in stream[:2]:
        one.accept(*event)
    one.admit("twice")
    assert run(one, *stream[2:]) == []


def test_a_form_that_is_known_from_the_start_is_a_grammar_of_its_own():
    grammar = Grammar.from_document(DOCUMENT)
    word = ["open", "open", "end"]
    assert (grammar.accepts(word), grammar.form("twice").accepts(word)) == (False, True)


def test_an_event_that_was_not_sent_leaves_the_state_as_it_was():
    one = checker()
    one.accept("open", {})
    one.accept("end", {"text": "wrong"})
    one.withdraw()
    assert (one.state, one.allows("end"), one.allows("open")) == ("on", True, False)


def test_a_document_without_an_order_lets_its_events_come_in_any():
    grammar = Grammar.from_document({"events": {"a": {}, "b": True}})
    assert grammar.accepts(["b", "a", "a"])
    assert not grammar.accepts(["c"])


@pytest.mark.parametrize("payload", [None, "[DONE]", 5, [], {"text": 5}, {"text": None}])
def test_a_payload_of_any_kind_is_looked_at_without_a_fault_of_ours(payload: object):
    one = checker(unknown_keys="refuse")
    one.accept("open", payload)
    one.accept("part", payload)
    one.accept("part", payload)
    assert all(violation.law in {"T", "N"} for violation in one.accept("end", payload))


def test_a_long_stream_takes_no_more_memory_than_a_short_one():
    one = checker()
    one.accept("open", {})
    tracemalloc.start()
    for number in range(2000):
        one.accept("part", {"text": "x" * 1000, "n": number})
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 20_000
