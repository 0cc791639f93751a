"""What a failed attempt means, and how long it says to wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.gateway.retry import retry_after_s, retry_after_text, verdict


@pytest.mark.parametrize(
    ("status", "kind", "blame", "moves"),
    [
        (400, "invalid_request_error", "neutral", False),
        (404, "not_found_error", "neutral", False),
        (413, "request_too_large", "neutral", False),
        (422, "invalid_request_error", "neutral", False),
        (400, "insufficient_quota", "billing", True),
        (429, "insufficient_quota", "billing", True),
        (402, "insufficient_quota", "billing", True),
        (401, "authentication_error", "auth", True),
        (403, "permission_error", "auth", True),
        (400, "authentication_error", "auth", True),
        (429, "rate_limit_error", "rate_limit", True),
        (500, "server_error", "internal", True),
        (502, "api_error", "internal", True),
        (504, "timeout_error", "internal", True),
        (503, "overloaded_error", "capacity", True),
        (529, "overloaded_error", "capacity", True),
        (408, "timeout_error", "capacity", True),
    ],
)
def test_every_refusal_has_one_meaning(status, kind, blame, moves):
    found = verdict(status, kind)
    assert (found.blame, found.moves) == (blame, moves)


@pytest.mark.parametrize(
    ("text", "wait_s"),
    [
        ("30", 30.0),
        ("0.25", 0.25),
        ("0", 0.0),
        ("Fri, 15 Jan 2027 08:00:30 GMT", 30.0),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("inf", None),
        ("nan", None),
        ("1e999", None),
    ],
)
def test_a_retry_after_is_read_as_seconds_or_as_a_date(text, wait_s):
    assert retry_after_s(text, 1_800_000_000.0) == wait_s


@given(st.text(max_size=40))
def test_a_retry_after_of_any_text_is_a_wait_or_none(text):
    wait_s = retry_after_s(text, 0.0)
    assert wait_s is None or 0 <= wait_s < float("inf")


@given(st.floats(0, 10_000))
def test_a_wait_is_told_at_its_full_length(wait_s):
    told = float(retry_after_text(wait_s))
    assert wait_s <= told <= wait_s + (0.0011 if wait_s < 600 else 1)


@pytest.mark.parametrize(("wait_s", "text"), [(30.0, "30"), (2.75, "2.75"), (0.0004, "0.001"), (1800.2, "1801")])
def test_a_wait_is_told_shortly(wait_s, text):
    assert retry_after_text(wait_s) == text
