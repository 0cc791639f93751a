"""The embedded store: one SQLite file in WAL mode. It needs no server and survives a killed process."""

import time
from collections.abc import Callable

from stipula.storage.sqlite.file import SqliteFile
from stipula.storage.sqlite.journal import SqliteJournal
from stipula.storage.sqlite.keyvalue import SqliteKeyValue, SqliteLease
from stipula.storage.sqlite.records import SqliteRecords

BUSY_S = 5.0


class SqliteStore:
    """The four ports over one file. now: seconds since 1970, on whose progress times run out."""

    def __init__(self, file: SqliteFile, now: Callable[[], float]) -> None:
        self.file = file
        self.records = SqliteRecords(file)
        self.keyvalue = SqliteKeyValue(file, now)
        self.journal = SqliteJournal(file, now)
        self.lease = SqliteLease(file, now)

    async def close(self) -> None:
        """Close the file once everything that was asked before is done."""
        await self.file.close()


def open(url: str, *, now: Callable[[], float] = time.time, busy_s: float = BUSY_S) -> SqliteStore:  # noqa: A001
    """The store at `sqlite:///relative.db` or `sqlite:////absolute.db`, made or brought up to date.

    busy_s: how long to wait while another process writes. Raises a `StorageProblem` that names the file.
    """
    return SqliteStore(SqliteFile(url, busy_s=busy_s), now)
