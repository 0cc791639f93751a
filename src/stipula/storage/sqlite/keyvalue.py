"""Small values and exclusive rights in SQLite."""

import sqlite3
from collections.abc import Callable
from typing import Final

from stipula.storage.sqlite.file import SqliteFile

_ALIVE: Final = "(until IS NULL OR until > ?)"
_PUT: Final = "INSERT OR REPLACE INTO keyvalue (name, value, until) VALUES (?, ?, ?)"


class SqliteKeyValue:
    """See `ports.KeyValue`. What has run out is dropped with the next write."""

    def __init__(self, file: SqliteFile, now: Callable[[], float]) -> None:
        self._file = file
        self._now = now

    async def get(self, name: str) -> bytes | None:
        """See `KeyValue.get`."""
        now = self._now()
        return await self._file.read(lambda connection: _value(connection, name, now))

    async def put(self, name: str, value: bytes, *, ttl_s: float | None = None) -> None:
        """See `KeyValue.put`."""
        now = self._now()

        def work(connection: sqlite3.Connection) -> None:
            _drop(connection, now)
            connection.execute(_PUT, (name, value, _until(now, ttl_s)))

        await self._file.write(work)

    async def add(self, name: str, value: bytes, *, ttl_s: float | None = None) -> bool:
        """See `KeyValue.add`."""
        now = self._now()

        def work(connection: sqlite3.Connection) -> bool:
            _drop(connection, now)
            if _value(connection, name, now) is not None:
                return False
            connection.execute(_PUT, (name, value, _until(now, ttl_s)))
            return True

        return await self._file.write(work)

    async def count(self, name: str, by: int = 1, *, ttl_s: float | None = None) -> int:
        """See `KeyValue.count`."""
        now = self._now()

        def work(connection: sqlite3.Connection) -> int:
            _drop(connection, now)
            known = _value(connection, name, now)
            if known is None:
                connection.execute(_PUT, (name, b"%d" % by, _until(now, ttl_s)))
                return by
            total = int(known) + by
            connection.execute("UPDATE keyvalue SET value = ? WHERE name = ?", (b"%d" % total, name))
            return total

        return await self._file.write(work)

    async def delete(self, name: str) -> bool:
        """See `KeyValue.delete`."""
        now = self._now()

        def work(connection: sqlite3.Connection) -> bool:
            was_there = _value(connection, name, now) is not None
            connection.execute("DELETE FROM keyvalue WHERE name = ?", (name,))
            return was_there

        return await self._file.write(work)


def _value(connection: sqlite3.Connection, name: str, now: float) -> bytes | None:
    query = f"SELECT value FROM keyvalue WHERE name = ? AND {_ALIVE}"  # noqa: S608 - constants
    found = connection.execute(query, (name, now)).fetchone()
    return None if found is None else bytes(found[0])


def _drop(connection: sqlite3.Connection, now: float) -> None:
    connection.execute("DELETE FROM keyvalue WHERE until <= ?", (now,))


def _until(now: float, ttl_s: float | None) -> float | None:
    return None if ttl_s is None else now + ttl_s


class SqliteLease:
    """See `ports.Lease`."""

    def __init__(self, file: SqliteFile, now: Callable[[], float]) -> None:
        self._file = file
        self._now = now

    async def acquire(self, name: str, holder: str, *, ttl_s: float) -> int | None:
        """See `Lease.acquire`."""
        now = self._now()

        def work(connection: sqlite3.Connection) -> int | None:
            query = "SELECT 1 FROM leases WHERE name = ? AND holder <> ? AND until > ?"
            if connection.execute(query, (name, holder, now)).fetchone():
                return None
            (token,) = connection.execute("UPDATE tokens SET last = last + 1 RETURNING last").fetchone()
            put = "INSERT OR REPLACE INTO leases (name, holder, token, until) VALUES (?, ?, ?, ?)"
            connection.execute(put, (name, holder, token, now + ttl_s))
            return int(token)

        return await self._file.write(work)

    async def renew(self, name: str, token: int, *, ttl_s: float) -> bool:
        """See `Lease.renew`."""
        now = self._now()
        change = "UPDATE leases SET until = ? WHERE name = ? AND token = ? AND until > ?"
        return await self._file.write(
            lambda connection: connection.execute(change, (now + ttl_s, name, token, now)).rowcount == 1
        )

    async def release(self, name: str, token: int) -> bool:
        """See `Lease.release`."""
        now = self._now()
        change = "DELETE FROM leases WHERE name = ? AND token = ? AND until > ?"
        return await self._file.write(lambda connection: connection.execute(change, (name, token, now)).rowcount == 1)
