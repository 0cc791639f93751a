"""Values to try against a containment: small ones of every type, those that the schemas name, and their neighbours.

Deterministic: the same schemas give the same values in the same order.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, cast

from stipula.diff.containment.values import Value, key, plain

EVERYDAY: Final[tuple[Value, ...]] = (
    None, False, True, 0, 1, -1, 2, Fraction(1, 2), "", "a", "0", "ab", [], {}, [None], [0], ["a"], [0, 0], [0, 1],
)  # fmt: skip
BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
LENGTHS: Final = frozenset({"minLength", "maxLength"})
MAX_NAMED: Final = 60
MAX_TEXT: Final = 400
VARIETY: Final = 6


class Hints:
    """What schemas name: values, member names."""

    def __init__(self) -> None:
        self.values: dict[Any, Value] = {}
        self.names: dict[str, None] = {}

    def note(self, *values: Value) -> None:
        """Keep values, up to a bound."""
        for value in values:
            if len(self.values) < MAX_NAMED:
                self.values.setdefault(key(value), value)

    def gather(self, schema: Value) -> None:
        """Walk a schema as data; a keyword's meaning is not needed here."""
        open_ = [schema]
        while open_ and len(self.values) < MAX_NAMED:
            node = open_.pop()
            if isinstance(node, list):
                open_.extend(reversed(cast("list[Value]", node)))
            if not isinstance(node, dict):
                continue
            for word, part in cast("dict[str, Value]", node).items():
                self._keyword(word, part)
                if isinstance(part, dict | list) and word not in ("enum", "const"):
                    open_.append(part)

    def _keyword(self, word: str, part: Value) -> None:
        if word == "const":
            self.note(part)
        elif word == "enum" and isinstance(part, list):
            self.note(*cast("list[Value]", part))
        elif word in BOUNDS and isinstance(part, int | Fraction) and not isinstance(part, bool):
            self.note(part, part - 1, part + 1, part + Fraction(1, 2))
        elif word in LENGTHS and isinstance(part, int) and part < MAX_TEXT:
            self.note("a" * max(0, part - 1), "a" * part, "a" * (part + 1))
        elif word == "required" and isinstance(part, list):
            self.names.update(dict.fromkeys(name for name in cast("list[Value]", part) if isinstance(name, str)))
        elif word == "properties" and isinstance(part, dict):
            self.names.update(dict.fromkeys(cast("dict[str, Value]", part)))


def simple(*schemas: Value) -> Iterator[Any]:
    """Plain values, cheap ones first: everyday values, then what the schemas name."""
    hints = Hints()
    for schema in schemas:
        hints.gather(schema)
    for value in (*EVERYDAY, *hints.values.values()):
        yield plain(value)
    for name in list(hints.names)[:VARIETY]:
        for value in (None, 0, "a"):
            yield {name: value}


def combined(rounds: int, *schemas: Value) -> Iterator[Any]:
    """Random objects and arrays over what the schemas name, the same on every run."""
    hints = Hints()
    for schema in schemas:
        hints.gather(schema)
    dice = random.Random(rounds)  # noqa: S311 - nothing secret: repeatable choices
    leaves = [plain(value) for value in (*EVERYDAY, *hints.values.values())]
    names = [*list(hints.names)[:40], "a", "x-other"]
    for _ in range(rounds):
        yield _built(dice, leaves, names, 2)


def _built(dice: random.Random, leaves: list[Any], names: list[str], depth: int) -> Any:  # noqa: ANN401 - a JSON value
    turn = dice.random()
    if not depth or turn < 0.3:  # noqa: PLR2004 - a taste: more containers than leaves
        return dice.choice(leaves)
    if turn < 0.75:  # noqa: PLR2004
        count = dice.randint(0, min(5, len(names)))
        return {name: _built(dice, leaves, names, depth - 1) for name in dice.sample(names, count)}
    return [_built(dice, leaves, names, depth - 1) for _ in range(dice.randint(0, 4))]
