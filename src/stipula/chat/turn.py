"""One turn told as events: what the model sends goes in, what the reader of the stream gets comes out.

Pure but for the clock. The order is the contract's: metadata, at most one reasoning block, the answer, one ending.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from stipula.chat import events
from stipula.chat.clock import Clock, iso
from stipula.chat.events import Emitter, StreamEvent
from stipula.chat.think_tags import Piece, ThinkTags
from stipula.chat.thinking import Mode, steps_of, summary
from stipula.dialects.ir import (
    Closed,
    Delta,
    Failed,
    RefusalDelta,
    Stopped,
    TextDelta,
    ThoughtDelta,
    Usage,
    UsageDelta,
)

CUT: Final = "The answer was cut off before its end."
MODEL_FAULT: Final = "The model ended with a fault."
_CHARS_PER_TOKEN: Final = 4
"""Of the estimate, where the model does not say: about right for European languages, low for others."""


class Plan(Struct, frozen=True, kw_only=True):
    """What is known of a turn before its first event."""

    model: str
    mode: Mode
    context: str = "casual"
    category: str = "general"
    language: str = "en"
    max_tokens: int


class Telling:
    """One turn while it is told. What it holds may be read at any time: it is what gets stored.

    text: the answer so far. thought: all reasoning, shown or not. failure: what its `error` event says, "" for none.
    """

    def __init__(self, plan: Plan, emitter: Emitter, clock: Clock) -> None:
        self.plan = plan
        self.text = ""
        self.thought = ""
        self.steps: list[str] = []
        self.thinking_summary = ""
        self.thinking_ms = 0
        self.failure = ""
        self.is_over = False
        self.usage: Usage | None = None
        self._emitter = emitter
        self._clock = clock
        self._began = clock.monotonic()
        self._first_chunk: float | None = None
        self._block_began: float | None = None
        self._shown: list[str] = []  # the reasoning of the open block
        self._chunks = 0
        self._step_index = 0
        self._tags = ThinkTags()
        self._is_closed = False

    @property
    def elapsed_s(self) -> float:
        """Seconds since the turn began."""
        return self._clock.monotonic() - self._began

    @property
    def tokens(self) -> int:
        """Tokens of the answer and its reasoning, as the model counted or estimated."""
        if self.usage is not None:
            return self.usage.tokens_out
        return -(-(len(self.text) + len(self.thought)) // _CHARS_PER_TOKEN)

    # ------------------------------------------------------------ the ways of a turn

    def begin(self) -> Iterator[StreamEvent]:
        """The events before the model has said anything."""
        plan = self.plan
        yield self._emitter.emit(
            events.metadata,
            model=plan.model,
            context=plan.context,
            deep_thinking=plan.mode.shows_thinking,
            mode=plan.mode.name,
            web_search=False,
            now=iso(self._clock.now()),
        )
        if plan.mode.shows_thinking:
            self._block_began = self._clock.monotonic()
            yield self._emitter.emit(events.thinking_start, category=plan.category, now=iso(self._clock.now()))

    def hear(self, delta: Delta) -> Iterator[StreamEvent]:
        """The events that one delta becomes."""
        if self.is_over:
            return
        match delta:
            case TextDelta(text=text):
                yield from self._hear_text(_sound(text))
            case ThoughtDelta(text=text, redacted=False):
                yield from self._think(_sound(text))
            case RefusalDelta(text=text):
                yield from self._answer(_sound(text))
            case UsageDelta(usage=usage):
                self.usage = usage
            case Stopped(stop="error"):
                yield from self.fail(MODEL_FAULT)
            case Failed(message=message):
                yield from self.fail(message)
            case Closed():
                self._is_closed = True
            case _:
                pass  # the answer's beginning, calls of tools that were not offered, what we have no word for

    def finish(self) -> Iterator[StreamEvent]:
        """The ending, once the model says no more: `complete`, or `error` where it did not come to its end."""
        if self.is_over:
            return
        yield from self._pieces(self._tags.close())
        if not self._is_closed:
            yield from self.fail(CUT)
            return
        yield from self._end_block()
        self.is_over = True
        yield self._emitter.emit(
            events.complete,
            response=self.text,
            model=self.plan.model,
            context=self.plan.context,
            deep_thinking=self.plan.mode.shows_thinking,
            mode=self.plan.mode.name,
            total_chunks=self._chunks,
            thinking_summary=self.thinking_summary,
            thinking_steps=self.steps,
            thinking_duration_ms=self.thinking_ms,
            now=iso(self._clock.now()),
            elapsed_s=self.elapsed_s,
            tokens=self.tokens,
            max_tokens=self.plan.max_tokens,
            time_to_first_chunk_s=self._first_chunk,
        )

    def fail(self, message: str) -> Iterator[StreamEvent]:
        """The ending of a turn that failed or was stopped; what was answered so far stands."""
        if self.is_over:
            return
        self.is_over = True
        self.failure = message
        if self._shown and not self.steps:
            self.steps = steps_of("".join(self._shown))
        yield self._emitter.emit(events.failure, error=message)

    # ------------------------------------------------------------ reasoning and answer

    def _hear_text(self, text: str) -> Iterator[StreamEvent]:
        yield from self._pieces(self._tags.feed(text))

    def _pieces(self, pieces: list[Piece]) -> Iterator[StreamEvent]:
        for piece in pieces:
            if piece.kind == "thought":
                yield from self._think(piece.text)
            elif piece.kind == "text":
                yield from self._answer(piece.text)

    def _think(self, text: str) -> Iterator[StreamEvent]:
        """Reasoning is shown while its block is open; before and after it is only kept."""
        self.thought += text
        if self._block_began is None or not text:
            return
        self._shown.append(text)
        yield self._emitter.emit(
            events.thinking, step=text, index=self._step_index, category=self.plan.category, is_piece=True
        )
        self._step_index += 1

    def _answer(self, text: str) -> Iterator[StreamEvent]:
        if not text:
            return
        yield from self._end_block()
        if self._first_chunk is None:
            self._first_chunk = self.elapsed_s
        self.text += text
        self._chunks += 1
        yield self._emitter.emit(events.chunk, content=text, index=self._chunks)

    def _end_block(self) -> Iterator[StreamEvent]:
        if self._block_began is None:
            return
        self.thinking_ms = round((self._clock.monotonic() - self._block_began) * 1000)
        self._block_began = None
        self.steps = steps_of("".join(self._shown))
        self.thinking_summary = summary(self.plan.language, duration_ms=self.thinking_ms, has_thought=bool(self.steps))
        yield self._emitter.emit(
            events.thinking_end,
            summary=self.thinking_summary,
            steps=self.steps,
            category=self.plan.category,
            duration_ms=self.thinking_ms,
        )


def _sound(text: str) -> str:
    """The text without halves of surrogate pairs, which no stream can carry; a model may cut a character in two."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
