"""The events: each built in one place, each with the request's id, none of whose fields can change unseen."""

import ast
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from stipula.chat import events
from stipula.chat.contract import CONTRACT, stream_of
from stipula.chat.guard import ChatGuard, document
from stipula.contract.declare import shape_of
from stipula.contract.verdict import compile_shape
from stipula.diff.compare import compare
from stipula.wire.grammar import Grammar
from stipula.wire.sse import Frame, encode

ID = UUID(int=0x0123456789AB << 80)
NOW = "2026-11-30T10:00:00.000Z"
KINDS = {kind.event: kind for kind in events.SENT}
GUARD = ChatGuard()
FIELDS = [(kind, field) for kind in events.SENT for field in kind.__struct_fields__]


def council(module: Any, uuid: UUID = ID) -> Iterator[Any]:
    """A stream with every field of every event but `error`, made by a module's own builders."""
    emit = module.Emitter(uuid).emit
    yield emit(
        module.metadata, model="m", context="c", deep_thinking=True, mode="multi-thinking", web_search=False, now=NOW
    )
    yield emit(module.thinking_start, category="code", now=NOW, is_council=True)
    yield emit(module.thinking, step="a", index=0, category="code", is_piece=False, trajectory="p1_t0")
    end = {"summary": "s", "steps": ["a"], "category": "code", "duration_ms": 5, "rounds": 1, "trajectories": 1}
    yield emit(module.thinking_end, **end)
    yield emit(module.chunk, content="Paris", index=1)
    facts = {"model": "m", "context": "c", "deep_thinking": True, "mode": "multi-thinking", "total_chunks": 1}
    thought = {"thinking_summary": "s", "thinking_steps": ["a"], "thinking_duration_ms": 5}
    spent = {"now": NOW, "elapsed_s": 0.12345, "tokens": 2, "max_tokens": 9, "time_to_first_chunk_s": 0.1}
    yield emit(module.complete, response="Paris", **facts, **thought, **spent)


def failed(module: Any) -> Iterator[Any]:
    yield module.Emitter(ID).emit(module.failure, error="gone")


def breaks(stream: Iterator[Any]) -> set[tuple[str, str]]:
    """(surface, pointer) of everything that the guard finds in a stream."""
    found: set[tuple[str, str]] = set()
    guard = GUARD.stream(ID.hex[:12])
    for event in stream:
        decision = guard.check(event.event, event.payload)
        found |= {(decision.surface, one.pointer) for one in decision.violations}
    return found


# ---------------------------------------------------------------- one type, one emitter, one builder each


@pytest.mark.clause("RS-030")
@pytest.mark.clause("RS-043")
def test_every_event_carries_the_first_twelve_digits_of_the_uuid():
    stream = [*council(events), *failed(events)]
    assert {type(event) for event in stream} == {events.StreamEvent}
    assert {event.event for event in stream} == set(KINDS)
    assert {event.payload["request_id"] for event in stream} == {"0123456789ab"}


@pytest.mark.clause("RS-030")
def test_a_frame_is_number_name_and_json():
    event = events.Emitter(ID).emit(events.chunk, content="é\n\r\x85", index=3)
    assert event.frame(7) == Frame(
        id="7", event="chunk", data='{"content":"é\\n\\r\x85","chunk_index":3,"request_id":"0123456789ab"}'
    )
    assert encode(event.frame(7)).startswith(b"id: 7\nevent: chunk\ndata: {")


@pytest.mark.clause("RS-037")
@pytest.mark.clause("RS-042")
def test_complete_has_its_fourteen_fields_and_what_is_not_known_is_left_out():
    facts = {"model": "m", "context": "c", "deep_thinking": False, "mode": "instant", "total_chunks": 1}
    thought = {"thinking_summary": "", "thinking_steps": [], "thinking_duration_ms": 0}
    spent: dict[str, Any] = {"now": NOW, "elapsed_s": 1.00049, "tokens": 2, "max_tokens": 9}
    event = events.Emitter(ID).emit(events.complete, response="a", **facts, **thought, **spent)
    assert event.payload == {
        "response": "a", "model": "m", "context": "c", "deep_thinking": False, "thinking_mode": "instant",
        "total_chunks": 1, "thinking_summary": "", "thinking_steps": [], "thinking_duration_ms": 0,
        "timestamp": NOW, "elapsed_time": 1.0, "tokens": 2, "max_tokens": 9, "request_id": "0123456789ab",
    }  # fmt: skip
    timed = events.Emitter(ID).emit(
        events.complete, response="a", **facts, **thought, **spent, time_to_first_chunk_s=0.12345
    )
    assert timed.payload == event.payload | {"time_to_first_chunk": 0.123}


@pytest.mark.clause("RS-033")
@pytest.mark.clause("RS-034")
@pytest.mark.clause("RS-035")
@pytest.mark.clause("RS-044")
def test_the_fields_of_the_council_are_absent_elsewhere():
    emit = events.Emitter(ID).emit
    stream = [
        emit(events.thinking_start, category="code", now=NOW),
        emit(events.thinking, step="a", index=0, category="code", is_piece=True),
        emit(events.thinking_end, summary="s", steps=["a"], category="code", duration_ms=5),
    ]
    keys = {key for event in stream for key in event.payload}
    assert keys & {"mode", "label", "trajectory_id", "rounds", "trajectories"} == set()
    told = {event.event: event.payload for event in council(events)}
    assert told["thinking_start"]["mode"] == "multi-thinking"
    assert told["thinking_start"]["label"] == "4-Agents Reasoning"
    assert told["thinking"]["trajectory_id"] == "p1_t0"
    assert (told["thinking_end"]["rounds"], told["thinking_end"]["trajectories"]) == (1, 1)


