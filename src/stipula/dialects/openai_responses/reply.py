"""A whole Responses answer, read and written, and its error envelope."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from stipula.dialects.dialect import UpstreamUnreadable
from stipula.dialects.effort import effort_of
from stipula.dialects.ir import Ask, Failed, Foreign, Json, Part, Refusal, Reply, Stop, Text, Thought, ToolCall
from stipula.dialects.losses import Loss, Losses, tell_extra
from stipula.dialects.openai_responses.content import read_part, read_reasoning, write_reasoning
from stipula.dialects.openai_responses.facts import (
    CODES,
    INCOMPLETE,
    KINDS_OF_STATUS,
    NAME,
    STOPS,
    TYPES,
    read_usage,
    write_usage,
)
from stipula.dialects.openai_responses.write_request import write_choice, write_format, write_tool
from stipula.dialects.seals import marked, sealed, unmarked, unsealed
from stipula.dialects.strict_json import as_array, as_count, as_object, as_text, is_array

_PREFIX: Final = "resp_"


def read_reply(body: bytes) -> Reply:
    """The reply in a whole answer; `UpstreamUnreadable` where it is none, or says that it failed."""
    try:
        members = as_object(msgspec.json.decode(body))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UpstreamUnreadable(dialect=NAME, seen="bytes that are not JSON") from None
    output, status = members.get("output"), as_text(members.get("status"))
    if status == "failed":
        raise UpstreamUnreadable(dialect=NAME, seen=read_fault(members.get("error"), 502).message)
    if not is_array(output):
        raise UpstreamUnreadable(dialect=NAME, seen="no array of output items")
    parts = tuple(part for i, raw in enumerate(output) for part in _read_item(as_object(raw), f"/output/{i}"))
    stop, word = read_stop(members, called=any(isinstance(part, ToolCall) for part in parts))
    return Reply(
        reply_id=as_text(members.get("id")) or "",
        model=as_text(members.get("model")) or "",
        created=as_count(members.get("created_at")),
        parts=parts,
        stop=stop,
        stop_raw=word,
        usage=read_usage(members.get("usage")),
        dialect=NAME,
        body=body,
    )


def _read_item(item: Json, at: str) -> Iterator[Part]:
    match item.get("type"):
        case "message":
            parts = (read_part(raw, f"{at}/content/{i}") for i, raw in enumerate(as_array(item.get("content"))))
            yield from (part for part in parts if part is not None)
        case "function_call" | "custom_tool_call":
            yield read_call(item, at)
        case "reasoning":
            yield from read_reasoning(item, at)
        case _:
            yield Foreign(dialect=NAME, raw=item, is_content=True, at=at)


def read_call(item: Json, at: str) -> ToolCall:
    """A call item, of a function or of a tool that takes free text."""
    is_custom = item.get("type") == "custom_tool_call"
    call_id, seal = unsealed(as_text(item.get("call_id")) or "")
    signature, origin = (None, "") if seal is None else unmarked(seal)
    return ToolCall(
        call_id=call_id,
        name=as_text(item.get("name")) or "",
        arguments=as_text(item.get("input" if is_custom else "arguments")) or "",
        signature=signature,
        origin=origin,
        kind="custom" if is_custom else "function",
        at=at,
    )


def read_stop(response: Json, *, called: bool) -> tuple[Stop | None, str | None]:
    """Why the answer ended, and the upstream's own word; a call wins over everything but a cut and a refusal."""
    status = as_text(response.get("status"))
    if status == "incomplete":
        reason = as_text(as_object(response.get("incomplete_details")).get("reason"))
        return STOPS.get(reason or "", "other"), reason
    if status == "completed":
        return ("tool_call" if called else "end"), status
    return None, status


# ---------------------------------------------------------------- writing


def response_id(reply_id: str) -> str:
    """The id by which a caller asks for this answer again."""
    return reply_id if reply_id.startswith(_PREFIX) else f"{_PREFIX}{reply_id}"


def write_reply(reply: Reply, losses: Losses, ask: Ask | None = None) -> bytes:
    """A whole answer for a caller of this dialect; the upstream's own bytes where it speaks it itself."""
    if reply.dialect == NAME and reply.body:
        return reply.body
    origin = "" if reply.dialect in ("", NAME) else reply.dialect
    losses += (Loss(at=f"/candidates/{i}", what="candidate", to=NAME) for i, _ in enumerate(reply.others, 1))
    tell_extra(losses, reply.extra, "", NAME)
    facts = response_of(response_id(reply.reply_id), reply.model, reply.created, ask)
    facts |= ending(reply.stop)
    facts["output"] = _write_items(reply, losses, origin)
    if facts["status"] == "completed":
        facts["completed_at"] = reply.created
    if reply.usage is not None:
        facts["usage"] = write_usage(reply.usage)
    return msgspec.json.encode(facts)


def ending(stop: Stop | None) -> Json:
    """The status of an answer that ended so; one that named no end is incomplete, for we invent none."""
    reason = "upstream_incomplete" if stop is None else INCOMPLETE.get(stop)
    if reason is None:
        return {"status": "completed", "incomplete_details": None}
    return {"status": "incomplete", "incomplete_details": {"reason": reason}}


