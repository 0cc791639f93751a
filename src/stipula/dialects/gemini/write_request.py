"""Writing a generateContent request: the caller's own bytes, or the vocabulary spelled anew with its losses.

The model and the stream switch go into the path, which the sender makes from the ask.
"""

from typing import Any

import msgspec
from msgspec import Raw

from stipula.dialects import splice
from stipula.dialects.effort import budget_of
from stipula.dialects.gemini.facts import NAME, SAMPLING, WITHOUT_A_PLACE
from stipula.dialects.gemini.parts import write_call, write_part, write_result
from stipula.dialects.ir import Ask, Json, OutputShape, Part, Text, Tool, ToolCall, ToolChoice, ToolResult, Turn
from stipula.dialects.losses import Loss, Losses, tell_extra, tell_words

_OF_THE_SYSTEM = frozenset({"system", "developer"})


def write_ask(ask: Ask, losses: Losses) -> bytes:
    """The request body for an upstream of this dialect."""
    losses += (Loss(at=at, what="turn", to=NAME) for at in ask.dropped)
    if ask.dialect == NAME and ask.body:
        return _own_bytes(ask)
    is_own = ask.dialect in ("", NAME)
    body = _system(ask, losses, is_own=is_own)
    body["contents"] = _contents(ask, losses, is_own=is_own)
    body |= _tools(ask, losses, is_own=is_own)
    config = _config(ask, losses, is_own=is_own)
    extra = ask.extra or {}
    if is_own:
        inner = "generationConfig/"
        config |= {name.removeprefix(inner): value for name, value in extra.items() if name.startswith(inner)}
        body |= {name: value for name, value in extra.items() if "/" not in name}
    else:
        tell_words(losses, ask, WITHOUT_A_PLACE, NAME)
        tell_extra(losses, extra, "", NAME)
        if ask.parallel_tool_calls is False:
            tell_words(losses, ask, ("parallel_tool_calls",), NAME)
    return msgspec.json.encode(body | ({"generationConfig": config} if config else {}))


def _own_bytes(ask: Ask) -> bytes:
    gone = frozenset(int(at.rpartition("/")[2]) for at in ask.dropped if at.count("/") == len(("contents", "index")))
    contents = splice.member(ask.body, "contents") if gone else None
    if contents is None:
        return ask.body
    return splice.with_members(ask.body, {"contents": Raw(splice.without_items(contents, gone))})


# ---------------------------------------------------------------- words


