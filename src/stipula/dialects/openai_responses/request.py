"""Reading a Responses request: items become turns, calls beside each other one turn; reasoning is no turn."""

from typing import Any, Final, Literal

import msgspec

from stipula.dialects.dialect import DialectEdge
from stipula.dialects.ir import (
    Ask,
    Json,
    OutputShape,
    Part,
    ReasoningWish,
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
from stipula.dialects.openai_responses.content import read_part, read_reasoning
from stipula.dialects.openai_responses.facts import ASK, AT, NAME, OURS, SAMPLING, Row
from stipula.dialects.seals import unmarked, unsealed
from stipula.dialects.strict_json import as_array, as_object, as_text, is_array, is_object, read_object

_ROLES: Final[dict[str, Role]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "assistant": "assistant",
}


def read_ask(body: bytes) -> Ask:
    """The ask in a request body; `previous_reply_id` is for the gateway to resolve before anybody judges the turns."""
    members = read_object(body)
    given = members.pop("input", None)
    if not isinstance(given, str) and not is_array(given):
        raise DialectEdge("'input' must be a string or an array of items.", param="input")
    model, stream = members.pop("model", None), members.pop("stream", None)
    if model is not None and not isinstance(model, str):
        raise DialectEdge("'model' must be a string.", param="model")
    if stream is not None and not isinstance(stream, bool):
        raise DialectEdge("'stream' must be true or false.", param="stream")
    history = _History()
    history.read(given)
    ours = _take(members, OURS)
    return Ask(
        model=model or "",
        turns=(*_instructions(members), *history.turns),
        dropped=tuple(history.dropped),
        stream=stream is True,
        include_usage=True,
        sampling=Sampling(**_take(members, SAMPLING)),
        tools=_tools(members),
        tool_choice=_tool_choice(members),
        reasoning=_reasoning(members),
        output=_output(members),
        verbosity=_verbosity(members),
        dialect=NAME,
        body=body,
        at=AT,
        **ours,
        **_take(members, ASK),
        extra={name: value for name, value in members.items() if value is not None} or None,
    )


def _take(members: Json, rows: dict[str, Row]) -> Json:
    taken: Json = {}
    for name in rows.keys() & members.keys():
        word, is_right = rows[name]
        if members[name] is None or is_right(members[name]):
            taken[word] = members.pop(name)
    return taken


def _instructions(members: Json) -> tuple[Turn, ...]:
    words = members.get("instructions")
    if not isinstance(words, str):
        return ()
    del members["instructions"]
    return (Turn(role="system", parts=(Text(text=words, at="/instructions"),), at="/instructions", plain=True),)


def _tools(members: Json) -> tuple[Tool, ...]:
    return tuple(_tool(raw, f"/tools/{i}") for i, raw in enumerate(as_array(members.pop("tools", None))))


def _tool(raw: object, at: str) -> Tool:
    members = as_object(raw)
    name, about, schema, strict = (members.get(key) for key in ("name", "description", "parameters", "strict"))
    is_right = isinstance(name, str) and (about is None or isinstance(about, str))
    is_right = is_right and (schema is None or is_object(schema)) and (strict is None or isinstance(strict, bool))
    if members.get("type") != "function" or not is_right:
        return Tool(name=as_text(members.get("type")) or "", hosted=True, at=at, extra={"raw": raw})
    known = {"type", "name", "description", "parameters", "strict"}
    return Tool(
        name=as_text(name) or "",
        description=as_text(about),
        parameters=as_object(schema) if is_object(schema) else None,
        strict=strict if isinstance(strict, bool) else None,
        at=at,
        extra={key: value for key, value in members.items() if key not in known} or None,
    )


def _tool_choice(members: Json) -> ToolChoice | None:
    match members.get("tool_choice"):
        case "auto" | "none" as mode:
            choice = ToolChoice(mode=mode)
        case "required":
            choice = ToolChoice(mode="any")
        case {"type": "function", "name": str(tool)}:
            choice = ToolChoice(mode="one", names=(tool,))
        case {"type": "allowed_tools", "mode": "auto" | "required" as mode, "tools": tools} if is_array(tools):
            names = [as_text(as_object(tool).get("name")) for tool in tools]
            if None in names:
                return None
            choice = ToolChoice(mode="auto" if mode == "auto" else "any", names=tuple(name for name in names if name))
        case _:
            return None
    del members["tool_choice"]
    return choice


def _reasoning(members: Json) -> ReasoningWish | None:
    wish = as_object(members.get("reasoning"))
    effort, summary = wish.get("effort"), wish.get("summary")
    if not wish or wish.keys() - {"effort", "summary"} or not _are_texts(effort, summary):
        return None
    del members["reasoning"]
    return ReasoningWish(
        effort=effort,
        enabled=None if effort is None else effort != "none",
        summary=summary,
        show=summary is not None or None,
    )


def _are_texts(*values: object) -> bool:
    return all(value is None or isinstance(value, str) for value in values)


def _output(members: Json) -> OutputShape | None:
    text = as_object(members.get("text"))
    kinds: dict[object, Literal["text", "json"]] = {"text": "text", "json_object": "json"}
    match text.get("format"):
        case {"type": "text" | "json_object" as kind, **rest} if not rest:
            shape = OutputShape(kind=kinds[kind])
        case {"type": "json_schema", "schema": schema, **named} if is_object(schema) and _is_named_shape(named):
            shape = OutputShape(kind="schema", schema=schema, **named)
        case _:
            return None
    members["text"] = {name: value for name, value in text.items() if name != "format"} or None
    return shape


def _is_named_shape(named: dict[Any, Any]) -> bool:
    strict = named.get("strict")
    is_right = _are_texts(named.get("name"), named.get("description")) and (strict is None or isinstance(strict, bool))
    return is_right and not named.keys() - {"name", "description", "strict"}


def _verbosity(members: Json) -> str | None:
    text = as_object(members.get("text"))
    if not isinstance(text.get("verbosity"), str):
        return None
    members["text"] = {name: value for name, value in text.items() if name != "verbosity"} or None
    return text["verbosity"]


# ---------------------------------------------------------------- turns


class _History:
    """Items in, turns out. An assistant's turn stays open while reasoning and calls follow each other."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.dropped: list[str] = []
        self._open: list[Part] = []
        self._open_at = ""

    def read(self, given: str | list[Any]) -> None:
        """All of an input member."""
        if isinstance(given, str):
            self.turns.append(Turn(role="user", parts=(Text(text=given, at="/input"),), at="/input", plain=True))
            return
        for i, raw in enumerate(given):
            self._item(as_object(raw), f"/input/{i}")
        self._close()

    def _item(self, item: Json, at: str) -> None:
        match item.get("type"):
            case "function_call" | "custom_tool_call":
                self._continue([_call(item, at)], at)
            case "reasoning":
                self._continue(list(read_reasoning(item, at)), at)
            case "function_call_output" | "custom_tool_call_output":
                self._close()
                self.turns.append(Turn(role="tool", parts=(_result(item, at),), at=at))
            case "message":
                self._message(item, at)
            case None if "role" in item:
                self._message(item, at)
            case _:
                self.dropped.append(at)  # of another kind of tool, or of days to come: no turn, and told elsewhere

    def _continue(self, parts: list[Part] | list[Thought], at: str) -> None:
        self._open_at = self._open_at if self._open else at
        self._open += parts

    def _message(self, item: Json, at: str) -> None:
        role = _ROLES.get(item["role"], "other") if isinstance(item.get("role"), str) else "user"
        content = item.get("content")
        before: list[Part] = []
        if role == "assistant" and all(isinstance(part, Thought) for part in self._open):
            before, self._open = self._open, []
        self._close()
        turn = Turn(
            role=role,
            parts=(*before, *_content(content, f"{at}/content")),
            at=at,
            absent=content is None,
            plain=isinstance(content, str),
            extra={name: item[name] for name in item.keys() - {"type", "role", "content", "id", "status"}} or None,
        )
        if role == "assistant":
            self._open, self._open_at, self._begun = [*turn.parts], at, turn
        else:
            self.turns.append(turn)

    _begun: Turn | None = None
    """The message that an assistant's open turn began with; calls that follow it belong to it."""

    def _close(self) -> None:
        begun, parts = self._begun, self._open
        self._begun, self._open = None, []
        if begun is not None:
            self.turns.append(msgspec.structs.replace(begun, parts=tuple(parts)))
        elif any(not isinstance(part, Thought) for part in parts):
            self.turns.append(Turn(role="assistant", parts=tuple(parts), at=self._open_at, absent=True))
        else:
            self.dropped += dict.fromkeys(part.at for part in parts)


def _content(content: object, at: str) -> tuple[Part, ...]:
    if isinstance(content, str):
        return (Text(text=content, at=at),)
    if is_array(content):
        parts = (read_part(raw, f"{at}/{i}") for i, raw in enumerate(content))
        return tuple(part for part in parts if part is not None)
    return () if content is None else (Text(text=msgspec.json.encode(content).decode(), at=at),)


def _call(item: Json, at: str) -> ToolCall:
    is_custom = item.get("type") == "custom_tool_call"
    call_id, seal = unsealed(as_text(item.get("call_id")) or "")
    signature, origin = (None, "") if seal is None else unmarked(seal)
    given = item.get("input" if is_custom else "arguments")
    return ToolCall(
        call_id=call_id,
        name=as_text(item.get("name")) or "",
        arguments=given if isinstance(given, str) else "" if given is None else msgspec.json.encode(given).decode(),
        signature=signature,
        origin=origin,
        kind="custom" if is_custom else "function",
        at=at,
    )


def _result(item: Json, at: str) -> ToolResult:
    output = item.get("output")
    return ToolResult(
        call_id=unsealed(as_text(item.get("call_id")) or "")[0],
        parts=_content(output, f"{at}/output"),
        plain=isinstance(output, str),
        at=at,
    )
