"""A whole generateContent answer, read and written, and its error envelope."""

from typing import Any

import msgspec

from stipula.dialects.dialect import UpstreamUnreadable
from stipula.dialects.gemini.facts import FINISH, KINDS, NAME, STATUSES, camel, read_stop, read_usage, write_usage
from stipula.dialects.gemini.parts import Ids, args_of, read_parts, write_redacted, write_seal
from stipula.dialects.ir import (
    Ask,
    Candidate,
    Failed,
    Foreign,
    Json,
    Media,
    Part,
    Refusal,
    Reply,
    Text,
    Thought,
    ToolCall,
)
from stipula.dialects.losses import Loss, Losses, tell_extra
from stipula.dialects.strict_json import as_array, as_object, as_text, is_array

_TOP = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId", "createTime"})
_CANDIDATE = frozenset({"content", "finishReason", "index"})


def read_reply(body: bytes) -> Reply:
    """The reply in a whole answer; a blocked prompt, which has no candidates, is a refusal."""
    try:
        members = camel(as_object(msgspec.json.decode(body)))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UpstreamUnreadable(dialect=NAME, seen="bytes that are not JSON") from None
    blocked = block_reason(members)
    if not is_array(members.get("candidates")) and blocked is None:
        raise UpstreamUnreadable(dialect=NAME, seen="no array of candidates")
    reply_id = as_text(members.get("responseId")) or ""
    found = [
        _read_candidate(camel(as_object(raw)), i, reply_id) for i, raw in enumerate(as_array(members.get("candidates")))
    ]
    first, *others = found or [Candidate(parts=(), stop="refusal" if blocked else None, stop_raw=blocked)]
    extra = {name: value for name, value in members.items() if name not in _TOP and value is not None}
    extra |= {f"candidates/0/{name}": value for name, value in (first.extra or {}).items()}
    return Reply(
        reply_id=reply_id,
        model=as_text(members.get("modelVersion")) or "",
        created=0,
        parts=first.parts,
        stop=first.stop,
        stop_raw=first.stop_raw,
        usage=read_usage(members.get("usageMetadata")),
        others=tuple(others),
        dialect=NAME,
        body=body,
        extra=extra or None,
    )


def block_reason(members: Json) -> str | None:
    """Why a prompt was blocked; None where it was not."""
    return as_text(camel(as_object(members.get("promptFeedback"))).get("blockReason"))


def _read_candidate(members: Json, number: int, reply_id: str) -> Candidate:
    ids = Ids(f"-{number}-{reply_id}")
    raws = as_array(camel(as_object(members.get("content"))).get("parts"))
    at = f"/candidates/{number}/content/parts"
    parts = tuple(part for i, raw in enumerate(raws) for part in read_parts(raw, f"{at}/{i}", ids))
    said = tuple(part for part in parts if not (isinstance(part, Text) and not part.text))
    word = as_text(members.get("finishReason"))
    called = any(isinstance(part, ToolCall) for part in parts)
    extra = {name: value for name, value in members.items() if name not in _CANDIDATE and value is not None}
    return Candidate(parts=said, stop=read_stop(word, called=called), stop_raw=word, extra=extra or None)


# ---------------------------------------------------------------- writing


def write_reply(reply: Reply, losses: Losses, ask: Ask | None = None) -> bytes:
    """A whole answer for a caller of this dialect; the upstream's own bytes where it speaks it itself."""
    del ask  # this dialect repeats nothing of the request
    if reply.dialect == NAME and reply.body:
        return reply.body
    origin = "" if reply.dialect in ("", NAME) else reply.dialect
    first = Candidate(parts=reply.parts, stop=reply.stop, stop_raw=reply.stop_raw)
    candidates = [_write_candidate(one, i, losses, origin) for i, one in enumerate((first, *reply.others))]
    answer: Json = {"candidates": candidates, "modelVersion": reply.model, "responseId": reply.reply_id}
    if reply.usage is not None:
        answer["usageMetadata"] = write_usage(reply.usage)
    tell_extra(losses, reply.extra, "", NAME)
    return msgspec.json.encode(answer)


