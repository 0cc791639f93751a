"""What a store can do, in four small protocols. No backend does more for one caller than for another.

`Records` hold documents for good, `KeyValue` small values for a while, a `Journal` numbered entries that somebody
follows, a `Lease` the right to be the only one. Every call may raise a `StorageProblem`.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct, field

MAX_FOUND = 1000


class Key(Struct, frozen=True):
    """The name of one record."""

    kind: str
    id: str


class Under(Struct, frozen=True):
    """Every record of a kind below one parent."""

    kind: str
    parent: str


class Row(Struct, frozen=True, kw_only=True):
    """One record: a JSON document, and the facts by which it is found.

    at: its place in time, microseconds since 1970 or any other counter. text: what the search looks through.
    """

    kind: str
    id: str
    owner: str = ""
    parent: str = ""
    state: str = ""
    at: int = 0
    text: str = ""
    body: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def key(self) -> Key:
        """Its name."""
        return Key(self.kind, self.id)


class Records(Protocol):
    """Documents, found by what they belong to and by their words."""

    async def get(self, kind: str, record_id: str) -> Row | None:
        """The record of this name."""
        ...

    async def write(
        self, puts: Sequence[Row] = (), deletes: Sequence[Key | Under] = (), *, given: Key | None = None
    ) -> bool:
        """All of this or nothing: first the deletes, then the puts, which replace what has their name.

        given: where this record does not exist (any more), nothing is done, and the answer is False.
        """
        ...

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
        """The records with these facts, in the order of `at`, then of `id`."""
        ...

    async def search(self, kind: str, words: str, *, owner: str | None = None, limit: int = 100) -> list[Row]:
        """The records whose text has a word beginning with each of these words, newest first.

        Letter case and accents do not count. Without a word nothing is found.
        """
        ...

    async def check(self) -> None:
        """Raise where the store cannot be read or written."""
        ...


class KeyValue(Protocol):
    """Small values by name, each for a time or for good (ttl_s None)."""

    async def get(self, name: str) -> bytes | None:
        """The value, while its time lasts."""
        ...

    async def put(self, name: str, value: bytes, *, ttl_s: float | None = None) -> None:
        """Set the value, whatever was there."""
        ...

    async def add(self, name: str, value: bytes, *, ttl_s: float | None = None) -> bool:
        """Set the value only where there is none."""
        ...

    async def count(self, name: str, by: int = 1, *, ttl_s: float | None = None) -> int:
        """Add to a number and give it; it begins at 0, and its time begins with its first count."""
        ...

    async def delete(self, name: str) -> bool:
        """Forget the value; whether there was one."""
        ...


class Entry(Struct, frozen=True):
    """One entry of a journal. number: from 1, without gaps."""

    number: int
    data: bytes


class Tail(Struct, frozen=True):
    """What a journal holds after some entry. is_finished: nothing will follow."""

    entries: tuple[Entry, ...]
    is_finished: bool


class Journal(Protocol):
    """Named series of entries that are appended by one and followed by many."""

    async def append(self, name: str, data: bytes) -> int:
        """Put one more entry at the end; its number."""
        ...

    async def finish(self, name: str, *, keep_s: float) -> None:
        """Nothing more comes; after keep_s seconds the series is forgotten."""
        ...

    async def read(self, name: str, after: int = 0) -> Tail | None:
        """The entries after this number; None for a series that is not known (any more)."""
        ...

    async def changed(self, name: str, after: int) -> None:
        """Return once there is an entry after this number, or the series is finished or forgotten."""
        ...


class Lease(Protocol):
    """The right to be the only one, for a time. A token is greater than every token of that name before it."""

    async def acquire(self, name: str, holder: str, *, ttl_s: float) -> int | None:
        """A token, None while somebody else holds the name; the same holder gets it anew."""
        ...

    async def renew(self, name: str, token: int, *, ttl_s: float) -> bool:
        """Hold it longer; False where it was lost."""
        ...

    async def release(self, name: str, token: int) -> bool:
        """Give it back; False where it was lost."""
        ...


class Store(Protocol):
    """One backend: the four ports, and its end."""

    @property
    def records(self) -> Records:
        """Documents."""
        ...

    @property
    def keyvalue(self) -> KeyValue:
        """Small values."""
        ...

    @property
    def journal(self) -> Journal:
        """Series that are followed."""
        ...

    @property
    def lease(self) -> Lease:
        """Exclusive rights."""
        ...

    async def close(self) -> None:
        """Let go of files and threads; nothing may be called after it."""
        ...
