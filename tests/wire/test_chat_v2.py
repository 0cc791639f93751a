"""The chat's document against the reference it was written from: its table, its words, its shapes, its laws."""

import base64
import copy
import json
import re
from collections.abc import Iterator

import pytest

from stipula.contract.verdict import compile_shape
from stipula.wire.document import Order
from stipula.wire.grammar import Grammar, StreamChecker, Violation
from stipula.wire.sse import FrameReader

ID, NOW = "0123456789ab", "2026-11-30T10:00:00Z"


def metadata(mode: str) -> tuple[str, dict]:
    facts = {"model": "m", "context": "casual", "deep_thinking": mode != "instant", "thinking_mode": mode}
    rest = {"stream_backend": "starlette", "stream_contract_version": "v2", "web_search": False, "streaming": True}
    return "metadata", {**facts, **rest, "timestamp": NOW, "request_id": ID}


def block(steps: list[str], start: dict | None = None, step: dict | None = None, end: dict | None = None) -> list:
    common = {"category": "general", "request_id": ID}
    return [
        ("thinking_start", {**common, "timestamp": NOW, **(start or {})}),
        *(
            ("thinking", {**common, "step": text, "step_index": at, "is_reasoning_chunk": False, **(step or {})})
            for at, text in enumerate(steps)
        ),
        ("thinking_end", {**common, "summary": "s", "steps": steps, "duration_ms": 4, **(end or {})}),
    ]


def answer(mode: str, *texts: str, steps: list[str] | None = None) -> list:
    chunks = [("chunk", {"content": text, "chunk_index": at, "request_id": ID}) for at, text in enumerate(texts, 1)]
    facts = {key: metadata(mode)[1][key] for key in ("model", "context", "deep_thinking", "thinking_mode")}
    thought = {"thinking_summary": "s", "thinking_steps": steps or [], "thinking_duration_ms": 4}
    spent = {"timestamp": NOW, "elapsed_time": 0.125, "tokens": 3, "max_tokens": 2000, "request_id": ID}
    whole = {"response": "".join(texts), "total_chunks": len(texts), **facts, **thought, **spent}
    return [*chunks, ("complete", whole)]


COUNCIL = {"mode": "multi-thinking", "label": "4-Agents Reasoning"}
INSTANT = [metadata("instant"), *answer("instant", "Par", "is")]
THINK = [metadata("think"), *block(["a", "b"]), *answer("think", "Paris", steps=["a", "b"])]
MULTI = [
    metadata("multi-thinking"),
    *block(["a"], COUNCIL, {"trajectory_id": "p1_t1"}, {"rounds": 2, "trajectories": 8}),
    *answer("multi-thinking", "Paris", steps=["a"]),
]
FALLBACK: list[tuple[str, dict]] = [
    metadata("multi-thinking"),
    *block(["a", "b"], COUNCIL),
    *block(["c"]),
    *answer("multi-thinking", "Paris", steps=["a", "b", "c"]),
]
FAILED = [metadata("think"), *block(["a"])[:2], ("error", {"error": "gone", "request_id": ID})]
REFUSED = [("error", {"error": "empty message", "request_id": None})]


def break_of(stream: list, grammar: Grammar) -> list[Violation]:
    shapes = {event: compile_shape(schema).violations for event, schema in grammar.events.items()}
    checker = StreamChecker(grammar, shapes)
    return [violation for event in stream for violation in checker.accept(*event)] + checker.close()


@pytest.fixture(scope="module")
def producer(chat_v2: dict) -> Grammar:
    return Grammar.from_document(chat_v2, side="producer")


@pytest.fixture(scope="module")
def reader(chat_v2: dict) -> Grammar:
    return Grammar.from_document(chat_v2)


def differing_words(order: Order, pattern: str, letters: dict[str, str], longest: int) -> Iterator[str]:
    """Every word up to a length on which the table and the regular expression differ."""
    regex = re.compile(pattern)
    waiting: list[tuple[str, str | None]] = [("", order.initial)]
    while waiting:
        word, state = waiting.pop()
        if (regex.match(word) is not None) != (state in order.final):
            yield word
        if len(word) < longest:
            for letter, event in letters.items():
                waiting.append((word + letter, order.step(state, event) if state else None))