def response_of(response_id: str, model: str, created: int, ask: Ask | None) -> Json:
    """A response without its output: every member that the dialect promises, repeated from the ask where it says it."""
    ask = ask or Ask(model=model, turns=())
    wish, sampling = ask.reasoning, ask.sampling
    leading = ask.turns[0] if ask.turns and ask.turns[0].at == "/instructions" else None
    words = None if leading is None else "".join(part.text for part in leading.parts if isinstance(part, Text))
    told: Losses = []
    tools = [write_tool(tool, told, is_own=ask.dialect == NAME) for tool in ask.tools]
    text = {"format": {"type": "text"} if ask.output is None else write_format(ask.output)}
    return {
        "id": response_id,
        "object": "response",
        "created_at": created,
        "completed_at": None,
        "status": "in_progress",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": words,
        "max_output_tokens": sampling.max_tokens,
        "max_tool_calls": None,
        "model": model,
        "output": [],
        "parallel_tool_calls": ask.parallel_tool_calls is not False,
        "previous_response_id": ask.previous_reply_id,
        "prompt_cache_key": ask.cache_key,
        "reasoning": {
            "effort": None if wish is None else effort_of(wish),
            "summary": None if wish is None else wish.summary,
        },
        "safety_identifier": ask.safety_id,
        "service_tier": ask.service_tier or "default",
        "store": ask.store is not False,
        "temperature": 1.0 if sampling.temperature is None else sampling.temperature,
        "text": text | ({} if ask.verbosity is None else {"verbosity": ask.verbosity}),
        "tool_choice": "auto" if ask.tool_choice is None else write_choice(ask.tool_choice),
        "tools": [tool for tool in tools if tool is not None],
        "top_logprobs": sampling.top_logprobs or 0,
        "top_p": 1.0 if sampling.top_p is None else sampling.top_p,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "truncation": "disabled",
        "usage": None,
        "user": ask.user,
        "metadata": ask.metadata or {},
    }


def _write_items(reply: Reply, losses: Losses, origin: str) -> list[Json]:
    items: list[Json] = []
    is_word_before = False
    for part in reply.parts:
        number = len(items)
        is_word = isinstance(part, Text | Refusal)
        match part:
            case Text() | Refusal():
                if not is_word_before:
                    items.append(message_item(f"msg_{number}_{reply.reply_id}", []))
                items[-1]["content"].append(_write_word(part, losses, origin))
            case Thought():
                items.append(write_reasoning([part], f"rs_{number}_{reply.reply_id}", origin))
            case ToolCall():
                items.append(call_item(part, f"fc_{number}_{reply.reply_id}", origin))
            case Foreign(dialect=dialect, raw=raw) if dialect == NAME:
                items.append(raw)
            case _:
                what = "part" if isinstance(part, Foreign) else type(part).__name__.lower()
                losses.append(Loss(at=part.at, what=what, to=NAME))
        is_word_before = is_word
    return items


def _write_word(part: Text | Refusal, losses: Losses, origin: str) -> Json:
    if isinstance(part, Refusal):
        return refusal_part(part.text)
    citations = list(part.citations)
    if citations and origin:
        losses.append(Loss(at=part.at, what="citations", to=NAME))
    return text_part(part.text) | ({"annotations": citations} if citations and not origin else {})


def text_part(text: str) -> Json:
    """A piece of a message's text."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def refusal_part(text: str) -> Json:
    """A refusal in a message."""
    return {"type": "refusal", "refusal": text}


def message_item(item_id: str, content: list[Json], status: str = "completed") -> Json:
    """A message of the answer."""
    return {"id": item_id, "type": "message", "status": status, "role": "assistant", "content": content}


def call_item(call: ToolCall, item_id: str, origin: str, status: str = "completed") -> Json:
    """A call of the answer; a signature travels in the id that links it to its result."""
    seal = None if call.signature is None else marked(call.signature, call.origin or origin)
    call_id = sealed(call.call_id or f"call_{item_id}", seal)
    if call.kind == "custom":
        kind = {"type": "custom_tool_call", "input": call.arguments}
    else:
        kind = {"type": "function_call", "arguments": call.arguments}
    return {"id": item_id, "call_id": call_id, "name": call.name, "status": status} | kind


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
    word, code = as_text(members.get("type")), as_text(members.get("code"))
    kind = KINDS_OF_STATUS.get(status) or _KINDS_OF_CODE.get(code or "") or word or "api_error"
    return Failed(
        message=as_text(members.get("message"))
        or as_text(error)
        or f"the upstream answered {status} without a message",
        kind="insufficient_quota" if "insufficient_quota" in (word, code) else "api_error" if kind == "error" else kind,
        code=code,
        status=status,
        param=as_text(members.get("param")),
    )


_KINDS_OF_CODE: Final = {
    "rate_limit_exceeded": "rate_limit_error",
    "invalid_prompt": "invalid_request_error",
    "server_error": "server_error",
}


def write_error(*, status: int, message: str, kind: str, param: str | None, code: str | None, request_id: str) -> bytes:
    """The envelope `{error: {message, type, param?, code?}, request_id}`; the status stands in the line above it."""
    del status
    known = {"message": message, "type": TYPES.get(kind, kind), "param": param, "code": code}
    error = {name: value for name, value in known.items() if value is not None}
    return msgspec.json.encode({"error": error, "request_id": request_id})


def failure_code(kind: str) -> str:
    """The code of a failed answer."""
    return CODES.get(kind, "server_error")
