"""The eight events of a chat stream: their shapes, the one way to build each, the one way to send them.

The shapes are what the contract of `/chat/stream` is derived from (`chat.contract.CONTRACT`), and a test holds them
against the document `chat/contract/chat_v2.json` that the guard reads. So a field that changes here alone is found
twice: `stipula check` sees the shape change, the guard sees the payload.
"""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Concatenate, Final, Literal, ParamSpec, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from stipula.wire.sse import Frame

CONTRACT_VERSION: Final = "v2"
STREAM_BACKEND: Final = "starlette"
COUNCIL_LABEL: Final = "4-Agents Reasoning"

ModeName = Literal["instant", "think", "deep-think", "multi-thinking", "auto"]
RequestId = Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]
Timestamp = Annotated[
    str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})?$")
]  # ISO 8601; ours are UTC and end in Z
Words = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]


class Payload(Struct, frozen=True, kw_only=True):
    """The data of one event."""

    event: ClassVar[str]


class Metadata(Payload, frozen=True, kw_only=True):
    """First event of every stream that got past request validation. thinking_mode: the mode that runs."""

    event: ClassVar[str] = "metadata"
    model: Words
    context: str
    deep_thinking: bool
    thinking_mode: ModeName
    stream_backend: Words
    stream_contract_version: Literal["v2"]
    web_search: bool
    streaming: Annotated[bool, Meta(extra_json_schema={"const": True})]
    timestamp: Timestamp
    request_id: RequestId


class ThinkingStart(Payload, frozen=True, kw_only=True):
    """Opens a reasoning block. mode, label: of the council only."""

    event: ClassVar[str] = "thinking_start"
    category: str
    timestamp: Timestamp
    mode: Literal["multi-thinking"] | UnsetType = UNSET
    label: Literal["4-Agents Reasoning"] | UnsetType = UNSET
    request_id: RequestId


class Thinking(Payload, frozen=True, kw_only=True):
    """One reasoning step, or one more piece of the open one. Repeats. trajectory_id: of the council only."""

    event: ClassVar[str] = "thinking"
    step: str
    step_index: Count
    category: str
    is_reasoning_chunk: bool
    trajectory_id: str | UnsetType = UNSET
    request_id: RequestId


class ThinkingEnd(Payload, frozen=True, kw_only=True):
    """Closes the reasoning block. rounds, trajectories: of the council only."""

    event: ClassVar[str] = "thinking_end"
    summary: str
    steps: list[str]
    category: str
    duration_ms: Count
    rounds: Count | UnsetType = UNSET
    trajectories: Count | UnsetType = UNSET
    request_id: RequestId


class Chunk(Payload, frozen=True, kw_only=True):
    """One piece of the answer's text. Repeats; chunk_index counts from 1."""

    event: ClassVar[str] = "chunk"
    content: Words
    chunk_index: Count
    request_id: RequestId


class Complete(Payload, frozen=True, kw_only=True):
    """Last event of a stream that succeeded. Fourteen fields are always there; fields are added, never removed."""

    event: ClassVar[str] = "complete"
    response: str
    model: Words
    context: str
    deep_thinking: bool
    thinking_mode: ModeName
    total_chunks: Count
    thinking_summary: str
    thinking_steps: list[str]
    thinking_duration_ms: Count
    timestamp: Timestamp
    elapsed_time: Seconds
    tokens: Count
    max_tokens: Annotated[int, Meta(ge=1)]
    request_id: RequestId
    time_to_first_chunk: Seconds | UnsetType | None = UNSET


class Failure(Payload, frozen=True, kw_only=True):
    """Last event of a stream that failed, or the only one of a request that was refused."""

    event: ClassVar[str] = "error"
    error: Words
    request_id: RequestId | UnsetType | None = UNSET


class Suggestions(Payload, frozen=True, kw_only=True):
    """Reserved: registered on both sides, never sent while it has no shape."""

    event: ClassVar[str] = "suggestions"


SENT: Final[tuple[type[Payload], ...]] = (Metadata, ThinkingStart, Thinking, ThinkingEnd, Chunk, Complete, Failure)
RESERVED: Final[tuple[type[Payload], ...]] = (Suggestions,)
TERMINAL: Final = frozenset({Complete.event, Failure.event})


# ---------------------------------------------------------------- building, one function an event


