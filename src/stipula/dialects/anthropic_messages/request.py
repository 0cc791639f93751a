"""Reading a messages request. Turns that carry nothing are left out here, and told; everything else is kept."""

from collections.abc import Iterator
from typing import Any, Final

from stipula.dialects.anthropic_messages.blocks import read_block
from stipula.dialects.anthropic_messages.facts import AT, NAME
from stipula.dialects.dialect import DialectEdge
from stipula.dialects.ir import (
    Ask,
    Json,
    OutputShape,
    ReasoningWish,
    Role,
    Sampling,
    Text,
    Thought,
    Tool,
    ToolChoice,
    ToolResult,
    Turn,
)
from stipula.dialects.strict_json import (
    as_array,
    as_object,
    as_text,
    is_array,
    is_number,
    is_object,
    is_text,
    is_whole,
    read_object,
)

_SAMPLING: Final = {"temperature": is_number, "top_p": is_number, "top_k": is_whole}
_ROLES: Final[dict[object, Role]] = {"assistant": "assistant", "system": "system"}
_FUNCTION_TYPES: Final = (None, "custom")


def read_ask(body: bytes) -> Ask:
    """The ask in a request body; `DialectEdge` where a member is missing that the dialect requires."""
    members = read_object(body)
    limit = members.pop("max_tokens", None)
    if not is_whole(limit) or limit < 0:
        raise DialectEdge("max_tokens: a whole number is required", param="max_tokens")
    return _ask(members, body, limit)


def read_count(body: bytes) -> Ask:
    """The ask in the body of a token count, which needs no limit and never streams."""
    members = read_object(body)
    limit = members.pop("max_tokens", None)
    return _ask(members, body, limit if is_whole(limit) else None)


def _ask(members: Json, body: bytes, limit: int | None) -> Ask:
    model, stream = members.pop("model", None), members.pop("stream", None)
    if not isinstance(model, str) or not model:
        raise DialectEdge("model: a string is required", param="model")
    if stream is not None and not isinstance(stream, bool):
        raise DialectEdge("stream: true or false is required", param="stream")
    messages = members.pop("messages", None)
    if not is_array(messages) or not messages:
        raise DialectEdge("messages: at least one message is required", param="messages")
    turns, dropped = _turns(members, messages)
    sampling = {name: members.pop(name) for name, is_right in _SAMPLING.items() if is_right(members.get(name))}
    stop = _stop(members)
    choice, parallel = _tool_choice(members)
    tools = _tools(members)
    return Ask(
        model=model,
        turns=turns,
        dropped=dropped,
        stream=stream is True,
        sampling=Sampling(**sampling, stop=stop, max_tokens=limit),
        tools=tools,
        tool_choice=choice,
        parallel_tool_calls=parallel,
        reasoning=_reasoning(members),
        output=_output(members),
        user=_user(members),
        dialect=NAME,
        body=body,
        extra={name: value for name, value in members.items() if value is not None} or None,
        at=AT,
    )


# ---------------------------------------------------------------- words


def _stop(members: Json) -> tuple[str, ...]:
    words = members.get("stop_sequences")
    if not is_array(words) or not all(isinstance(word, str) for word in words):
        return ()
    del members["stop_sequences"]
    return tuple(words)


def _tools(members: Json) -> tuple[Tool, ...]:
    tools = members.get("tools")
    if not is_array(tools):
        return ()
    del members["tools"]
    return tuple(_tool(raw, f"/tools/{i}") for i, raw in enumerate(tools))


def _tool(raw: object, at: str) -> Tool:
    members = as_object(raw)
    name, about, schema = members.get("name"), members.get("description"), members.get("input_schema")
    is_function = members.get("type") in _FUNCTION_TYPES and isinstance(name, str) and is_object(schema)
    if not is_function or not (about is None or isinstance(about, str)):
        label = as_text(members.get("type")) or as_text(name) or ""
        return Tool(name=label, hosted=True, at=at, extra={"raw": raw})
    strict = members.get("strict")
    known = {"type", "name", "description", "input_schema"} | ({"strict"} if isinstance(strict, bool) else set[str]())
    return Tool(
        name=as_text(name) or "",
        description=as_text(about),
        parameters=as_object(schema),
        strict=strict if isinstance(strict, bool) else None,
        at=at,
        extra={key: value for key, value in members.items() if key not in known} or None,
    )


