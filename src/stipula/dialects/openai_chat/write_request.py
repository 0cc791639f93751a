"""Writing a chat request: the caller's own bytes with two edits, or the vocabulary spelled anew, with its losses."""

from typing import Any

import msgspec
from msgspec import Raw

from stipula.dialects import splice
from stipula.dialects.effort import effort_of
from stipula.dialects.ir import (
    Ask,
    Foreign,
    Json,
    Media,
    OutputShape,
    Part,
    Refusal,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
)
from stipula.dialects.losses import Loss, Losses
from stipula.dialects.openai_chat.content import write_part
from stipula.dialects.openai_chat.facts import ASK, NAME, SAMPLING
from stipula.dialects.seals import marked, sealed
from stipula.dialects.strict_json import as_object


def write_ask(ask: Ask, losses: Losses) -> bytes:
    """The request body for a chat upstream; a stream is always asked for its usage, which `passes` withholds again."""
    if ask.dialect == NAME and ask.body:
        return _own_bytes(ask)
    is_own = ask.dialect in ("", NAME)
    losses += (Loss(at=at, what="turn", to=NAME) for at in ask.dropped)
    body = {"model": ask.model, "messages": _messages(ask, losses, is_own=is_own), **_words(ask, losses)}
    body |= _tools(ask, losses, is_own=is_own) | _stream(ask)
    if is_own:
        return msgspec.json.encode(body | {k: v for k, v in (ask.extra or {}).items() if k != "stream_options"})
    losses += (Loss(at=f"/{name}", what=name.rpartition("/")[2], to=NAME) for name in ask.extra or ())
    return msgspec.json.encode(body)


def _own_bytes(ask: Ask) -> bytes:
    edits: dict[str, Any] = {"model": ask.model}
    if ask.stream and not ask.include_usage:
        options = splice.member(ask.body, "stream_options")
        usage = {"include_usage": True}
        edits["stream_options"] = usage if options in (None, b"null") else Raw(splice.with_members(options, usage))
    return splice.with_members(ask.body, edits)


def _stream(ask: Ask) -> Json:
    if not ask.stream:
        return {}
    options = as_object((ask.extra or {}).get("stream_options")) if ask.dialect in ("", NAME) else {}
    return {"stream": True, "stream_options": options | {"include_usage": True}}


# ---------------------------------------------------------------- words


def _words(ask: Ask, losses: Losses) -> Json:
    words = {name: getattr(ask.sampling, word) for name, (word, _) in SAMPLING.items()}
    words |= {name: getattr(ask, word) for name, (word, _) in ASK.items()}
    words["stop"] = list(ask.sampling.stop) or None
    words["response_format"] = None if ask.output is None else _output(ask.output)
    words["reasoning_effort"] = _reasoning(ask, losses)
    if ask.sampling.top_k is not None:
        losses.append(Loss(at=ask.at.get("top_k", "/top_k"), what="top_k", to=NAME))
    return {name: value for name, value in words.items() if value is not None}


def _reasoning(ask: Ask, losses: Losses) -> str | None:
    wish = ask.reasoning
    if wish is None:
        return None
    if wish.budget_tokens is not None and wish.effort is None:
        # the word says less than the number did
        losses.append(Loss(at=ask.at.get("reasoning", "/reasoning"), what="reasoning budget in tokens", to=NAME))
    if wish.summary is not None:
        losses.append(Loss(at=ask.at.get("reasoning", "/reasoning"), what="reasoning summary", to=NAME))
    return effort_of(wish)


def _output(shape: OutputShape) -> Json:
    if shape.kind == "text":
        return {"type": "text"}
    if shape.kind == "json":
        return {"type": "json_object"}
    named = {"name": shape.name or "answer", "description": shape.description, "strict": shape.strict}
    stated = {name: value for name, value in named.items() if value is not None}
    return {"type": "json_schema", "json_schema": stated | {"schema": shape.schema or {}}}


