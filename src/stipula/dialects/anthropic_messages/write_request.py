"""Writing a messages request: the caller's own bytes with two edits, or the vocabulary spelled anew with its losses."""

from typing import Any

import msgspec
from msgspec import Raw

from stipula.dialects import splice
from stipula.dialects.anthropic_messages.blocks import write_block
from stipula.dialects.anthropic_messages.facts import DEFAULT_MAX_TOKENS, MIN_BUDGET, NAME, WITHOUT_A_PLACE
from stipula.dialects.effort import budget_of
from stipula.dialects.ir import Ask, Json, OutputShape, Text, Thought, Tool, ToolCall, Turn
from stipula.dialects.losses import Loss, Losses, tell_extra, tell_words

_OF_THE_SYSTEM = frozenset({"system", "developer"})


def write_ask(ask: Ask, losses: Losses) -> bytes:
    """The request body for an upstream of this dialect."""
    losses += (Loss(at=at, what="turn", to=NAME) for at in ask.dropped)
    if ask.dialect == NAME and ask.body:
        return _own_bytes(ask)
    is_own = ask.dialect in ("", NAME)
    body: Json = {"model": ask.model, "max_tokens": ask.sampling.max_tokens}
    if body["max_tokens"] is None:
        body["max_tokens"] = DEFAULT_MAX_TOKENS
        losses.append(Loss(at="/max_tokens", what=f"absent, set to {DEFAULT_MAX_TOKENS}", to=NAME))
    body |= _system(ask, losses, is_own=is_own)
    body["messages"] = _messages(ask, losses, is_own=is_own)
    body |= _tools(ask, losses, is_own=is_own)
    body |= _sampling(ask, losses, is_own=is_own)
    body |= _thinking(ask, body, losses, is_own=is_own)
    config = _config(ask, losses, is_own=is_own)
    if config:
        body["output_config"] = config
    if ask.stream:
        body["stream"] = True
    if is_own:
        return msgspec.json.encode(_merged(body, ask.extra or {}))
    tell_words(losses, ask, WITHOUT_A_PLACE, NAME)
    tell_extra(losses, ask.extra, "", NAME)
    return msgspec.json.encode(body)


def _merged(body: Json, extra: Json) -> Json:
    """Members that were kept beside words of ours go back into the same object."""
    nested = {name: body[name] | value for name, value in extra.items() if isinstance(body.get(name), dict)}
    return body | extra | nested


def _own_bytes(ask: Ask) -> bytes:
    edits: dict[str, Any] = {"model": ask.model}
    gone = frozenset(int(at.rpartition("/")[2]) for at in ask.dropped if at.count("/") == len(("messages", "index")))
    messages = splice.member(ask.body, "messages") if gone else None
    if messages is not None:
        edits["messages"] = Raw(splice.without_items(messages, gone))
    return splice.with_members(ask.body, edits)


# ---------------------------------------------------------------- words


