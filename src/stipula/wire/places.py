"""Where a law looks, and what it keeps of what it sees: places, imprints, digests. Memory has a bound everywhere."""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeGuard, cast

import msgspec
from msgspec import UNSET, Struct

MAX_KEPT_CHARACTERS: Final = 256
"""Longer values are remembered by their length and digest."""
_MAX_SHOWN_CHARACTERS: Final = 12


class Imprint(Struct, frozen=True):
    """What is kept of a value too long to keep."""

    size: int
    digest: bytes


class Joint:
    """The running digest of texts or lists put end to end."""

    def __init__(self) -> None:
        self.size = 0  # characters or items
        self._hash = hashlib.blake2b(digest_size=16)

    def add(self, value: object) -> None:
        """Put one more part at the end; where the parts are cut does not matter."""
        if isinstance(value, str):
            self.size += len(value)
            self._hash.update(value.encode("utf-8", "surrogatepass"))
        elif isinstance(value, list):
            for item in cast("list[object]", value):
                self.size += 1
                self._hash.update(_as_json(item) + b"\n")
        else:  # neither text nor list: equal to nothing but itself
            self._hash.update(b"\xff" + _as_json(value))

    def imprint(self) -> Imprint:
        """What was put together so far."""
        return Imprint(self.size, self._hash.digest())


@lru_cache(maxsize=1024)  # each stream asks anew for the places of its laws
def split_place(place: str) -> tuple[str, str]:
    """`chunk#/content` → `("chunk", "/content")`; without a pointer the place is the event itself."""
    event, _, pointer = place.partition("#")
    return event, pointer


def steps_of(pointer: str) -> list[str]:
    """The names along a JSON pointer (RFC 6901)."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


@lru_cache(maxsize=1024)
def reader_of(pointer: str) -> Callable[[object], object]:
    """What reads a place of a payload; UNSET where it is not there."""
    steps = steps_of(pointer)
    if len(steps) != 1:
        return lambda payload: _walk(payload, steps)
    (name,) = steps

    def read(payload: object) -> object:
        return cast("dict[str, object]", payload).get(name, UNSET) if isinstance(payload, dict) else UNSET

    return read


def _walk(value: object, steps: list[str]) -> object:
    for step in steps:
        if isinstance(value, dict):
            value = cast("dict[str, object]", value).get(step, UNSET)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(cast("list[object]", value)):
            value = cast("list[object]", value)[int(step)]
        else:
            return UNSET
    return value


def imprint(value: object) -> object:
    """The value itself where it is short, else its length and digest."""
    if isinstance(value, str) and len(value) > MAX_KEPT_CHARACTERS:
        return Imprint(len(value), hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    if isinstance(value, dict | list):
        text = _as_json(cast("object", value))
        return Imprint(len(text), hashlib.blake2b(text, digest_size=16).digest())
    return value


def alike(left: object, right: object) -> bool:
    """Equal as JSON: `true` is not 1, and 1 is 1.0."""
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """A JSON number; to Python a truth value is one too, to JSON it is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: object) -> str:
    """A value in a few words: strings clipped to what says which one it is, and hands on no secret."""
    match value:
        case str() if len(value) > _MAX_SHOWN_CHARACTERS:
            return f"{_as_json(value[:_MAX_SHOWN_CHARACTERS] + '…').decode()} ({len(value)} characters)"
        case Imprint():
            return f"a value of {value.size} characters"
        case list():
            return f"an array of {len(cast('list[object]', value))}"
        case dict():
            return f"an object of {len(cast('dict[str, object]', value))} fields"
        case _:
            return "nothing" if value is UNSET else _as_json(value).decode()


def _as_json(value: object) -> bytes:
    try:
        return msgspec.json.encode(value, order="deterministic")
    except (UnicodeEncodeError, TypeError):  # half of a surrogate pair, or no JSON at all: the shapes say so
        return ascii(value).encode()