def _write_candidate(one: Candidate, index: int, losses: Losses, origin: str) -> Json:
    written = [write_answer_part(part, losses, origin) for part in one.parts]
    parts = [part for part in written if part is not None]
    ended = {} if one.stop is None else {"finishReason": FINISH[one.stop]}
    return {"content": {"parts": parts, "role": "model"}} | ended | {"index": index}


def write_answer_part(part: Part, losses: Losses, origin: str) -> Any:  # noqa: ANN401 - a foreign part may be anything
    """One part for a caller. origin: who signed what is signed, "" for this vendor."""
    match part:
        case Text() | Refusal():
            written: Json | None = {"text": part.text}
        case Thought(redacted=True):
            written = write_redacted(part.text, part.origin or origin)
        case Thought():
            written = {"text": part.text, "thought": True} | _signed(part, origin)
        case ToolCall():
            call = {"id": part.call_id, "name": part.name, "args": args_of(part, losses)}
            written = {"functionCall": {name: value for name, value in call.items() if value}} | _signed(part, origin)
        case Media(data=str(data)):
            written = {"inlineData": {"mimeType": part.mime or "image/png", "data": data}}
        case Foreign(dialect=dialect, raw=raw) if dialect == NAME:
            written = raw
        case _:
            losses.append(Loss(at=part.at, what="part" if isinstance(part, Foreign) else "media", to=NAME))
            written = None
    if isinstance(part, Text) and part.citations:
        losses.append(Loss(at=part.at, what="citations", to=NAME))
    return written


def _signed(part: Thought | ToolCall, origin: str) -> Json:
    if part.signature is None:
        return {}
    return {"thoughtSignature": write_seal(part.signature, part.origin or origin)}


# ---------------------------------------------------------------- errors


def read_error(status: int, body: bytes) -> Failed:
    """The fault in an upstream's error answer; its status speaks where its bytes do not."""
    try:
        told = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        told = None
    first = next(iter(as_array(told)), None) if is_array(told) else told  # a stream's error comes in an array
    return read_fault(as_object(first).get("error"), status)


def read_fault(error: Any, status: int) -> Failed:  # noqa: ANN401 - JSON of any shape
    """The fault in an error member. A bad key is a 400 here, told apart by its details."""
    members = as_object(error)
    code = members.get("code")
    number = code if isinstance(code, int) else status
    word = as_text(members.get("status")) or STATUSES.get(number, "INTERNAL")
    reasons = {as_text(as_object(detail).get("reason")) for detail in as_array(members.get("details"))}
    kind = "authentication_error" if "API_KEY_INVALID" in reasons else KINDS.get(word, "api_error")
    message = as_text(members.get("message")) or as_text(error)
    return Failed(
        message=message or f"the upstream answered {status} without a message", kind=kind, code=word, status=status
    )


def error_members(*, status: int, message: str) -> Json:
    """The envelope `{error: {code, message, status}}`, as streams carry it too."""
    code = status if is_http_fault(status) else 500
    return {"error": {"code": code, "message": message, "status": STATUSES.get(code, "INTERNAL")}}


def is_http_fault(status: int) -> bool:
    """Whether the number is the status of an HTTP fault."""
    return 400 <= status < 600  # noqa: PLR2004 - the range of faults


def write_error(*, status: int, message: str, kind: str, param: str | None, code: str | None, request_id: str) -> bytes:
    """The vendor's envelope; it has no place for a kind, a param, a code of ours or the request's id."""
    del kind, param, code, request_id
    return msgspec.json.encode(error_members(status=status, message=message))


def write_count(tokens: int) -> bytes:
    """The answer to a token count."""
    return msgspec.json.encode({"totalTokens": tokens})
