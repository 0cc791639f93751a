"""Series of entries in SQLite. Followers in this process are woken; those in others look once a second."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Final

from stipula.storage.ports import Entry, Tail
from stipula.storage.sqlite.file import SqliteFile

_LOOK_EVERY_S: Final = 1.0


class SqliteJournal:
    """See `ports.Journal`."""

    def __init__(self, file: SqliteFile, now: Callable[[], float]) -> None:
        self._file = file
        self._now = now
        self._waiting: dict[str, set[asyncio.Event]] = {}

    async def append(self, name: str, data: bytes) -> int:
        """See `Journal.append`."""
        now = self._now()

        def work(connection: sqlite3.Connection) -> int:
            connection.execute("DELETE FROM journals WHERE until <= ?", (now,))
            begin = "INSERT OR IGNORE INTO journals (name, last, is_finished) VALUES (?, 0, 0)"
            connection.execute(begin, (name,))
            step = "UPDATE journals SET last = last + 1 WHERE name = ? RETURNING last"
            (number,) = connection.execute(step, (name,)).fetchone()
            connection.execute(
                "INSERT INTO journal_entries (name, number, data) VALUES (?, ?, ?)", (name, number, data)
            )
            return int(number)

        number = await self._file.write(work)
        self._wake(name)
        return number

    async def finish(self, name: str, *, keep_s: float) -> None:
        """See `Journal.finish`."""
        until = self._now() + keep_s
        end = """
        INSERT INTO journals (name, last, is_finished, until) VALUES (?, 0, 1, ?)
        ON CONFLICT (name) DO UPDATE SET is_finished = 1, until = excluded.until
        """
        await self._file.write(lambda connection: connection.execute(end, (name, until)).close())
        self._wake(name)

    async def read(self, name: str, after: int = 0) -> Tail | None:
        """See `Journal.read`."""
        now = self._now()

        def work(connection: sqlite3.Connection) -> Tail | None:
            query = "SELECT is_finished FROM journals WHERE name = ? AND (until IS NULL OR until > ?)"
            known = connection.execute(query, (name, now)).fetchone()
            if known is None:
                return None
            query = "SELECT number, data FROM journal_entries WHERE name = ? AND number > ? ORDER BY number"
            entries = tuple(Entry(number, bytes(data)) for number, data in connection.execute(query, (name, after)))
            return Tail(entries, bool(known[0]))

        return await self._file.read(work)

    async def changed(self, name: str, after: int) -> None:
        """See `Journal.changed`."""
        signal = asyncio.Event()
        waiting = self._waiting.setdefault(name, set())
        waiting.add(signal)
        try:
            while not await self._has_news(name, after):
                signal.clear()
                try:
                    async with asyncio.timeout(_LOOK_EVERY_S):
                        await signal.wait()
                except TimeoutError:
                    continue
        finally:
            waiting.discard(signal)
            if not waiting:
                self._waiting.pop(name, None)

    async def _has_news(self, name: str, after: int) -> bool:
        tail = await self.read(name, after)
        return tail is None or tail.is_finished or bool(tail.entries)

    def _wake(self, name: str) -> None:
        for signal in self._waiting.get(name, ()):
            signal.set()
