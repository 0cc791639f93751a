"""The upstream that says the newest user text back: no model, no network, the same answer every time.

It speaks the chat dialect in bytes, as any server would, so that everything between a caller and a model can be tried
without one. `-tN-fMS-dMS` in the model name sets the number of tokens, the wait before the first and between two.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from stipula.dialects.strict_json import as_array, as_object, as_text, is_whole
from stipula.gateway.upstream import Exchange
from stipula.redact import Secret
from stipula.wire.sse import Frame, encode

Json = dict[str, Any]
Sleep = Callable[[float], Awaitable[None]]
REASONING: Final = "The newest user text is said back."
_WORD: Final = re.compile(r"\s*\S+|\s+\Z")
_KNOB: Final = re.compile(r"-([tfd])(\d{1,6})(?=-|$)")
_NO_WORDS: Final = "(nothing to say back) "


class Script(Struct, frozen=True):
    """What one ask is answered with. call: the tool that is called, in place of any text."""

    model: str
    words: tuple[str, ...]
    finish: str
    tokens_in: int
    first_s: float
    pace_s: float
    reasoning: str
    call: str | None


def script(body: bytes) -> Script:
    """The answer to one chat request."""
    ask = as_object(msgspec.json.decode(body))
    model = as_text(ask.get("model")) or ""
    knobs = {name: int(value) for name, value in _KNOB.findall(model)}
    messages = [as_object(raw) for raw in as_array(ask.get("messages"))]
    newest = next((_text(message) for message in reversed(messages) if message.get("role") == "user"), "")
    call = _forced_call(ask)
    words = () if call else _words(newest, knobs.get("t"))
    limits = [ask[name] for name in ("max_completion_tokens", "max_tokens") if is_whole(ask.get(name))]
    limit: int = max(0, limits[0]) if limits else len(words)
    return Script(
        model=model,
        words=words[:limit],
        finish="tool_calls" if call else "length" if limit < len(words) else "stop",
        tokens_in=sum(len(_text(message).split()) for message in messages),
        first_s=knobs.get("f", 0) / 1000,
        pace_s=knobs.get("d", 0) / 1000,
        reasoning=REASONING if _wants_reasoning(ask) else "",
        call=call,
    )


def _text(message: Json) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(as_text(as_object(part).get("text")) or "" for part in as_array(content))


def _words(text: str, count: int | None) -> tuple[str, ...]:
    words: list[str] = _WORD.findall(text)
    if count is None:
        return tuple(words)
    words = [word if word[:1].isspace() else f" {word}" for word in words] or [_NO_WORDS]
    return tuple(words[i % len(words)] for i in range(count))


def _wants_reasoning(ask: Json) -> bool:
    return ask.get("reasoning_effort") not in (None, "none") or bool(ask.get("reasoning"))


def _forced_call(ask: Json) -> str | None:
    choice = ask.get("tool_choice")
    names = [as_text(as_object(as_object(tool).get("function")).get("name")) for tool in as_array(ask.get("tools"))]
    if choice == "required":
        return names[0] if names else None
    return as_text(as_object(as_object(choice).get("function")).get("name"))


# ---------------------------------------------------------------- as bytes


def whole(told: Script, answer_id: str, created: int) -> bytes:
    """The answer in one piece."""
    message: Json = {"role": "assistant", "content": None if told.call else "".join(told.words)}
    if told.reasoning:
        message["reasoning_content"] = told.reasoning
    if told.call:
        message["tool_calls"] = [_call(told.call, answer_id)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": told.finish}
    head = {"id": answer_id, "object": "chat.completion", "created": created, "model": told.model}
    return msgspec.json.encode(head | {"choices": [choice], "usage": _usage(told)})


def deltas(told: Script, answer_id: str) -> Iterator[Json]:
    """The deltas of a stream, the first with the role."""
    yield {"role": "assistant", "content": "" if told.call is None else None}
    if told.reasoning:
        yield {"reasoning_content": told.reasoning}
    if told.call:
        yield {"tool_calls": [{"index": 0, **_call(told.call, answer_id)}]}
    yield from ({"content": word} for word in told.words)


def _call(name: str, answer_id: str) -> Json:
    return {"id": f"call_{answer_id[-8:]}", "type": "function", "function": {"name": name, "arguments": "{}"}}


def _usage(told: Script) -> Json:
    thought = len(told.reasoning.split())
    out = len(told.words) + thought
    details = {"completion_tokens_details": {"reasoning_tokens": thought}} if thought else {}
    return {"prompt_tokens": told.tokens_in, "completion_tokens": out, "total_tokens": told.tokens_in + out} | details


class Echo:
    """The upstream. new_id and clock (seconds since 1970) are handed in, as is sleep."""

    def __init__(self, new_id: Callable[[], str], clock: Callable[[], float], sleep: Sleep = asyncio.sleep) -> None:
        self._new_id = new_id
        self._clock = clock
        self._sleep = sleep

    async def send(self, body: bytes, key: Secret | None, *, model: str, stream: bool) -> Exchange:
        """The answer, at once; its words come at the script's pace."""
        del key, model
        told = script(body)
        answer = Spoken(told, f"chatcmpl-{self._new_id()}", int(self._clock()), self._sleep)
        if not stream:
            await self._sleep(told.first_s + told.pace_s * max(0, len(told.words) - 1))
        return answer

    def readiness(self) -> tuple[bool, str]:
        """Always."""
        return True, "says back what it is told"

    async def close(self) -> None:
        """Nothing is under way."""


class Spoken:
    """An exchange whose bytes are made as they are read."""

    status = 200
    retry_after = None

    def __init__(self, told: Script, answer_id: str, created: int, sleep: Sleep) -> None:
        self._told = told
        self._id = answer_id
        self._created = created
        self._sleep = sleep
        self._frames = self._spoken()
        self._waits = self._pauses()

    async def whole(self) -> bytes:
        """The answer in one piece."""
        return whole(self._told, self._id, self._created)

    async def piece(self, wait_s: float) -> bytes:
        """The next frame. wait_s is of no use here: somebody always speaks."""
        del wait_s
        await self._sleep(next(self._waits))  # a pause of nothing still lets others have their turn
        return next(self._frames, b"")

    async def finish(self) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Nothing is under way."""

    def _pauses(self) -> Iterator[float]:
        yield 0.0  # the role
        yield self._told.first_s
        while True:
            yield self._told.pace_s

    def _spoken(self) -> Iterator[bytes]:
        head = {"id": self._id, "object": "chat.completion.chunk", "created": self._created, "model": self._told.model}
        for delta in deltas(self._told, self._id):
            yield _frame(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        end: Json = {"index": 0, "delta": {}, "finish_reason": self._told.finish}
        yield _frame(head | {"choices": [end]}) + _frame(head | {"choices": [], "usage": _usage(self._told)}) + _DONE


def _frame(chunk: Json) -> bytes:
    return encode(Frame(data=msgspec.json.encode(chunk).decode()))


_DONE: Final = encode(Frame(data="[DONE]"))
