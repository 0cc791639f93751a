"""What one dialect says and another cannot: written down, never dropped silently."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from stipula.dialects.ir import Ask, Json

HEADER: Final = "x-stipula-losses"
MAX_HEADER_BYTES: Final = 2048


class Loss(Struct, frozen=True):
    """at: JSON Pointer into the request as it came. what: the member lost. to: the dialect that has no place for it."""

    at: str
    what: str
    to: str


Losses = list[Loss]
"""A writer appends; the caller reads."""


def losses_header(losses: Sequence[Loss], *, max_bytes: int = MAX_HEADER_BYTES) -> str:
    """The value of `x-stipula-losses`: a compact JSON array of at most max_bytes, ending in `{"more": n}` if cut.

    ASCII only: pointers may hold any character, header values may not.
    """
    room = max_bytes - 1
    shown: list[bytes] = []
    for number, loss in enumerate(losses):
        item = json.dumps(msgspec.to_builtins(loss), separators=(",", ":")).encode("ascii")
        more = b'{"more":%d}' % (len(losses) - number)
        is_last = number == len(losses) - 1
        if len(item) + 1 > room - (0 if is_last else len(more) + 1):
            shown.append(more)
            break
        shown.append(item)
        room -= len(item) + 1
    return (b"[" + b",".join(shown) + b"]").decode("ascii")


def tell_words(losses: Losses, ask: Ask, words: Iterable[str], to: str) -> None:
    """A loss for each of these words of the ask, or of its sampling, that the caller used."""
    for word in words:
        value = getattr(ask, word, None) if hasattr(ask, word) else getattr(ask.sampling, word, None)
        if value not in (None, ()):
            at = ask.at.get(word, f"/{word}")
            losses.append(Loss(at=at, what=at.rpartition("/")[2], to=to))


def tell_extra(losses: Losses, extra: Json | None, at: str, to: str) -> None:
    """A loss for each member that the source kept without a word for it. at: where the members stand."""
    losses += (Loss(at=f"{at}/{name}", what=name.rpartition("/")[2], to=to) for name in extra or ())
