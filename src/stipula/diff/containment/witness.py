"""Witnesses: checked by the validator, then made smaller while they stay witnesses."""

from collections.abc import Iterator
from typing import Any, Final

from stipula.diff.containment.sides import Side
from stipula.diff.containment.values import is_array, is_object

MAX_TRIALS: Final = 300


def shows(left: Side, right: Side, value: object) -> bool:
    """Whether the left side accepts a plain value and the right side refuses it."""
    return left.accepts(value) is True and right.accepts(value) is False


def smallest(left: Side, right: Side, value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """A witness from which nothing more can be left out, reached within a bounded number of trials."""
    trials = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in _less(value):
            trials += 1
            if trials > MAX_TRIALS:
                return value
            if shows(left, right, candidate):
                value, smaller = candidate, True
                break
    return value


def _less(value: Any) -> Iterator[Any]:  # noqa: ANN401 - a JSON value
    """The value with one thing less."""
    if is_object(value):
        for name in value:
            yield {other: part for other, part in value.items() if other != name}
        for name, part in value.items():
            yield from ({**value, name: less} for less in _less(part))
    elif is_array(value):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
        for index, part in enumerate(value):
            yield from ([*value[:index], less, *value[index + 1 :]] for less in _less(part))
    elif isinstance(value, str) and value:
        yield ""
        yield value[: len(value) // 2]
        yield value[:-1]
    elif isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1):
        yield 0
        yield 1
