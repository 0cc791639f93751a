"""The guard of a stream that we send: each event is held to shape, order and laws before its frame goes out."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from stipula.contract.verdict import Shape, compile_shape
from stipula.enforce.core import Decision, decide
from stipula.enforce.policy import Policy
from stipula.wire.grammar import Grammar, Mismatch, StreamChecker, Violation

StreamDecision = Decision[Violation]
OnViolation = Callable[[str, Violation, str], None]
"""Called for each break with (surface, violation, action): counters and logs hang here."""
Refusal = Callable[[Violation], tuple[str, object]]
"""The stream's own way to end badly: the first break in, (event, payload) out."""

PASS: Final[StreamDecision] = Decision("pass")


class PayloadShape(Protocol):
    """What finds the mismatches of a payload; `contract.verdict.Shape` is one."""

    def violations(self, value: object, /) -> Iterable[Mismatch]:
        """What is wrong with it."""
        ...


def shapes_of(grammar: Grammar) -> dict[str, Shape]:
    """The compiled shape of each event; to be made once and shared by every guard of the stream."""
    return {event: compile_shape(schema, event) for event, schema in grammar.events.items()}


class StreamGuard:
    """One running stream under its policy. A stream that is not looked at costs one test an event.

    surface: the stream's id, `stream:/path`; a break is told under `stream:/path#EVENT`. refusal: what ends the stream
    in place of a broken event under `enforce`. draw: a number from 0 up to 1, asked once, for the sampling.
    """

    def __init__(
        self,
        grammar: Grammar,
        shapes: Mapping[str, PayloadShape],
        policy: Policy,
        on_violation: OnViolation,
        *,
        surface: str,
        refusal: Refusal,
        draw: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._policy = policy
        self._on_violation = on_violation
        self._surface = surface
        self._refusal = refusal
        self._is_over = False
        self._checker: StreamChecker | None = None
        if policy.takes(draw):
            self._checker = StreamChecker(grammar, {event: shape.violations for event, shape in shapes.items()})

    def admit(self, form: str) -> None:
        """The stream takes another form of its order from here on, such as a fallback."""
        if self._checker is not None:
            self._checker.admit(form)

    def check(self, event: str, payload: object) -> StreamDecision:
        """What to do with the next event, before its frame goes out; payload: what will be its JSON.

        After a refusal everything is refused: the stream has ended.
        """
        if self._checker is None:
            return PASS
        if self._is_over:
            return Decision("refuse", f"{self._surface}#{event}")
        found = self._checker.accept(event, payload)
        return self._decided(self._checker, f"{self._surface}#{event}", found) if found else PASS

    def close(self) -> StreamDecision:
        """What to do at the end of the stream: a break where its terminal event has not been sent."""
        if self._checker is None or self._is_over:
            return PASS
        found = self._checker.close()
        return self._decided(self._checker, self._surface, found) if found else PASS

    def _decided(self, checker: StreamChecker, surface: str, found: list[Violation]) -> StreamDecision:
        decision = decide(surface, found, self._policy)
        for violation in found:
            self._on_violation(surface, violation, decision.action)
        if decision.action != "refuse":
            return decision
        self._is_over = True
        checker.withdraw()
        return Decision("refuse", surface, decision.violations, self._ending(checker, found[0]))

    def _ending(self, checker: StreamChecker, why: Violation) -> tuple[str, object] | None:
        """The event that ends the stream, None where its terminal event has gone out already."""
        event, payload = self._refusal(why)
        if not checker.allows(event):
            return None
        for violation in checker.accept(event, payload):  # a broken ending is told, and sent: there is no better one
            self._on_violation(f"{self._surface}#{event}", violation, "report")
        return event, payload
