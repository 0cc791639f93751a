"""Words of an automaton in the order of their length."""

from itertools import islice

import pytest

from stipula.diff import shortest_words
from stipula.diff.shortest_words import TooManyStates, accepted_words

LOOP = {"start": [("b", "start"), ("a", "middle")], "middle": [("c", "end"), ("b", "trap")], "trap": [("b", "trap")]}


def words(table, start="start", goal="end"):
    found = accepted_words(start, lambda node: table.get(node, []), lambda node: node == goal)
    return ["".join(word) for word in islice(found, 4)]


def test_shorter_words_come_first_and_equal_ones_in_order():
    assert words(LOOP) == ["ac", "bac", "bbac", "bbbac"]
    assert words({"start": [("b", "end"), ("a", "end")]}) == ["a", "b"]


def test_a_start_that_is_a_goal_gives_the_empty_word():
    assert words({"start": [("a", "start")]}, goal="start") == ["", "a", "aa", "aaa"]


def test_a_goal_that_is_not_reached_gives_no_word_and_an_end():
    assert words(LOOP, goal="nowhere") == []


def test_an_automaton_without_end_is_given_up():
    with pytest.raises(TooManyStates):
        next(accepted_words(0, lambda node: [("a", node + 1)], lambda _node: False))


def test_words_without_end_are_given_up(monkeypatch):
    monkeypatch.setattr(shortest_words, "MAX_WAITING", 100)
    fan = accepted_words("q", lambda node: [(letter, "q") for letter in "abcdefgh"], lambda _node: True)
    with pytest.raises(TooManyStates):
        list(fan)