def _tools(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    legacy = [_function(tool, losses, is_own=is_own) for tool in ask.tools if tool.legacy]
    tools = [written for tool in ask.tools if not tool.legacy if (written := _tool(tool, losses, is_own=is_own))]
    out: Json = ({"functions": legacy} if legacy else {}) | ({"tools": tools} if tools else {})
    if ask.tool_choice is not None and (tools or legacy or is_own):
        is_legacy = bool(legacy) and not tools
        out["function_call" if is_legacy else "tool_choice"] = _choice(ask.tool_choice, is_legacy=is_legacy)
    return out


def _tool(tool: Tool, losses: Losses, *, is_own: bool) -> Json | None:
    if not tool.hosted:
        return {"type": "function", "function": _function(tool, losses, is_own=is_own)}
    if is_own:
        return (tool.extra or {}).get("raw")
    losses.append(Loss(at=tool.at, what=f"tool {tool.name}", to=NAME))
    return None


def _function(tool: Tool, losses: Losses, *, is_own: bool) -> Json:
    named = {"description": tool.description, "parameters": tool.parameters, "strict": tool.strict}
    written: Json = {"name": tool.name} | {name: value for name, value in named.items() if value is not None}
    if is_own:
        return written | (tool.extra or {})
    losses += (Loss(at=f"{tool.at}/{name}", what=name, to=NAME) for name in tool.extra or ())
    return written


def _choice(choice: ToolChoice, *, is_legacy: bool) -> str | Json:
    if choice.mode == "one":
        name = {"name": choice.names[0]}
        return name if is_legacy else {"type": "function", "function": name}
    mode = "required" if choice.mode == "any" else choice.mode
    if not choice.names:
        return mode
    tools = [{"type": "function", "function": {"name": name}} for name in choice.names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


# ---------------------------------------------------------------- turns


def _messages(ask: Ask, losses: Losses, *, is_own: bool) -> list[Any]:
    messages: list[Any] = []
    moved: list[Media] = []
    for turn in ask.turns:
        if turn.role == "tool":
            messages += (_tool_message(turn, part, losses, moved, is_own=is_own) for part in turn.parts)
            continue
        if moved and turn.role != "user":
            messages.append({"role": "user", "content": _media(moved, losses)})
            moved.clear()
        message = _message(turn, losses, is_own=is_own)
        if message is None:
            continue
        if moved:
            message["content"] = [*_media(moved, losses), *_as_parts(message["content"])]
            moved.clear()
        messages.append(message)
    if moved:
        messages.append({"role": "user", "content": _media(moved, losses)})
    return messages


def _media(moved: list[Media], losses: Losses) -> list[Json]:
    written = (write_part(part, losses, is_own=False) for part in moved)
    return [part for part in written if part is not None]


def _as_parts(content: str | list[Json] | None) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _message(turn: Turn, losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - an unknown entry may be anything
    if turn.role == "other":
        match turn.parts:
            case (Foreign(raw=raw),) if is_own:
                return raw
            case _:
                losses.append(Loss(at=turn.at, what="turn", to=NAME))
                return None
    message: Json = {"role": turn.role}
    if turn.name is not None:
        message["name"] = turn.name
    body = [part for part in turn.parts if not isinstance(part, Thought | ToolCall) and not _is_beside(part, turn)]
    message["content"] = _content(turn, body, losses, is_own=is_own)
    if turn.role == "assistant":
        message |= _beside_content(turn, losses, is_own=is_own)
    if is_own:
        return message | (turn.extra or {})
    losses += (Loss(at=f"{turn.at}/{name}", what=name, to=NAME) for name in turn.extra or ())
    return message


def _is_beside(part: Part, turn: Turn) -> bool:
    """Whether a refusal or an unknown call stands beside the content, not in it."""
    if isinstance(part, Foreign):
        return "/tool_calls/" in part.at
    return isinstance(part, Refusal) and (turn.plain or turn.absent)


def _content(turn: Turn, parts: list[Part], losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - see `Foreign`
    if turn.absent or (not parts and not is_own and any(isinstance(part, ToolCall) for part in turn.parts)):
        return None
    match parts:
        case [Foreign(raw=raw)] if turn.plain and is_own:
            return raw
        case [Text(text=text, extra=None)] if turn.plain or not is_own:
            return text
        case _:
            written = [write_part(part, losses, is_own=is_own) for part in parts]
            kept = [part for part in written if part is not None or is_own]
            return kept or ([] if is_own else "")


def _beside_content(turn: Turn, losses: Losses, *, is_own: bool) -> Json:
    calls = [call for part in turn.parts if (call := _call(part, is_own=is_own)) is not None]
    out: Json = {"tool_calls": calls} if calls else {}
    for part in turn.parts:
        match part:
            case ToolCall(legacy=True, name=name, arguments=arguments):
                out["function_call"] = {"name": name, "arguments": arguments}
            case Refusal(text=text) if _is_beside(part, turn):
                out["refusal"] = text
            case _:
                pass
    thoughts = [part for part in turn.parts if isinstance(part, Thought)]
    if is_own:
        return out | write_thoughts(thoughts)
    # another vendor's reasoning is of no use to this one, and some servers refuse the member
    losses += (Loss(at=thought.at, what="reasoning", to=NAME) for thought in thoughts)
    return out


def _call(part: Part, *, is_own: bool) -> Any:  # noqa: ANN401 - an unknown call may be anything
    match part:
        case ToolCall(legacy=False):
            return write_call(part)
        case Foreign(raw=raw) if is_own and "/tool_calls/" in part.at:
            return raw
        case _:
            return None


def write_call(call: ToolCall, origin: str = "") -> Json:
    """One entry of tool_calls; a signature travels in its id, with its origin."""
    if call.kind == "custom":
        return {"id": call.call_id, "type": "custom", "custom": {"name": call.name, "input": call.arguments}}
    function = {"name": call.name, "arguments": call.arguments}
    seal = None if call.signature is None else marked(call.signature, call.origin or origin)
    return {"id": sealed(call.call_id, seal), "type": "function", "function": function}


def write_thoughts(thoughts: list[Thought], origin: str = "") -> Json:
    """Reasoning beside an answer: as text, and as details where a signature or a cipher must come back."""
    if not thoughts:
        return {}
    text = "".join(thought.text for thought in thoughts if not thought.redacted)
    if len(thoughts) == 1 and thoughts[0].signature is None and not thoughts[0].redacted:
        return {"reasoning_content": text}
    return {
        "reasoning_content": text,
        "reasoning_details": [_detail(thought, thought.origin or origin) for thought in thoughts],
    }


def _detail(thought: Thought, origin: str) -> Json:
    if thought.redacted:
        return {"type": "reasoning.encrypted", "data": marked(thought.text, origin)}
    signature = {} if thought.signature is None else {"signature": marked(thought.signature, origin)}
    return {"type": "reasoning.text", "text": thought.text} | signature


def _tool_message(turn: Turn, part: Part, losses: Losses, moved: list[Media], *, is_own: bool) -> Any:  # noqa: ANN401
    if not isinstance(part, ToolResult):
        losses.append(Loss(at=part.at, what="part", to=NAME))
        return {"role": "tool", "tool_call_id": "", "content": ""}
    message: Json = {"role": "function", "name": part.name} if part.legacy else _answer_to(part, is_own=is_own)
    message["content"] = _result_content(turn, part, losses, moved, is_own=is_own)
    if part.is_error:
        losses.append(Loss(at=f"{part.at}/is_error", what="is_error", to=NAME))
    if is_own:
        return message | (turn.extra or {})
    losses += (Loss(at=f"{part.at}/{name}", what=name, to=NAME) for name in part.extra or ())
    return message


def _answer_to(result: ToolResult, *, is_own: bool) -> Json:
    name = {"name": result.name} if is_own and result.name is not None else {}
    return {"role": "tool", "tool_call_id": result.call_id, **name}


def _result_content(turn: Turn, result: ToolResult, losses: Losses, moved: list[Media], *, is_own: bool) -> Any:  # noqa: ANN401
    if result.value is not None:
        return msgspec.json.encode(result.value).decode()
    if not is_own:
        media = [part for part in result.parts if isinstance(part, Media)]
        moved += media
        losses += (Loss(at=part.at, what="place in a tool result", to=NAME) for part in media)
    kept = [part for part in result.parts if is_own or not isinstance(part, Media)]
    if not kept:
        return None if turn.absent and is_own else [] if is_own else ""
    shell = Turn(role="tool", plain=result.plain)
    return _content(shell, kept, losses, is_own=is_own)
