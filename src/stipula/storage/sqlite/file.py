"""One SQLite file: a thread that writes, a thread that reads, migrations, and faults by name."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Final, TypeVar

from stipula.storage.faults import (
    StorageClosed,
    StorageCorrupt,
    StorageFull,
    StorageLocked,
    StorageNewer,
    StorageProblem,
    StorageReadOnly,
    StorageUnfit,
    StorageUnopenable,
    StorageUrlUnknown,
)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

SCHEME: Final = "sqlite:///"
_PRIMARY: Final = 0xFF
"""The lower byte of an extended SQLite error code is its primary code."""
_SETTINGS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",  # a killed process loses nothing; a lost power supply at most the last moment
    "PRAGMA foreign_keys = ON",
)


def path_of(url: str) -> Path:
    """The file that a URL means: three slashes for a relative path, four for an absolute one."""
    name = url.removeprefix(SCHEME)
    if name == url or not name or "?" in name or "#" in name:
        raise StorageUrlUnknown(url=_without_credentials(url))
    return Path(name).expanduser()


def _without_credentials(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    return f"{scheme}{mark}***@{rest.rpartition('@')[2]}" if "@" in rest else url


class SqliteFile:
    """The file and its two threads. SQLite has one writer; ours waits in a queue instead of for a lock."""

    def __init__(self, url: str, *, busy_s: float) -> None:
        self.path = path_of(url)
        self._busy_s = busy_s
        self._is_closed = False
        with self._named_faults():
            self._touch()
            with _connected(self.path, busy_s) as connection:
                migrate(connection, self.path)
        self._writer = _Lane("stipula-writer", self.path, busy_s)
        self._reader = _Lane("stipula-reader", self.path, busy_s)

    async def write(self, work: Work[T]) -> T:
        """Run work in one transaction, to its end even where the caller is cancelled."""
        return await self._run(self._writer, lambda connection: _in_transaction(connection, work))

    async def read(self, work: Work[T]) -> T:
        """Run work that only reads; it sees everything that was written before."""
        return await self._run(self._reader, work)

    async def close(self) -> None:
        """Wait for what was asked, close both connections, end both threads."""
        if self._is_closed:
            return
        self._is_closed = True
        await self._reader.close()
        await self._writer.close()

    async def _run(self, lane: "_Lane", work: Work[T]) -> T:
        if self._is_closed:
            raise StorageClosed(place=self.path)
        with self._named_faults():
            return await lane.run(work)

    def _touch(self) -> None:
        """Make the file for its owner alone: conversations are private."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))

    @contextmanager
    def _named_faults(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as why:
            raise _named(why, self.path, self._busy_s) from None
        except OSError as why:
            raise StorageUnopenable(place=self.path, why=why.strerror or why) from None


class _Lane:
    """One thread with one connection; works one after the other."""

    def __init__(self, name: str, path: Path, busy_s: float) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._path = path
        self._busy_s = busy_s
        self._connection: sqlite3.Connection | None = None

    async def run(self, work: Work[T]) -> T:
        # shielded: a cancelled caller would take a write out of the queue that it was promised
        return await asyncio.shield(asyncio.wrap_future(self._pool.submit(self._do, work)))

    async def close(self) -> None:
        await asyncio.wrap_future(self._pool.submit(self._disconnect))
        self._pool.shutdown()

    def _do(self, work: Work[T]) -> T:
        if self._connection is None:
            self._connection = _connect(self._path, self._busy_s)
        return work(self._connection)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _connect(path: Path, busy_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_s, isolation_level=None)
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def _connected(path: Path, busy_s: float) -> Generator[sqlite3.Connection]:
    connection = _connect(path, busy_s)
    try:
        yield connection
    finally:
        connection.close()


def _in_transaction(connection: sqlite3.Connection, work: Work[T]) -> T:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


# ---------------------------------------------------------------- migrations


def migrations() -> list[str]:
    """The texts of the migrations; the file after n of them is of version n."""
    folder = resources.files("stipula.storage") / "migrations" / "sqlite"
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".sql")), key=lambda one: one.name)
    return [one.read_text(encoding="utf-8") for one in files]


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a file to the newest version, in one transaction: it is the old one or the new one, nothing between."""
    known = migrations()
    _in_transaction(connection, lambda inside: _migrate(inside, known, path))


def _migrate(connection: sqlite3.Connection, known: list[str], path: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(known):
        raise StorageNewer(place=path, seen=version, known=len(known))
    if version == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        raise StorageCorrupt(place=path, why="it holds tables that are not ours")
    for text in known[version:]:
        for statement in _statements(text):
            connection.execute(statement)
    if version != len(known):
        connection.execute(f"PRAGMA user_version = {len(known)}")


def _statements(text: str) -> Iterator[str]:
    """The statements of a script; a trigger's own semicolons do not end it."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


# ---------------------------------------------------------------- faults by name


_KINDS: Final[dict[int, type[StorageProblem]]] = {
    sqlite3.SQLITE_BUSY: StorageLocked,
    sqlite3.SQLITE_LOCKED: StorageLocked,
    sqlite3.SQLITE_READONLY: StorageReadOnly,
    sqlite3.SQLITE_FULL: StorageFull,
    sqlite3.SQLITE_CORRUPT: StorageCorrupt,
    sqlite3.SQLITE_NOTADB: StorageCorrupt,
    sqlite3.SQLITE_CANTOPEN: StorageUnopenable,
    sqlite3.SQLITE_PERM: StorageUnopenable,
    sqlite3.SQLITE_AUTH: StorageUnopenable,
}


def _named(why: sqlite3.Error, path: Path, busy_s: float) -> StorageProblem:
    if "no such module: fts5" in str(why):
        return StorageUnfit(what="full-text search (FTS5)")
    kind = _KINDS.get(getattr(why, "sqlite_errorcode", 0) & _PRIMARY, StorageProblem)
    return kind(place=path, why=why, wait_s=busy_s)
