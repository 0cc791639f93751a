"""What every dialect is: pairs of reading and writing around one vocabulary, streaming included.

How a gateway uses it, one request from top to bottom:

- `ask = a.read_ask(body)`; a `DialectEdge` is answered with `a.write_error(...)` and nothing else happens.
- `tail.judge(ask)`; then routing; then `b.write_ask(replace(ask, model=upstream_model), losses)`.
- a whole answer: `b.read_reply(body)` then `a.write_reply(reply, losses)`, which returns the upstream's own bytes where
  a and b are the same. A fault: `a.write_error(...)` with the facts of `b.read_error(status, body)`.
- a stream: for each frame of `wire.sse.FrameReader`, `deltas = reader(frame)`. Where a and b differ each delta goes
  through `writer(delta)`. Where they are the same the frame itself goes on if `a.passes(ask, frame, deltas)`, and the
  deltas are only looked at (usage, stop, failure), so that the caller gets the upstream's own data lines.
- at the end of the upstream's bytes: `reader.close()`. It gives `Failed` if no terminal mark had come, `Closed` if the
  answer had ended without one, nothing if it was there. What it gives goes through `writer` in both cases; in the same
  dialect let a fresh writer that has seen no delta spell a `Failed`.
- `Reply.created` and `Opened.created` are 0 where the upstream tells no time: put in the clock's before writing.
- gemini's model and stream switch stand in the path: `replace(ask, model=…, stream=…)` after reading, and the URL is
  made from the ask when it is sent. `previous_reply_id` is resolved before the tail: `replace(ask, turns=…)`.
- after `Closed` or `Failed` nothing more is read or written.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal, Protocol

from stipula.dialects.ir import Ask, Delta, Failed, Reply
from stipula.dialects.losses import Losses
from stipula.errors import Problem
from stipula.wire.sse import Frame

Kind = Literal[
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "rate_limit_error",
    "insufficient_quota",
    "api_error",
    "server_error",
    "overloaded_error",
    "timeout_error",
    "request_too_large",
]
"""What kinds of errors there are, in our words; each dialect spells them its own way."""


class DialectEdge(Problem):
    """A body that its own dialect forbids: a 400 before anything else happens."""

    code: ClassVar[str] = "DIA001"
    status: ClassVar[int] = 400
    hint: ClassVar[str] = "{message}"

    def __init__(self, message: str, *, param: str | None = None, error_code: str | None = None) -> None:
        super().__init__(message=message, param=param, error_code=error_code)
        self.message = message
        self.param = param
        self.error_code = error_code


class UpstreamUnreadable(Problem):
    """An upstream's whole answer that is not an answer of its dialect."""

    code: ClassVar[str] = "DIA002"
    status: ClassVar[int] = 502
    hint: ClassVar[str] = "the upstream's answer is no {dialect} answer: {seen}"


class DialectUnknown(Problem):
    """A name that no dialect has."""

    code: ClassVar[str] = "DIA003"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 2
    hint: ClassVar[str] = "no dialect is named {name!r}; there are {known}"


class Reader(Protocol):
    """Frames of one upstream stream in, deltas out; fresh for each stream, since it remembers. Raises nothing."""

    def __call__(self, frame: Frame) -> Iterable[Delta]:
        """The deltas in one frame; nothing after the terminal one."""
        ...

    def close(self) -> Iterable[Delta]:
        """What is owed when the upstream's bytes end: `Failed` for a cut, `Closed` or nothing otherwise."""
        ...


class Writer(Protocol):
    """Deltas in, frames of the caller's dialect out; fresh for each stream. Nothing after a terminal event."""

    def __call__(self, delta: Delta) -> Iterable[Frame]:
        """The frames that one delta becomes."""
        ...


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
        """The reply in an upstream's whole answer; `UpstreamUnreadable` where there is none."""
        ...

    def write_reply(self, reply: Reply, losses: Losses, ask: Ask | None = None) -> bytes:
        """A whole answer for a caller of this dialect; the upstream's own bytes where it was of this dialect.

        ask: what the answer repeats of the request, where the dialect repeats any of it.
        """
        ...

    def reader(self) -> Reader:
        """A fresh reader of an upstream's stream."""
        ...

    def writer(self, ask: Ask, losses: Losses | None = None) -> Writer:
        """A fresh writer of a stream for the caller who sent this ask; what it cannot spell is added to losses."""
        ...

    def passes(self, ask: Ask, frame: Frame, deltas: Sequence[Delta]) -> bool:
        """Whether a frame of an upstream of this same dialect goes on to the caller as it came."""
        ...

    def read_error(self, status: int, body: bytes) -> Failed:
        """The fault in an upstream's error answer, whatever the bytes are."""
        ...

    def write_error(
        self, *, status: int, message: str, kind: str, param: str | None, code: str | None, request_id: str
    ) -> bytes:
        """An error in this dialect's envelope."""
        ...