def _config(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    config: Json = {name: getattr(ask.sampling, word) for name, (word, _) in SAMPLING.items()}
    config["stopSequences"] = list(ask.sampling.stop) or None
    config["thinkingConfig"] = _thinking(ask, losses, is_own=is_own)
    config |= {} if ask.output is None else _format(ask, ask.output, losses)
    return {name: value for name, value in config.items() if value is not None}


def _format(ask: Ask, shape: OutputShape, losses: Losses) -> Json:
    if shape.kind == "text":
        return {"responseMimeType": "text/plain"}
    if shape.description is not None:
        losses.append(Loss(at=ask.at.get("output", "/response_format"), what="description of the schema", to=NAME))
    schema = {} if shape.kind == "json" else {"responseJsonSchema": shape.schema or {}}
    return {"responseMimeType": "application/json"} | schema


def _thinking(ask: Ask, losses: Losses, *, is_own: bool) -> Json | None:
    wish = ask.reasoning
    if wish is None:
        return None
    config: Json = {}
    if is_own and wish.effort is not None:
        config["thinkingLevel"] = wish.effort.upper()
    budget = wish.budget_tokens if is_own else budget_of(wish)
    if wish.enabled is False:
        budget = 0
    elif is_own and wish.enabled and budget is None and wish.effort is None:
        budget = -1
    if budget is not None:
        config["thinkingBudget"] = budget
    elif wish.effort is not None and not is_own:
        losses.append(Loss(at=ask.at.get("reasoning", "/reasoning"), what=f"effort {wish.effort}", to=NAME))
    # elsewhere whoever wants reasoning gets to see it; here that is a wish of its own
    show = wish.show if is_own or wish.show is not None else budget != 0
    return config | ({} if show is None else {"includeThoughts": show})


def _tools(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    functions = [_function(tool, losses, is_own=is_own) for tool in ask.tools if not tool.hosted]
    tools: list[Any] = [{"functionDeclarations": functions}] if functions else []
    for tool in ask.tools:
        if tool.hosted and is_own:
            tools.append((tool.extra or {}).get("raw"))
        elif tool.hosted:
            losses.append(Loss(at=tool.at, what=f"tool {tool.name}", to=NAME))
    choice = None if ask.tool_choice is None or not (functions or is_own) else _choice(ask.tool_choice)
    return ({"tools": tools} if tools else {}) | ({} if choice is None else {"toolConfig": choice})


def _function(tool: Tool, losses: Losses, *, is_own: bool) -> Json:
    # the member for whole JSON Schema: the vendor's own form knows only a part of it
    named = {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
    written: Json = {name: value for name, value in named.items() if value is not None}
    if is_own:
        return written | (tool.extra or {})
    if tool.strict:
        losses.append(Loss(at=f"{tool.at}/strict", what="strict", to=NAME))
    tell_extra(losses, tool.extra, tool.at, NAME)
    return written


def _choice(choice: ToolChoice) -> Json:
    mode = "ANY" if choice.mode in ("any", "one") else choice.mode.upper()
    names = {"allowedFunctionNames": list(choice.names)} if choice.names else {}
    return {"functionCallingConfig": {"mode": mode} | names}


# ---------------------------------------------------------------- turns


def _system(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    spoken = next((i for i, turn in enumerate(ask.turns) if turn.role not in _OF_THE_SYSTEM), len(ask.turns))
    turns = [turn for turn in ask.turns if turn.role in _OF_THE_SYSTEM]
    late = [turn for turn in ask.turns[spoken:] if turn.role in _OF_THE_SYSTEM]
    losses += (Loss(at=turn.at, what="place of a system turn", to=NAME) for turn in late)
    written = [write_part(part, losses, is_own=is_own) for turn in turns for part in turn.parts]
    parts = [part for part in written if part is not None]
    if not is_own:
        for turn in turns:
            _tell_turn(turn, losses)
    return {"systemInstruction": {"parts": parts}} if parts else {}


def _contents(ask: Ask, losses: Losses, *, is_own: bool) -> list[Json]:
    calls = (part for turn in ask.turns for part in turn.parts if isinstance(part, ToolCall))
    names = {call.call_id: call.name for call in calls}
    contents: list[Json] = []
    before = ""
    for turn in ask.turns:
        if turn.role in _OF_THE_SYSTEM:
            continue
        if turn.role == "other":
            losses.append(Loss(at=turn.at, what="turn", to=NAME))
            continue
        parts = _parts(turn, names, losses, is_own=is_own)
        if turn.role == "tool" and before == "tool" and not is_own:
            contents[-1]["parts"] += parts  # the results of parallel calls stand in one content
        else:
            contents.append({"role": "model" if turn.role == "assistant" else "user", "parts": parts})
        before = turn.role
        if not is_own:
            _tell_turn(turn, losses)
    return contents


def _tell_turn(turn: Turn, losses: Losses) -> None:
    if turn.name is not None:
        losses.append(Loss(at=f"{turn.at}/name", what="name", to=NAME))
    tell_extra(losses, turn.extra, turn.at, NAME)


def _parts(turn: Turn, names: dict[str, str], losses: Losses, *, is_own: bool) -> list[Any]:
    # an empty text is refused by one door of the vendor; beside other parts it says nothing
    said: list[Part] = [part for part in turn.parts if is_own or not (isinstance(part, Text) and not part.text)]
    written = [_part(part, names, losses, is_own=is_own) for part in said]
    parts = [part for part in written if part is not None]
    return parts or ([] if is_own else [{"text": ""}])


def _part(part: Part, names: dict[str, str], losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - see `Foreign`
    match part:
        case ToolCall():
            return write_call(part, losses, is_own=is_own)
        case ToolResult():
            return write_result(part, part.name or names.get(part.call_id), losses, is_own=is_own)
        case _:
            return write_part(part, losses, is_own=is_own)
