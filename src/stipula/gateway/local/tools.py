"""Tool calls with a model whose template knows none: the call is asked for as structured output and read back. Pure.

The runtime ignores `tools` for such a model but holds an answer to a JSON Schema by grammar. So the tools are told in
the system text, as a template with a tool part would, and the answer must be either one call or one text.
"""

from typing import Any, Final

import msgspec
from msgspec import Struct

from stipula.dialects.strict_json import as_array, as_object, as_text

Json = dict[str, Any]
_ANY_OBJECT: Final[Json] = {"type": "object"}
_INTRODUCTION: Final = "You can call these tools. To call one, name it and give its arguments:\n"
_OF_TOOLS: Final = frozenset({"tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"})


class Plan(Struct, frozen=True):
    """What is sent in place of a request. name: the one tool that must be called; is_open: a text will do as well."""

    body: bytes
    is_call: bool = False
    name: str | None = None
    wants_stream: bool = False


class Outcome(Struct, frozen=True):
    """What came back: a call, or a text."""

    text: str | None = None
    name: str | None = None
    arguments: str = "{}"


def plan(body: bytes) -> Plan:
    """The request as this model can carry it out."""
    ask = as_object(msgspec.json.decode(body))
    messages = [_plain(as_object(raw)) for raw in as_array(ask.get("messages"))]
    functions = [as_object(as_object(tool).get("function")) for tool in as_array(ask.get("tools"))]
    functions = [function for function in functions if as_text(function.get("name"))]
    rest = {name: value for name, value in ask.items() if name not in _OF_TOOLS}
    choice = ask.get("tool_choice")
    if not functions or choice == "none":
        return Plan(msgspec.json.encode(rest | {"messages": messages}))
    named = as_text(as_object(as_object(choice).get("function")).get("name"))
    chosen = [function for function in functions if named in (None, function["name"])]
    schema = _schema(chosen, named, is_open=choice in (None, "auto"))
    shape = {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}}
    rest = {name: value for name, value in rest.items() if name not in ("stream", "stream_options")}
    told = _told(messages, functions)
    return Plan(
        msgspec.json.encode(rest | {"messages": told, "response_format": shape}),
        is_call=True,
        name=named,
        wants_stream=ask.get("stream") is True,
    )


def _schema(functions: list[Json], named: str | None, *, is_open: bool) -> Json:
    if named is not None and functions:
        return _parameters(functions[0])
    options = [_object(tool={"const": function["name"]}, arguments=_parameters(function)) for function in functions]
    if is_open:
        options.append(_object(answer={"type": "string"}))
    return options[0] if len(options) == 1 else {"anyOf": options}


def _object(**members: Json) -> Json:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def _parameters(function: Json) -> Json:
    return as_object(function.get("parameters")) or _ANY_OBJECT


def _told(messages: list[Json], functions: list[Json]) -> list[Json]:
    """The history with the tools in its system text."""
    listing = "\n".join(msgspec.json.encode(function).decode() for function in functions)
    text = _INTRODUCTION + listing
    if messages and messages[0].get("role") == "system" and isinstance(messages[0].get("content"), str):
        return [messages[0] | {"content": f"{messages[0]['content']}\n\n{text}"}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def _plain(message: Json) -> Json:
    """A turn without members that the template would leave out: calls and their results become text."""
    calls = as_array(message.get("tool_calls"))
    if calls:
        functions = [as_object(as_object(call).get("function")) for call in calls]
        lines = [f'{{"tool": "{one.get("name")}", "arguments": {one.get("arguments") or "{}"}}}' for one in functions]
        before = as_text(message.get("content"))
        return {"role": "assistant", "content": "\n".join([before, *lines] if before else lines)}
    if message.get("role") == "tool":
        return {"role": "user", "content": f"Result of the tool: {_text(message.get('content'))}"}
    return message


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(as_text(as_object(part).get("text")) or "" for part in as_array(content))


class _Said(Struct, frozen=True):
    """What the schema lets a model write where several tools, or a text, are open to it."""

    tool: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    answer: str | None = None


def outcome(planned: Plan, text: str) -> Outcome:
    """The call or the text in what the model wrote, to the letter; what it did not finish stays a text."""
    try:
        said = msgspec.json.decode(text, type=_Said)
    except (msgspec.MsgspecError, ValueError):
        return Outcome(text=text)
    if planned.name is not None:
        return Outcome(name=planned.name, arguments=text)
    if said.tool is not None:
        return Outcome(name=said.tool, arguments=bytes(said.arguments).decode())
    return Outcome(text=text if said.answer is None else said.answer)


def answer(planned: Plan, body: bytes, call_id: str) -> Json:
    """The model's whole answer with its call where callers look for it."""
    reply = as_object(msgspec.json.decode(body))
    choice = as_object(next(iter(as_array(reply.get("choices"))), None))
    found = outcome(planned, as_text(as_object(choice.get("message")).get("content")) or "")
    message: Json = {"role": "assistant", "content": found.text}
    if found.name is not None:
        function = {"name": found.name, "arguments": found.arguments}
        message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
        choice = choice | {"finish_reason": "tool_calls"}
    return reply | {"choices": [choice | {"message": message}]}
