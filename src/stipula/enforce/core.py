"""What is done about a break, decided without touching anything: (surface, violations, policy) → decision."""

from collections.abc import Iterable
from typing import Final, Generic, Literal, Protocol, TypeVar

from msgspec import Struct

from stipula.enforce.policy import Policy

Action = Literal["pass", "report", "refuse"]


class Break(Protocol):
    """A violation, whichever room found it."""

    @property
    def pointer(self) -> str:
        """Where in the value."""
        ...

    @property
    def wanted(self) -> str:
        """What was promised."""
        ...

    @property
    def seen(self) -> str:
        """What was there."""
        ...


Break_co = TypeVar("Break_co", bound=Break, covariant=True)


class Decision(Struct, Generic[Break_co], frozen=True):
    """What to do with a value. pass: send it. report: send it, and say what is wrong. refuse: do not send it.

    instead: (event or outcome, payload) to send in its place; None where nothing may be sent any more.
    """

    action: Action
    surface: str = ""
    violations: tuple[Break_co, ...] = ()
    instead: tuple[str, object] | None = None


PASS: Final[Decision[Break]] = Decision("pass")


def decide(surface: str, violations: Iterable[Break_co], policy: Policy) -> Decision[Break_co]:
    """Pass what is whole; what is broken is refused under `enforce`, reported under `observe`, let be under `off`."""
    found = tuple(violations)
    if not found or policy.mode == "off":
        return Decision("pass", surface)
    return Decision("refuse" if policy.mode == "enforce" else "report", surface, found)
