"""How much work a question may cost, and how a part says that it cannot answer."""

from collections.abc import Callable


class Undecidable(Exception):  # noqa: N818 - no fault: an answer that travels up to where the question was asked
    """Raised where a part meets what it does not decide; its text is the reason of an `Undecided`."""


class OutOfBudget(Undecidable):
    """The time of the question is used up."""


class Budget:
    """Time for one question. Every loop that may grow calls `spend`; the clock is read on one call in 64."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self.seconds = seconds
        self.clock = clock
        self.ends = clock() + seconds
        self.steps = 0

    def spend(self) -> None:
        """Count one step; raise `OutOfBudget` once the time is over."""
        self.steps += 1
        if not self.steps & 63 and self.clock() > self.ends:
            raise OutOfBudget("budget")

    def part(self, share: float) -> "Budget":
        """A budget of its own that takes a share of the time that is left."""
        left = max(0.0, self.ends - self.clock())
        return Budget(left * share, self.clock)
