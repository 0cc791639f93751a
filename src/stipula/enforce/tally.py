"""Breaks counted, by surface, rule and what was done about them. The metrics page and the tests read it."""

from collections import Counter
from typing import Final

from msgspec import Struct

from stipula.wire.grammar import Violation

MAX_KEYS: Final = 1000
OTHER: Final = "other"
"""Where breaks are counted once there are too many surfaces to tell apart: names may come from outside."""


class Row(Struct, frozen=True):
    """How often a rule was broken on a surface, and the action taken."""

    surface: str
    rule: str
    action: str
    count: int


class Tally:
    """Counts what guards tell it; a bound method `tally.count` is an `on_violation`."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def count(self, surface: str, violation: Violation, action: str) -> None:
        """Count one break."""
        key = (surface, violation.law, action)
        if key not in self._counts and len(self._counts) >= MAX_KEYS:
            key = (OTHER, violation.law, action)
        self._counts[key] += 1

    def total(self) -> int:
        """All breaks."""
        return self._counts.total()

    def rows(self) -> list[Row]:
        """Every count, sorted."""
        return [Row(*key, count) for key, count in sorted(self._counts.items())]
