"""The one question behind every verdict, whether one schema lies in another, asked within a budget for the pair."""

import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from stipula.contract.canonical import NotJson, canonical
from stipula.contract.model import Json
from stipula.contract.schema import TooDeep
from stipula.diff.containment import Containment, InvalidSchema, NotContained, Undecided, contains

BUDGET_S: Final = 2.0
SINGLE_EDIT_SHARE: Final = 0.25
ATTRIBUTION_S: Final = 2.0
"""Time for telling which difference breaks, once it is known that something does."""


class Written(Struct, frozen=True):
    """A schema as it was handed in, with the dialect that was named for it."""

    schema: Json
    draft: str | None = None


class Asker:
    """Asks containment about one pair, and remembers. clock: seconds."""

    def __init__(self, budget_s: float = BUDGET_S, clock: Callable[[], float] = time.perf_counter) -> None:
        self.budget_s = budget_s
        self.clock = clock
        self.left_s = ATTRIBUTION_S
        self.known: dict[tuple[bytes, bytes], Containment] = {}

    def whole(self, left: Written, right: Written) -> Containment:
        """The verdict about a pair, with the whole budget. Raises InvalidSchema where one is no schema."""
        return self._asked(left, right, self.budget_s)

    def part(self, left: Json, right: Json) -> Containment:
        """A question about a part of the answer: out of a smaller budget, and never an error."""
        if self.left_s <= 0:
            return Undecided("budget")
        start = self.clock()
        try:
            return self._asked(Written(left), Written(right), min(self.left_s, self.budget_s * SINGLE_EDIT_SHARE))
        except InvalidSchema as why:
            return Undecided(str(why))
        finally:
            self.left_s -= self.clock() - start

    def _asked(self, left: Written, right: Written, seconds: float) -> Containment:
        key = self._key(left), self._key(right)
        if key not in self.known or key == (b"", b""):
            self.known[key] = contains(
                left.schema, right.schema,
                lhs_draft=left.draft, rhs_draft=right.draft, budget_s=seconds, clock=self.clock,
            )  # fmt: skip
        return self.known[key]

    def holds(self, witness: Json, left: Written, right: Written) -> bool:
        """Whether left accepts the witness and right refuses it: asked by holding one constant against each."""
        constant = Written({"const": witness})
        is_in_left = not isinstance(self._asked(constant, left, self.budget_s), NotContained | Undecided)
        return is_in_left and isinstance(self._asked(constant, right, self.budget_s), NotContained)

    @staticmethod
    def _key(side: Written) -> bytes:
        try:
            return canonical([side.schema, side.draft])
        except (NotJson, TooDeep, RecursionError):
            return b""
