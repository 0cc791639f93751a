"""Reading a generateContent request. The model and the stream switch stand in the path, not here.

Turns that carry nothing are left out, and told; everything else is kept. Names are read in camelCase and snake_case.
"""

from typing import Any, Final, Literal

from stipula.dialects.dialect import DialectEdge
from stipula.dialects.gemini.facts import AT, NAME, SAMPLING, camel, json_schema_of, refuse_twins
from stipula.dialects.gemini.parts import Ids, read_parts
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
from stipula.dialects.strict_json import (
    as_array,
    as_object,
    as_text,
    is_array,
    is_bool,
    is_object,
    is_whole,
    read_object,
)

_JSON: Final = "application/json"


def read_ask(body: bytes) -> Ask:
    """The ask in a request body, without model and stream switch; `DialectEdge` where the history cannot be told."""
    return _ask(read_object(body), body)


def read_count(body: bytes) -> Ask:
    """The ask in the body of a token count: contents alone, or a whole request within."""
    members = camel(read_object(body))
    whole = members.get("generateContentRequest")
    return _ask(whole if is_object(whole) else members, body)


def _ask(given: Json, body: bytes) -> Ask:
    if b"_" in body:
        refuse_twins(given)
    members = dict(camel(given))
    contents = members.pop("contents", None)
    if not is_array(contents) or not contents:
        raise DialectEdge("contents: at least one content is required", param="contents")
    config = camel(dict(as_object(members.pop("generationConfig", None))))
    model = as_text(members.pop("model", None)) or ""
    history = _History()
    for i, raw in enumerate(contents):
        history.read(camel(as_object(raw)), f"/contents/{i}")
    system = _system(members)
    ask: Json = {
        "tools": _tools(members),
        "tool_choice": _tool_choice(members),
        "sampling": Sampling(stop=_stop(config), **_sampling(config)),
        "reasoning": _reasoning(config),
        "output": _output(config),
    }
    extra = {name: value for name, value in members.items() if value is not None}
    extra |= {f"generationConfig/{name}": value for name, value in config.items() if value is not None}
    return Ask(
        model=model.removeprefix("models/"),
        turns=(*system, *history.turns),
        dropped=tuple(history.dropped),
        include_usage=True,
        dialect=NAME,
        body=body,
        extra=extra or None,
        at=AT,
        **ask,
    )


# ---------------------------------------------------------------- words


def _sampling(config: Json) -> Json:
    taken: Json = {}
    for name in SAMPLING.keys() & config.keys():
        word, is_right = SAMPLING[name]
        if is_right(config[name]):
            taken[word] = config.pop(name)
    return taken


def _stop(config: Json) -> tuple[str, ...]:
    words = config.get("stopSequences")
    if not is_array(words) or not all(isinstance(word, str) for word in words):
        return ()
    del config["stopSequences"]
    return tuple(words)


def _reasoning(config: Json) -> ReasoningWish | None:
    wish = camel(as_object(config.get("thinkingConfig")))
    show, budget, level = wish.get("includeThoughts"), wish.get("thinkingBudget"), wish.get("thinkingLevel")
    is_right = (show is None or is_bool(show)) and (budget is None or is_whole(budget))
    is_right = is_right and (level is None or isinstance(level, str))
    if not wish or not is_right or wish.keys() - {"includeThoughts", "thinkingBudget", "thinkingLevel"}:
        return None
    del config["thinkingConfig"]
    effort = None if level is None else str(level).lower()
    if budget is None:
        return ReasoningWish(enabled=None if effort is None else True, effort=effort, show=show)
    tokens = budget if budget > 0 else None  # -1 leaves the amount to the model, 0 asks for none
    return ReasoningWish(enabled=budget != 0, budget_tokens=tokens, effort=effort, show=show)


def _output(config: Json) -> OutputShape | None:
    mime = config.get("responseMimeType")
    if mime == "text/plain":
        del config["responseMimeType"]
        return OutputShape(kind="text")
    if mime != _JSON:
        return None
    del config["responseMimeType"]
    for name in ("responseJsonSchema", "responseSchema"):
        if is_object(config.get(name)):
            schema = config.pop(name)
            return OutputShape(kind="schema", schema=schema if name == "responseJsonSchema" else json_schema_of(schema))
    return OutputShape(kind="json")


