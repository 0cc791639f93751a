"""The edge's reading of JSON: the bytes that are judged here are the bytes that go on, so nothing may be read two ways.

Refused: a member name twice in one object at any depth, invalid UTF-8, a byte order mark, NaN and the infinities and
numbers that would become one, half a surrogate pair, nesting beyond a bound, anything after the value.
"""

import json
import re
from itertools import accumulate
from typing import Any, Final, TypeGuard

import msgspec

from stipula.dialects.dialect import DialectEdge

MAX_DEPTH: Final = 128
"""Objects and arrays within each other. Deeper text costs stack in every reader after us, and no request needs it."""

_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEPS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes: one level in, one level out


class JsonRefused(DialectEdge):
    """A body that is not JSON, or that two readers could read differently."""

    code = "DIA004"


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a request body; `JsonRefused` (400) where it is none or is ambiguous."""
    value = read(body)
    if is_object(value):
        return value
    raise JsonRefused("The request body must be a JSON object.")


def read(body: bytes) -> Any:  # noqa: ANN401 - JSON of any shape
    """The JSON value in a body; `JsonRefused` (400) where there is none or it is ambiguous."""
    _refuse_depth(body)
    try:
        value = msgspec.json.decode(body)
        same = msgspec.json.encode(value)
    except (msgspec.MsgspecError, ValueError, RecursionError) as why:
        raise JsonRefused(f"The request body is not valid JSON: {_words(why)}.") from None
    # A value has each name once. Bytes equal to its own compact spelling therefore have no name twice, and most
    # clients send exactly that spelling; all others pay for a second reading that looks at the names.
    if same != body:
        _refuse_duplicates(body)
    return value


def _words(why: Exception) -> str:
    said = str(why).rstrip(".")
    return said.removeprefix("JSON is malformed: ") or type(why).__name__


def _refuse_depth(body: bytes) -> None:
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return
    steps = _STRING.sub(b"", body).translate(_STEPS, _NOT_BRACKETS)
    if max(accumulate(memoryview(steps).cast("b")), default=0) > MAX_DEPTH:
        raise JsonRefused(f"The request body nests deeper than {MAX_DEPTH} levels.")


def _once(pairs: list[tuple[str, object]]) -> None:
    names = dict(pairs)
    if len(names) == len(pairs):
        return
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise JsonRefused(f"The request body names {name[:64]!r} twice in one object.")
        seen.add(name)


_names_once = json.JSONDecoder(object_pairs_hook=_once, parse_int=len, parse_float=len)


def _refuse_duplicates(body: bytes) -> None:
    try:
        _names_once.decode(body.decode())
    except (ValueError, RecursionError) as why:
        raise JsonRefused(f"The request body is not valid JSON: {_words(why)}.") from None


def as_object(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one: for reading what may be anything."""
    return value if is_object(value) else {}


def as_array(value: object) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return value if is_array(value) else []


def as_text(value: object) -> str | None:
    """The value if it is a string."""
    return value if isinstance(value, str) else None


def as_count(value: object) -> int:
    """The value if it is a whole number from 0, else 0: for counts of tokens, which some vendors leave null."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def is_whole(value: object) -> bool:
    """Whether the value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether the value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_text(value: object) -> bool:
    """Whether the value is a string."""
    return isinstance(value, str)


def is_bool(value: object) -> bool:
    """Whether the value is true or false."""
    return isinstance(value, bool)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)