@pytest.mark.clause("RS-039")
def test_suggestions_is_registered_and_has_no_builder():
    assert [kind.event for kind in events.RESERVED] == ["suggestions"]
    assert events.Suggestions.__struct_fields__ == ()
    assert not hasattr(events, "suggestions")
    assert [one.id for one in CONTRACT.build().surfaces if one.id.endswith("#suggestions")] == [
        "stream:/chat/stream#suggestions"
    ]


# ---------------------------------------------------------------- the structs and the document say the same

VALUES: list[Any] = [
    "", "x", "0123456789ab", "0123456789AB", NOW, "2026-11-30", 0, 1, -1, 1.5, -0.5, True, False, None, [], ["a"], [1],
    {}, "instant", "think", "deep-think", "multi-thinking", "auto", "thinking", "v1", "v2", "4-Agents Reasoning",
]  # fmt: skip


@pytest.mark.parametrize("name", [*KINDS, "suggestions"])
def test_a_struct_has_the_fields_of_the_document(name: str):
    kind = next(one for one in (*events.SENT, *events.RESERVED) if one.event == name)
    grammar = Grammar.from_document(document(), side="producer")
    written = grammar.events[name]
    derived = shape_of(kind)
    assert isinstance(written, dict)
    assert isinstance(derived, dict)
    assert set(derived["properties"]) == set(written.get("properties", {}))
    required = {
        *written.get("required", ()),
        *(one for part in written.get("allOf", ()) for one in part.get("required", ())),
    }
    assert set(derived["required"]) == required


@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_a_field_takes_the_values_that_the_document_takes(kind: type[events.Payload], field: str):
    derived = compile_shape(shape_of(kind))
    written = compile_shape(Grammar.from_document(document(), side="producer").events[kind.event])
    whole = {event.event: event.payload for event in (*council(events), *failed(events))}[kind.event]
    without = {key: value for key, value in whole.items() if key != field}
    payloads = [whole, without, *({**whole, field: value} for value in VALUES)]
    assert [derived.accepts(one) for one in payloads] == [written.accepts(one) for one in payloads]


def test_the_declared_stream_has_the_order_and_the_laws_of_the_document():
    told = CONTRACT.build().stream_document("/chat/stream")
    preset = document()
    assert told["order"] == preset["order"]
    assert told["laws"] == preset["laws"]
    assert told["keepalive"] == preset["keepalive"]
    assert set(told["events"]) == set(preset["events"])


def test_the_stream_that_has_every_field_is_whole():
    assert breaks(council(events)) == set()
    assert breaks(failed(events)) == set()


# ---------------------------------------------------------------- no field changes unseen


class Change(ast.NodeTransformer):
    """A change of one field in the source: in its struct, and in the builder that fills it."""

    def __init__(self, kind: str, field: str, how: str) -> None:
        self.kind, self.field, self.how = kind, field, how

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        if node.name == self.kind:
            node.body = [changed for line in node.body if (changed := self._line(line)) is not None]
        return node

    def _line(self, line: ast.stmt) -> ast.stmt | None:
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name) or line.target.id != self.field:
            return line
        if self.how == "remove":
            return None
        if self.how == "rename":
            line.target.id = f"{self.field}_2"
        else:
            line.annotation = ast.parse("dict[str, int]", mode="eval").body
            line.value = None if line.value is None else ast.parse("{}", mode="eval").body
        return line

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id != self.kind:
            return node
        for word in [word for word in node.keywords if word.arg == self.field]:
            if self.how == "remove":
                node.keywords.remove(word)
            elif self.how == "rename":
                word.arg = f"{self.field}_2"
            else:
                word.value = ast.parse("{'a': 1}", mode="eval").body
        return node


def changed_module(kind: type, field: str, how: str) -> Any:
    """The events module with one field changed, beside the real one."""
    tree = ast.parse(Path(events.__file__).read_text(encoding="utf-8"))
    source = ast.unparse(ast.fix_missing_locations(Change(kind.__name__, field, how).visit(tree)))
    module = types.ModuleType("changed_events")
    exec(compile(source, "changed_events", "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("how", ["remove", "rename", "retype"])
@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_a_field_that_changes_is_found_with_its_surface_and_pointer(kind: type[events.Payload], field: str, how: str):
    module = changed_module(kind, field, how)
    surface = f"stream:/chat/stream#{kind.event}"
    locked, now = stream_of((*events.SENT, *events.RESERVED)), stream_of((*module.SENT, *module.RESERVED))
    checked = {(one.surface, field in one.pointer.split("/")) for one in compare(locked.build(), now.build())}
    assert (surface, True) in checked
    assert {place for place, _ in checked} == {surface}

    guarded = breaks(failed(module) if kind is events.Failure else council(module))
    shape = shape_of(kind)
    assert isinstance(shape, dict)
    is_optional = field not in shape["required"]
    if how != "remove" or not is_optional:
        assert (surface, f"/{field}") in guarded or (surface, f"/{field}_2") in guarded
