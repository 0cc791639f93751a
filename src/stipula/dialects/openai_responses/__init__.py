"""The dialect of OpenAI's Responses and of the servers that speak it."""

from collections.abc import Sequence

from stipula.dialects.dialect import Reader, Writer
from stipula.dialects.ir import Ask, Delta
from stipula.dialects.losses import Losses
from stipula.dialects.openai_responses import reply, request, stream, write_request, write_stream
from stipula.dialects.openai_responses.facts import NAME
from stipula.wire.sse import Frame


class OpenAIResponses:
    """Both directions of Responses, streaming and not; what each method does stands in `dialect.Dialect`."""

    name = NAME
    read_ask = staticmethod(request.read_ask)
    write_ask = staticmethod(write_request.write_ask)
    read_reply = staticmethod(reply.read_reply)
    write_reply = staticmethod(reply.write_reply)
    read_error = staticmethod(reply.read_error)
    write_error = staticmethod(reply.write_error)

    def reader(self) -> Reader:
        """A fresh reader of an upstream's stream."""
        return stream.ResponsesReader()

    def writer(self, ask: Ask, losses: Losses | None = None) -> Writer:
        """A fresh writer for the caller who sent this ask."""
        return write_stream.ResponsesWriter(ask, losses)

    def passes(self, ask: Ask, frame: Frame, deltas: Sequence[Delta]) -> bool:
        """Every frame: nothing in this dialect's streams was asked for by us."""
        del ask, frame, deltas
        return True


DIALECT = OpenAIResponses()