def _sampling(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    sampling = ask.sampling
    words: Json = {"temperature": sampling.temperature, "top_p": sampling.top_p, "top_k": sampling.top_k}
    if not is_own and sampling.temperature is not None and sampling.temperature > 1:
        words["temperature"] = 1
        losses.append(Loss(at=ask.at.get("temperature", "/temperature"), what="temperature above 1", to=NAME))
    stops = [word for word in sampling.stop if is_own or word.strip()]
    if len(stops) < len(sampling.stop):
        losses.append(Loss(at=ask.at.get("stop", "/stop"), what="blank stop string", to=NAME))
    words["stop_sequences"] = stops or None
    if not is_own and sampling.candidates not in (None, 1):
        tell_words(losses, ask, ("candidates",), NAME)
    user = ask.user if ask.user is not None else None if is_own else ask.safety_id
    words["metadata"] = None if user is None else {"user_id": user}
    return {name: value for name, value in words.items() if value is not None}


def _config(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    config: Json = {}
    wish = ask.reasoning
    if is_own and wish is not None and wish.effort is not None:
        config["effort"] = wish.effort
    if ask.output is not None:
        config |= _format(ask, ask.output, losses)
    return config


def _format(ask: Ask, shape: OutputShape, losses: Losses) -> Json:
    at = ask.at.get("output", "/response_format")
    if shape.kind == "schema":
        if shape.description is not None:
            losses.append(Loss(at=at, what="description of the schema", to=NAME))
        return {"format": {"type": "json_schema", "schema": shape.schema or {}}}
    if shape.kind == "json":
        losses.append(Loss(at=at, what="JSON without a schema", to=NAME))
    return {}


def _thinking(ask: Ask, body: Json, losses: Losses, *, is_own: bool) -> Json:
    wish = ask.reasoning
    if wish is None:
        return {}
    if is_own:
        return _own_thinking(wish.enabled, wish.budget_tokens, wish.show)
    budget = budget_of(wish)
    if budget == 0:
        return {"thinking": {"type": "disabled"}}
    at = ask.at.get("reasoning", "/reasoning")
    if budget is None:
        if wish.effort is not None:
            losses.append(Loss(at=at, what=f"effort {wish.effort}", to=NAME))
        return {"thinking": {"type": "adaptive"}} if wish.enabled else {}
    why_not = _cannot_think(ask, body)
    if why_not is not None:
        losses.append(Loss(at=at, what=f"reasoning: {why_not}", to=NAME))
        return {}
    if budget >= body["max_tokens"]:
        losses.append(Loss(at=at, what="reasoning budget, cut to the token limit", to=NAME))
    if body.get("temperature", 1) != 1:
        del body["temperature"]
        losses.append(Loss(at=ask.at.get("temperature", "/temperature"), what="temperature beside reasoning", to=NAME))
    return {"thinking": {"type": "enabled", "budget_tokens": max(MIN_BUDGET, min(budget, body["max_tokens"] - 1))}}


def _own_thinking(enabled: bool | None, budget: int | None, show: bool | None) -> Json:  # noqa: FBT001 - three facts
    if enabled is None:
        return {}
    if not enabled:
        return {"thinking": {"type": "disabled"}}
    if budget is not None:
        return {"thinking": {"type": "enabled", "budget_tokens": budget}}
    display = {} if show is None else {"display": "summarized" if show else "omitted"}
    return {"thinking": {"type": "adaptive"} | display}


def _cannot_think(ask: Ask, body: Json) -> str | None:
    """Why the vendor would refuse to think over this request."""
    if body["max_tokens"] <= MIN_BUDGET:
        return "the token limit leaves no room"
    if body.get("tool_choice", {}).get("type") in ("any", "tool"):
        return "a tool is forced"
    last = next((turn for turn in reversed(ask.turns) if turn.role == "assistant"), None)
    calls = last is not None and any(isinstance(part, ToolCall) for part in last.parts)
    if last is not None and calls and ask.turns[-1].role == "tool" and not any(_is_signed(part) for part in last.parts):
        return "the pending call came without its signed reasoning"
    return None


def _is_signed(part: object) -> bool:
    return isinstance(part, Thought) and part.origin == NAME and (part.redacted or part.signature is not None)


# ---------------------------------------------------------------- tools


def _tools(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    written = [_tool(tool, losses, is_own=is_own) for tool in ask.tools]
    tools = [tool for tool in written if tool is not None]
    if not tools and not is_own:
        return {}
    choice = _choice(ask, losses)
    return ({"tools": tools} if tools else {}) | ({} if choice is None else {"tool_choice": choice})


def _tool(tool: Tool, losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - a hosted tool may be anything
    if tool.hosted:
        if is_own:
            return (tool.extra or {}).get("raw")
        losses.append(Loss(at=tool.at, what=f"tool {tool.name}", to=NAME))
        return None
    schema = {"type": "object"} if tool.parameters is None else tool.parameters
    named = {"name": tool.name, "description": tool.description, "input_schema": schema, "strict": tool.strict}
    written: Json = {name: value for name, value in named.items() if value is not None}
    if is_own:
        return written | (tool.extra or {})
    tell_extra(losses, tool.extra, tool.at, NAME)
    return written


def _choice(ask: Ask, losses: Losses) -> Json | None:
    choice, single = ask.tool_choice, ask.parallel_tool_calls is False
    parallel = {} if ask.parallel_tool_calls is None else {"disable_parallel_tool_use": single}
    if choice is None:
        return {"type": "auto"} | parallel if single else None
    if choice.mode == "one":
        return {"type": "tool", "name": choice.names[0]} | parallel
    if choice.names:
        losses.append(Loss(at=ask.at.get("tool_choice", "/tool_choice"), what="choice among some tools", to=NAME))
    return {"type": choice.mode} | ({} if choice.mode == "none" else parallel)


# ---------------------------------------------------------------- turns


def _system(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    turns = [turn for turn in ask.turns if turn.role in _OF_THE_SYSTEM and not _is_in_place(turn, is_own=is_own)]
    if not turns:
        return {}
    if not is_own:
        spoken = next((i for i, turn in enumerate(ask.turns) if turn.role not in _OF_THE_SYSTEM), len(ask.turns))
        late = [turn for turn in ask.turns[spoken:] if turn.role in _OF_THE_SYSTEM]
        losses += (Loss(at=turn.at, what="place of a system turn", to=NAME) for turn in late)
        for turn in turns:
            _tell_turn(turn, losses)
    if len(turns) == 1 and turns[0].plain and is_own:
        return {"system": "".join(part.text for part in turns[0].parts if isinstance(part, Text))}
    blocks = [write_block(part, losses, is_own=is_own) for turn in turns for part in turn.parts]
    blocks = [block for block in blocks if block is not None and (is_own or block.get("text") != "")]
    if not is_own and all(block.keys() == {"type", "text"} for block in blocks):
        return {"system": "\n\n".join(block["text"] for block in blocks)} if blocks else {}
    return {"system": blocks} if blocks else {}


def _is_in_place(turn: Turn, *, is_own: bool) -> bool:
    """Newest models take system turns inside the history; only a caller of this dialect is known to mean that."""
    return is_own and turn.at.startswith("/messages/")


def _messages(ask: Ask, losses: Losses, *, is_own: bool) -> list[Json]:
    messages: list[Json] = []
    is_open = False  # results were written last: what the user says next belongs into the same message
    for turn in ask.turns:
        if turn.role in _OF_THE_SYSTEM and not _is_in_place(turn, is_own=is_own):
            continue
        if turn.role == "other":
            losses.append(Loss(at=turn.at, what="turn", to=NAME))
            continue
        content = _content(turn, losses, is_own=is_own)
        if is_open and turn.role in ("tool", "user") and not (is_own and turn.plain):
            messages[-1]["content"] += _as_blocks(content)
        else:
            messages.append({"role": "user" if turn.role == "tool" else turn.role, "content": content})
        is_open = turn.role == "tool"
        if is_own:
            messages[-1] |= turn.extra or {}
        else:
            _tell_turn(turn, losses)
    return messages


def _tell_turn(turn: Turn, losses: Losses) -> None:
    if turn.name is not None:
        losses.append(Loss(at=f"{turn.at}/name", what="name", to=NAME))
    tell_extra(losses, turn.extra, turn.at, NAME)


def _as_blocks(content: str | list[Any]) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content


def _content(turn: Turn, losses: Losses, *, is_own: bool) -> str | list[Any]:
    match turn.parts:
        case (Text(text=text, extra=None),) if turn.plain or (not is_own and turn.role != "tool"):
            return text
        case ():
            return [] if is_own else ""
        case _:
            # an empty text block is refused; beside other blocks it says nothing
            parts = [part for part in turn.parts if is_own or not (isinstance(part, Text) and not part.text)]
            blocks = [write_block(part, losses, is_own=is_own) for part in parts]
            return [block for block in blocks if block is not None]
