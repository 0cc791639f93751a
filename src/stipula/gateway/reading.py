"""An upstream's stream as it is heard, and as the caller is told of it. It remembers its place and nothing else."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from stipula.dialects.dialect import Dialect
from stipula.dialects.ir import Ask, Closed, Delta, Failed, Opened
from stipula.dialects.losses import Losses
from stipula.errors import Problem
from stipula.gateway.upstream import Exchange, UpstreamCut
from stipula.redact import redact
from stipula.wire.sse import Frame, FrameReader, encode

UNREADABLE: Final = "upstream_unreadable"
"""How readers mark what is no frame of their dialect."""


class Heard(Struct, frozen=True):
    """One frame and the deltas in it; frame None: what the reader owed when the bytes ended."""

    frame: Frame | None
    deltas: Sequence[Delta]


class Reading:
    """One stream. ending: its terminal delta once it is there; then nothing more is read."""

    def __init__(self, exchange: Exchange, dialect: Dialect) -> None:
        self._exchange = exchange
        self._frames = FrameReader()
        self._reader = dialect.reader()
        self.ending: Closed | Failed | None = None

    async def next(self, wait_s: float) -> list[Heard]:
        """What has arrived: nothing, if it was no whole frame. `TimeoutError` after wait_s without a byte."""
        try:
            data = await self._exchange.piece(wait_s)
            if not data:
                self._frames.close()
                return self._end()
            frames = self._frames.feed(data)
        except UpstreamCut:
            return self._end()
        except Problem as why:  # a line that is no text, or has no end
            return self._fail(Failed(message=f"The upstream's stream cannot be read: {why}.", code=UNREADABLE))
        return list(self._heard(frames))

    def fail(self, failed: Failed) -> Heard:
        """End the stream for a reason of ours."""
        return self._fail(failed)[0]

    def _heard(self, frames: Iterable[Frame]) -> Iterator[Heard]:
        for frame in frames:
            deltas = tuple(self._reader(frame))
            yield Heard(frame, deltas)
            if deltas and isinstance(deltas[-1], Closed | Failed):
                self.ending = deltas[-1]
                return

    def _end(self) -> list[Heard]:
        heard = self._noted(Heard(None, list(self._reader.close())))
        if self.ending is None:  # the terminal mark came before, so nobody asks any more; kept for its law
            self.ending = Closed()
        return [heard]

    def _fail(self, failed: Failed) -> list[Heard]:
        return [self._noted(Heard(None, (failed,)))]

    def _noted(self, heard: Heard) -> Heard:
        if heard.deltas and isinstance(heard.deltas[-1], Closed | Failed):
            self.ending = heard.deltas[-1]
        return heard


class Telling:
    """The same stream in the caller's dialect. Where both sides speak one dialect its own frames go on.

    created: seconds since 1970, for upstreams that tell no time.
    """

    def __init__(self, surface: Dialect, theirs: Dialect, ask: Ask, losses: Losses, created: int) -> None:
        self._surface = surface
        self._is_same = surface.name == theirs.name
        self._ask = ask
        self._created = created
        self._opened: Opened | None = None
        self._writer = None if self._is_same else surface.writer(ask, losses)

    def __call__(self, heard: Heard) -> bytes:
        """The bytes for the caller; b"" where there is nothing to tell."""
        if self._writer is not None:
            return b"".join(encode(frame) for delta in heard.deltas for frame in self._writer(self._timed(delta)))
        if heard.frame is None:
            return b"".join(encode(frame) for delta in heard.deltas for frame in self._ended(delta))
        if heard.frame.comment is not None:
            return b""  # an upstream's keep-alive is for us; ours follows its own clock
        if not self._surface.passes(self._ask, heard.frame, heard.deltas):
            return b""
        for delta in heard.deltas:
            if isinstance(delta, Opened):
                self._opened = delta
            elif isinstance(delta, Failed) and not _may_pass(delta):
                return b"".join(map(encode, self._ended(replace(delta, message=redact(delta.message)))))
        return encode(heard.frame)

    def _timed(self, delta: Delta) -> Delta:
        return replace(delta, created=self._created) if isinstance(delta, Opened) and not delta.created else delta

    def _ended(self, delta: Delta) -> Iterable[Frame]:
        """An ending that no frame brought. After an answer that had begun, the writer must know that it had."""
        writer = self._surface.writer(self._ask)
        if isinstance(delta, Closed) and self._opened is not None:
            list(writer(self._opened))
        return writer(delta)


def _may_pass(failed: Failed) -> bool:
    """Whether a frame that ends a stream is a fault told by the upstream, and tells no secret."""
    return failed.code != UNREADABLE and redact(failed.message) == failed.message
