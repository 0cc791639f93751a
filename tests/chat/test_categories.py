"""What a question is about: whole words, in the order of the table."""

import pytest

from stipula.chat.categories import category_of


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("hello there", "greeting"),
        ("they want pizza", "general"),
        ("What is the capital of France?", "explain"),
        ("capital of France", "general"),
        ("Is it far?", "question"),
        ("fix this Python function", "code"),
        ("12 * 7", "math"),
        ("dịch câu này", "translate"),
        ("x " * 60, "complex"),
        ("", "general"),
    ],
)
def test_the_first_row_whose_words_stand_in_the_message_names_it(message: str, expected: str):
    assert category_of(message) == expected
