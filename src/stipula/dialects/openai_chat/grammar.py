"""What a chat stream of one answer looks like from outside: the table and shapes that the guard holds it to.

Chat frames have no names on the wire, so `event_of` names them by what they hold. Source: the vendor's streaming
reference, seen 2026-10.
"""

from typing import Any, Final

import msgspec

from stipula.dialects.ir import Json
from stipula.dialects.strict_json import as_array, as_object
from stipula.wire.sse import Frame

_CHUNK: Final[Json] = {
    "type": "object",
    "required": ["id", "object", "created", "model", "choices"],
    "properties": {
        "id": {"type": "string"},
        "object": {"const": "chat.completion.chunk"},
        "created": {"type": "integer"},
        "model": {"type": "string"},
        "choices": {"type": "array", "items": {"type": "object", "required": ["index", "delta", "finish_reason"]}},
    },
}
_BILL: Final[Json] = {"type": "object", "required": ["prompt_tokens", "completion_tokens", "total_tokens"]}
_ERROR: Final[Json] = {"type": "object", "required": ["message", "type"], "properties": {"message": {"type": "string"}}}

DOCUMENT: Final[Json] = {
    "title": "chat completions, one answer",
    "events": {
        "opening": _CHUNK,
        "delta": _CHUNK,
        "finish": _CHUNK,
        "usage": {"allOf": [_CHUNK, {"required": ["usage"], "properties": {"usage": _BILL}}]},
        "error": {"type": "object", "required": ["error"], "properties": {"error": _ERROR}},
        "done": True,
    },
    "order": {
        "initial": "start",
        "final": ["done"],
        "states": {
            "start": {"opening": "open", "error": "failed"},
            "open": {"delta": "open", "finish": "finished", "done": "done", "error": "failed"},
            "finished": {"usage": "billed", "done": "done", "error": "failed"},
            "billed": {"done": "done", "error": "failed"},
            "failed": {"done": "done"},
            "done": {},
        },
    },
    "laws": [],
    "keepalive": ": keepalive",
}


def event_of(frame: Frame) -> tuple[str, Any]:
    """The event's name in `DOCUMENT` and its payload; the frame must hold JSON or the end mark."""
    if frame.data == "[DONE]":
        return "done", None
    payload = as_object(msgspec.json.decode(frame.data))
    if payload.get("error"):
        return "error", payload
    choices = [as_object(choice) for choice in as_array(payload.get("choices"))]
    if not choices:
        return "usage", payload
    if choices[0].get("finish_reason") is not None:
        return "finish", payload
    return ("opening" if "role" in as_object(choices[0].get("delta")) else "delta"), payload
