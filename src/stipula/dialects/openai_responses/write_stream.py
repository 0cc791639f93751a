"""Writing Responses streams. Source of the sequence: the vendor's streaming reference, seen 2026-10.

response.created, response.in_progress; per item its start, its parts with their pieces and ends, its end; last
response.completed, response.incomplete or response.failed with the whole answer. Events are numbered from 0.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import msgspec

from stipula.dialects.ir import (
    Ask,
    Closed,
    Delta,
    Failed,
    ForeignDelta,
    Json,
    Opened,
    RefusalDelta,
    Stopped,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from stipula.dialects.losses import Loss, Losses
from stipula.dialects.openai_responses.content import write_reasoning
from stipula.dialects.openai_responses.facts import NAME, write_usage
from stipula.dialects.openai_responses.reply import (
    call_item,
    ending,
    failure_code,
    message_item,
    refusal_part,
    response_id,
    response_of,
    text_part,
)
from stipula.wire.sse import Frame

_encode: Final = msgspec.json.Encoder().encode
_Kind = Literal["text", "refusal", "thought", "call"]


class ResponsesWriter:
    """Deltas in, the events of one stream out."""

    def __init__(self, ask: Ask, losses: Losses | None) -> None:
        self._ask = ask
        self._losses: Losses = [] if losses is None else losses
        self._number = 0
        self._response: Json = {}
        self._reply_id = ""
        self._origin = ""
        self._output: list[Json] = []
        self._kind: _Kind | None = None
        self._item_id = ""
        self._pieces: list[str] = []
        self._content: list[Json] = []
        self._call = ToolCall(call_id="", name="", arguments="")
        self._begun: set[int] = set()
        self._calling = -1
        self._stopped: Stopped | None = None
        self._usage: Usage | None = None
        self._is_over = False

    def __call__(self, delta: Delta) -> Iterable[Frame]:
        """The events that one delta becomes; none after the end."""
        if self._is_over:
            return ()
        if delta.candidate:
            self._losses.append(Loss(at="", what="candidate", to=NAME))
            return ()
        return list(self._frames(delta))

    def _frames(self, delta: Delta) -> Iterator[Frame]:
        match delta:
            case TextDelta(text=text):
                yield from self._part("text", text_part(""))
                yield self._piece("response.output_text.delta", text, logprobs=[])
            case RefusalDelta(text=text):
                yield from self._part("refusal", refusal_part(""))
                yield self._piece("response.refusal.delta", text)
            case ThoughtDelta():
                yield from self._thought(delta)
            case ToolCallDelta():
                yield from self._tool_call(delta)
            case Opened():
                yield from self._open(delta)
            case Closed():
                yield from self._end()
            case Failed():
                yield from self._fail(delta)
            case _:
                yield from self._note(delta)

    def _note(self, delta: Delta) -> Iterator[Frame]:
        """What is kept for the end of the stream, or told as a loss."""
        match delta:
            case Stopped():
                yield from self._close_item()
                self._stopped = self._stopped or delta
            case UsageDelta(usage=usage):
                self._usage = usage
            case ForeignDelta():
                self._losses.append(Loss(at="", what=delta.what, to=NAME))
            case _:
                pass

    def _event(self, event: str, /, **members: Any) -> Frame:  # noqa: ANN401 - JSON
        data = _encode({"type": event, "sequence_number": self._number} | members).decode()
        self._number += 1
        return Frame(event=event, data=data)

    def _open(self, opened: Opened) -> Iterator[Frame]:
        if self._response:
            return
        self._origin = "" if opened.dialect == NAME else opened.dialect
        self._usage = opened.usage
        self._reply_id = opened.reply_id
        self._response = response_of(response_id(opened.reply_id), opened.model, opened.created, self._ask)
        yield self._event("response.created", response=self._response)
        yield self._event("response.in_progress", response=self._response)

    def _ensure_open(self) -> Iterator[Frame]:
        yield from self._open(Opened(reply_id="", model=self._ask.model, created=0))

    # ------------------------------------------------------------ items

    def _start(self, kind: _Kind, prefix: str) -> Iterator[Frame]:
        yield from self._ensure_open()
        yield from self._close_item()
        self._kind = kind
        self._item_id = f"{prefix}_{len(self._output)}_{self._reply_id}"
        self._pieces, self._content = [], []

    def _place(self, part: str = "content_index") -> Json:
        return {"item_id": self._item_id, "output_index": len(self._output), part: len(self._content)}

    def _added(self, item: Json) -> Frame:
        return self._event("response.output_item.added", output_index=len(self._output), item=item)

    def _piece(self, name: str, text: str, **more: Any) -> Frame:  # noqa: ANN401 - JSON
        self._pieces.append(text)
        return self._event(name, **self._place(), delta=text, **more)

    def _part(self, kind: Literal["text", "refusal"], part: Json) -> Iterator[Frame]:
        """A part of this kind is open afterwards, in the message that is open or in a new one."""
        if self._kind == kind:
            return
        if self._kind in ("text", "refusal"):
            yield from self._close_part()
            self._kind = kind
        else:
            yield from self._start(kind, "msg")
            yield self._added(message_item(self._item_id, [], "in_progress"))
        yield self._event("response.content_part.added", **self._place(), part=part)

    def _close_part(self) -> Iterator[Frame]:
        text = "".join(self._pieces)
        self._pieces = []
        if self._kind == "text":
            part = text_part(text)
            yield self._event("response.output_text.done", **self._place(), text=text, logprobs=[])
        else:
            part = refusal_part(text)
            yield self._event("response.refusal.done", **self._place(), refusal=text)
        yield self._event("response.content_part.done", **self._place(), part=part)
        self._content.append(part)

    def _close_item(self, thought: Thought | None = None) -> Iterator[Frame]:
        kind, text = self._kind, "".join(self._pieces)
        if kind is None:
            return
        if kind in ("text", "refusal"):
            yield from self._close_part()
            item = message_item(self._item_id, self._content)
        elif kind == "thought":
            yield from self._close_summary(text)
            last = thought or Thought(text=text)
            item = write_reasoning([msgspec.structs.replace(last, text=last.text or text)], self._item_id, self._origin)
        else:
            place = {"item_id": self._item_id, "output_index": len(self._output)}
            name = self._call.name
            yield self._event("response.function_call_arguments.done", **place, name=name, arguments=text)
            item = call_item(msgspec.structs.replace(self._call, arguments=text), self._item_id, self._origin)
        yield self._event("response.output_item.done", output_index=len(self._output), item=item)
        self._output.append(item)
        self._kind = None

    # ------------------------------------------------------------ reasoning

    def _thought(self, delta: ThoughtDelta) -> Iterator[Frame]:
        if delta.redacted:
            yield from self._start("thought", "rs")
            yield self._added({"id": self._item_id, "type": "reasoning", "summary": []})
            yield from self._close_item(Thought(text=delta.text, redacted=True))
            return
        if self._kind != "thought":
            yield from self._start("thought", "rs")
            yield self._added({"id": self._item_id, "type": "reasoning", "summary": []})
        if delta.text:
            place = self._place("summary_index")
            if not self._pieces:
                part = {"type": "summary_text", "text": ""}
                yield self._event("response.reasoning_summary_part.added", **place, part=part)
            self._pieces.append(delta.text)
            yield self._event("response.reasoning_summary_text.delta", **place, delta=delta.text)
        if delta.signature is not None:
            yield from self._close_item(Thought(text="", signature=delta.signature))

    def _close_summary(self, text: str) -> Iterator[Frame]:
        if not self._pieces:
            return
        place = self._place("summary_index")
        part = {"type": "summary_text", "text": text}
        yield self._event("response.reasoning_summary_text.done", **place, text=text)
        yield self._event("response.reasoning_summary_part.done", **place, part=part)

    # ------------------------------------------------------------ calls

    def _tool_call(self, delta: ToolCallDelta) -> Iterator[Frame]:
        if delta.index not in self._begun:
            self._begun.add(delta.index)
            self._calling = delta.index
            yield from self._start("call", "fc")
            call_id = delta.call_id or f"call_{self._item_id}"
            self._call = ToolCall(call_id=call_id, name=delta.name or "", arguments="", signature=delta.signature)
            yield self._added(call_item(self._call, self._item_id, self._origin, "in_progress"))
        elif self._kind != "call" or self._calling != delta.index:
            if delta.arguments:
                # the item is done and cannot be opened again: an end that is told, never a lost piece
                yield from self._fail(Failed(message="The upstream interleaved the pieces of two tool calls."))
            return
        if delta.arguments:
            self._pieces.append(delta.arguments)
            place = {"item_id": self._item_id, "output_index": len(self._output)}
            yield self._event("response.function_call_arguments.delta", **place, delta=delta.arguments)

    # ------------------------------------------------------------ the end

    def _end(self) -> Iterator[Frame]:
        yield from self._ensure_open()
        yield from self._close_item()
        self._is_over = True
        facts = ending(None if self._stopped is None else self._stopped.stop)
        yield self._event(f"response.{facts['status']}", response=self._whole(facts))

    def _fail(self, failed: Failed) -> Iterator[Frame]:
        self._is_over = True
        code = failure_code(failed.kind)
        if not self._response:
            yield self._event("error", code=code, message=failed.message, param=failed.param)
            return
        facts = {"status": "failed", "error": {"code": code, "message": failed.message}}
        yield self._event("response.failed", response=self._whole(facts))

    def _whole(self, facts: Json) -> Json:
        usage = None if self._usage is None else write_usage(self._usage)
        at = {"completed_at": self._response["created_at"]} if facts["status"] == "completed" else {}
        return self._response | at | facts | {"output": self._output, "usage": usage}
