"""A whole answer of the messages dialect, read and written, and its error envelope."""

from typing import Any

import msgspec

from stipula.dialects.anthropic_messages.blocks import read_block, write_call
from stipula.dialects.anthropic_messages.facts import (
    KINDS,
    KINDS_OF_STATUS,
    NAME,
    STOP_REASONS,
    TYPES,
    read_stop,
    read_usage,
    write_usage,
)
from stipula.dialects.dialect import UpstreamUnreadable
from stipula.dialects.ir import Ask, Failed, Foreign, Json, Part, Refusal, Reply, Text, Thought, ToolCall, Usage
from stipula.dialects.losses import Loss, Losses, tell_extra
from stipula.dialects.seals import marked
from stipula.dialects.strict_json import as_object, as_text, is_array

_TOP = frozenset({"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"})


def read_reply(body: bytes) -> Reply:
    """The reply in a whole answer; `UpstreamUnreadable` where it is none."""
    try:
        members = as_object(msgspec.json.decode(body))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UpstreamUnreadable(dialect=NAME, seen="bytes that are not JSON") from None
    content = members.get("content")
    if not is_array(content):
        raise UpstreamUnreadable(dialect=NAME, seen="no array of content blocks")
    parts = tuple(read_block(raw, f"/content/{i}", is_assistant=True) for i, raw in enumerate(content))
    word = as_text(members.get("stop_reason"))
    called = any(isinstance(part, ToolCall) for part in parts)
    return Reply(
        reply_id=as_text(members.get("id")) or "",
        model=as_text(members.get("model")) or "",
        created=0,
        parts=parts,
        stop=read_stop(word, called=called),
        stop_raw=word,
        stop_string=as_text(members.get("stop_sequence")),
        usage=read_usage(members["usage"]) if members.get("usage") else None,
        dialect=NAME,
        body=body,
        extra={name: value for name, value in members.items() if name not in _TOP and value is not None} or None,
    )


def write_reply(reply: Reply, losses: Losses, ask: Ask | None = None) -> bytes:
    """A whole answer for a caller of this dialect; the upstream's own bytes where it speaks it itself."""
    del ask  # this dialect repeats nothing of the request
    if reply.dialect == NAME and reply.body:
        return reply.body
    is_own = reply.dialect in ("", NAME)
    origin = "" if is_own else reply.dialect
    blocks = [_write_part(part, losses, origin) for part in reply.parts]
    answer: Json = {
        "id": reply.reply_id,
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": [block for block in blocks if block is not None],
        "stop_reason": None if reply.stop is None else STOP_REASONS[_stop_of(reply)],
        "stop_sequence": reply.stop_string,
        "usage": write_usage(reply.usage or Usage()),
    }
    losses += (Loss(at=f"/candidates/{i}", what="candidate", to=NAME) for i, _ in enumerate(reply.others, 1))
    if is_own:
        return msgspec.json.encode(answer | (reply.extra or {}))
    tell_extra(losses, reply.extra, "", NAME)
    return msgspec.json.encode(answer)


def _stop_of(reply: Reply) -> Any:  # noqa: ANN401 - one of the stop words
    """A refusal in words is a refusal, though its dialect calls it an end."""
    if reply.stop == "end" and any(isinstance(part, Refusal) for part in reply.parts):
        return "refusal"
    return "end" if reply.stop == "stop_string" and reply.stop_string is None else reply.stop


def _write_part(part: Part, losses: Losses, origin: str) -> Any:  # noqa: ANN401 - a foreign block may be anything
    match part:
        case Text() | Refusal():
            # the vendor never sends an empty block, and refuses one that comes back
            return {"type": "text", "text": part.text} | _citations(part, losses, origin) if part.text else None
        case Thought():
            return _write_thought(part, part.origin or origin)
        case ToolCall():
            return write_call(part, losses, origin=origin)
        case Foreign(dialect=dialect, raw=raw) if dialect == NAME:
            return raw
        case _:
            what = "part" if isinstance(part, Foreign) else type(part).__name__.lower()
            losses.append(Loss(at=part.at, what=what, to=NAME))
            return None


def _write_thought(part: Thought, origin: str) -> Json:
    if part.redacted:
        return {"type": "redacted_thinking", "data": marked(part.text, origin)}
    signature = "" if part.signature is None else marked(part.signature, origin)
    return {"type": "thinking", "thinking": part.text, "signature": signature}


def _citations(part: Text | Refusal, losses: Losses, origin: str) -> Json:
    if not isinstance(part, Text) or not part.citations:
        return {}
    if not origin:
        return {"citations": list(part.citations)}
    losses.append(Loss(at=part.at, what="citations", to=NAME))
    return {}


# ---------------------------------------------------------------- errors


def read_error(status: int, body: bytes) -> Failed:
    """The fault in an upstream's error answer; its status speaks where its bytes do not."""
    try:
        members = as_object(msgspec.json.decode(body))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        members = {}
    return read_fault(members, status)


def read_fault(members: Json, status: int) -> Failed:
    """The fault in an error envelope, or in the `error` event of a stream, which has the same form."""
    error = as_object(members.get("error"))
    word = as_text(error.get("type")) or ""
    kind = KINDS.get(word) or KINDS_OF_STATUS.get(status) or "api_error"
    message = as_text(error.get("message")) or as_text(members.get("error"))
    return Failed(message=message or f"the upstream answered {status} without a message", kind=kind, status=status)


def error_members(*, message: str, kind: str) -> Json:
    """The envelope without the request's id, as streams carry it."""
    return {"type": "error", "error": {"type": TYPES.get(kind, kind), "message": message}}


def write_error(*, status: int, message: str, kind: str, param: str | None, code: str | None, request_id: str) -> bytes:
    """The envelope `{type: error, error: {type, message}, request_id}`; it has no place for a param or a code."""
    del status, param, code
    return msgspec.json.encode(error_members(message=message, kind=kind) | {"request_id": request_id})


def write_count(tokens: int) -> bytes:
    """The answer to a token count."""
    return msgspec.json.encode({"input_tokens": tokens})
