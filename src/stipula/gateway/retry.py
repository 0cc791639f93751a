"""What a failed attempt means: for the key it used, and whether somebody else may try. Pure."""

from email.utils import parsedate_to_datetime
from typing import Final

from msgspec import Struct

from stipula.gateway.keys import Outcome


class Verdict(Struct, frozen=True):
    """blame: what the key is told. moves: whether another key or upstream may answer in this one's place."""

    blame: Outcome
    moves: bool


CALLERS_OWN: Final = Verdict("neutral", moves=False)
_BILLING: Final = Verdict("billing", moves=True)
_INTERNAL: Final = Verdict("internal", moves=True)
_CAPACITY: Final = Verdict("capacity", moves=True)
_ROWS: Final = {
    401: Verdict("auth", moves=True),
    402: _BILLING,
    403: Verdict("auth", moves=True),
    408: _CAPACITY,
    425: _CAPACITY,
    429: Verdict("rate_limit", moves=True),
    503: _CAPACITY,
    529: _CAPACITY,
}
_FIRST_SERVER_FAULT: Final = 500


def verdict(status: int, kind: str) -> Verdict:
    """The meaning of an upstream's refusal. kind: the dialect's word for it, which may say more than the status."""
    if kind == "insufficient_quota":  # an empty account says 400, 402 or 429, by vendor
        return _BILLING
    if kind == "authentication_error":
        return _ROWS[401]
    return _ROWS.get(status) or (_INTERNAL if status >= _FIRST_SERVER_FAULT else CALLERS_OWN)


def retry_after_s(text: str | None, now: float) -> float | None:
    """The wait that a Retry-After header names: seconds, fractions too, or a date. now: seconds since 1970.

    None where there is none, or one longer than a week, which nobody means.
    Source: RFC 9110, section 10.2.3; fractions are what vendors really send.
    """
    if not text:
        return None
    try:
        wait_s = float(text) if text[0] in "0123456789." else max(0.0, _date(text) - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return wait_s if wait_s <= _WEEK_S else None


def _date(text: str) -> float:
    return parsedate_to_datetime(text).timestamp()


def retry_after_text(wait_s: float) -> str:
    """The header for a wait: whole seconds as such, fractions kept to the millisecond, never shorter than the wait."""
    return f"{-(-wait_s * 1000 // 1) / 1000:g}" if wait_s < _LONG_S else str(int(-(-wait_s // 1)))


_WEEK_S: Final = 7 * 86400.0
_LONG_S: Final = 600.0
"""Above this a fraction of a second says nothing."""
