"""A whole chat answer, read and written, and the error envelope."""

from typing import Any

import msgspec

from stipula.dialects.dialect import UpstreamUnreadable
from stipula.dialects.ir import (
    Ask,
    Candidate,
    Failed,
    Foreign,
    Json,
    Part,
    Refusal,
    Reply,
    Stop,
    Text,
    Thought,
    ToolCall,
)
from stipula.dialects.losses import Loss, Losses
from stipula.dialects.openai_chat.facts import FINISH, KINDS_OF_STATUS, NAME, STOPS, TYPES, WON_BY_A_CALL
from stipula.dialects.openai_chat.request import read_turn
from stipula.dialects.openai_chat.usage import read_usage, write_usage
from stipula.dialects.openai_chat.write_request import write_call, write_thoughts
from stipula.dialects.strict_json import as_array, as_count, as_object, as_text, is_array

_TOP = frozenset({"id", "object", "created", "model", "choices", "usage"})
_CHOICE = frozenset({"index", "message", "finish_reason"})


def read_reply(body: bytes) -> Reply:
    """The reply in a whole answer; `UpstreamUnreadable` where it is none."""
    try:
        members = as_object(msgspec.json.decode(body))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UpstreamUnreadable(dialect=NAME, seen="bytes that are not JSON") from None
    choices = members.get("choices")
    if not is_array(choices):
        raise UpstreamUnreadable(dialect=NAME, seen="no array of choices")
    candidates = [_read_choice(as_object(raw)) for raw in choices] or [Candidate(parts=())]
    first = candidates[0]
    extra = {name: value for name, value in members.items() if name not in _TOP}
    extra |= {f"choices/0/{name}": value for name, value in (first.extra or {}).items()}
    return Reply(
        reply_id=as_text(members.get("id")) or "",
        model=as_text(members.get("model")) or "",
        created=as_count(members.get("created")),
        parts=first.parts,
        stop=first.stop,
        stop_raw=first.stop_raw,
        usage=read_usage(members.get("usage")),
        others=tuple(candidates[1:]),
        dialect=NAME,
        body=body,
        extra=extra or None,
    )


def _read_choice(choice: Json) -> Candidate:
    message = as_object(choice.get("message"))
    turn = read_turn(message | {"role": "assistant"}, "")
    parts = tuple(part for part in turn.parts if not (isinstance(part, Text) and not part.text))
    word = as_text(choice.get("finish_reason"))
    extra = {name: value for name, value in choice.items() if name not in _CHOICE and value is not None}
    extra |= {f"message/{name}": value for name, value in (turn.extra or {}).items() if value}
    return Candidate(parts=parts, stop=read_stop(word, called=_called(parts)), stop_raw=word, extra=extra or None)


def read_stop(word: str | None, *, called: bool) -> Stop | None:
    """Why the answer ended; a call wins over the upstream's word, none at all stays none."""
    if word is None:
        return None
    stop = STOPS.get(word, "other")
    return "tool_call" if called and stop in WON_BY_A_CALL else stop


def _called(parts: tuple[Part, ...]) -> bool:
    return any(isinstance(part, ToolCall) for part in parts)


def write_reply(reply: Reply, losses: Losses, ask: Ask | None = None) -> bytes:
    """A whole answer for a chat caller; the upstream's own bytes where it speaks chat itself."""
    del ask  # this dialect repeats nothing of the request
    if reply.dialect == NAME and reply.body:
        return reply.body
    is_own = reply.dialect in ("", NAME)
    first = Candidate(parts=reply.parts, stop=reply.stop, stop_raw=reply.stop_raw)
    answer: Json = {
        "id": reply.reply_id,
        "object": "chat.completion",
        "created": reply.created,
        "model": reply.model,
        "choices": [
            _write_choice(i, one, losses, "" if is_own else reply.dialect)
            for i, one in enumerate((first, *reply.others))
        ],
    }
    if reply.usage is not None:
        answer["usage"] = write_usage(reply.usage)
    if is_own:
        answer |= {name: value for name, value in (reply.extra or {}).items() if "/" not in name}
    else:
        losses += (Loss(at=f"/{name}", what=name.rpartition("/")[2], to=NAME) for name in reply.extra or ())
    return msgspec.json.encode(answer)


def _write_choice(index: int, one: Candidate, losses: Losses, origin: str) -> Json:
    word = None if one.stop is None else FINISH[one.stop]
    message = _write_message(one.parts, losses, origin)
    return {"index": index, "message": message, "logprobs": None, "finish_reason": word}


def _write_message(parts: tuple[Part, ...], losses: Losses, origin: str) -> Json:
    texts: list[str] = []
    refusals: list[str] = []
    thoughts: list[Thought] = []
    calls: list[Json] = []
    for part in parts:
        match part:
            case Text():
                texts.append(part.text)
                losses += (Loss(at=part.at, what="citations", to=NAME) for _ in part.citations[:1])
            case Refusal():
                refusals.append(part.text)
            case Thought():
                thoughts.append(part)
            case ToolCall():
                calls.append(write_call(part, origin))
            case _:
                losses.append(Loss(at=part.at, what=_what(part), to=NAME))
    # pieces of one answer are joined with nothing between them: a separator would be a token of ours
    content = "".join(texts) if texts else None
    message: Json = {"role": "assistant", "content": content, "refusal": "".join(refusals) or None}
    return message | write_thoughts(thoughts, origin) | ({"tool_calls": calls} if calls else {})


def _what(part: Part) -> str:
    return "part" if isinstance(part, Foreign) else type(part).__name__.lower()


# ---------------------------------------------------------------- errors


def read_error(status: int, body: bytes) -> Failed:
    """The fault in an upstream's error answer; its status speaks where its bytes do not."""
    try:
        members = as_object(msgspec.json.decode(body))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        members = {}
    return read_fault(members.get("error") or members, status)


def read_fault(error: Any, status: int) -> Failed:  # noqa: ANN401 - some servers send a bare string
    """The fault in an error member, whatever it is."""
    members = as_object(error)
    code = members.get("code")
    return Failed(
        message=as_text(members.get("message"))
        or as_text(error)
        or f"the upstream answered {status} without a message",
        kind=_kind(as_text(members.get("type")), as_text(code), status),
        code=code if isinstance(code, str) else None,
        status=status,
        param=as_text(members.get("param")),
    )


def _kind(word: str | None, code: str | None, status: int) -> str:
    if "insufficient_quota" in (word, code):
        return "insufficient_quota"
    return KINDS_OF_STATUS.get(status) or word or "api_error"


def write_error(*, status: int, message: str, kind: str, param: str | None, code: str | None, request_id: str) -> bytes:
    """The envelope `{error: {message, type, param?, code?}, request_id}`; the status stands in the line above it."""
    del status
    return msgspec.json.encode(
        error_members(message=message, kind=kind, param=param, code=code) | {"request_id": request_id}
    )


def error_members(*, message: str, kind: str, param: str | None, code: str | None) -> Json:
    """The `error` member alone, as streams carry it; what nobody knows is left out."""
    known = {"message": message, "type": TYPES.get(kind, kind), "param": param, "code": code}
    return {"error": {name: value for name, value in known.items() if value is not None}}


def answers_of(choices: Any) -> list[Json]:  # noqa: ANN401 - JSON of any shape
    """The choices of one frame, as objects."""
    return [as_object(raw) for raw in as_array(choices)]
