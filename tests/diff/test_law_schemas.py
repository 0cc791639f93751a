"""Laws as schemas of the next payload, and laws compared: never wrong, against every short stream of a small world."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from stipula.diff.containment import contains
from stipula.diff.grammar_inclusion import Included, NotIncluded, stream_inclusion
from stipula.diff.law_schemas import READY, Step, atoms, choices, holding, implies, lacking, progress
from stipula.diff.stream_composer import breaks
from stipula.wire.document import Order
from stipula.wire.grammar import Grammar, StreamChecker
from stipula.wire.laws import (
    AbsentWhen,
    Counted,
    CountsUp,
    Equal,
    Joined,
    Never,
    NotFalling,
    OnlyWhen,
    PresentWhen,
    Same,
)

SHAPE = {"type": "object", "properties": {"n": {"enum": [0, 1]}}, "additionalProperties": False}
PAYLOADS = [{}, {"n": 0}, {"n": 1}]
LETTERS = [Step(event, payload) for event in "ab" for payload in PAYLOADS]
LETTER = st.sampled_from(["a", "b"])
PLACE = st.sampled_from(["a#/n", "b#/n"])
SPOT = st.sampled_from([("a",), ("b",), ("a#/n",), ("b#/n",), ("a#/n", "b")])
AMONG = st.sampled_from([(0,), (1,), (0, 1), (True,)])
RESTARTS = st.sampled_from([(), ("a",), ("b",)])
LAWS = st.one_of(
    st.builds(CountsUp, id=st.just("law"), at=PLACE, restarts=RESTARTS),
    st.builds(NotFalling, id=st.just("law"), at=PLACE, within=st.sampled_from(["", "/n"]), restarts=RESTARTS),
    st.builds(Joined, id=st.just("law"), parts=PLACE, whole=PLACE, if_none=st.sampled_from(["empty", "skip"])),
    st.builds(Counted, id=st.just("law"), event=LETTER, at=PLACE),
    st.builds(Same, id=st.just("law"), field=st.just("/n"), events=st.sampled_from([("a",), ("b",), ("a", "b")])),
    st.builds(Equal, id=st.just("law"), pairs=st.dictionaries(PLACE, PLACE, min_size=1)),
    st.builds(Never, id=st.just("law"), events=st.sampled_from([("a",), ("b",)])),
    st.builds(OnlyWhen, id=st.just("law"), places=SPOT, when=PLACE, among=AMONG),
    st.builds(AbsentWhen, id=st.just("law"), places=SPOT, when=PLACE, among=AMONG),
    st.builds(PresentWhen, id=st.just("law"), places=SPOT, by=LETTER, when=PLACE, among=AMONG),
)
TURNS = Order("p", ("q",), {"p": {"a": "q", "b": "p"}, "q": {"b": "q"}})
GRAMMAR = Grammar.from_document({"events": {"a": SHAPE, "b": SHAPE}})


def keeping(*laws, order=GRAMMAR.order):
    return replace(GRAMMAR, laws=tuple(replace(law, id=str(at)) for at, law in enumerate(laws)), order=order)


def is_whole(grammar, stream):
    checker = StreamChecker(grammar)
    return not any(checker.accept(step.event, step.payload) for step in stream) and not checker.close()


def shortest_by_trying(writer, reader, longest=3):
    for size in range(longest + 1):
        for stream in product(LETTERS, repeat=size):
            if is_whole(writer, stream) and not is_whole(reader, stream):
                return stream
    return None


@given(st.lists(LAWS, max_size=2), LAWS, st.sampled_from([GRAMMAR.order, TURNS]))
@settings(max_examples=60)
def test_a_law_of_the_reader_alone_is_shown_broken_or_left_open_and_never_wrongly_taken(kept, asked, order):
    writer, reader = keeping(*kept, order=order), keeping(asked, order=order)
    answer = stream_inclusion(reader, writer, contains=contains)
    first = shortest_by_trying(writer, reader)
    if isinstance(answer, NotIncluded):
        assert (breaks(writer, answer.stream), breaks(reader, answer.stream) != []) == ([], True)
        assert first is None or len(answer.stream) == len(first)
    else:
        assert first is None or answer != Included()


@given(LAWS, LAWS)
@settings(max_examples=400)
def test_a_law_that_implies_another_lets_no_stream_pass_that_breaks_it(one, other):
    for kept, asked in product(atoms(one), atoms(other)):
        if implies(kept, asked):
            assert shortest_by_trying(keeping(kept), keeping(asked)) is None


@given(LAWS, st.lists(st.sampled_from(LETTERS), max_size=6))
def test_a_stream_breaks_a_law_only_where_an_atom_of_it_was_ready_to_break(law, stream):
    seen = [0] * len(atoms(law))
    for step in stream:
        seen = [progress(atom, far, step.event) for atom, far in zip(atoms(law), seen, strict=True)]
    assert READY in seen or is_whole(keeping(law), stream)


def fits(value, schema):
    return type(contains({"const": value}, schema)).__name__ == "Contained"


UP, STEADY = CountsUp(id="", at="a#/n"), NotFalling(id="", at="a#/n")
SUM = Joined(id="", parts="a#/n", whole="b#/n")
ALIKE = Same(id="", field="/n", events=("a", "b"))
ONLY = OnlyWhen(id="", places=("a",), when="b#/n", among=(1,))
ABSENT = AbsentWhen(id="", places=("a",), when="b#/n", among=(1,))


@pytest.mark.parametrize(
    ("kept", "asked", "expected"),
    [
        (UP, replace(STEADY, within="/g"), True),
        (STEADY, UP, False),
        (replace(UP, restarts=("b",)), UP, False),
        (replace(STEADY, within="/g"), STEADY, False),
        (ALIKE, replace(ALIKE, events=("a",)), True),
        (replace(ALIKE, events=("a",)), ALIKE, False),
        (SUM, replace(SUM, if_none="skip"), True),
        (ONLY, replace(ONLY, among=(1, 2)), True),
        (ABSENT, replace(ABSENT, among=(1, 2)), False),
        (ONLY, replace(ONLY, among=(True,)), False),
        (Never(id="x", events=("a",)), Never(id="y", events=("a",)), True),
    ],
)
def test_a_stricter_law_implies_a_wider_one(kept, asked, expected):
    assert implies(kept, asked) is expected


def test_a_law_that_says_nothing_is_silent():
    told = PresentWhen(id="", places=("a",), by="b", when="a#/n", among=(1,))
    for idle in (Equal(id="", pairs={"a#/n": "a#/n"}), told):
        assert stream_inclusion(keeping(idle), keeping(), contains=contains) == Included()
    shown = stream_inclusion(keeping(replace(told, places=("a#/m",))), keeping(), contains=contains)
    assert isinstance(shown, NotIncluded)


def test_a_count_that_begins_anew_before_each_number_cannot_be_broken():
    anew = CountsUp(id="", at="a#/n", restarts=("b",))
    turns = Order("p", ("p",), {"p": {"a": "q"}, "q": {"b": "p"}})
    assert stream_inclusion(keeping(anew, order=turns), keeping(order=turns), contains=contains) == Included()


def test_a_place_is_held_or_lacked_wherever_it_stands():
    assert fits({"a": [{}, {"b": 1}]}, holding("/a/1/b", {"const": 1}))
    assert fits({"a": [{"b": 1}]}, lacking("/a/1/b"))
    assert not fits({}, lacking(""))


def test_the_values_that_govern_laws_are_the_ways_to_begin():
    laws = [replace(ABSENT, when="a#/n"), replace(ONLY, when="a#/n", among=(0,))]
    [ways] = choices(laws, "a")
    each = [holding("/n", {"const": value}) for value in (1, 0)]
    assert ways == [True, *each, holding("/n", {"not": {"enum": [1, 0]}})]
    assert choices(laws, "b") == []
