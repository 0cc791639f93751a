"""Writing a Responses request: the caller's own bytes with a few edits, or the vocabulary anew with its losses."""

from typing import Any, Final

import msgspec

from stipula.dialects import splice
from stipula.dialects.effort import effort_of
from stipula.dialects.ir import (
    Ask,
    Json,
    OutputShape,
    Part,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
)
from stipula.dialects.losses import Loss, Losses, tell_extra, tell_words
from stipula.dialects.openai_responses.content import write_part, write_reasoning
from stipula.dialects.openai_responses.facts import (
    ASK,
    NAME,
    OF_THE_SYSTEM_FIELD,
    OURS,
    SAMPLING,
    WITHOUT_A_PLACE,
)

_OURS: Final = frozenset(OURS)


def write_ask(ask: Ask, losses: Losses) -> bytes:
    """The request body for an upstream of this dialect; what the gateway keeps itself is never in it."""
    if ask.dialect == NAME and ask.body and ask.previous_reply_id is None:
        return splice.with_members(splice.without_members(ask.body, _OURS), {"model": ask.model})
    is_own = ask.dialect in ("", NAME)
    instructions = [turn for turn in ask.turns if turn.at in OF_THE_SYSTEM_FIELD]
    words = [part.text for turn in instructions for part in turn.parts if isinstance(part, Text)]
    body: Json = {"model": ask.model}
    if words:
        body["instructions"] = "\n\n".join(words)
    body["input"] = _Items(losses, is_own=is_own).write(ask)
    body |= _words(ask, losses, is_own=is_own) | _tools(ask, losses, is_own=is_own)
    if ask.stream:
        body["stream"] = True
    if is_own:
        extra = ask.extra or {}
        text = body.get("text", {}) | (extra.get("text") or {})
        return msgspec.json.encode(body | extra | ({"text": text} if text else {}))
    losses += (Loss(at=at, what="turn", to=NAME) for at in ask.dropped)
    for turn in instructions:
        for part in turn.parts:
            tell_extra(losses, part.extra, part.at, NAME)
    tell_words(losses, ask, WITHOUT_A_PLACE, NAME)
    if ask.sampling.candidates not in (None, 1):
        tell_words(losses, ask, ("candidates",), NAME)
    tell_extra(losses, ask.extra, "", NAME)
    return msgspec.json.encode(body)


# ---------------------------------------------------------------- words


