"""Streams of the messages dialect: named events, blocks that never overlap, one terminal event.

Source of the sequence: the vendor's streaming reference, seen 2026-10: message_start; per block its start, deltas and
stop, the signature last; message_delta with the stop reason and the bill; message_stop. `error` ends it at any point.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

import msgspec

from stipula.dialects.anthropic_messages.blocks import write_id
from stipula.dialects.anthropic_messages.facts import NAME, STOP_REASONS, read_stop, read_usage, write_usage
from stipula.dialects.anthropic_messages.reply import error_members, read_fault
from stipula.dialects.ir import (
    Ask,
    Closed,
    Delta,
    Failed,
    ForeignDelta,
    Json,
    Opened,
    RefusalDelta,
    Stop,
    Stopped,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from stipula.dialects.losses import Loss, Losses
from stipula.dialects.seals import marked, sealed
from stipula.dialects.strict_json import as_count, as_object, as_text
from stipula.wire.sse import Frame

_FAULT_STATUS: Final = 502
_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class MessagesReader:
    """Frames of one upstream stream in, deltas out."""

    def __init__(self) -> None:
        self._is_over = False
        self._is_stopped = False
        self._bill: Json = {}
        self._calls: dict[int, _Call] = {}

    def __call__(self, frame: Frame) -> Iterable[Delta]:
        """The deltas in one frame; nothing after the terminal one."""
        if self._is_over or not frame.data or frame.data == "[DONE]":
            return ()
        try:
            event = as_object(_decode(frame.data))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._is_over = True
            return (Failed(message="The upstream sent a frame that is not JSON.", code="upstream_unreadable"),)
        return list(self._read(as_text(event.get("type")) or frame.event, event))

    def close(self) -> Iterable[Delta]:
        """A stream that named no end was cut; an answer that had ended is closed without the last event."""
        if self._is_over:
            return ()
        self._is_over = True
        if self._is_stopped:
            return (Closed(),)
        return (Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete"),)

    def _read(self, name: str, event: Json) -> Iterator[Delta]:
        match name:
            case "message_start":
                message = as_object(event.get("message"))
                self._bill |= as_object(message.get("usage"))
                reply_id, model = as_text(message.get("id")) or "", as_text(message.get("model")) or ""
                usage = read_usage(self._bill)
                yield Opened(reply_id=reply_id, model=model, created=0, usage=usage, dialect=NAME)
            case "content_block_start":
                yield from self._start(as_count(event.get("index")), as_object(event.get("content_block")))
            case "content_block_delta":
                yield from self._delta(as_count(event.get("index")), as_object(event.get("delta")))
            case "content_block_stop":
                call = self._calls.get(as_count(event.get("index")))
                if call is not None and not call.is_spoken:
                    yield ToolCallDelta(index=call.number, arguments=call.given)
            case "message_delta":
                yield from self._last(event)
            case "message_stop":
                self._is_over = True
                yield Closed()
            case "error":
                self._is_over = True
                yield read_fault(event, _FAULT_STATUS)
            case _:
                pass  # pings, and events of days to come

    def _start(self, index: int, block: Json) -> Iterator[Delta]:
        match block.get("type"):
            case "tool_use":
                given = _encode(block.get("input") or {}).decode()
                call = self._calls[index] = _Call(len(self._calls), given)
                call_id, name = as_text(block.get("id")), as_text(block.get("name"))
                yield ToolCallDelta(index=call.number, call_id=call_id, name=name)
            case "text":
                if block.get("text"):
                    yield TextDelta(text=as_text(block["text"]) or "")
            case "thinking":
                if block.get("thinking"):
                    yield ThoughtDelta(text=as_text(block["thinking"]) or "")
            case "redacted_thinking":
                yield ThoughtDelta(text=as_text(block.get("data")) or "", redacted=True)
            case kind:
                yield ForeignDelta(dialect=NAME, what=as_text(kind) or "block", raw=block)

    def _delta(self, index: int, delta: Json) -> Iterator[Delta]:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                yield TextDelta(text=text)
            case {"type": "input_json_delta", "partial_json": str(text)}:
                call = self._calls.get(index)
                if call is not None and text:
                    call.is_spoken = True
                    yield ToolCallDelta(index=call.number, arguments=text)
            case {"type": "thinking_delta", "thinking": str(text)}:
                yield ThoughtDelta(text=text)
            case {"type": "signature_delta", "signature": str(signature)}:
                yield ThoughtDelta(signature=signature)
            case {"type": kind}:
                yield ForeignDelta(dialect=NAME, what=as_text(kind) or "delta", raw=delta)
            case _:
                pass

    def _last(self, event: Json) -> Iterator[Delta]:
        delta = as_object(event.get("delta"))
        # cumulative, and a later value replaces an earlier one field by field
        self._bill |= {name: value for name, value in as_object(event.get("usage")).items() if value is not None}
        word = as_text(delta.get("stop_reason"))
        stop = read_stop(word, called=bool(self._calls))
        if stop is not None and not self._is_stopped:
            self._is_stopped = True
            yield Stopped(stop=stop, stop_raw=word, stop_string=as_text(delta.get("stop_sequence")))
        yield UsageDelta(usage=read_usage(self._bill))


class _Call:
    """A call in the making. given: the arguments that stood in its start, which count where no piece follows."""

    def __init__(self, number: int, given: str) -> None:
        self.number = number
        self.given = given
        self.is_spoken = False


_Kind = Literal["text", "thinking", "tool_use"]


class MessagesWriter:
    """Deltas in, the events of one stream out."""

    def __init__(self, ask: Ask, losses: Losses | None) -> None:
        self._losses: Losses = [] if losses is None else losses
        self._opened: Opened | None = None
        self._model = ask.model
        self._origin = ""
        self._index = -1
        self._block: _Kind | None = None
        self._call = -1
        self._begun: set[int] = set()
        self._stopped: Stopped | None = None
        self._has_refused = False
        self._usage = Usage()
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
            case TextDelta(text=text) | RefusalDelta(text=text):
                self._has_refused |= isinstance(delta, RefusalDelta)
                yield from self._ensure("text", b'{"type":"text","text":""}')
                yield self._piece(b'{"type":"text_delta","text":%b}' % _encode(text))
            case ThoughtDelta():
                yield from self._thought(delta)
            case ToolCallDelta():
                yield from self._tool_call(delta)
            case Opened():
                yield from self._open(delta)
            case Stopped():
                yield from self._close_block()
                self._stopped = self._stopped or delta
            case UsageDelta(usage=usage):
                self._usage = usage
            case Closed():
                yield from self._end()
            case Failed():
                self._is_over = True
                yield _frame("error", error_members(message=delta.message, kind=delta.kind))
            case ForeignDelta():
                self._losses.append(Loss(at="", what=delta.what, to=NAME))
            case _:
                pass

    def _open(self, opened: Opened) -> Iterator[Frame]:
        if self._opened is not None:
            return
        self._opened = opened
        self._origin = "" if opened.dialect == NAME else opened.dialect
        self._usage = opened.usage or self._usage
        message: Json = {
            "id": opened.reply_id,
            "type": "message",
            "role": "assistant",
            "model": opened.model,
            "content": [],
        }
        message |= {"stop_reason": None, "stop_sequence": None, "usage": write_usage(self._usage)}
        yield _frame("message_start", {"type": "message_start", "message": message})

    def _ensure(self, kind: _Kind, block: bytes) -> Iterator[Frame]:
        """A block of this kind is open afterwards; the one before it is closed, since blocks never overlap."""
        if self._block == kind:
            return
        yield from self._start_block(kind, block)

    def _start_block(self, kind: _Kind | None, block: bytes) -> Iterator[Frame]:
        yield from self._open(Opened(reply_id="", model=self._model, created=0))
        yield from self._close_block()
        self._block = kind
        self._index += 1
        start = b'{"type":"content_block_start","index":%d,"content_block":%b}' % (self._index, block)
        yield Frame(event="content_block_start", data=start.decode())

    def _close_block(self) -> Iterator[Frame]:
        if self._block is None:
            return
        self._block = None
        yield _frame("content_block_stop", {"type": "content_block_stop", "index": self._index})

    def _piece(self, delta: bytes) -> Frame:
        data = b'{"type":"content_block_delta","index":%d,"delta":%b}' % (self._index, delta)
        return Frame(event="content_block_delta", data=data.decode())

    def _thought(self, delta: ThoughtDelta) -> Iterator[Frame]:
        if delta.redacted:
            block = {"type": "redacted_thinking", "data": marked(delta.text, self._origin)}
            yield from self._start_block("thinking", _encode(block))
            yield from self._close_block()
            return
        yield from self._ensure("thinking", b'{"type":"thinking","thinking":"","signature":""}')
        if delta.text:
            yield self._piece(b'{"type":"thinking_delta","thinking":%b}' % _encode(delta.text))
        if delta.signature is not None:
            seal = marked(delta.signature, self._origin)
            yield self._piece(b'{"type":"signature_delta","signature":%b}' % _encode(seal))
            yield from self._close_block()  # the signature is the last of its block

    def _tool_call(self, delta: ToolCallDelta) -> Iterator[Frame]:
        if delta.index not in self._begun:
            self._begun.add(delta.index)
            self._call = delta.index
            link = write_id(delta.call_id or "", str(delta.index))
            if delta.signature is not None:
                link = sealed(link, marked(delta.signature, self._origin))
            block: Json = {"type": "tool_use", "id": link, "name": delta.name or "", "input": {}}
            yield from self._start_block("tool_use", _encode(block))
        elif self._block != "tool_use" or self._call != delta.index:
            if delta.arguments:
                # the block is closed and cannot be opened again: an end that is told, never a lost piece
                yield from self._frames(Failed(message="The upstream interleaved the pieces of two tool calls."))
            return
        if delta.arguments:
            yield self._piece(b'{"type":"input_json_delta","partial_json":%b}' % _encode(delta.arguments))

    def _end(self) -> Iterator[Frame]:
        self._is_over = True
        yield from self._open(Opened(reply_id="", model=self._model, created=0))
        yield from self._close_block()
        stopped = self._stopped
        reason = None if stopped is None else STOP_REASONS[self._stop_of(stopped)]
        delta = {"stop_reason": reason, "stop_sequence": None if stopped is None else stopped.stop_string}
        yield _frame("message_delta", {"type": "message_delta", "delta": delta, "usage": write_usage(self._usage)})
        yield _frame("message_stop", {"type": "message_stop"})

    def _stop_of(self, stopped: Stopped) -> Stop:
        if stopped.stop == "end" and self._has_refused:
            return "refusal"
        return "end" if stopped.stop == "stop_string" and stopped.stop_string is None else stopped.stop


def _frame(event: str, members: Json) -> Frame:
    return Frame(event=event, data=_encode(members).decode())