def metadata(
    request_id: str, /, *, model: str, context: str, deep_thinking: bool, mode: ModeName, web_search: bool, now: str
) -> Metadata:
    """The `metadata` event. now: ISO 8601."""
    return Metadata(
        model=model,
        context=context,
        deep_thinking=deep_thinking,
        thinking_mode=mode,
        stream_backend=STREAM_BACKEND,
        stream_contract_version=CONTRACT_VERSION,
        web_search=web_search,
        streaming=True,
        timestamp=now,
        request_id=request_id,
    )


def thinking_start(request_id: str, /, *, category: str, now: str, is_council: bool = False) -> ThinkingStart:
    """The `thinking_start` event; the council names itself."""
    if not is_council:
        return ThinkingStart(category=category, timestamp=now, request_id=request_id)
    return ThinkingStart(
        category=category, timestamp=now, mode="multi-thinking", label=COUNCIL_LABEL, request_id=request_id
    )


def thinking(
    request_id: str, /, *, step: str, index: int, category: str, is_piece: bool, trajectory: str | None = None
) -> Thinking:
    """The `thinking` event. is_piece: the step is to be put at the end of the one before it."""
    return Thinking(
        step=step,
        step_index=index,
        category=category,
        is_reasoning_chunk=is_piece,
        trajectory_id=_set(trajectory),
        request_id=request_id,
    )


def thinking_end(
    request_id: str,
    /,
    *,
    summary: str,
    steps: list[str],
    category: str,
    duration_ms: int,
    rounds: int | None = None,
    trajectories: int | None = None,
) -> ThinkingEnd:
    """The `thinking_end` event."""
    return ThinkingEnd(
        summary=summary,
        steps=steps,
        category=category,
        duration_ms=duration_ms,
        rounds=_set(rounds),
        trajectories=_set(trajectories),
        request_id=request_id,
    )


def chunk(request_id: str, /, *, content: str, index: int) -> Chunk:
    """The `chunk` event."""
    return Chunk(content=content, chunk_index=index, request_id=request_id)


def complete(
    request_id: str,
    /,
    *,
    response: str,
    model: str,
    context: str,
    deep_thinking: bool,
    mode: ModeName,
    total_chunks: int,
    thinking_summary: str,
    thinking_steps: list[str],
    thinking_duration_ms: int,
    now: str,
    elapsed_s: float,
    tokens: int,
    max_tokens: int,
    time_to_first_chunk_s: float | None = None,
) -> Complete:
    """The `complete` event: the only place that builds it. Seconds are sent with three decimals."""
    return Complete(
        response=response,
        model=model,
        context=context,
        deep_thinking=deep_thinking,
        thinking_mode=mode,
        total_chunks=total_chunks,
        thinking_summary=thinking_summary,
        thinking_steps=thinking_steps,
        thinking_duration_ms=thinking_duration_ms,
        timestamp=now,
        elapsed_time=round(elapsed_s, 3),
        tokens=tokens,
        max_tokens=max_tokens,
        request_id=request_id,
        time_to_first_chunk=UNSET if time_to_first_chunk_s is None else round(time_to_first_chunk_s, 3),
    )


def failure(request_id: str, /, *, error: str) -> Failure:
    """The `error` event."""
    return Failure(error=error or "the turn failed", request_id=request_id)


T = TypeVar("T")
Facts = ParamSpec("Facts")


def _set(value: T | None) -> T | UnsetType:
    """A field that is not known is left out on the wire, neither null nor invented."""
    return UNSET if value is None else value


# ---------------------------------------------------------------- sending


class StreamEvent(Struct, frozen=True):
    """One event as it goes out: its name, and its payload as JSON values."""

    event: str
    payload: dict[str, Any]

    @property
    def is_terminal(self) -> bool:
        """Whether nothing may follow it."""
        return self.event in TERMINAL

    def frame(self, number: int) -> Frame:
        """The frame of the event. number: its place in the stream, from 1; a reader that was cut off names it."""
        return Frame(event=self.event, data=msgspec.json.encode(self.payload).decode(), id=str(number))


class Emitter:
    """What every event of one request passes: it adds the request's id to each payload.

    The id is the first twelve hex digits of a UUID that is handed in.
    """

    def __init__(self, uuid: UUID) -> None:
        self.request_id = uuid.hex[:12]

    def emit(
        self, build: Callable[Concatenate[str, Facts], Payload], *args: Facts.args, **facts: Facts.kwargs
    ) -> StreamEvent:
        """The event that a builder makes of these facts."""
        payload = build(self.request_id, *args, **facts)
        return StreamEvent(payload.event, msgspec.to_builtins(payload))
