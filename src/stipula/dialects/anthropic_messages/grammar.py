"""What a stream of the messages dialect looks like from outside: the table and shapes that the guard holds it to."""

from typing import Any, Final

import msgspec

from stipula.dialects.ir import Json
from stipula.wire.sse import Frame


def _event(name: str, **members: Json) -> Json:
    return {
        "type": "object",
        "required": ["type", *members],
        "properties": {"type": {"const": name}} | members,
    }


_COUNT: Final[Json] = {"type": "integer", "minimum": 0}
_USAGE: Final[Json] = {
    "type": "object",
    "required": ["output_tokens"],
    "properties": {"input_tokens": _COUNT, "output_tokens": _COUNT},
}
_MESSAGE: Final[Json] = {
    "type": "object",
    "required": ["id", "type", "role", "content", "model", "stop_reason", "stop_sequence", "usage"],
    "properties": {"type": {"const": "message"}, "role": {"const": "assistant"}, "usage": _USAGE},
}
_TYPED: Final[Json] = {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}}
_ERROR: Final[Json] = {
    "type": "object",
    "required": ["type", "message"],
    "properties": {"type": {"type": "string"}, "message": {"type": "string"}},
}
_LAST: Final[Json] = {"type": "object", "required": ["stop_reason", "stop_sequence"]}

DOCUMENT: Final[Json] = {
    "title": "messages",
    "events": {
        "message_start": _event("message_start", message=_MESSAGE),
        "content_block_start": _event("content_block_start", index=_COUNT, content_block=_TYPED),
        "content_block_delta": _event("content_block_delta", index=_COUNT, delta=_TYPED),
        "content_block_stop": _event("content_block_stop", index=_COUNT),
        "message_delta": _event("message_delta", delta=_LAST, usage=_USAGE),
        "message_stop": _event("message_stop"),
        "ping": _event("ping"),
        "error": _event("error", error=_ERROR),
    },
    "order": {
        "initial": "idle",
        "final": ["done"],
        "anywhere": ["ping"],
        "states": {
            "idle": {"message_start": "open", "error": "done"},
            "open": {"content_block_start": "block", "message_delta": "last", "error": "done"},
            "block": {"content_block_delta": "block", "content_block_stop": "open", "error": "done"},
            "last": {"message_delta": "last", "message_stop": "done", "error": "done"},
            "done": {},
        },
    },
    "laws": [{"kind": "counts_up", "id": "blocks are numbered in turn", "at": "content_block_start#/index"}],
    "keepalive": ": keepalive",
}


def event_of(frame: Frame) -> tuple[str, Any]:
    """The event's name in `DOCUMENT` and its payload."""
    return frame.event, msgspec.json.decode(frame.data)
