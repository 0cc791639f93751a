"""The dialect of Google's generateContent."""

from collections.abc import Sequence

from stipula.dialects.dialect import Reader, Writer
from stipula.dialects.gemini import reply, request, stream, write_request
from stipula.dialects.gemini.facts import NAME
from stipula.dialects.ir import Ask, Delta
from stipula.dialects.losses import Losses
from stipula.wire.sse import Frame


class Gemini:
    """Both directions of generateContent, streaming and not; what each method does stands in `dialect.Dialect`."""

    name = NAME
    read_ask = staticmethod(request.read_ask)
    read_count = staticmethod(request.read_count)
    write_ask = staticmethod(write_request.write_ask)
    read_reply = staticmethod(reply.read_reply)
    write_reply = staticmethod(reply.write_reply)
    write_count = staticmethod(reply.write_count)
    read_error = staticmethod(reply.read_error)
    write_error = staticmethod(reply.write_error)

    def reader(self) -> Reader:
        """A fresh reader of an upstream's stream."""
        return stream.GeminiReader()

    def writer(self, ask: Ask, losses: Losses | None = None) -> Writer:
        """A fresh writer for the caller who sent this ask."""
        return stream.GeminiWriter(ask, losses)

    def passes(self, ask: Ask, frame: Frame, deltas: Sequence[Delta]) -> bool:
        """Every frame that is one: this dialect's clients break on comments and on end marks of others."""
        del ask, deltas
        return frame.comment is None and not frame.data.startswith("[DONE]")


DIALECT = Gemini()
