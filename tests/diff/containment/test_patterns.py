"""Patterns as automata: they find what Python's `re` finds on the common fragment, and compare as brute force does."""

import itertools
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stipula.diff.containment.budget import Budget, Undecidable
from stipula.diff.containment.forms import Forge
from stipula.diff.containment.strings import Patterns, Strings

TEXTS = ["".join(letters) for length in range(5) for letters in itertools.product("ab1", repeat=length)]


def trees(depth: int = 3) -> st.SearchStrategy[str]:
    """Patterns that ECMA-262 and Python read alike, without the negated word border: old Pythons read it otherwise."""
    leaf = st.sampled_from(["a", "b", "1", ".", "[ab]", "[^a]", r"\d", r"\w", "^", "$", r"\b", "(?=a)", "(?!b)"])
    repeatable = st.sampled_from(["a", "b", "[ab]", r"\d", "."])
    if not depth:
        return leaf
    inner = trees(depth - 1)
    return st.one_of(
        leaf,
        st.tuples(repeatable, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "*?", "+?"])).map("".join),
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        inner.map(lambda part: f"(?={part})"),
        inner.map(lambda part: f"(?!{part})"),
    )


def patterns() -> Patterns:
    return Patterns(Budget(60.0, time.perf_counter))


@settings(max_examples=150)
@given(pattern=trees())
def test_a_pattern_finds_what_python_finds(pattern: str):
    ours, theirs = patterns(), re.compile(pattern, re.ASCII)
    assert [text for text in TEXTS if ours.found(pattern, text)] == [text for text in TEXTS if theirs.search(text)]


@settings(max_examples=100)
@given(one=trees(2), two=trees(2))
def test_a_difference_of_two_patterns_is_what_brute_force_finds(one: str, two: str):
    forge, strings = Forge(), Strings(patterns())
    alphabet = forge.pattern("^[ab1]{0,4}$")
    atoms = [alphabet, forge.pattern(one), forge.negate(forge.pattern(two)).args[1]]
    expected = {text for text in TEXTS if re.search(one, text, re.ASCII) and not re.search(two, text, re.ASCII)}
    assert set(strings.values(atoms, len(TEXTS) + 1)) == expected


@pytest.mark.parametrize(
    ("pattern", "found", "missed"),
    [
        ("a$", "a", "a\n"),
        (r"^\d$", "1", "٣"),
        (r"^\w$", "_", "é"),
        (r"^\s$", "\ufeff", "\x85"),
        ("^.$", "\x85", "\u2028"),
        (r"^\p{Lu}$", "É", "é"),
        (r"^\u{1F600}$", "\U0001f600", "\u1f60"),
        ("^.$", "\U0001f600", "ab"),
        (r"(?<=a)b", "ab", "cb"),
        (r"(?<!a)b", "cb", "ab"),
    ],
)
def test_classes_and_borders_mean_what_ecma_says(pattern: str, found: str, missed: str):
    ours = patterns()
    assert (ours.found(pattern, found), ours.found(pattern, missed)) == (True, False)


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?i)a", r"\p{Script=Greek}", "[]", r"a\Z", "a**", "(?<n>a)\\k<n>"])
def test_what_no_automaton_reads_is_said(pattern: Any):
    with pytest.raises(Undecidable):
        patterns().machine(pattern)
