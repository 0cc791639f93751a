"""The one list of secret shapes. Every example is made here; none was ever a key."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.redact import MASK, SHAPES, Secret, redact

EXAMPLES = [
    "sk-proj-" + "a1B2" * 10,
    "sk-ant-api03-" + "x_Y-" * 10,
    "AIza" + "Ab1_" * 9,
    "gsk_" + "a1" * 20,
    "xai-" + "a1" * 20,
    "hf_" + "a1" * 15,
    "ghp_" + "a1" * 18,
    "glpat-" + "a1" * 10,
    "xoxb-" + "1-a" * 10,
    "AKIA" + "A1" * 8,
    "K005" + "aB/+" * 6 + "abc",
    "eyJ" + "a1" * 10 + ".eyJ" + "b2" * 10 + "." + "c3" * 10,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("secret", EXAMPLES)
def test_a_secret_in_a_sentence_is_masked(secret):
    assert redact(f"refused: {secret} is wrong") == f"refused: {MASK} is wrong"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("authorization: Bearer abcdefghij", "authorization: Bearer ***"),
        ("https://user:hunter22@host/x", "https://***@host/x"),
        ("GET /v1?key=abcdefgh&x=1", "GET /v1?key=***&x=1"),
        ("Incorrect API key provided: sk-ab***wxyz12.", "Incorrect API key provided: ***"),
    ],
)
def test_what_stands_before_a_secret_stays(text, shown):
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text", ["The risk-free task-list is done.", "http://127.0.0.1:8400/v1", "a key = value", "max_tokens=5"]
)
def test_plain_words_stay(text):
    assert redact(text) == text


@given(st.text(max_size=200))
def test_masking_twice_changes_nothing_more(text):
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "piece", ["sk-", "eyJ" + "a" * 9 + ".", "-----BEGIN PRIVATE KEY-----", "a://b:c", "key=", "bearer "]
)
def test_a_long_text_made_to_be_slow_is_not(piece):
    started = time.process_time()
    redact(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 2


def test_every_shape_is_named():
    assert all(name and pattern for name, pattern in SHAPES)


def test_a_secret_does_not_show_itself():
    secret = Secret("hunter22")
    assert "hunter22" not in f"{secret} {secret!r} {[secret]}"
    assert secret.reveal() == "hunter22"
    assert (secret == Secret("hunter22"), secret == Secret("x"), secret == "hunter22") == (True, False, False)
