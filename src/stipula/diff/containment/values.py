"""JSON values as mathematics sees them: numbers are exact decimals, 1.0 is 1, false is not 0, NaN is nothing.

Inside the engine a number is an `int` or a `Fraction` with a denominator above one; other values are plain JSON.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeGuard, cast

Value: TypeAlias = Any
"""A JSON value with exact numbers."""
Key: TypeAlias = tuple[Any, ...]
"""A hashable stand-in: two values have the same key if and only if JSON Schema calls them equal."""

NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT = 1, 2, 4, 8, 16, 32
EVERY: Final = 63
KINDS: Final = (NULL, BOOLEAN, NUMBER, STRING, ARRAY, OBJECT)
NAMES: Final = {
    "null": NULL,
    "boolean": BOOLEAN,
    "number": NUMBER,
    "integer": NUMBER,
    "string": STRING,
    "array": ARRAY,
    "object": OBJECT,
}
MAX_DEPTH: Final = 120
"""Deeper documents are not read: each level costs several frames of the interpreter's own stack."""


class NotJson(ValueError):  # noqa: N818 - named for what the document is
    """The document holds something that no JSON text says: NaN, a tuple, a key that is no string."""


class TooDeep(ValueError):  # noqa: N818 - as above
    """The document is nested deeper than `MAX_DEPTH`."""


def exact_number(number: float | Decimal | Fraction) -> int | Fraction:
    """The number that the JSON text says: 0.1 is one tenth, 1.0 is 1."""
    if isinstance(number, int):
        return int(number)
    if isinstance(number, float):
        if not math.isfinite(number):
            raise NotJson(f"{number!r} is no JSON number")
        number = Decimal(repr(number))
    if isinstance(number, Decimal) and not number.is_finite():
        raise NotJson(f"{number!r} is no JSON number")
    fraction = Fraction(number)
    return fraction.numerator if fraction.denominator == 1 else fraction


def exact(document: object) -> Value:
    """A deep copy with exact numbers. No part of the copy is shared, so that a place is known by its identity."""
    return _copied(document, _exact_leaf, 0)


def plain(value: Value) -> Value:
    """The value as Python's `json` would have read it, `Decimal` where a float cannot hold the number."""
    return _copied(value, _plain_leaf, -(10**6))


def _copied(node: object, leaf: Callable[[object], Value], depth: int) -> Value:
    if depth > MAX_DEPTH:
        raise TooDeep(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(node, dict):
        pairs = cast("dict[object, object]", node)
        copied: dict[str, Value] = {}
        for key, part in pairs.items():
            if not isinstance(key, str):
                raise NotJson(f"{key!r} is no member name")
            copied[key] = _copied(part, leaf, depth + 1)
        return copied
    if isinstance(node, list):
        return [_copied(part, leaf, depth + 1) for part in cast("list[object]", node)]
    return leaf(node)


def _exact_leaf(node: object) -> Value:
    if node is None or isinstance(node, bool | str):
        return node
    if isinstance(node, int | float | Decimal | Fraction):
        return exact_number(node)
    raise NotJson(f"{type(node).__name__} is no JSON value")


def _plain_leaf(node: object) -> Value:
    if not isinstance(node, Fraction):
        return node
    short = float(node) if abs(node) < Fraction(10) ** 300 else math.inf
    if math.isfinite(short) and Fraction(Decimal(repr(short))) == node:
        return short
    return _decimal(node)


def _decimal(number: Fraction) -> Decimal:
    """Exact, for a denominator of twos and fives only."""
    twos = fives = 0
    rest = number.denominator
    while not rest % 2:
        rest, twos = rest // 2, twos + 1
    while not rest % 5:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        raise NotJson(f"{number} has no finite decimal")
    places = max(twos, fives)
    digits = abs(number.numerator) * 10**places // number.denominator
    return Decimal((int(number < 0), tuple(int(digit) for digit in str(digits)), -places))


def is_object(value: Value) -> TypeGuard[dict[str, Value]]:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Value) -> TypeGuard[list[Value]]:
    """Whether a value is a JSON array."""
    return isinstance(value, list)


def kind(value: Value) -> int:
    """The JSON type of a value, as one bit."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, str):
        return STRING
    if isinstance(value, list):
        return ARRAY
    return OBJECT if isinstance(value, dict) else NUMBER


def key(value: Value) -> Key:
    """See `Key`."""
    bit = kind(value)
    if bit == ARRAY:
        return (bit, *(key(part) for part in value))
    if bit == OBJECT:
        return (bit, *sorted((name, key(part)) for name, part in value.items()))
    return (bit, value)


def order(a_key: Key) -> str:
    """A text to sort keys by: their parts are of types that Python does not compare."""
    return repr(a_key)
