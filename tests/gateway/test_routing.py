"""Which upstreams can answer a model, in order."""

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.gateway.routing import Candidate, Route, candidates, matches

ROUTES = [
    Route("a", {"gpt-*": "*", "fast": "gpt-4o-mini"}),
    Route("b", {"gpt-4o": "house/gpt", "*": "fallback"}),
]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("gpt-5", [("a", "gpt-5"), ("b", "fallback")]),
        ("gpt-4o", [("b", "house/gpt"), ("a", "gpt-4o")]),
        ("fast", [("a", "gpt-4o-mini"), ("b", "fallback")]),
        ("other", [("b", "fallback")]),
    ],
)
def test_names_come_before_globs_and_both_in_the_order_of_the_file(asked, found):
    assert candidates(ROUTES, asked) == tuple(Candidate(*row) for row in found)


def test_an_unknown_model_has_no_candidates():
    assert candidates(ROUTES[:1], "claude") == ()


def test_a_glob_cannot_be_asked_for_as_a_name():
    assert candidates([Route("a", {"x-*": "named"})], "x-*") == (Candidate("a", "named"),)
    assert candidates([Route("a", {"x-*y": "named"})], "x-*") == ()


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("a*c", "ac", True),
        ("a*c", "abcc", True),
        ("a*c", "acb", False),
        ("a*b*c", "aXbYc", True),
        ("ab*ba", "aba", False),
        ("claude[1m]*", "claude[1m]-x", True),
        ("g.t*", "gpt-4", False),
        ("*", "", True),
    ],
)
def test_only_the_star_is_special(pattern, name, fits):
    assert matches(pattern, name) is fits


@given(st.text("ab*", max_size=8), st.text("ab", max_size=12))
def test_a_glob_fits_where_the_standard_library_says_so(pattern, name):
    pattern = re.sub(r"\*+", "*", pattern)
    assert matches(pattern, name) is fnmatch.fnmatchcase(name, pattern)


def test_a_hostile_glob_takes_no_time():
    assert matches("a*" * 60 + "b", "a" * 100_000) is False
