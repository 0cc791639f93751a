"""What a Responses stream looks like from outside: the table and shapes that the guard holds it to."""

from typing import Any, Final

import msgspec

from stipula.dialects.ir import Json
from stipula.wire.sse import Frame

_COUNT: Final[Json] = {"type": "integer", "minimum": 0}
_TEXT: Final[Json] = {"type": "string"}
_TYPED: Final[Json] = {"type": "object", "required": ["type"], "properties": {"type": _TEXT}}
_RESPONSE: Final[Json] = {
    "type": "object",
    "required": ["id", "object", "created_at", "status", "model", "output"],
    "properties": {"id": _TEXT, "object": {"const": "response"}, "created_at": {"type": "integer"}, "model": _TEXT},
}
_ITEM: Final[Json] = {"output_index": _COUNT, "item": _TYPED}
_PIECE: Final[Json] = {"item_id": _TEXT, "output_index": _COUNT}
_PART: Final[Json] = _PIECE | {"content_index": _COUNT}
_SUMMARY: Final[Json] = _PIECE | {"summary_index": _COUNT}

_MEMBERS: Final[dict[str, Json]] = {
    "response.created": {"response": _RESPONSE},
    "response.in_progress": {"response": _RESPONSE},
    "response.output_item.added": _ITEM,
    "response.output_item.done": _ITEM,
    "response.content_part.added": _PART | {"part": _TYPED},
    "response.content_part.done": _PART | {"part": _TYPED},
    "response.output_text.delta": _PART | {"delta": _TEXT},
    "response.output_text.done": _PART | {"text": _TEXT},
    "response.refusal.delta": _PART | {"delta": _TEXT},
    "response.refusal.done": _PART | {"refusal": _TEXT},
    "response.function_call_arguments.delta": _PIECE | {"delta": _TEXT},
    "response.function_call_arguments.done": _PIECE | {"arguments": _TEXT},
    "response.reasoning_summary_part.added": _SUMMARY | {"part": _TYPED},
    "response.reasoning_summary_part.done": _SUMMARY | {"part": _TYPED},
    "response.reasoning_summary_text.delta": _SUMMARY | {"delta": _TEXT},
    "response.reasoning_summary_text.done": _SUMMARY | {"text": _TEXT},
    "response.completed": {"response": _RESPONSE},
    "response.incomplete": {"response": _RESPONSE},
    "response.failed": {"response": _RESPONSE},
    "error": {"message": _TEXT},
}


def _event(name: str, members: Json) -> Json:
    return {
        "type": "object",
        "required": ["type", "sequence_number", *members],
        "properties": {"type": {"const": name}, "sequence_number": _COUNT} | members,
    }


_FAILS: Final = {"response.failed": "done", "error": "done"}


def _state(**moves: str) -> dict[str, str]:
    return {f"response.{name.replace('__', '.')}": state for name, state in moves.items()} | _FAILS


DOCUMENT: Final[Json] = {
    "title": "responses",
    "events": {name: _event(name, members) for name, members in _MEMBERS.items()},
    "order": {
        "initial": "start",
        "final": ["done"],
        "states": {
            "start": {"response.created": "created", "error": "done"},
            "created": _state(in_progress="open"),
            "open": _state(output_item__added="item", completed="done", incomplete="done"),
            "item": _state(
                content_part__added="part",
                function_call_arguments__delta="arguments",
                function_call_arguments__done="filled",
                reasoning_summary_part__added="summary",
                output_item__done="open",
            ),
            "part": _state(
                output_text__delta="part", output_text__done="said", refusal__delta="part", refusal__done="said"
            ),
            "said": _state(content_part__done="filled"),
            "arguments": _state(function_call_arguments__delta="arguments", function_call_arguments__done="filled"),
            "summary": _state(reasoning_summary_text__delta="summary", reasoning_summary_text__done="summed"),
            "summed": _state(reasoning_summary_part__done="filled"),
            "filled": _state(content_part__added="part", output_item__done="open"),
            "done": {},
        },
    },
    "laws": [
        {"kind": "counts_up", "id": f"{name} is numbered in turn", "at": f"{name}#/output_index"}
        for name in ("response.output_item.added", "response.output_item.done")
    ],
    "keepalive": ": keepalive",
}


def event_of(frame: Frame) -> tuple[str, Any]:
    """The event's name in `DOCUMENT` and its payload."""
    return frame.event, msgspec.json.decode(frame.data)