def test_the_table_is_the_regular_expression_over_every_word(reader: Grammar, reference: dict, *, is_full_run: bool):
    told, longest = reference["x-order"], 7 if is_full_run else 6
    assert list(differing_words(reader.order, told["regex_strict"], told["letters"], longest)) == []
    assert list(differing_words(reader.form("fallback").order, told["regex_fallback"], told["letters"], longest)) == []


def test_the_fixtures_of_the_reference_are_judged_as_it_says(reader: Grammar, reference: dict):
    words = reference["x-order"]["fixtures"]
    assert [word for word in words["valid"] if not reader.accepts(word)] == []
    assert [word for word in words["invalid"] if reader.accepts(word)] == []
    fallback = reader.form("fallback")
    assert [word for word in words["fallback_only"] if reader.accepts(word) or not fallback.accepts(word)] == []


def test_the_order_and_the_invariants_are_those_of_the_reference(chat_v2: dict, reference: dict):
    told = reference["x-order"]
    assert chat_v2["order"] == {key: told[key] for key in ("initial", "final", "states")}
    invariants = {one["id"] for one in told["invariants"]}
    assert {law["id"] for law in chat_v2["laws"]} | {"I1"} == invariants


def plain(schema: object, defs: dict) -> object:
    """A reference shape with its `$ref`s resolved, and without notes and descriptions."""
    if isinstance(schema, list):
        return [plain(one, defs) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return plain(defs[schema["$ref"].removeprefix("#/$defs/")], defs)
    return {
        key: plain(value, defs) for key, value in schema.items() if not key.startswith("x-") and key != "description"
    }


def test_the_open_shapes_are_those_of_the_reference(chat_v2: dict, reference: dict):
    defs = reference["$defs"]
    assert {name: plain(schema, {}) for name, schema in chat_v2["events"].items()} == {
        name: plain(defs[name], defs) for name in reference["properties"]["event"]["enum"]
    }


GOOD: dict[str, list] = {"instant": INSTANT, "think": THINK, "multi": MULTI, "failed": FAILED, "refused": REFUSED}


@pytest.mark.parametrize("stream", GOOD.values(), ids=GOOD)
def test_streams_of_every_mode_hold(stream: list, reader: Grammar, producer: Grammar):
    assert break_of(stream, reader) == break_of(stream, producer) == []


@pytest.mark.clause("RS-044")
def test_a_fallback_holds_in_its_own_form_only(producer: Grammar):
    assert break_of(FALLBACK, producer.form("fallback")) == []
    assert {violation.law for violation in break_of(FALLBACK, producer)} == {"order"}


@pytest.mark.clause("RS-044")
def test_a_fallback_may_be_admitted_when_it_happens_and_never_twice(producer: Grammar):
    checker = StreamChecker(producer)
    second_block = FALLBACK.index(block(["c"])[0], 2)
    assert [one for event in FALLBACK[:second_block] for one in checker.accept(*event)] == []
    assert not checker.allows("thinking_start")
    checker.admit("fallback")
    rest = [*FALLBACK[second_block : second_block + 3], FALLBACK[second_block]]
    assert [(one.number, one.law) for event in rest for one in checker.accept(*event)] == [(second_block + 4, "order")]


def with_field(stream: list, at: int, **fields: object) -> list:
    event, payload = stream[at]
    return [*stream[:at], (event, {**payload, **fields}), *stream[at + 1 :]]


BROKEN = {
    "I1": ([*INSTANT, REFUSED[0]], "order", ""),
    "I2": (with_field(INSTANT, 1, request_id="ffffffffffff"), "I2", "/request_id"),
    "I3": (with_field(INSTANT, 2, chunk_index=3), "I3", "/chunk_index"),
    "I4": (with_field(INSTANT, 3, total_chunks=3), "I4", "/total_chunks"),
    "I5": (with_field(INSTANT, 3, response="Pari"), "I5", "/response"),
    "I5, no chunk": ([metadata("instant"), *with_field(answer("instant"), 0, response="x")], "I5", "/response"),
    "I6, model": (with_field(INSTANT, 3, model="n"), "I6", "/model"),
    "I6, context": (with_field(INSTANT, 3, context="n"), "I6", "/context"),
    "I6, deep_thinking": (with_field(INSTANT, 3, deep_thinking=True), "I6", "/deep_thinking"),
    "I6, thinking_mode": (with_field(INSTANT, 3, thinking_mode="auto"), "I6", "/thinking_mode"),
    "I7": (with_field(THINK, 2, step_index=2), "I7", "/step_index"),
    "I8, mode": (with_field(THINK, 1, mode="multi-thinking"), "I8", "/mode"),
    "I8, label": (with_field(THINK, 1, label="4-Agents Reasoning"), "I8", "/label"),
    "I8, trajectory_id": (with_field(THINK, 2, trajectory_id="x"), "I8", "/trajectory_id"),
    "I8, rounds": (with_field(THINK, 4, rounds=1), "I8", "/rounds"),
    "I8, trajectories": (with_field(THINK, 4, trajectories=1), "I8", "/trajectories"),
    "I9": ([metadata("instant"), *block([]), *answer("instant", "x")], "I9", ""),
    "I10": (with_field(THINK, 6, thinking_steps=["a"]), "I10", "/thinking_steps"),
    "P1": ([metadata("think"), *answer("think", "x")], "P1", ""),
    "P2": ([metadata("multi-thinking"), *block([]), *answer("multi-thinking", "x")], "P2", ""),
}


@pytest.mark.parametrize(("stream", "law", "pointer"), BROKEN.values(), ids=BROKEN)
def test_a_broken_invariant_is_told_by_its_id_and_place(stream: list, law: str, pointer: str, producer: Grammar):
    assert {(one.law, one.pointer) for one in break_of(stream, producer)} == {(law, pointer)}


@pytest.mark.clause("RS-039")
def test_suggestions_is_registered_and_may_not_be_sent(producer: Grammar):
    assert "suggestions" in producer.events
    stream = [*INSTANT[:1], ("suggestions", {"items": []}), *INSTANT[1:]]
    assert {violation.law for violation in break_of(stream, producer)} == {"order", "shape", "I11"}


def test_a_reader_lets_new_events_and_new_keys_pass_and_the_producer_does_not(reader: Grammar, producer: Grammar):
    stream = with_field([INSTANT[0], ("citations", {}), *INSTANT[1:]], 2, lang="fr")
    assert break_of(stream, reader) == []
    assert [(one.law, one.event, one.pointer) for one in break_of(stream, producer)] == [
        ("unknown_event", "citations", ""),
        ("unknown_key", "chunk", "/lang"),
    ]


FIELDS = [
    (name, at, key)
    for name in ("think", "multi", "failed")
    for at, (_, payload) in enumerate(GOOD[name])
    for key in payload
]
WITHOUT_HARM = {"rounds", "trajectories", "trajectory_id"}
"""Optional: a council that fell back leaves them out, and so may the last step of any other."""


@pytest.mark.parametrize(("name", "at", "key"), FIELDS)
def test_no_field_that_the_service_sends_can_be_removed_renamed_or_retyped(
    name: str, at: int, key: str, producer: Grammar
):
    event, _ = GOOD[name][at]
    removed, renamed, retyped = (copy.deepcopy(GOOD[name]) for _ in range(3))
    del removed[at][1][key]
    renamed[at][1][f"{key}_"] = renamed[at][1].pop(key)
    retyped[at][1][key] = [{"not": "this"}]
    told = [{(one.event, one.pointer) for one in break_of(stream, producer)} for stream in (renamed, retyped)]
    assert (event, f"/{key}_") in told[0]
    assert any(pointer.startswith(f"/{key}") for where, pointer in told[1] if where == event)
    if key not in WITHOUT_HARM and (event, key) != ("error", "request_id"):
        assert break_of(removed, producer)


def test_the_corpus_stream_that_ends_in_an_error_holds_to_its_last_byte(reader: Grammar, sse_cases: list[dict]):
    (case,) = (case for case in sse_cases if case.get("dialect") == "stipula_chat_v2")
    stream = b"".join(base64.b64decode(part["b64"]) * part["times"] for part in case["parts"])
    events = [(frame.event, json.loads(frame.data)) for frame in FrameReader().feed(stream)]
    assert break_of(events, reader) == []
    assert "".join(payload["content"] for event, payload in events if event == "chunk") == case["text"]
    assert case["error_has"] in events[-1][1]["error"]
    assert [violation.law for violation in break_of(events[:-1], reader)] == ["order"]
