"""Each kind of law has a stream that breaks it and a stream that only nearly does."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.wire.laws import MAX_GROUPS, Break, Law, LawBase, watchers_of

STEP: dict[str, Any] = {"id": "L", "kind": "counts_up", "at": "step#/n", "restarts": ["begin"]}
RANK: dict[str, Any] = {"id": "L", "kind": "not_falling", "at": "step#/n", "within": "/path", "restarts": ["begin"]}
TEXT: dict[str, Any] = {"id": "L", "kind": "joined", "parts": "part#/text", "whole": "end#/text"}
LIST: dict[str, Any] = {"id": "L", "kind": "joined", "parts": "part#/list", "whole": "end#/list", "if_none": "skip"}
COUNT: dict[str, Any] = {"id": "L", "kind": "counted", "event": "part", "at": "end#/count"}
SAME: dict[str, Any] = {"id": "L", "kind": "same", "field": "/who", "events": ["begin", "part", "end"]}
EQUAL: dict[str, Any] = {
    "id": "L",
    "kind": "equal",
    "pairs": {"begin#/model": "end#/model", "begin#/deep/a": "end#/flag"},
}
NEVER: dict[str, Any] = {"id": "L", "kind": "never", "events": ["ghost"]}
MODE: dict[str, Any] = {"when": "begin#/mode", "among": ["slow", 1]}
ONLY: dict[str, Any] = {"id": "L", "kind": "only_when", "places": ["part#/extra", "pause"], **MODE}
ABSENT: dict[str, Any] = {"id": "L", "kind": "absent_when", "places": ["part#/extra", "pause"], **MODE}
PRESENT: dict[str, Any] = {"id": "L", "kind": "present_when", "places": ["part", "part#/extra"], "by": "end", **MODE}

JOINED = "the 1 × part#/text joined, 2 long"
LISTS = Break("/list", "the 1 × part#/list joined, 2 long", "1 long: an array of 1")
TWO_LISTS = Break("/list", "the 2 × part#/list joined, 2 long", "2 long: an array of 2")
LONG = "a value of 300 characters"
HELD = 'since begin#/mode is "slow" or 1'
FREE = 'nothing, unless begin#/mode is "slow" or 1'
SLOW, FAST = ("begin", {"mode": "slow"}), ("begin", {"mode": "fast"})

FIRING = [
    (STEP, [("step", {"n": 1}), ("step", {"n": 3})], Break("/n", "2", "3")),
    (STEP, [("step", {"n": 1}), ("step", {"n": 1})], Break("/n", "2", "1")),
    (RANK, [("step", {"n": 2, "path": "a"}), ("step", {"n": 1, "path": "a"})], Break("/n", "2 or more", "1")),
    (RANK, [("step", {"n": 2}), ("step", {"n": 1})], Break("/n", "2 or more", "1")),
    (TEXT, [("part", {"text": "ab"}), ("end", {"text": "abc"})], Break("/text", JOINED, '3 long: "abc"')),
    (TEXT, [("part", {"text": "ab"}), ("end", {"text": "ba"})], Break("/text", JOINED, '2 long: "ba"')),
    (TEXT, [("end", {"text": "a"})], Break("/text", "the 0 × part#/text joined, 0 long", '1 long: "a"')),
    (LIST, [("part", {"list": ["a", "b"]}), ("end", {"list": ["ab"]})], LISTS),
    (LIST, [("part", {"list": [1]}), ("part", {"list": [23]}), ("end", {"list": [12, 3]})], TWO_LISTS),
    (COUNT, [("part", {}), ("part", {}), ("end", {"count": 1})], Break("/count", "2", "1")),
    (COUNT, [("part", {}), ("end", {"count": True})], Break("/count", "1", "true")),
    (SAME, [("begin", {"who": "a"}), ("part", {}), ("end", {"who": "b"})], Break("/who", '"a"', '"b"')),
    (SAME, [("begin", {"who": 1}), ("end", {"who": True})], Break("/who", "1", "true")),
    (SAME, [("begin", {"who": "a" * 300}), ("end", {"who": "a" * 299 + "b"})], Break("/who", LONG, LONG)),
    (EQUAL, [("begin", {"model": "x"}), ("end", {"model": "y"})], Break("/model", '"x", as begin#/model', '"y"')),
    (EQUAL, [("begin", {"deep": {"a": 0}}), ("end", {"flag": False})], Break("/flag", "0, as begin#/deep/a", "false")),
    (NEVER, [("begin", {}), ("ghost", {})], Break("", "no ghost", "ghost")),
    (ONLY, [FAST, ("part", {"extra": None})], Break("/extra", FREE, "null")),
    (ONLY, [FAST, ("pause", {})], Break("", FREE, "pause")),
    (ABSENT, [SLOW, ("part", {"extra": 1})], Break("/extra", f"nothing, {HELD}", "1")),
    (ABSENT, [SLOW, ("pause", {})], Break("", f"nothing, {HELD}", "pause")),
    (PRESENT, [SLOW, ("part", {}), ("end", {})], Break("", f"part#/extra before it, {HELD}", "none")),
    (PRESENT, [SLOW, ("end", {})], Break("", f"part, part#/extra before it, {HELD}", "none")),
]  # fmt: skip

NEAR_MISSES = [
    (STEP, [("step", {"n": 5}), ("step", {"n": 6}), ("begin", {}), ("step", {"n": 0}), ("step", {"n": 1.0})]),
    (STEP, [("step", {"n": 1}), ("step", {}), ("step", {"n": 2}), ("step", {"n": "9"}), ("step", "no object")]),
    (RANK, [("step", {"n": 2, "path": "a"}), ("step", {"n": 1, "path": "b"}), ("step", {"n": 1}), ("step", {"n": 1})]),
    (RANK, [("step", {"n": 2}), ("begin", {}), ("step", {"n": 1})]),
    (TEXT, [("part", {"text": "a"}), ("part", {}), ("part", {"text": "é"}), ("end", {"text": "aé"}), ("end", {})]),
    (TEXT, [("end", {"text": ""})]),
    (LIST, [("part", {"list": ["a"]}), ("part", {"list": [{"b": 1}]}), ("end", {"list": ["a", {"b": 1}]})]),
    (LIST, [("end", {"list": ["a"]})]),
    (COUNT, [("part", {}), ("end", {"count": 1}), ("end", {})]),
    (SAME, [("begin", {"who": "a"}), ("part", {"who": None}), ("end", {"who": "a"})]),
    (EQUAL, [("begin", {"model": "x", "deep": {"a": 1}}), ("end", {"model": "x", "flag": 1.0})]),
    (EQUAL, [("begin", {"deep": []}), ("end", {"model": "x"})]),
    (NEVER, [("begin", {})]),
    (ONLY, [SLOW, ("part", {"extra": 1}), ("pause", {})]),
    (ONLY, [("begin", {"mode": 1}), ("pause", {})]),
    (ONLY, [("part", {"extra": 1})]),
    (ABSENT, [FAST, ("part", {"extra": 1}), ("pause", {})]),
    (ABSENT, [("begin", {"mode": True}), ("pause", {})]),
    (PRESENT, [SLOW, ("part", {}), ("part", {"extra": 0}), ("end", {})]),
    (PRESENT, [FAST, ("end", {})]),
    (PRESENT, [SLOW, ("part", {})]),
    (PRESENT, [("end", {})]),
]


def breaks(law: dict, stream: list) -> list[Break]:
    watchers = watchers_of(msgspec.convert(law, Law))
    return [
        broken
        for event, payload in stream
        for watched, watcher in watchers
        if watched == event and (broken := watcher(payload)) is not None
    ]


@pytest.mark.parametrize(("law", "stream", "broken"), FIRING, ids=lambda value: str(value)[:60])
def test_a_law_names_the_place_the_wanted_and_the_seen(law: dict, stream: list, broken: Break):
    assert breaks(law, stream) == [broken]


@pytest.mark.parametrize(("law", "stream"), NEAR_MISSES, ids=lambda value: str(value)[:60])
def test_a_stream_that_nearly_breaks_a_law_keeps_it(law: dict, stream: list):
    assert breaks(law, stream) == []


def test_every_kind_of_law_has_a_firing_and_a_near_miss_case():
    kinds = {kind.__struct_config__.tag for kind in LawBase.__subclasses__()}
    assert {law["kind"] for law, *_ in FIRING} == {law["kind"] for law, *_ in NEAR_MISSES} == kinds


def test_one_gap_is_one_break():
    assert len(breaks(STEP, [("step", {"n": n}) for n in (1, 2, 7, 8, 9)])) == 1


def test_the_groups_that_are_told_apart_have_a_bound():
    stream = [("step", {"n": 1, "path": f"p{number}"}) for number in range(MAX_GROUPS + 1)]
    assert breaks(RANK, stream) == [Break("/path", f"at most {MAX_GROUPS} values in one stream", f'"p{MAX_GROUPS}"')]


@given(parts=st.lists(st.text(st.characters())), other=st.text(st.characters()))
def test_a_whole_is_kept_exactly_where_it_is_its_parts_joined(parts: list[str], other: str):
    stream = [("part", {"text": part}) for part in parts]
    whole = "".join(parts)
    assert breaks(TEXT, [*stream, ("end", {"text": whole})]) == []
    assert bool(breaks(TEXT, [*stream, ("end", {"text": other})])) == (other != whole)


@given(parts=st.lists(st.lists(st.text() | st.integers() | st.none())), other=st.lists(st.text() | st.integers()))
def test_a_list_is_kept_exactly_where_it_is_its_parts_joined(parts: list[list], other: list):
    stream = [("part", {"list": part}) for part in parts]
    whole = [item for part in parts for item in part]
    assert breaks(LIST, [*stream, ("end", {"list": whole})]) == []
    assert bool(breaks(LIST, [*stream, ("end", {"list": other})])) == (bool(parts) and other != whole)
