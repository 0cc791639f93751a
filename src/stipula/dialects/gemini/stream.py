"""generateContent streams: each frame a whole response with the next parts, no names, no end mark, the bill cumulative.

Source: the vendor's streaming reference, seen 2026-10. The end of the bytes is the end of the answer, so a stream
without a finish reason was cut.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from stipula.dialects.gemini.facts import FINISH, NAME, camel, read_stop, read_usage, write_usage
from stipula.dialects.gemini.parts import Ids, read_parts
from stipula.dialects.gemini.reply import block_reason, error_members, read_fault, write_answer_part
from stipula.dialects.ir import (
    Ask,
    Closed,
    Delta,
    Failed,
    Foreign,
    ForeignDelta,
    Json,
    Opened,
    Part,
    Refusal,
    RefusalDelta,
    Stopped,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from stipula.dialects.losses import Loss, Losses
from stipula.dialects.strict_json import as_array, as_count, as_object, as_text
from stipula.wire.sse import Frame

_FAULT_STATUS: Final = 502
_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode
_KNOWN: Final = frozenset({"content", "finishReason", "index", "tokenCount", "avgLogprobs", "finishMessage"})


class GeminiReader:
    """Frames of one upstream stream in, deltas out."""

    def __init__(self) -> None:
        self._is_open = False
        self._is_over = False
        self._stopped: set[int] = set()
        self._calls: dict[int, int] = {}
        self._ids = Ids()

    def __call__(self, frame: Frame) -> Iterable[Delta]:
        """The deltas in one frame; nothing after a failure."""
        if self._is_over or not frame.data or frame.data.startswith("[DONE]"):
            return ()
        try:
            chunk = camel(as_object(_decode(frame.data)))
            if chunk.get("error"):
                self._is_over = True
                return (read_fault(chunk["error"], _FAULT_STATUS),)
            return list(self._read(chunk))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            seen = "is not JSON"
        self._is_over = True
        return (Failed(message=f"The upstream sent a frame that {seen}.", code="upstream_unreadable"),)

    def close(self) -> Iterable[Delta]:
        """The end of the bytes: of the answer where its reason was told, of a cut stream otherwise."""
        if self._is_over:
            return ()
        self._is_over = True
        if self._stopped:
            return (Closed(),)
        return (Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete"),)

    def _read(self, chunk: Json) -> Iterator[Delta]:
        if not self._is_open:
            self._is_open = True
            reply_id, model = as_text(chunk.get("responseId")) or "", as_text(chunk.get("modelVersion")) or ""
            self._ids = Ids(f"-{reply_id}")
            yield Opened(reply_id=reply_id, model=model, created=0, dialect=NAME)
        for raw in as_array(chunk.get("candidates")):
            yield from self._candidate(camel(as_object(raw)))
        blocked = block_reason(chunk)
        if blocked is not None and not self._stopped:
            self._stopped.add(0)
            yield Stopped(stop="refusal", stop_raw=blocked)
        usage = read_usage(chunk.get("usageMetadata"))
        if usage is not None:
            yield UsageDelta(usage=usage)

    def _candidate(self, members: Json) -> Iterator[Delta]:
        candidate = as_count(members.get("index"))
        for raw in as_array(camel(as_object(members.get("content"))).get("parts")):
            for part in read_parts(raw, "", self._ids):
                yield from self._part(part, candidate)
        for name in members.keys() - _KNOWN:
            if members[name]:
                yield ForeignDelta(dialect=NAME, what=name, raw=members[name], candidate=candidate)
        word = as_text(members.get("finishReason"))
        stop = read_stop(word, called=self._calls.get(candidate, 0) > 0)
        if stop is not None and candidate not in self._stopped:
            self._stopped.add(candidate)
            yield Stopped(stop=stop, stop_raw=word, candidate=candidate)

    def _part(self, part: Part, candidate: int) -> Iterator[Delta]:
        match part:
            case Text(text=text):
                if text:
                    yield TextDelta(text=text, candidate=candidate)
            case Thought():
                signature, redacted = part.signature, part.redacted
                yield ThoughtDelta(text=part.text, signature=signature, redacted=redacted, candidate=candidate)
            case ToolCall():
                index = self._calls.get(candidate, 0)
                self._calls[candidate] = index + 1
                yield ToolCallDelta(
                    index=index,
                    call_id=part.call_id,
                    name=part.name,
                    arguments=part.arguments,
                    signature=part.signature,
                    candidate=candidate,
                )
            case _:
                raw = part.raw if isinstance(part, Foreign) else None
                yield ForeignDelta(dialect=NAME, what="part", raw=raw, candidate=candidate)


class GeminiWriter:
    """Deltas in, the frames of one stream out. A call goes out whole, as the dialect sends it."""

    def __init__(self, ask: Ask, losses: Losses | None) -> None:
        self._losses: Losses = [] if losses is None else losses
        self._opened = Opened(reply_id="", model=ask.model, created=0)
        self._origin = ""
        self._calls: dict[tuple[int, int], ToolCall] = {}
        self._sent: set[tuple[int, int]] = set()
        self._stops: dict[int, Stopped] = {}
        self._usage: Usage | None = None
        self._is_over = False

    def __call__(self, delta: Delta) -> Iterable[Frame]:
        """The frames that one delta becomes; none after the end."""
        return () if self._is_over else list(self._frames(delta))

    def _frames(self, delta: Delta) -> Iterator[Frame]:
        part = self._part(delta)
        if part is not None:
            yield from self._flush()
            yield self._frame([self._candidate(delta.candidate, [part])])
            return
        match delta:
            case ToolCallDelta():
                yield from self._gather(delta)
            case Opened():
                self._opened = delta
                self._origin = "" if delta.dialect == NAME else delta.dialect
                self._usage = delta.usage or self._usage
            case Stopped():
                yield from self._flush()
                self._stops.setdefault(delta.candidate, delta)
            case UsageDelta(usage=usage):
                self._usage = usage
            case Closed():
                yield from self._end()
            case Failed():
                self._is_over = True
                yield _frame(error_members(status=delta.status, message=delta.message))
            case ForeignDelta():
                self._losses.append(Loss(at="", what=delta.what, to=NAME))
            case _:
                pass

    def _part(self, delta: Delta) -> Any:  # noqa: ANN401 - a part, or None where the delta is no part
        match delta:
            case TextDelta(text=text):
                part: Part = Text(text=text)
            case RefusalDelta(text=text):
                part = Refusal(text=text)
            case ThoughtDelta():
                part = Thought(text=delta.text, signature=delta.signature, redacted=delta.redacted)
            case _:
                return None
        return write_answer_part(part, self._losses, self._origin)

    def _gather(self, delta: ToolCallDelta) -> Iterator[Frame]:
        key = (delta.candidate, delta.index)
        if key in self._sent:
            if delta.arguments:
                # the call has gone out whole: an end that is told, never a lost piece
                yield from self._frames(Failed(message="The upstream sent more of a tool call after its end."))
            return
        if key not in self._calls:
            yield from self._flush()  # where another call begins, the one before it is whole
        known = self._calls.get(key) or ToolCall(call_id=delta.call_id or "", name=delta.name or "", arguments="")
        self._calls[key] = msgspec.structs.replace(
            known, arguments=known.arguments + delta.arguments, signature=known.signature or delta.signature
        )

    def _flush(self) -> Iterator[Frame]:
        for (candidate, index), call in self._calls.items():
            self._sent.add((candidate, index))
            part = write_answer_part(call, self._losses, self._origin)
            yield self._frame([self._candidate(candidate, [part])])
        self._calls.clear()

    def _end(self) -> Iterator[Frame]:
        yield from self._flush()
        self._is_over = True
        last = [
            self._candidate(candidate, [{"text": ""}]) | {"finishReason": FINISH[stopped.stop]}
            for candidate, stopped in self._stops.items()
        ]
        bill = {} if self._usage is None else {"usageMetadata": write_usage(self._usage)}
        yield self._frame(last, **bill)

    def _candidate(self, index: int, parts: list[Json]) -> Json:
        return {"content": {"parts": parts, "role": "model"}, "index": index}

    def _frame(self, candidates: list[Json], **more: Any) -> Frame:  # noqa: ANN401 - JSON
        facts = {"modelVersion": self._opened.model, "responseId": self._opened.reply_id}
        return _frame({"candidates": candidates} | more | facts)


def _frame(members: Json) -> Frame:
    return Frame(data=_encode(members).decode())
