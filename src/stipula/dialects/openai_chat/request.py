"""Reading a chat request. Nothing is dropped: what has no word is kept as it came."""

from collections.abc import Callable
from typing import Any, Final

from stipula.dialects.dialect import DialectEdge
from stipula.dialects.ir import (
    Ask,
    Foreign,
    Json,
    OutputShape,
    Part,
    ReasoningWish,
    Refusal,
    Role,
    Sampling,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
)
from stipula.dialects.openai_chat.content import read_part
from stipula.dialects.openai_chat.facts import ASK, AT, NAME, SAMPLING, Row
from stipula.dialects.seals import unmarked, unsealed
from stipula.dialects.strict_json import (
    as_array,
    as_object,
    as_text,
    is_array,
    is_object,
    is_text,
    is_whole,
    read_object,
)

_ROLES: Final[dict[object, Role]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_FUNCTION: Final[dict[str, Callable[[object], bool]]] = {
    "name": is_text,
    "description": lambda value: value is None or isinstance(value, str),
    "parameters": lambda value: value is None or is_object(value),
    "strict": lambda value: value is None or isinstance(value, bool),
}


def read_ask(body: bytes) -> Ask:
    """The ask in a request body. Refused at the edge are only bodies whose history or stream switch cannot be told."""
    members = read_object(body)
    messages = _messages(members.pop("messages", None))
    stream = _switch(members, "stream")
    options = _stream_options(members)
    sampling = _take(members, SAMPLING)
    words = _take(members, ASK)
    include_usage = options.get("include_usage") is True
    if set(options) - {"include_usage"} or (options and not include_usage):
        members["stream_options"] = {
            name: value for name, value in options.items() if name != "include_usage" or not value
        }
    return Ask(
        model=_model(members),
        turns=tuple(read_turn(message, f"/messages/{i}") for i, message in enumerate(messages)),
        stream=stream,
        include_usage=include_usage,
        sampling=Sampling(stop=_stop(members), **_max_tokens(members, sampling)),
        tools=_tools(members),
        tool_choice=_tool_choice(members),
        reasoning=_reasoning(members),
        output=_output(members),
        dialect=NAME,
        body=body,
        extra=members or None,
        at=AT,
        **words,
    )


def _messages(messages: object) -> list[Any]:
    if is_array(messages) and messages:
        return messages
    wanted = "must hold at least one message" if is_array(messages) else "must be an array of messages"
    raise DialectEdge(f"'messages' {wanted}.", param="messages")


def _switch(members: Json, name: str) -> bool:
    value = members.pop(name, None)
    if value is not None and not isinstance(value, bool):
        raise DialectEdge(f"{name!r} must be true or false.", param=name)
    return value is True


def _stream_options(members: Json) -> Json:
    options = members.pop("stream_options", None)
    if options is None or is_object(options):
        return options or {}
    raise DialectEdge("'stream_options' must be an object.", param="stream_options")


def _model(members: Json) -> str:
    model = members.pop("model", None)
    if model is not None and not isinstance(model, str):
        raise DialectEdge("'model' must be a string.", param="model")
    return model or ""


def _take(members: Json, rows: dict[str, Row]) -> Json:
    """The members that have a word of ours, by that word; null says nothing, another type stays where it is."""
    taken: Json = {}
    for name in rows.keys() & members.keys():
        word, is_right = rows[name]
        value = members[name]
        if value is None or is_right(value):
            del members[name]
            taken[word] = value
    return taken


def _max_tokens(members: Json, sampling: Json) -> Json:
    """The old name of the limit counts where the new one is absent."""
    if sampling.get("max_tokens") is None and is_whole(members.get("max_tokens")):
        return sampling | {"max_tokens": members.pop("max_tokens")}
    return sampling


def _stop(members: Json) -> tuple[str, ...]:
    stop = members.pop("stop", None)
    if isinstance(stop, str):
        return (stop,)
    words = as_array(stop)
    if stop is not None and not (words and all(isinstance(word, str) for word in words)):
        members["stop"] = stop
        return ()
    return tuple(words)


def _tools(members: Json) -> tuple[Tool, ...]:
    tools, functions = members.get("tools"), members.get("functions")
    if is_array(tools) and tools:
        del members["tools"]
        return tuple(_tool(raw, f"/tools/{i}") for i, raw in enumerate(as_array(tools)))
    if is_array(functions) and functions and not tools:
        del members["functions"]
        return tuple(
            _function(as_object(raw), f"/functions/{i}", legacy=True) for i, raw in enumerate(as_array(functions))
        )
    return ()


def _tool(raw: object, at: str) -> Tool:
    members = as_object(raw)
    function = members.get("function")
    if members.get("type") == "function" and is_object(function) and len(members) == len(("type", "function")):
        return _function(as_object(function), at, legacy=False)
    return Tool(name=as_text(members.get("type")) or "", hosted=True, at=at, extra={"raw": raw})


def _function(members: Json, at: str, *, legacy: bool) -> Tool:
    taken = {name: members[name] for name, is_right in _FUNCTION.items() if name in members and is_right(members[name])}
    extra = None if len(taken) == len(members) else {key: members[key] for key in members.keys() - taken.keys()}
    stated: Json = {"name": ""}
    stated |= {name: value for name, value in taken.items() if value is not None}
    return Tool(**stated, legacy=legacy, at=at, extra=extra)


def _tool_choice(members: Json) -> ToolChoice | None:
    name = "tool_choice" if members.get("tool_choice") is not None else "function_call"
    match members.get(name):
        case "auto" | "none" as mode:
            choice = ToolChoice(mode=mode)
        case "required":
            choice = ToolChoice(mode="any")
        case {"type": "function", "function": {"name": str(tool), **more}, **rest} if not rest and not more:
            choice = ToolChoice(mode="one", names=(tool,))
        case {"name": str(tool), **rest} if name == "function_call" and not rest:
            choice = ToolChoice(mode="one", names=(tool,))
        case {"type": "allowed_tools", "allowed_tools": {"mode": "auto" | "required" as mode, "tools": tools}} if (
            is_array(tools)
        ):
            names = [as_text(as_object(as_object(tool).get("function")).get("name")) for tool in as_array(tools)]
            if None in names:
                return None
            choice = ToolChoice(mode="auto" if mode == "auto" else "any", names=tuple(name for name in names if name))
        case _:
            return None
    del members[name]
    return choice


def _reasoning(members: Json) -> ReasoningWish | None:
    effort = members.get("reasoning_effort")
    if not isinstance(effort, str):
        return None
    del members["reasoning_effort"]
    return ReasoningWish(effort=effort, enabled=effort != "none")


def _output(members: Json) -> OutputShape | None:
    match members.get("response_format"):
        case {"type": "text", **rest} if not rest:
            shape = OutputShape(kind="text")
        case {"type": "json_object", **rest} if not rest:
            shape = OutputShape(kind="json")
        case {"type": "json_schema", "json_schema": {"schema": schema, **names}, **rest} if (
            is_object(schema) and not rest
        ):
            if not _is_named_shape(names):
                return None
            shape = OutputShape(
                kind="schema",
                schema=schema,
                name=names.get("name"),
                description=names.get("description"),
                strict=names.get("strict"),
            )
        case _:
            return None
    del members["response_format"]
    return shape


def _is_named_shape(names: Json) -> bool:
    texts = (names.get("name"), names.get("description"))
    strict = names.get("strict")
    return (
        not names.keys() - {"name", "description", "strict"}
        and all(text is None or isinstance(text, str) for text in texts)
        and (strict is None or isinstance(strict, bool))
    )


# ---------------------------------------------------------------- turns


def read_turn(raw: object, at: str) -> Turn:
    """One message, whatever it is: one of no known role is kept whole, as a turn that nothing counts as an answer."""
    members = as_object(raw)
    role = members.get("role")
    ours = _ROLES.get(role) if isinstance(role, str) else None
    if ours is None:
        return Turn(role="other", parts=(Foreign(dialect=NAME, raw=raw, is_content=False, at=at),), at=at)
    content = members.get("content")
    if isinstance(content, str) and len(members) == len(("role", "content")) and ours != "tool":
        return Turn(role=ours, parts=(Text(text=content, at=f"{at}/content"),), at=at, plain=True)
    rest = {name: value for name, value in members.items() if name not in ("role", "content")}
    parts = read_content(content, f"{at}/content")
    absent, plain = content is None, not is_array(content)
    if ours == "tool":
        return _tool_turn(rest, parts, at, legacy=role == "function", absent=absent, plain=plain and not absent)
    name = rest.pop("name", None)
    if name is not None and not isinstance(name, str):
        rest["name"], name = name, None
    if ours == "assistant":
        parts = (*_thoughts(rest, at), *parts, *_answer_parts(rest, at, plain=plain))
    return Turn(role=ours, parts=parts, at=at, name=name, absent=absent, plain=plain and not absent, extra=rest or None)


def read_content(content: object, at: str) -> tuple[Part, ...]:
    """The parts of a content member: a string, an array, nothing, or what should not be there."""
    if isinstance(content, str):
        return (Text(text=content, at=at),)
    if is_array(content):
        return tuple(read_part(raw, f"{at}/{i}") for i, raw in enumerate(as_array(content)))
    return () if content is None else (Foreign(dialect=NAME, raw=content, is_content=False, at=at),)


def _tool_turn(rest: Json, parts: tuple[Part, ...], at: str, *, legacy: bool, absent: bool, plain: bool) -> Turn:
    id_name = "name" if legacy else "tool_call_id"
    link = as_text(rest.get(id_name))
    if link is not None:
        del rest[id_name]
    call_id = "" if legacy or link is None else unsealed(link)[0]
    name = link if legacy else as_text(rest.get("name"))
    if name is not None and not legacy:
        del rest["name"]
    result = ToolResult(call_id=call_id, parts=parts, plain=plain, name=name, legacy=legacy, at=at)
    return Turn(role="tool", parts=(result,), at=at, absent=absent, extra=rest or None)


def _thoughts(rest: Json, at: str) -> tuple[Part, ...]:
    """Reasoning as servers of this dialect send it: plain text, or details with a signature or a cipher."""
    details = rest.pop("reasoning_details", None)
    name = "reasoning_content" if isinstance(rest.get("reasoning_content"), str) else "reasoning"
    text = as_text(rest.get(name))
    if text is not None:
        del rest[name]
    detailed = tuple(part for part in (_thought(as_object(raw), at) for raw in as_array(details)) if part is not None)
    if detailed:
        return detailed
    if details is not None:
        rest["reasoning_details"] = details
    return () if text is None else (Thought(text=text, at=f"{at}/{name}"),)


def _thought(detail: Json, at: str) -> Thought | None:
    pointer = f"{at}/reasoning_details"
    match detail:
        case {"type": "reasoning.text", "text": str(text)}:
            seal = as_text(detail.get("signature"))
            signature, origin = (None, "") if seal is None else unmarked(seal)
            return Thought(text=text, signature=signature, origin=origin, at=pointer)
        case {"type": "reasoning.encrypted", "data": str(data)}:
            cipher, origin = unmarked(data)
            return Thought(text=cipher, redacted=True, origin=origin, at=pointer)
        case _:
            return None


def _answer_parts(rest: Json, at: str, *, plain: bool) -> tuple[Part, ...]:
    """What an assistant's message holds beside its content: a refusal, calls."""
    parts: list[Part] = []
    if plain and isinstance(rest.get("refusal"), str):
        parts.append(Refusal(text=rest.pop("refusal"), at=f"{at}/refusal"))
    elif rest.get("refusal", "") is None:
        del rest["refusal"]
    calls = rest.get("tool_calls")
    if is_array(calls):
        del rest["tool_calls"]
        parts += (read_call(raw, f"{at}/tool_calls/{i}") for i, raw in enumerate(as_array(calls)))
    match rest.get("function_call"):
        case {"name": str(name), "arguments": str(arguments), **more} if not more:
            del rest["function_call"]
            parts.append(ToolCall(call_id="", name=name, arguments=arguments, legacy=True, at=f"{at}/function_call"))
        case _:
            pass
    return tuple(parts)


def read_call(raw: object, at: str) -> Part:
    """One entry of tool_calls; its id gives back the signature that travelled in it."""
    match as_object(raw):
        case {"id": str(link), "function": {"name": str(name), "arguments": str(arguments), **more}, **rest} if (
            not more and not rest.keys() - {"type", "index"}
        ):
            call_id, seal = unsealed(link)
            signature, origin = (None, "") if seal is None else unmarked(seal)
            return ToolCall(call_id=call_id, name=name, arguments=arguments, signature=signature, origin=origin, at=at)
        case {"id": str(link), "type": "custom", "custom": {"name": str(name), "input": str(text), **more}, **rest} if (
            not more and not rest
        ):
            return ToolCall(call_id=link, name=name, arguments=text, kind="custom", at=at)
        case _:
            return Foreign(dialect=NAME, raw=raw, is_content=True, at=at)
