"""Records in SQLite: one table, one full-text index."""

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from stipula.storage.ports import MAX_FOUND, Key, Row, Under
from stipula.storage.sqlite.file import SqliteFile
from stipula.storage.words import words_of

_COLUMNS: Final = "records.kind, records.id, owner, parent, state, at, records.text, body"
_PUT: Final = """
INSERT INTO records (kind, id, owner, parent, state, at, text, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, id) DO UPDATE SET owner = excluded.owner, parent = excluded.parent, state = excluded.state,
  at = excluded.at, text = excluded.text, body = excluded.body
"""
_SEARCH: Final = """
FROM records_text JOIN records ON records.number = records_text.rowid
WHERE records_text MATCH ? AND kind = ? AND (? IS NULL OR owner = ?) ORDER BY at DESC, id DESC LIMIT ?
"""


class SqliteRecords:
    """See `ports.Records`."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    async def get(self, kind: str, record_id: str) -> Row | None:
        """See `Records.get`."""
        query = f"SELECT {_COLUMNS} FROM records WHERE kind = ? AND id = ?"  # noqa: S608 - a constant
        found = await self._all(query, (kind, record_id))
        return found[0] if found else None

    async def write(
        self, puts: Sequence[Row] = (), deletes: Sequence[Key | Under] = (), *, given: Key | None = None
    ) -> bool:
        """See `Records.write`."""
        rows = [_values(row) for row in puts]

        def work(connection: sqlite3.Connection) -> bool:
            if given is not None and not _exists(connection, given):
                return False
            for target in deletes:
                _delete(connection, target)
            connection.executemany(_PUT, rows)
            return True

        return await self._file.write(work)

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
        wanted = {"kind": kind, "owner": owner, "parent": parent, "state": state}
        facts = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in facts)
        way = "DESC" if is_newest_first else "ASC"
        query = f"SELECT {_COLUMNS} FROM records WHERE {where} ORDER BY at {way}, id {way} LIMIT ?"  # noqa: S608 - constants
        return await self._all(query, (*facts.values(), limit))

    async def search(self, kind: str, words: str, *, owner: str | None = None, limit: int = 100) -> list[Row]:
        """See `Records.search`."""
        wanted = " ".join(f'"{word}"*' for word in words_of(words))  # quoted: no word is an operator
        if not wanted:
            return []
        return await self._all(f"SELECT {_COLUMNS} {_SEARCH}", (wanted, kind, owner, owner, limit))

    async def check(self) -> None:
        """See `Records.check`. An empty write transaction meets every fault that a real one would meet at its start."""
        await self._file.write(lambda connection: connection.execute("UPDATE tokens SET last = last").close())

    async def _all(self, query: str, facts: tuple[Any, ...]) -> list[Row]:
        found = await self._file.read(lambda connection: connection.execute(query, facts).fetchall())
        return [_row(values) for values in found]


def _values(row: Row) -> tuple[Any, ...]:
    return row.kind, row.id, row.owner, row.parent, row.state, row.at, row.text, msgspec.json.encode(row.body)


def _row(values: tuple[Any, ...]) -> Row:
    kind, record_id, owner, parent, state, at, text, body = values
    facts: dict[str, Any] = msgspec.json.decode(body)
    return Row(kind=kind, id=record_id, owner=owner, parent=parent, state=state, at=at, text=text, body=facts)


def _exists(connection: sqlite3.Connection, key: Key) -> bool:
    query = "SELECT 1 FROM records WHERE kind = ? AND id = ?"
    return connection.execute(query, (key.kind, key.id)).fetchone() is not None


def _delete(connection: sqlite3.Connection, target: Key | Under) -> None:
    match target:
        case Key(kind=kind, id=record_id):
            connection.execute("DELETE FROM records WHERE kind = ? AND id = ?", (kind, record_id))
        case Under(kind=kind, parent=parent):
            connection.execute("DELETE FROM records WHERE kind = ? AND parent = ?", (kind, parent))