def _tools(members: Json) -> tuple[Tool, ...]:
    tools = members.get("tools")
    if not is_array(tools):
        return ()
    del members["tools"]
    return tuple(tool for i, raw in enumerate(tools) for tool in _tools_of(raw, f"/tools/{i}"))


def _tools_of(raw: Any, at: str) -> list[Tool]:  # noqa: ANN401 - a tool may be anything
    members = camel(as_object(raw))
    functions = [camel(as_object(one)) for one in as_array(members.get("functionDeclarations"))]
    found = [_function(one, f"{at}/functionDeclarations/{i}") for i, one in enumerate(functions)]
    hosted = {name: value for name, value in members.items() if name != "functionDeclarations"}
    return found + [Tool(name=name, hosted=True, at=at, extra={"raw": {name: value}}) for name, value in hosted.items()]


def _function(members: Json, at: str) -> Tool:
    schema = members.get("parametersJsonSchema")
    own = members.get("parameters")
    known = ("name", "description", "parameters", "parametersJsonSchema")
    return Tool(
        name=as_text(members.get("name")) or "",
        description=as_text(members.get("description")),
        parameters=schema if is_object(schema) else json_schema_of(own) if is_object(own) else None,
        at=at,
        extra={name: value for name, value in members.items() if name not in known} or None,
    )


def _tool_choice(members: Json) -> ToolChoice | None:
    config = camel(as_object(members.get("toolConfig")))
    calling = camel(as_object(config.get("functionCallingConfig")))
    names = as_array(calling.get("allowedFunctionNames"))
    modes: dict[object, Literal["auto", "any", "none"]] = {"AUTO": "auto", "ANY": "any", "NONE": "none"}
    mode = modes.get(str(calling.get("mode", "")).upper())
    if mode is None or not all(isinstance(name, str) for name in names) or config.keys() - {"functionCallingConfig"}:
        return None
    del members["toolConfig"]
    if mode == "any" and len(names) == 1:
        return ToolChoice(mode="one", names=tuple(names))
    return ToolChoice(mode=mode, names=tuple(names))


# ---------------------------------------------------------------- turns


def _system(members: Json) -> tuple[Turn, ...]:
    words = members.pop("systemInstruction", None)
    at = "/systemInstruction"
    parts: list[Part] = []
    if isinstance(words, str):
        parts = [Text(text=words, at=at)]
    elif is_object(words) and "parts" in words:
        found = enumerate(as_array(words["parts"]))
        parts = [part for i, raw in found for part in read_parts(raw, f"{at}/parts/{i}", Ids())]
    elif is_object(words):
        parts = list(read_parts(words, at, Ids()))
    return (Turn(role="system", parts=tuple(parts), at=at),) if parts else ()


class _History:
    """Contents in, turns out; calls that came without an id get one, and their results find it."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.dropped: list[str] = []
        self._ids = Ids()

    def read(self, content: Json, at: str) -> None:
        """The turns of one content: its results, which stand alone, then the rest; none where nothing is in it."""
        raws = content.get("parts")
        listed = as_array(raws) if is_array(raws) else [raws] if is_object(raws) else []
        parts = [part for i, raw in enumerate(listed) for part in read_parts(raw, f"{at}/parts/{i}", self._ids)]
        results = tuple(part for part in parts if isinstance(part, ToolResult))
        rest = tuple(part for part in parts if not isinstance(part, ToolResult))
        if results:
            self.turns.append(Turn(role="tool", parts=results, at=at))
        if any(not isinstance(part, Thought) for part in rest):
            self.turns.append(Turn(role=_role(content, rest), parts=rest, at=at))
        elif not results:
            self.dropped.append(at)
        else:
            self.dropped += (part.at for part in rest)


def _role(content: Json, parts: tuple[Part, ...]) -> Role:
    """A call makes an assistant's turn, whatever role it is declared under."""
    if content.get("role") == "model" or any(isinstance(part, ToolCall) for part in parts):
        return "assistant"
    return "user"
