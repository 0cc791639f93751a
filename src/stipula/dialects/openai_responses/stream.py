"""Reading Responses streams: named events, each item opened and done, one terminal event with the whole answer."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from stipula.dialects.ir import (
    Closed,
    Delta,
    Failed,
    ForeignDelta,
    Json,
    Opened,
    RefusalDelta,
    Stopped,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    UsageDelta,
)
from stipula.dialects.openai_responses.content import read_reasoning
from stipula.dialects.openai_responses.facts import NAME, read_usage
from stipula.dialects.openai_responses.reply import read_call, read_fault, read_stop
from stipula.dialects.strict_json import as_array, as_count, as_object, as_text
from stipula.wire.sse import Frame

_FAULT_STATUS: Final = 502
_FAILED_STATUS: Final = 0  # a failed answer has no status of its own: its code speaks
_decode: Final = msgspec.json.Decoder().decode
_ANSWER_TEXT: Final = "response.output_text.delta"
_THOUGHT_TEXTS: Final = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_ARGUMENTS: Final = frozenset({"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"})


class _Item:
    """An item in the making. number: which call it is, for calls. has_spoken: pieces of it came before it was done."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.has_spoken = False


class ResponsesReader:
    """Frames of one upstream stream in, deltas out."""

    def __init__(self) -> None:
        self._is_open = False
        self._is_over = False
        self._items: dict[object, _Item] = {}
        self._latest: object = None
        self._calls = 0

    def __call__(self, frame: Frame) -> Iterable[Delta]:
        """The deltas in one frame; nothing after the terminal one."""
        if self._is_over or not frame.data or frame.data.startswith("[DONE]"):
            return ()
        try:
            event = as_object(_decode(frame.data))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._is_over = True
            return (Failed(message="The upstream sent a frame that is not JSON.", code="upstream_unreadable"),)
        return list(self._read(as_text(event.get("type")) or frame.event, event))

    def close(self) -> Iterable[Delta]:
        """A stream without its terminal event was cut."""
        if self._is_over:
            return ()
        self._is_over = True
        return (Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete"),)

    def _read(self, name: str, event: Json) -> Iterator[Delta]:
        delta = event.get("delta")
        if isinstance(delta, str):
            yield from self._piece(name, event, delta)
            return
        match name:
            case "response.created" | "response.in_progress" | "response.queued":
                yield from self._open(as_object(event.get("response")))
            case "response.output_item.added":
                yield from self._added(event, as_object(event.get("item")))
            case "response.output_item.done":
                yield from self._done(event, as_object(event.get("item")))
            case "response.completed" | "response.incomplete":
                yield from self._end(as_object(event.get("response")), name.rpartition(".")[2])
            case "response.failed":
                self._is_over = True
                yield read_fault(as_object(event.get("response")).get("error"), _FAILED_STATUS)
            case "error":
                self._is_over = True
                yield read_fault(event.get("error") or event, _FAULT_STATUS)
            case _:
                pass  # parts begun and done say nothing that their pieces did not

    def _open(self, response: Json) -> Iterator[Delta]:
        if self._is_open:
            return
        self._is_open = True
        yield Opened(
            reply_id=as_text(response.get("id")) or "",
            model=as_text(response.get("model")) or "",
            created=as_count(response.get("created_at")),
            dialect=NAME,
        )

    def _key(self, event: Json, item: Json) -> object:
        """What tells an item from others; some servers leave out the one or the other, or both."""
        return event.get("item_id") or item.get("id") or event.get("output_index") or 0

    def _item(self, event: Json) -> _Item | None:
        key = self._key(event, {})
        return self._items.get(key) or self._items.get(self._latest)

    def _piece(self, name: str, event: Json, delta: str) -> Iterator[Delta]:
        yield from self._open({})
        item = self._item(event)
        if item is not None:
            item.has_spoken = True
        if not delta:
            return
        if name == _ANSWER_TEXT:
            yield TextDelta(text=delta)
        elif name in _ARGUMENTS:
            yield ToolCallDelta(index=item.number if item is not None else 0, arguments=delta)
        elif name in _THOUGHT_TEXTS:
            yield ThoughtDelta(text=delta)
        elif name == "response.refusal.delta":
            yield RefusalDelta(text=delta)
        else:
            yield ForeignDelta(dialect=NAME, what=name, raw=event)

    def _added(self, event: Json, item: Json) -> Iterator[Delta]:
        yield from self._open({})
        self._latest = key = self._key(event, item)
        made = self._items[key] = _Item(self._calls)
        kind = item.get("type")
        if kind in ("function_call", "custom_tool_call"):
            self._calls += 1
            call = read_call(item, "")
            yield ToolCallDelta(index=made.number, call_id=call.call_id, name=call.name, signature=call.signature)
        elif kind not in ("message", "reasoning"):
            yield ForeignDelta(dialect=NAME, what=as_text(kind) or "item", raw=item)

    def _done(self, event: Json, item: Json) -> Iterator[Delta]:
        if self._item(event | {"item_id": item.get("id")}) is None:
            yield from self._added(event, item)
        made = self._item(event | {"item_id": item.get("id")})
        has_spoken = made is not None and made.has_spoken
        match item.get("type"):
            case "function_call" | "custom_tool_call" if not has_spoken and made is not None:
                yield ToolCallDelta(index=made.number, arguments=read_call(item, "").arguments)
            case "reasoning":
                for thought in read_reasoning(item, ""):
                    text = "" if has_spoken and not thought.redacted else thought.text
                    if text or thought.signature is not None:
                        yield ThoughtDelta(text=text, signature=thought.signature, redacted=thought.redacted)
            case "message" if not has_spoken:
                yield from _words(item)
            case _:
                pass

    def _end(self, response: Json, status: str) -> Iterator[Delta]:
        self._is_over = True
        yield from self._open(response)
        stop, word = read_stop({"status": status} | response, called=self._calls > 0)
        if stop is not None and word != "upstream_incomplete":
            yield Stopped(stop=stop, stop_raw=word)
        usage = read_usage(response.get("usage"))
        if usage is not None:
            yield UsageDelta(usage=usage)
        yield Closed()


def _words(item: Json) -> Iterator[Delta]:
    for part in map(as_object, as_array(item.get("content"))):
        text, refusal = part.get("text"), part.get("refusal")
        if isinstance(text, str) and text:
            yield TextDelta(text=text)
        elif isinstance(refusal, str) and refusal:
            yield RefusalDelta(text=refusal)
