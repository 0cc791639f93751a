"""What the streams of this process did: totals, and the last endings for whoever looks after it."""

from collections import deque
from typing import Any, Final

from stipula.chat.clock import Clock, iso
from stipula.chat.events import STREAM_BACKEND, Complete, StreamEvent
from stipula.chat.turn import Telling

MAX_COMPLETIONS: Final = 200
MAX_ERRORS: Final = 100
_MAX_TEXT: Final = 800
_NEAR_LIMIT: Final = 0.9


class Tally:
    """Counts turns. Texts of errors are cut; no text of a conversation is kept."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.started_at = iso(clock.now())
        self._began = self._completed = self._failed = self._near_limit = 0
        self.completions: deque[dict[str, Any]] = deque(maxlen=MAX_COMPLETIONS)
        self.errors: deque[dict[str, Any]] = deque(maxlen=MAX_ERRORS)

    def begin(self) -> None:
        """One more turn has begun."""
        self._began += 1

    def end(self, ending: StreamEvent, telling: Telling) -> None:
        """A turn has ended with this event."""
        fact = {
            "request_id": ending.payload.get("request_id"),
            "timestamp": iso(self._clock.now()),
            "model": telling.plan.model,
            "thinking_mode": telling.plan.mode.name,
            "elapsed_time": round(telling.elapsed_s, 3),
        }
        if ending.event != Complete.event:
            self._failed += 1
            self.errors.append(fact | {"error": str(ending.payload.get("error", ""))[:_MAX_TEXT]})
            return
        self._completed += 1
        self._near_limit += telling.tokens >= _NEAR_LIMIT * telling.plan.max_tokens
        self.completions.append(fact | {"tokens": telling.tokens, "max_tokens": telling.plan.max_tokens})

    @property
    def totals(self) -> dict[str, int]:
        """How many turns did what."""
        return {
            "total_requests": self._began,
            "completed_requests": self._completed,
            "errored_requests": self._failed,
            "fallback_to_standard": 0,
            "near_token_limit": self._near_limit,
        }

    @property
    def rates(self) -> dict[str, float]:
        """Shares of the turns that ended well."""
        of = max(self._completed, 1)
        return {"fallback_rate": 0.0, "near_token_limit_rate": round(self._near_limit / of, 4)}

    @property
    def by_backend(self) -> dict[str, int]:
        """Turns by what served them."""
        return {STREAM_BACKEND: self._began}
