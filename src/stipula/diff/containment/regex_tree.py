"""What a regular expression is made of, once read."""

from typing import TypeAlias

import msgspec

from stipula.diff.containment.charsets import Charset


class Chars(msgspec.Struct, frozen=True):
    """One character of a set."""

    allowed: Charset


class Sequence(msgspec.Struct, frozen=True):
    """One part after the other; none is the empty text."""

    parts: tuple["Tree", ...]


class Choice(msgspec.Struct, frozen=True):
    """One of several; none is no text at all."""

    parts: tuple["Tree", ...]


class Repeat(msgspec.Struct, frozen=True):
    """A part, `low` to `high` times; `high` None is without end. Lazy or greedy makes no difference to a language."""

    part: "Tree"
    low: int
    high: int | None


class Border(msgspec.Struct, frozen=True):
    """A place: `^` `$` (start and end of the text) `b` `B` (between or not between a word and no word)."""

    sort: str


class Look(msgspec.Struct, frozen=True):
    """What comes next (`ahead`) or came before matches, or does not (`wanted` false)."""

    part: "Tree"
    ahead: bool
    wanted: bool


Tree: TypeAlias = Chars | Sequence | Choice | Repeat | Border | Look
EMPTY = Sequence(())
