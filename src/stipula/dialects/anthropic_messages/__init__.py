"""The dialect of Anthropic's messages."""

from collections.abc import Sequence

from stipula.dialects.anthropic_messages import reply, request, stream, write_request
from stipula.dialects.anthropic_messages.facts import NAME
from stipula.dialects.dialect import Reader, Writer
from stipula.dialects.ir import Ask, Delta
from stipula.dialects.losses import Losses
from stipula.wire.sse import Frame


class AnthropicMessages:
    """Both directions of messages, streaming and not; what each method does stands in `dialect.Dialect`."""

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
        return stream.MessagesReader()

    def writer(self, ask: Ask, losses: Losses | None = None) -> Writer:
        """A fresh writer for the caller who sent this ask."""
        return stream.MessagesWriter(ask, losses)

    def passes(self, ask: Ask, frame: Frame, deltas: Sequence[Delta]) -> bool:
        """Every frame: nothing in this dialect's streams was asked for by us."""
        del ask, frame, deltas
        return True


DIALECT = AnthropicMessages()
