"""What the chat can be told: `[chat]` of the configuration file."""

from typing import Annotated

from msgspec import Meta, Struct

from stipula.enforce.policy import Mode

Count = Annotated[int, Meta(gt=0)]
Seconds = Annotated[float, Meta(gt=0)]


class ChatSettings(Struct, frozen=True, kw_only=True):
    """All of `[chat]`.

    guard: what is done about an event that breaks the stream's contract: `observe` counts it, `enforce` ends the stream
    with an `error` event, `off` looks at none.
    history_turns, history_chars: how much of a conversation goes to the model, from its end. keepalive_s: the longest
    silence of a stream. replay_s: how long a finished stream can be read again. max_running: turns at one time.
    """

    guard: Mode = "observe"
    max_body_bytes: Count = 1024 * 1024
    max_message_chars: Count = 100_000
    history_turns: Count = 30
    history_chars: Count = 24_000
    keepalive_s: Seconds = 15.0
    replay_s: Seconds = 600.0
    max_running: Count = 1000