def _tool_choice(members: Json) -> tuple[ToolChoice | None, bool | None]:
    match members.get("tool_choice"):
        case {"type": "auto" | "any" | "none" as mode, **rest}:
            choice = ToolChoice(mode=mode)
        case {"type": "tool", "name": str(name), **rest}:
            choice = ToolChoice(mode="one", names=(name,))
        case _:
            return None, None
    single = as_object(rest).get("disable_parallel_tool_use")
    if as_object(rest).keys() - {"disable_parallel_tool_use"} or not (single is None or isinstance(single, bool)):
        return None, None
    del members["tool_choice"]
    return choice, None if single is None else not single


def _reasoning(members: Json) -> ReasoningWish | None:
    config = members.get("output_config")
    effort = as_text(as_object(config).get("effort"))
    if effort is not None:
        rest = {name: value for name, value in as_object(config).items() if name != "effort"}
        members["output_config"] = rest or None
    wish = _thinking(as_object(members.get("thinking")))
    if wish is None:
        return None if effort is None else ReasoningWish(effort=effort)
    del members["thinking"]
    enabled, budget, show = wish
    return ReasoningWish(enabled=enabled, budget_tokens=budget, show=show, effort=effort)


def _thinking(thinking: Json) -> tuple[bool, int | None, bool | None] | None:
    """Whether, how much, and whether to show it; None where the member says something else."""
    match thinking:
        case {"type": "enabled", "budget_tokens": budget, **rest} if is_whole(budget) and not rest:
            return True, budget, None
        case {"type": "adaptive", **rest} if not rest.keys() - {"display"}:
            display = rest.get("display")
            return (True, None, None if display is None else display != "omitted") if _is_display(display) else None
        case {"type": "disabled", **rest} if not rest:
            return False, None, None
        case _:
            return None


def _is_display(display: object) -> bool:
    return display in (None, "summarized", "omitted")


def _output(members: Json) -> OutputShape | None:
    config = as_object(members.get("output_config"))
    match config.get("format"):
        case {"type": "json_schema", "schema": schema, **rest} if is_object(schema) and not rest:
            members["output_config"] = {name: value for name, value in config.items() if name != "format"} or None
            return OutputShape(kind="schema", schema=schema)
        case _:
            return None


def _user(members: Json) -> str | None:
    metadata = as_object(members.get("metadata"))
    user = metadata.get("user_id")
    if not is_text(user):
        return None
    members["metadata"] = {name: value for name, value in metadata.items() if name != "user_id"} or None
    return as_text(user)


# ---------------------------------------------------------------- turns


def _turns(members: Json, messages: list[Any]) -> tuple[tuple[Turn, ...], tuple[str, ...]]:
    dropped: list[str] = []
    turns = list(_system(members))
    for i, raw in enumerate(messages):
        turns += _read_message(as_object(raw), f"/messages/{i}", dropped)
    return tuple(turns), tuple(dropped)


def _system(members: Json) -> Iterator[Turn]:
    system = members.get("system")
    if isinstance(system, str):
        del members["system"]
        if system.strip():
            yield Turn(role="system", parts=(Text(text=system, at="/system"),), at="/system", plain=True)
    elif is_array(system):
        blocks = [raw for raw in system if raw is not None]
        parts = tuple(read_block(raw, f"/system/{i}", is_assistant=False) for i, raw in enumerate(blocks))
        del members["system"]
        if parts:
            yield Turn(role="system", parts=parts, at="/system")


def _read_message(message: Json, at: str, dropped: list[str]) -> Iterator[Turn]:
    """The turns of one message: its tool results, which stand alone, then the rest; none where nothing is in it."""
    role = _ROLES.get(message.get("role"), "user") if is_text(message.get("role")) else "user"
    content = message.get("content")
    extra = {name: value for name, value in message.items() if name not in ("role", "content")} or None
    if isinstance(content, str):
        yield Turn(role=role, parts=(Text(text=content, at=f"{at}/content"),), at=at, plain=True, extra=extra)
        return
    blocks = [(i, raw) for i, raw in enumerate(as_array(content)) if raw is not None]
    parts = [read_block(raw, f"{at}/content/{i}", is_assistant=role == "assistant") for i, raw in blocks]
    results = tuple(part for part in parts if isinstance(part, ToolResult))
    rest = tuple(part for part in parts if not isinstance(part, ToolResult))
    if results:
        yield Turn(role="tool", parts=results, at=at, extra=extra)
    if any(not isinstance(part, Thought) for part in rest):
        yield Turn(role=role, parts=rest, at=at, extra=None if results else extra)
    elif not results:
        dropped.append(at)
    else:
        dropped += (part.at for part in rest)
