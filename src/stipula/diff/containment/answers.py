"""The three answers to "is every value that one schema accepts accepted by the other, too?"."""

from typing import Any, TypeAlias

import msgspec

from stipula.errors import EXIT_UNAVAILABLE, Problem


class Contained(msgspec.Struct, frozen=True, tag="contained"):
    """Every value that the left schema accepts is accepted by the right one."""


class NotContained(msgspec.Struct, frozen=True, tag="not_contained"):
    """The left schema accepts `witness` and the right one refuses it; an independent validator agrees."""

    witness: Any


class Undecided(msgspec.Struct, frozen=True, tag="undecided"):
    """No proof and no witness; `reason` says what stopped the search."""

    reason: str


Containment: TypeAlias = Contained | NotContained | Undecided


class InvalidSchema(Problem):
    """One of the two documents is no JSON Schema of its dialect."""

    code, exit_code = "DIF301", EXIT_UNAVAILABLE
    hint = "the {side} schema is not valid: {why}"


class UnknownDialect(Problem):
    """A draft was named that we do not read."""

    code, exit_code = "DIF302", EXIT_UNAVAILABLE
    hint = "the {side} schema is to be read as {seen!r}; known are {known}"
