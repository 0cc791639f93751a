"""Time as the chat sees it; handed in, so that a test moves it."""

import asyncio
import time
from collections.abc import Awaitable
from datetime import UTC, datetime
from typing import Any, Protocol


class Clock(Protocol):
    """What tells the time, and how long something may take."""

    def now(self) -> datetime:
        """The time of day, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from any beginning; never goes back."""
        ...

    async def within(self, seconds: float, work: Awaitable[Any]) -> bool:
        """Await the work; False, and the work cancelled, where it takes longer."""
        ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return time.monotonic()

    async def within(self, seconds: float, work: Awaitable[Any]) -> bool:
        """See `Clock.within`."""
        try:
            async with asyncio.timeout(seconds):
                await work
        except TimeoutError:
            return False
        return True


def iso(moment: datetime) -> str:
    """The moment as events and rows carry it: ISO 8601, UTC, with its zone."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
