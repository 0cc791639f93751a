"""Contracts written in Python, and streams written in an events document."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.chat.guard import document as chat_document
from stipula.collect import declared, events
from stipula.collect.project import CollectEntry
from stipula.diff.compare import compare
from stipula.errors import Problem
from stipula.wire.grammar import Grammar

CODE = """
from stipula.contract.declare import Contract

CONTRACT = Contract()
CONTRACT.route("GET", "/items/{id}", {200: {"type": "object"}})


def made():
    return CONTRACT


def broken():
    raise ValueError("no such table")
"""
EVENTS: dict[str, Any] = {
    "events": {"token": {"type": "object"}, "done": {"type": "object"}},
    "order": {"initial": "s", "final": ["e"], "states": {"s": {"token": "s", "done": "e"}, "e": {}}},
    "keepalive": ": keepalive",
}


@pytest.mark.parametrize("name", ["CONTRACT", "made"])
def test_a_contract_is_taken_from_a_name_or_a_function(name: str, tmp_path: Path):
    (tmp_path / "promises_good.py").write_text(CODE)
    contract = declared.collect(CollectEntry(source="declared", contract=f"promises_good:{name}"), tmp_path)
    assert [one.id for one in contract.surfaces] == ["route:GET /items/{id}#200"]


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("promises_a:broken", CODE, "no such table"),
        ("promises_b:NOTHING", CODE, "NOTHING"),
        ("promises_c:X", "X = 3", "of type int"),
        ("promises_d:X", "import no_such_module_anywhere", "no_such_module_anywhere"),
        ("promises_e:X", "def (", "promises_e"),
        ("promises_f:X", "raise SystemExit(1)", "promises_f"),
        ("promises_g:X", None, "promises_g"),
        ("no colon", None, "no colon"),
    ],
)
def test_code_that_gives_no_contract_is_one_line(target: str, code: str | None, words: str, tmp_path: Path):
    if code is not None:
        (tmp_path / f"{target.split(':', maxsplit=1)[0]}.py").write_text(code)
    with pytest.raises(Problem) as caught:
        declared.collect(CollectEntry(source="declared", contract=target), tmp_path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def of_events(folder: Path, value: Any, path: str = "") -> Any:
    (folder / "answer.json").write_text(json.dumps(value))
    return events.collect(CollectEntry(source="events", file="answer.json", path=path), folder)


def test_each_event_is_a_surface_and_the_order_belongs_to_the_stream(tmp_path: Path):
    contract = of_events(tmp_path, EVENTS, "/chat")
    assert [one.id for one in contract.surfaces] == ["stream:/chat#done", "stream:/chat#token"]
    assert [(one.path, one.order, one.keepalive) for one in contract.streams] == [
        ("/chat", EVENTS["order"], ": keepalive")
    ]


def test_a_stream_without_a_path_is_called_after_its_file(tmp_path: Path):
    assert {one.id.split("#")[0] for one in of_events(tmp_path, EVENTS).surfaces} == {"stream:/answer"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"events": {"token": {"type": "strin"}}}, "token"),
        ({"order": {"initial": "nowhere", "final": ["e"], "states": EVENTS["order"]["states"]}}, "nowhere"),
        ({"order": {"initial": "s", "final": ["e"], "states": {"s": {"other": "e"}, "e": {}}}}, "other"),
        ({"order": {"initial": "s", "final": ["e"], "states": {"s": {"done": "e"}, "e": {}, "lost": {}}}}, "lost"),
        ({"order": {"initial": "s", "final": ["e"], "states": {"s": {"token": "s"}, "e": {}}}}, "e"),
        ({"laws": [{"id": "L1", "kind": "no-such-kind"}]}, "no-such-kind"),
        ({"evnets": {}}, "evnets"),
        ({"events": []}, "events"),
    ],
)
def test_a_document_that_is_wrong_is_named_with_its_file(change: dict[str, Any], words: str, tmp_path: Path):
    with pytest.raises(Problem) as caught:
        of_events(tmp_path, EVENTS | change)
    assert "answer.json" in str(caught.value)
    assert words in str(caught.value)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("value", [7, [], "x", None])
def test_a_file_that_holds_no_object_is_named(value: Any, tmp_path: Path):
    with pytest.raises(Problem, match=r"answer\.json"):
        of_events(tmp_path, value)


def test_what_is_frozen_of_a_stream_is_the_grammar_that_its_document_states(tmp_path: Path):
    document = chat_document()
    contract = of_events(tmp_path, document, "/chat")
    assert Grammar.from_document(contract.stream_document("/chat"), side="producer") == Grammar.from_document(
        document, side="producer"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"forms": {"short": {"order": EVENTS["order"] | {"final": ["s", "e"]}}}},
        {"producer": {"unknown_keys": "allow"}},
        {"unknown_events": "refuse"},
        {"unknown_keys": "refuse"},
        {"keepalive": ": still here"},
        {"order": EVENTS["order"] | {"final": ["s", "e"]}},
        {"events": EVENTS["events"] | {"token": True}},
    ],
)
def test_whatever_a_document_says_otherwise_is_a_difference(change: dict[str, Any], tmp_path: Path):
    assert compare(of_events(tmp_path, EVENTS), of_events(tmp_path, EVENTS | change)) != []


def test_a_document_without_an_order_lets_its_events_come_in_any(tmp_path: Path):
    (stream,) = of_events(tmp_path, {"events": {"a": True}}).streams
    assert stream.order == {"initial": "any", "final": ["any"], "states": {"any": {"a": "any"}}, "anywhere": []}


SCRAPS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["s", "e", "token", "order", "#/a", "token#/x", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["initial", "final", "states", "s", "e", "token", "$ref", "type", "id", "kind", "order"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(name=st.sampled_from([*EVENTS, "laws", "forms", "producer", "unknown_keys", "title"]), scrap=SCRAPS)
def test_whatever_stands_in_an_events_document_it_is_read_or_named(name: str, scrap: Any):
    try:
        told = ""
        events.stream_contract(EVENTS | {name: scrap}, "/a", "x.json")
    except Problem as problem:
        told = str(problem)
    assert "\n" not in told
