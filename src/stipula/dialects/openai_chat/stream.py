"""Chat streams: tolerant in reading what servers of this dialect really send, exact in writing.

Source of the sequence: the vendor's streaming reference, seen 2026-10: a delta with the role and empty content;
content, reasoning, refusal, calls; one frame with the finish reason; if asked for, the usage frame with no choices;
`[DONE]`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

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
    ThoughtDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from stipula.dialects.losses import Loss, Losses
from stipula.dialects.openai_chat.facts import FINISH, NAME
from stipula.dialects.openai_chat.reply import answers_of, error_members, read_fault, read_stop
from stipula.dialects.openai_chat.usage import read_usage, write_usage
from stipula.dialects.seals import marked, sealed, unmarked, unsealed
from stipula.dialects.strict_json import as_array, as_count, as_object, as_text
from stipula.wire.sse import Frame

_DONE: Final = Frame(data="[DONE]")
_KNOWN_IN_DELTA: Final = frozenset(
    {"role", "content", "tool_calls", "function_call", "refusal", "reasoning", "reasoning_content", "reasoning_details"}
)
_FAULT_STATUS: Final = 502
_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class ChatReader:
    """Frames of one upstream stream in, deltas out."""

    def __init__(self) -> None:
        self._is_open = False
        self._is_over = False
        self._stopped: set[int] = set()
        self._calls: dict[int, _Calls] = {}

    def __call__(self, frame: Frame) -> Iterable[Delta]:
        """The deltas in one frame; nothing after the terminal one."""
        if self._is_over or not frame.data:
            return ()
        if frame.data.startswith("[DONE]"):
            self._is_over = True
            return (Closed(),)
        try:
            chunk = as_object(_decode(frame.data))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return self._fail(Failed(message="The upstream sent a frame that is not JSON.", code="upstream_unreadable"))
        error = chunk.get("error") or (chunk if frame.event == "error" else None)
        if error:
            return self._fail(read_fault(error, _FAULT_STATUS))
        return list(self._read(chunk))

    def close(self) -> Iterable[Delta]:
        """A stream that named no end and sent no mark was cut; an answer that had ended is closed without the mark."""
        if self._is_over:
            return ()
        self._is_over = True
        if self._stopped:
            return (Closed(),)
        return (Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete"),)

    def _fail(self, failed: Failed) -> Iterable[Delta]:
        self._is_over = True
        return (failed,)

    def _read(self, chunk: Json) -> Iterator[Delta]:
        if not self._is_open:
            self._is_open = True
            yield Opened(
                reply_id=as_text(chunk.get("id")) or "",
                model=as_text(chunk.get("model")) or "",
                created=as_count(chunk.get("created")),
                dialect=NAME,
            )
        usage = chunk.get("usage")
        for choice in answers_of(chunk.get("choices")):
            candidate = as_count(choice.get("index"))
            yield from self._read_delta(as_object(choice.get("delta")), candidate)
            if choice.get("logprobs"):
                yield ForeignDelta(dialect=NAME, what="logprobs", raw=choice["logprobs"], candidate=candidate)
            word = as_text(choice.get("finish_reason"))
            if word and candidate not in self._stopped:
                self._stopped.add(candidate)
                stop = read_stop(word, called=candidate in self._calls)
                yield Stopped(stop=stop or "other", stop_raw=word, candidate=candidate)
            usage = usage or choice.get("usage")
        bill = read_usage(usage)
        if bill is not None:
            yield UsageDelta(usage=bill)

    def _read_delta(self, delta: Json, candidate: int) -> Iterator[Delta]:
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thought, str):
            yield ThoughtDelta(text=thought, candidate=candidate)
        if delta.get("reasoning_details"):
            yield from _details(delta["reasoning_details"], candidate, with_text=not thought)
        content = delta.get("content")
        if content and isinstance(content, str):
            yield TextDelta(text=content, candidate=candidate)
        elif content:
            yield from _content_parts(content, candidate)
        refusal = delta.get("refusal")
        if refusal and isinstance(refusal, str):
            yield RefusalDelta(text=refusal, candidate=candidate)
        if delta.get("tool_calls"):
            calls = self._calls.setdefault(candidate, _Calls())
            yield from (calls.read(as_object(raw), candidate) for raw in as_array(delta["tool_calls"]))
        if delta.get("function_call"):
            calls = self._calls.setdefault(candidate, _Calls())
            yield calls.read({"index": 0, "function": delta["function_call"]}, candidate)
        for name in delta.keys() - _KNOWN_IN_DELTA:
            if delta[name]:
                yield ForeignDelta(dialect=NAME, what=name, raw=delta[name], candidate=candidate)


class _Calls:
    """Which call a piece belongs to: by index, but a new id is a new call, since some servers count none."""

    def __init__(self) -> None:
        self._ids: list[str | None] = []
        self._ours: dict[object, int] = {}

    def read(self, raw: Json, candidate: int) -> ToolCallDelta:
        function = as_object(raw.get("function"))
        call_id = as_text(raw.get("id")) or None
        index = self._index(raw.get("index"), call_id)
        is_first = index == len(self._ids)
        if is_first:
            self._ids.append(call_id)
        bare, seal = unsealed(call_id) if is_first and call_id else (call_id, None)
        arguments = function.get("arguments")
        if arguments and not isinstance(arguments, str):
            arguments = _encode(arguments).decode()  # a server of this dialect that sends the object itself
        return ToolCallDelta(
            index=index,
            call_id=bare if is_first else None,
            name=as_text(function.get("name")) if is_first else None,
            arguments=arguments or "",
            signature=None if seal is None else unmarked(seal)[0],
            candidate=candidate,
        )

    def _index(self, wire: object, call_id: str | None) -> int:
        if isinstance(wire, int):
            known = self._ours.get(wire)
            if known is not None and (call_id is None or self._ids[known] in (None, call_id)):
                return known
        elif self._ids and (call_id is None or call_id in self._ids):
            return len(self._ids) - 1 if call_id is None else self._ids.index(call_id)
        self._ours[wire] = len(self._ids)
        return len(self._ids)


def _details(details: Any, candidate: int, *, with_text: bool) -> Iterator[Delta]:  # noqa: ANN401 - JSON of any shape
    for detail in map(as_object, as_array(details)):
        match detail.get("type"):
            case "reasoning.text":
                text = as_text(detail.get("text")) if with_text else None
                signature = as_text(detail.get("signature"))
                if text or signature:
                    yield ThoughtDelta(text=text or "", signature=signature, candidate=candidate)
            case "reasoning.encrypted":
                yield ThoughtDelta(text=as_text(detail.get("data")) or "", redacted=True, candidate=candidate)
            case _:
                yield ForeignDelta(dialect=NAME, what="reasoning_details", raw=detail, candidate=candidate)


def _content_parts(content: Any, candidate: int) -> Iterator[Delta]:  # noqa: ANN401 - some servers send parts
    for part in map(as_object, as_array(content)):
        text = part.get("text")
        if isinstance(text, str):
            yield TextDelta(text=text, candidate=candidate)
        else:
            yield ForeignDelta(dialect=NAME, what="content", raw=part, candidate=candidate)


class ChatWriter:
    """Deltas in, the frames of one chat stream out."""

    def __init__(self, ask: Ask, losses: Losses | None) -> None:
        self._wants_usage = ask.include_usage
        self._losses: Losses = [] if losses is None else losses
        self._opened = Opened(reply_id="", model=ask.model, created=0)
        self._origin = ""
        self._head = ""
        self._tail = ',"usage":null}' if ask.include_usage else "}"
        self._spoken: set[int] = set()
        self._calls: set[tuple[int, int]] = set()
        self._usage: Usage | None = None
        self._is_over = False

    def __call__(self, delta: Delta) -> Iterable[Frame]:
        """The frames that one delta becomes; none after the end."""
        if self._is_over:
            return ()
        piece = self._piece_json(delta)
        if piece is not None:
            return self._piece(delta.candidate, piece)
        match delta:
            case Opened():
                self._opened = delta
                self._origin = "" if delta.dialect == NAME else delta.dialect
                self._usage = delta.usage or self._usage
                return self._start(delta.candidate)
            case Stopped():
                return self._piece(delta.candidate, b"{}", FINISH[delta.stop])
            case Closed() | Failed():
                self._is_over = True
                return self._end() if isinstance(delta, Closed) else _failure(delta)
            case UsageDelta():
                self._usage = delta.usage
            case ForeignDelta():
                self._losses.append(Loss(at="", what=delta.what, to=NAME))
            case _:
                pass
        return ()

    def _piece_json(self, delta: Delta) -> bytes | None:
        match delta:
            case TextDelta():
                return b'{"content":%b}' % _encode(delta.text)
            case ThoughtDelta():
                return _thought_json(delta, self._origin)
            case ToolCallDelta():
                return self._call_json(delta)
            case RefusalDelta():
                return b'{"refusal":%b}' % _encode(delta.text)
            case _:
                return None

    def _start(self, candidate: int) -> Iterable[Frame]:
        """The frame that names the role, once for each answer."""
        if candidate in self._spoken:
            return ()
        self._spoken.add(candidate)
        if not self._head:
            facts = {"id": self._opened.reply_id, "object": "chat.completion.chunk"}
            facts |= {"created": self._opened.created, "model": self._opened.model}
            self._head = _encode(facts).decode()[:-1] + ',"choices":'
        return (self._frame(candidate, b'{"role":"assistant","content":""}', None),)

    def _piece(self, candidate: int, delta: bytes, finish: str | None = None) -> Iterable[Frame]:
        return (*self._start(candidate), self._frame(candidate, delta, finish))

    def _frame(self, candidate: int, delta: bytes, finish: str | None) -> Frame:
        word = "null" if finish is None else f'"{finish}"'
        choice = f'[{{"index":{candidate},"delta":{delta.decode()},"logprobs":null,"finish_reason":{word}}}]'
        return Frame(data=f"{self._head}{choice}{self._tail}")

    def _call_json(self, delta: ToolCallDelta) -> bytes:
        function: Json = {"arguments": delta.arguments}
        call: Json = {"index": delta.index, "function": function}
        if (delta.candidate, delta.index) not in self._calls:
            self._calls.add((delta.candidate, delta.index))
            call_id = delta.call_id or f"call_{delta.index}"
            seal = None if delta.signature is None else marked(delta.signature, self._origin)
            call |= {"id": sealed(call_id, seal), "type": "function"}
            call["function"] = {"name": delta.name or ""} | function
        elif delta.signature is not None:
            self._losses.append(Loss(at="", what="signature after the call's start", to=NAME))
        return _encode({"tool_calls": [call]})

    def _end(self) -> Iterable[Frame]:
        start = self._start(0)
        if self._usage is None or not self._wants_usage:
            return (*start, _DONE)
        usage = _encode(write_usage(self._usage)).decode()
        return (*start, Frame(data=f'{self._head}[],"usage":{usage}}}'), _DONE)


def _failure(failed: Failed) -> Iterable[Frame]:
    error = error_members(message=failed.message, kind=failed.kind, param=failed.param, code=failed.code)
    return (Frame(data=_encode(error).decode()), _DONE)


def _thought_json(delta: ThoughtDelta, origin: str) -> bytes:
    if delta.redacted:
        cipher = {"type": "reasoning.encrypted", "data": marked(delta.text, origin)}
        return _encode({"reasoning_details": [cipher]})
    if delta.signature is None:
        return b'{"reasoning_content":%b}' % _encode(delta.text)
    detail = {"type": "reasoning.text", "text": delta.text, "signature": marked(delta.signature, origin)}
    return _encode(({"reasoning_content": delta.text} if delta.text else {}) | {"reasoning_details": [detail]})


def is_usage_alone(frame: Frame, deltas: Iterable[Delta]) -> bool:
    """Whether the frame is the usage frame: a bill and no choices."""
    if not any(isinstance(delta, UsageDelta) for delta in deltas):
        return False
    return not as_object(_decode(frame.data)).get("choices")