def _words(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    words = {name: getattr(ask.sampling, word) for name, (word, _) in SAMPLING.items()}
    words |= {name: getattr(ask, word) for name, (word, _) in ASK.items()}
    text = {} if ask.output is None else {"format": write_format(ask.output)}
    words["text"] = text | ({} if ask.verbosity is None else {"verbosity": ask.verbosity}) or None
    words["reasoning"] = _reasoning(ask, losses, is_own=is_own) or None
    return {name: value for name, value in words.items() if value is not None}


def write_format(shape: OutputShape) -> Json:
    """The format member of structured output."""
    if shape.kind != "schema":
        return {"type": "text" if shape.kind == "text" else "json_object"}
    named = {"name": shape.name or "answer", "description": shape.description, "strict": shape.strict}
    stated = {name: value for name, value in named.items() if value is not None}
    return {"type": "json_schema"} | stated | {"schema": shape.schema or {}}


def _reasoning(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    wish = ask.reasoning
    if wish is None:
        return {}
    if wish.budget_tokens is not None and wish.effort is None:
        losses.append(Loss(at=ask.at.get("reasoning", "/reasoning"), what="reasoning budget in tokens", to=NAME))
    summary = wish.summary or (None if is_own or not wish.show else "auto")
    stated = {"effort": effort_of(wish), "summary": summary}
    return {name: value for name, value in stated.items() if value is not None}


def _tools(ask: Ask, losses: Losses, *, is_own: bool) -> Json:
    written = [write_tool(tool, losses, is_own=is_own) for tool in ask.tools]
    tools = [tool for tool in written if tool is not None]
    choice = None if ask.tool_choice is None or not (tools or is_own) else write_choice(ask.tool_choice)
    return ({"tools": tools} if tools else {}) | ({} if choice is None else {"tool_choice": choice})


def write_tool(tool: Tool, losses: Losses, *, is_own: bool) -> Any:  # noqa: ANN401 - a hosted tool may be anything
    """One tool; None, and a loss, where it is one that another vendor runs."""
    if tool.hosted:
        if is_own:
            return (tool.extra or {}).get("raw")
        losses.append(Loss(at=tool.at, what=f"tool {tool.name}", to=NAME))
        return None
    # strictness is on by default here and off everywhere else: an unsaid word must not change what the tool accepts
    strict = tool.strict if is_own or tool.strict is not None else False
    named = {"name": tool.name, "description": tool.description, "parameters": tool.parameters, "strict": strict}
    written: Json = {"type": "function"} | {name: value for name, value in named.items() if value is not None}
    if is_own:
        return written | (tool.extra or {})
    tell_extra(losses, tool.extra, tool.at, NAME)
    return written


def write_choice(choice: ToolChoice) -> str | Json:
    """Whether a tool must be called, and which."""
    if choice.mode == "one":
        return {"type": "function", "name": choice.names[0]}
    mode = "required" if choice.mode == "any" else choice.mode
    if not choice.names:
        return mode
    return {
        "type": "allowed_tools",
        "mode": mode,
        "tools": [{"type": "function", "name": name} for name in choice.names],
    }


# ---------------------------------------------------------------- items


class _Items:
    """Turns in, items out."""

    def __init__(self, losses: Losses, *, is_own: bool) -> None:
        self._losses = losses
        self._is_own = is_own
        self._items: list[Any] = []
        self._custom: set[str] = set()

    def write(self, ask: Ask) -> list[Any]:
        """The items of an input member."""
        for turn in ask.turns:
            if turn.at in OF_THE_SYSTEM_FIELD:
                continue
            if turn.role == "other":
                self._losses.append(Loss(at=turn.at, what="turn", to=NAME))
            elif turn.role == "tool":
                self._items += (self._result(part) for part in turn.parts if isinstance(part, ToolResult))
                self._tell(turn)
            elif turn.role == "assistant":
                self._assistant(turn)
            else:
                content = self._content(turn.parts, "input_text", plain=turn.plain)
                self._message(turn, None if turn.absent and self._is_own else content)
        return self._items

    def _message(self, turn: Turn, content: Any) -> None:  # noqa: ANN401 - see `Foreign`
        extra = (turn.extra or {}) if self._is_own else {}
        self._items.append({"type": "message", "role": turn.role, "content": content} | extra)
        self._tell(turn)

    def _tell(self, turn: Turn) -> None:
        if turn.name is not None:
            self._losses.append(Loss(at=f"{turn.at}/name", what="name", to=NAME))
        if not self._is_own:
            tell_extra(self._losses, turn.extra, turn.at, NAME)

    def _content(self, parts: tuple[Part, ...] | list[Part], text_type: str, *, plain: bool) -> Any:  # noqa: ANN401
        if plain and len(parts) == 1 and isinstance(parts[0], Text):
            return parts[0].text
        written = [write_part(part, self._losses, text_type=text_type, is_own=self._is_own) for part in parts]
        return [part for part in written if part is not None]

    def _assistant(self, turn: Turn) -> None:
        """Reasoning, words and calls in their order; neighbouring words are one message."""
        thoughts: list[Thought] = []
        words: list[Part] = []
        has_spoken = False
        for part in (*turn.parts, None):
            if not isinstance(part, Thought):
                self._reasoning(thoughts)
            if words and isinstance(part, Thought | ToolCall | None):
                self._message(turn, self._content(words, "output_text", plain=turn.plain))
                words, has_spoken = [], True
            match part:
                case Thought():
                    thoughts.append(part)
                case ToolCall():
                    self._call(part)
                    has_spoken = True
                case None:
                    pass
                case _:
                    words.append(part)
        if not has_spoken:
            self._message(turn, None if turn.absent and self._is_own else [])

    def _reasoning(self, thoughts: list[Thought]) -> None:
        """Items of reasoning that this vendor made; each seal ends one. No other vendor's is of use to it."""
        begun = 0
        for end, thought in enumerate(thoughts, 1):
            is_ours = thought.origin == NAME or (self._is_own and not thought.origin)
            if thought.signature is not None and is_ours:
                self._items.append(write_reasoning(thoughts[begun:end], f"rs_{len(self._items)}", ""))
                begun = end
            elif thought.signature is not None or thought.redacted:
                self._losses += (Loss(at=one.at, what="reasoning", to=NAME) for one in thoughts[begun:end])
                begun = end
        self._losses += (Loss(at=one.at, what="reasoning", to=NAME) for one in thoughts[begun:])
        thoughts.clear()

    def _call(self, call: ToolCall) -> None:
        call_id = call.call_id or f"call_{call.name}"
        if call.signature is not None:
            self._losses.append(Loss(at=call.at, what="signature", to=NAME))
        if call.kind == "custom":
            self._custom.add(call_id)
            self._items.append(
                {"type": "custom_tool_call", "call_id": call_id, "name": call.name, "input": call.arguments}
            )
            return
        self._items.append(
            {"type": "function_call", "call_id": call_id, "name": call.name, "arguments": call.arguments}
        )
        tell_extra(self._losses, call.extra, call.at, NAME)

    def _result(self, result: ToolResult) -> Json:
        call_id = result.call_id or f"call_{result.name or ''}"
        kind = "custom_tool_call_output" if call_id in self._custom else "function_call_output"
        if result.is_error:
            self._losses.append(Loss(at=f"{result.at}/is_error", what="is_error", to=NAME))
        tell_extra(self._losses, result.extra, result.at, NAME)
        return {"type": kind, "call_id": call_id, "output": self._output(result)}

    def _output(self, result: ToolResult) -> Any:  # noqa: ANN401 - see `Foreign`
        if result.value is not None and not result.parts:
            return msgspec.json.encode(result.value).decode()
        match result.parts:
            case ():
                return ""
            case (Text(text=text),) if result.plain or not self._is_own:
                return text
            case parts:
                return self._content(parts, "input_text", plain=False)
