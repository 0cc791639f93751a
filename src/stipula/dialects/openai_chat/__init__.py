"""The dialect of OpenAI's chat completions and of the many servers that speak it."""

from collections.abc import Sequence

from stipula.dialects.dialect import Reader, Writer
from stipula.dialects.ir import Ask, Delta
from stipula.dialects.losses import Losses
from stipula.dialects.openai_chat import reply, request, stream, write_request
from stipula.dialects.openai_chat.facts import NAME
from stipula.wire.sse import Frame


class OpenAIChat:
    """Both directions of chat completions, streaming and not; what each method does stands in `dialect.Dialect`."""

    name = NAME
    read_ask = staticmethod(request.read_ask)
    write_ask = staticmethod(write_request.write_ask)
    read_reply = staticmethod(reply.read_reply)
    write_reply = staticmethod(reply.write_reply)
    read_error = staticmethod(reply.read_error)
    write_error = staticmethod(reply.write_error)

    def reader(self) -> Reader:
        """A fresh reader of an upstream's stream."""
        return stream.ChatReader()

    def writer(self, ask: Ask, losses: Losses | None = None) -> Writer:
        """A fresh writer for the caller who sent this ask."""
        return stream.ChatWriter(ask, losses)

    def passes(self, ask: Ask, frame: Frame, deltas: Sequence[Delta]) -> bool:
        """Every frame, but the usage frame where the caller did not ask for it: that one we asked for."""
        return ask.include_usage or not stream.is_usage_alone(frame, deltas)


DIALECT = OpenAIChat()
