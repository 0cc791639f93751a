"""What every dialect is: pairs of reading and writing around one vocabulary, streaming included."""

from collections.abc import Callable, Iterable
from typing import Protocol

from stipula.dialects.ir import Ask, Delta, Reply
from stipula.dialects.losses import Losses
from stipula.wire.sse import Frame

Reader = Callable[[Frame], Iterable[Delta]]
"""Frames of one upstream stream in, deltas out; fresh for each stream, since it remembers."""
Writer = Callable[[Delta], Iterable[Frame]]
"""Deltas in, frames of the caller's dialect out; fresh for each stream."""


class Dialect(Protocol):
    """One vendor's spelling. Bytes that cannot be read raise a `Problem` whose status and words are the edge's own."""

    name: str

    def read_ask(self, body: bytes) -> Ask:
        """The ask in a request body; `DialectEdge` (400) where the dialect itself forbids the body."""
        ...

    def write_ask(self, ask: Ask, losses: Losses) -> bytes:
        """The request body for an upstream of this dialect; the ask's own bytes where it came in this dialect."""
        ...

    def read_reply(self, body: bytes) -> Reply:
        """The reply in an upstream's whole answer."""
        ...

    def write_reply(self, reply: Reply, losses: Losses) -> bytes:
        """A whole answer for a caller of this dialect."""
        ...

    def reader(self) -> Reader:
        """A fresh reader of an upstream's stream."""
        ...

    def writer(self, ask: Ask) -> Writer:
        """A fresh writer of a stream for the caller who sent this ask."""
        ...

    def write_error(self, *, status: int, message: str, kind: str, param: str | None, code: str | None, request_id: str) -> bytes:
        """An error in this dialect's envelope."""
        ...
