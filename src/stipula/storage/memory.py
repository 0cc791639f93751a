"""The store of one process, kept in its memory: for tests, and for what need not outlive the process."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct, field

from stipula.storage.ports import MAX_FOUND, Entry, Key, Row, Tail, Under
from stipula.storage.words import words_of

_SWEEP_EVERY: Final = 256
"""How many calls pass between two looks for what has run out."""
_MAX_MOMENT: Final = float("inf")


class MemoryStore:
    """The four ports in memory. now: seconds, on whose progress times run out."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.records = MemoryRecords()
        self.keyvalue = MemoryKeyValue(now)
        self.journal = MemoryJournal(now)
        self.lease = MemoryLease(now)

    async def close(self) -> None:
        """Nothing is held that must be let go."""


class MemoryRecords:
    """Records in a dict; every call is one step of the event loop, so writes are whole."""

    def __init__(self) -> None:
        self._rows: dict[Key, Row] = {}

    async def get(self, kind: str, record_id: str) -> Row | None:
        """See `Records.get`."""
        return self._rows.get(Key(kind, record_id))

    async def write(
        self, puts: Sequence[Row] = (), deletes: Sequence[Key | Under] = (), *, given: Key | None = None
    ) -> bool:
        """See `Records.write`."""
        if given is not None and given not in self._rows:
            return False
        for target in deletes:
            if isinstance(target, Key):
                self._rows.pop(target, None)
                continue
            below = [key for key, row in self._rows.items() if (row.kind, row.parent) == (target.kind, target.parent)]
            for key in below:
                del self._rows[key]
        self._rows.update((row.key, row) for row in puts)
        return True

    async def find(
        self,
        kind: str,
        *,
        owner: str | None = None,
        parent: str | None = None,
        state: str | None = None,
        is_newest_first: bool = False,
        limit: int = MAX_FOUND,
    ) -> list[Row]:
        """See `Records.find`."""
        found = [
            row
            for row in self._rows.values()
            if row.kind == kind
            and (owner is None or row.owner == owner)
            and (parent is None or row.parent == parent)
            and (state is None or row.state == state)
        ]
        return sorted(found, key=lambda row: (row.at, row.id), reverse=is_newest_first)[:limit]

    async def search(self, kind: str, words: str, *, owner: str | None = None, limit: int = 100) -> list[Row]:
        """See `Records.search`."""
        wanted = words_of(words)
        if not wanted:
            return []
        newest = await self.find(kind, owner=owner, is_newest_first=True, limit=len(self._rows))
        return [row for row in newest if _has(row.text, wanted)][:limit]

    async def check(self) -> None:
        """See `Records.check`."""


def _has(text: str, wanted: list[str]) -> bool:
    present = words_of(text)
    return all(any(word.startswith(one) for word in present) for one in wanted)


class _Value(Struct):
    value: bytes
    until: float


class MemoryKeyValue:
    """Small values in a dict."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._values: dict[str, _Value] = {}
        self._calls = 0

    async def get(self, name: str) -> bytes | None:
        """See `KeyValue.get`."""
        known = self._alive(name)
        return None if known is None else known.value

    async def put(self, name: str, value: bytes, *, ttl_s: float | None = None) -> None:
        """See `KeyValue.put`."""
        self._sweep()
        self._values[name] = _Value(value, self._until(ttl_s))

    async def add(self, name: str, value: bytes, *, ttl_s: float | None = None) -> bool:
        """See `KeyValue.add`."""
        if self._alive(name) is not None:
            return False
        await self.put(name, value, ttl_s=ttl_s)
        return True

    async def count(self, name: str, by: int = 1, *, ttl_s: float | None = None) -> int:
        """See `KeyValue.count`."""
        known = self._alive(name)
        if known is None:
            await self.put(name, b"%d" % by, ttl_s=ttl_s)
            return by
        total = int(known.value) + by
        known.value = b"%d" % total
        return total

    async def delete(self, name: str) -> bool:
        """See `KeyValue.delete`."""
        was_there = self._alive(name) is not None
        self._values.pop(name, None)
        return was_there

    def _alive(self, name: str) -> _Value | None:
        known = self._values.get(name)
        return known if known is not None and known.until > self._now() else None

    def _until(self, ttl_s: float | None) -> float:
        return _MAX_MOMENT if ttl_s is None else self._now() + ttl_s

    def _sweep(self) -> None:
        self._calls += 1
        if self._calls % _SWEEP_EVERY == 0:
            now = self._now()
            self._values = {name: one for name, one in self._values.items() if one.until > now}


class _Series(Struct):
    entries: list[Entry] = field(default_factory=list[Entry])
    until: float = _MAX_MOMENT
    is_finished: bool = False
    waiting: set[asyncio.Event] = field(default_factory=set[asyncio.Event])

    def wake(self) -> None:
        for one in self.waiting:
            one.set()


class MemoryJournal:
    """Series in lists; followers sleep until something comes."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._series: dict[str, _Series] = {}

    async def append(self, name: str, data: bytes) -> int:
        """See `Journal.append`."""
        series = self._series.get(name)
        if series is None or series.until <= self._now():
            self._forget()
            series = self._series[name] = _Series()
        number = len(series.entries) + 1
        series.entries.append(Entry(number, data))
        series.wake()
        return number

    async def finish(self, name: str, *, keep_s: float) -> None:
        """See `Journal.finish`."""
        series = self._series.setdefault(name, _Series())
        series.is_finished, series.until = True, self._now() + keep_s
        series.wake()

    async def read(self, name: str, after: int = 0) -> Tail | None:
        """See `Journal.read`."""
        series = self._series.get(name)
        if series is None or series.until <= self._now():
            return None
        return Tail(tuple(series.entries[after:]), series.is_finished)

    async def changed(self, name: str, after: int) -> None:
        """See `Journal.changed`."""
        series = self._series.get(name)
        if series is None:
            return
        signal = asyncio.Event()
        series.waiting.add(signal)
        try:
            while len(series.entries) <= after and not series.is_finished:
                signal.clear()
                await signal.wait()
        finally:
            series.waiting.discard(signal)

    def _forget(self) -> None:
        """Drop what has run out; done when a series begins, so that the memory is bounded by recent use."""
        now = self._now()
        for name in [name for name, series in self._series.items() if series.until <= now]:
            del self._series[name]


class _Held(Struct):
    holder: str
    token: int
    until: float


class MemoryLease:
    """Exclusive rights in a dict.."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._held: dict[str, _Held] = {}
        self._last_token = 0

    async def acquire(self, name: str, holder: str, *, ttl_s: float) -> int | None:
        """See `Lease.acquire`."""
        known = self._held.get(name)
        now = self._now()
        if known is not None and known.until > now and known.holder != holder:
            return None
        self._last_token += 1
        self._held[name] = _Held(holder, self._last_token, now + ttl_s)
        return self._last_token

    async def renew(self, name: str, token: int, *, ttl_s: float) -> bool:
        """See `Lease.renew`."""
        known = self._holds(name, token)
        if known is None:
            return False
        known.until = self._now() + ttl_s
        return True

    async def release(self, name: str, token: int) -> bool:
        """See `Lease.release`."""
        if self._holds(name, token) is None:
            return False
        del self._held[name]
        return True

    def _holds(self, name: str, token: int) -> _Held | None:
        known = self._held.get(name)
        is_ours = known is not None and known.token == token and known.until > self._now()
        return known if is_ours else None
