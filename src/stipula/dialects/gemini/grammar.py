"""What a generateContent stream looks like from outside: the table and shapes that the guard holds it to.

Frames have no names on the wire, so `event_of` names them by what they hold.
"""

from typing import Any, Final

import msgspec

from stipula.dialects.ir import Json
from stipula.dialects.strict_json import as_array, as_object
from stipula.wire.sse import Frame

_PART: Final[Json] = {"type": "object", "minProperties": 1}
_CONTENT: Final[Json] = {
    "type": "object",
    "required": ["parts", "role"],
    "properties": {"parts": {"type": "array", "items": _PART}, "role": {"const": "model"}},
}
_CANDIDATE: Final[Json] = {"type": "object", "properties": {"content": _CONTENT, "index": {"type": "integer"}}}
_RESPONSE: Final[Json] = {
    "type": "object",
    "required": ["candidates"],
    "properties": {"candidates": {"type": "array", "items": _CANDIDATE}},
}
_ERROR: Final[Json] = {
    "type": "object",
    "required": ["code", "message", "status"],
    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}, "status": {"type": "string"}},
}

DOCUMENT: Final[Json] = {
    "title": "generateContent",
    "events": {
        "parts": _RESPONSE,
        "finish": _RESPONSE,
        "error": {"type": "object", "required": ["error"], "properties": {"error": _ERROR}},
    },
    "order": {
        "initial": "open",
        "final": ["finished", "failed"],
        "states": {
            "open": {"parts": "open", "finish": "finished", "error": "failed"},
            "finished": {},
            "failed": {},
        },
    },
    "laws": [],
    "keepalive": "",
}


def event_of(frame: Frame) -> tuple[str, Any]:
    """The event's name in `DOCUMENT` and its payload."""
    payload = as_object(msgspec.json.decode(frame.data))
    if payload.get("error"):
        return "error", payload
    ended = any(as_object(raw).get("finishReason") for raw in as_array(payload.get("candidates")))
    return ("finish" if ended else "parts"), payload
