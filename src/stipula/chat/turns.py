"""The turns that run: started by a request, told to a journal, stored, stopped. A lost connection stops none of them.

Whoever reads a stream, the request that started it as well as one that comes back later, reads the journal.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final, Self, cast
from uuid import UUID

from msgspec import Struct, field

from stipula.chat.asking import Line, ModelRow, Models, Wishes, ask_of, recent
from stipula.chat.categories import category_of
from stipula.chat.clock import Clock
from stipula.chat.conversations import Conversations, Opened, State
from stipula.chat.events import Emitter, StreamEvent, failure
from stipula.chat.guard import ChatGuard
from stipula.chat.requests import ChatRequest
from stipula.chat.settings import ChatSettings
from stipula.chat.tally import Tally
from stipula.chat.turn import Plan, Telling
from stipula.dialects.ir import Ask, Delta
from stipula.enforce.stream import StreamGuard
from stipula.errors import Problem
from stipula.redact import redact
from stipula.storage.ports import Journal, Row
from stipula.wire.sse import encode

STOPPED: Final = "The answer was stopped."
GOING_DOWN: Final = "The service is going down; the answer was interrupted."
RESTARTED: Final = "The service was started anew; the answer was interrupted."
_SAVE_EVERY_S: Final = 1.0
_LOG: Final = logging.getLogger("stipula.chat")


class TooManyTurns(Problem):
    """More turns run than the deployment allows."""

    code, status = "CHT201", 429
    hint = "{running} answers are being written, and that is the limit; try again in a moment"


class NoModel(Problem):
    """A request names no model, and there is none to take."""

    code, status = "CHT202", 503
    hint = "no model is configured; name one in [[gateway.upstreams]]"


class Running(Struct, kw_only=True):
    """One turn, from its start until its stream is forgotten. ending: its terminal event, once that went out."""

    emitter: Emitter
    telling: Telling
    guard: StreamGuard
    opened: Opened | None
    task: asyncio.Task[None] | None = None
    stop_reason: str = ""
    is_stopped_by_person: bool = False
    is_ending: bool = False
    sent: int = 0
    saved_at: float = 0.0
    ending: StreamEvent | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def request_id(self) -> str:
        """Its name."""
        return self.emitter.request_id

    @property
    def answer(self) -> Row | None:
        """Where its answer is stored; None where nothing is."""
        return self.opened.answer if self.opened else None


class Turns:
    """All running turns of this process. To be entered (`async with`) before the first one starts."""

    def __init__(
        self,
        models: Models,
        conversations: Conversations | None,
        journal: Journal,
        guard: ChatGuard,
        clock: Clock,
        settings: ChatSettings,
        new_uuid: Callable[[], UUID],
    ) -> None:
        self.tally = Tally(clock)
        self._models = models
        self._conversations = conversations
        self._journal = journal
        self._guard = guard
        self._clock = clock
        self._settings = settings
        self._new_uuid = new_uuid
        self._running: dict[str, Running] = {}
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        """Begin; turns that a killed process left behind are marked interrupted."""
        await self._group.__aenter__()
        if self._conversations is not None:
            try:
                for request_id in await self._conversations.recover():
                    await self._close(request_id)
            except Problem as why:  # a store that is down at the start must not keep the page from coming up
                _LOG.warning("turns of the last run were not looked at: %s", why)
        return self

    async def _close(self, request_id: str) -> None:
        """End the stream of a turn that nobody writes any more: who comes back for its rest is told."""
        tail = await self._journal.read(request_id)
        if tail is None or tail.is_finished:
            return
        payload = failure(request_id, error=RESTARTED)
        event = StreamEvent(payload.event, {"error": payload.error, "request_id": request_id})
        await self._journal.append(request_id, encode(event.frame(tail.entries[-1].number + 1 if tail.entries else 1)))
        await self._journal.finish(request_id, keep_s=self._settings.replay_s)

    async def __aexit__(self, *facts: object) -> None:
        """End: running turns are interrupted and stored."""
        for running in list(self._running.values()):
            self._cancel(running, GOING_DOWN)
        await self._group.__aexit__(None, None, None)

    @property
    def count(self) -> int:
        """How many run."""
        return len(self._running)

    # ------------------------------------------------------------ start, follow, stop

    async def start(self, request: ChatRequest) -> tuple[str, Running | None]:
        """Begin a turn, or find the one that answers this very question now: its request id, and the turn if it is new.

        Raises a Problem where nothing was begun and nothing spent.
        """
        if len(self._running) >= self._settings.max_running:
            raise TooManyTurns(running=len(self._running))
        emitter = Emitter(self._new_uuid())
        row = self._row(request.model)
        model = request.model or (row.name if row else "")
        if not model:
            raise NoModel
        mode = request.mode
        opened = await self._open(request, emitter.request_id, {"model": model, "thinking_mode": mode.name})
        if opened is not None and opened.running:
            return opened.running, None
        wishes = _wishes(request, opened)
        lines = opened.lines if opened else _history(request)
        lines = recent(lines, max_turns=self._settings.history_turns, max_chars=self._settings.history_chars)
        ask = ask_of(row, model, lines, request.message, mode, wishes)
        plan = Plan(
            model=model,
            mode=mode,
            context=request.context,
            category=category_of(request.message),
            language=request.locale,
            max_tokens=ask.sampling.max_tokens or mode.max_tokens,
        )
        guard = self._guard.stream(emitter.request_id)
        running = Running(emitter=emitter, telling=Telling(plan, emitter, self._clock), guard=guard, opened=opened)
        await self._begin(running, ask)
        return emitter.request_id, running

    async def stop(self, request_id: str) -> bool:
        """Stop a turn and wait until it is stored and its stream has ended; False where it does not run."""
        running = self._running.get(request_id)
        if running is None:
            return False
        running.is_stopped_by_person = True
        self._cancel(running, STOPPED)
        await running.ended.wait()
        return True

    async def is_known(self, request_id: str) -> bool:
        """Whether the stream of this request can be read."""
        return request_id in self._running or await self._journal.read(request_id) is not None

    async def stop_all_of(self, conversation: str) -> None:
        """Stop the turns of a conversation."""
        for running in list(self._running.values()):
            if running.opened is not None and running.opened.conversation == conversation:
                await self.stop(running.request_id)

    async def follow(self, request_id: str, after: int = 0) -> AsyncIterator[bytes | None]:
        """The frames of a stream after a number, to its end; None where it was silent for `keepalive_s`."""
        while (tail := await self._journal.read(request_id, after)) is not None:
            for entry in tail.entries:
                yield entry.data
                after = entry.number
            if tail.is_finished:
                return
            if not tail.entries and not await self._news(request_id, after):
                yield None

    async def _news(self, request_id: str, after: int) -> bool:
        return await self._clock.within(self._settings.keepalive_s, self._journal.changed(request_id, after))

    # ------------------------------------------------------------ before the first event

    def _row(self, model: str) -> ModelRow | None:
        """The model's row; where none is named, the first that is ready, else the first."""
        rows = self._models.models()
        if model:
            return next((row for row in rows if row.name == model), None)
        return next((row for row in rows if row.ready), rows[0] if rows else None)

    async def _open(self, request: ChatRequest, request_id: str, facts: dict[str, Any]) -> Opened | None:
        book = self._conversations
        if book is None:
            return None
        conversation = request.conversation_id or (await book.new(model=str(facts["model"]))).id
        return await book.open_turn(
            conversation,
            request.message,
            message_id=request.message_id or "",
            request_id=request_id,
            facts=facts,
            is_running=self._running.__contains__,
        )

    async def _begin(self, running: Running, ask: Ask) -> None:
        """Send what comes before the model's first word, so that a reader finds the stream, and let the turn run."""
        self._running[running.request_id] = running
        self.tally.begin()
        for event in running.telling.begin():
            await self._send(running, event)
        running.task = self._group.create_task(self._run(running, ask))
        await asyncio.sleep(0)  # a task that is cancelled before its first step would never end its stream

    def _cancel(self, running: Running, reason: str) -> None:
        if running.stop_reason or running.is_ending:
            return
        running.stop_reason = reason
        if running.task is not None:
            running.task.cancel()

    # ------------------------------------------------------------ the turn itself

    async def _run(self, running: Running, ask: Ask) -> None:
        """Ask the model, tell what it says, end well or badly; raises nothing."""
        try:
            await self._listen(running, ask)
            endings = list(running.telling.finish())
        except asyncio.CancelledError:
            endings = list(running.telling.fail(running.stop_reason or GOING_DOWN))
        except Problem as why:
            endings = list(running.telling.fail(redact(str(why))))
        except Exception as why:  # noqa: BLE001 - whatever it was, the reader of the stream is owed an ending
            _LOG.error("turn %s: %s", running.request_id, redact(repr(why)))
            endings = list(running.telling.fail(f"Something went wrong inside the service ({running.request_id})."))
        await self._end(running, endings)

    async def _listen(self, running: Running, ask: Ask) -> None:
        telling = running.telling
        if running.stop_reason:
            raise asyncio.CancelledError
        deltas = cast("AsyncGenerator[Delta]", self._models.stream(ask, request_id=running.request_id))
        async with aclosing(deltas):
            async for delta in deltas:
                for event in telling.hear(delta):
                    await self._send(running, event)
                if running.ending is not None or telling.is_over:
                    return
                await self._save_now_and_then(running)

    async def _send(self, running: Running, event: StreamEvent) -> None:
        """Hold an event to the contract and append it. A terminal one waits: it goes out after the turn is stored."""
        if running.ending is not None:
            return
        decision = running.guard.check(event.event, event.payload)
        if decision.action == "refuse":
            running.ending = _instead(decision.instead) or event
        elif event.is_terminal:
            running.ending = event
        else:
            await self._append(running, event)

    async def _append(self, running: Running, event: StreamEvent) -> None:
        running.sent += 1
        await self._journal.append(running.request_id, encode(event.frame(running.sent)))

    async def _end(self, running: Running, endings: Sequence[StreamEvent]) -> None:
        running.is_ending = True
        for event in endings:
            await self._send(running, event)
        running.guard.close()
        try:
            await self._save(running, _state(running))
        except Problem as why:  # the reader saw the answer, and must not believe that it is kept
            _LOG.error("turn %s was not stored: %s", running.request_id, why)
            running.ending = running.emitter.emit(failure, error=f"The answer could not be stored: {why}")
        if running.ending is not None:
            await self._append(running, running.ending)
            self.tally.end(running.ending, running.telling)
        await self._journal.finish(running.request_id, keep_s=self._settings.replay_s)
        del self._running[running.request_id]
        running.ended.set()

    # ------------------------------------------------------------ storing

    async def _save_now_and_then(self, running: Running) -> None:
        now = self._clock.monotonic()
        if running.answer is None or now - running.saved_at < _SAVE_EVERY_S:
            return
        running.saved_at = now
        try:
            await self._save(running, "streaming")
        except Problem as why:  # the answer goes on; its end is stored, or fails to be, by itself
            _LOG.warning("turn %s was not stored on the way: %s", running.request_id, why)

    async def _save(self, running: Running, state: State) -> None:
        if self._conversations is None or running.answer is None:
            return
        telling = running.telling
        facts: dict[str, Any] = {
            "thinking": telling.thought,
            "thinking_steps": telling.steps,
            "thinking_summary": telling.thinking_summary,
            "thinking_duration_ms": telling.thinking_ms,
            "elapsed_time": round(telling.elapsed_s, 3),
            "tokens": telling.tokens,
            "max_tokens": telling.plan.max_tokens,
        }
        if state in {"failed", "interrupted"}:
            facts |= {"is_stopped": running.is_stopped_by_person, "error": _reason(running)}
        await self._conversations.save_turn(running.answer, state, telling.text, facts)


def _instead(told: tuple[str, object] | None) -> StreamEvent | None:
    """What the guard sends in the place of a broken event."""
    return None if told is None else StreamEvent(told[0], cast("dict[str, Any]", told[1]))


def _state(running: Running) -> State:
    if running.stop_reason and running.telling.failure == running.stop_reason:
        return "interrupted"
    return "whole" if running.ending is not None and running.ending.event == "complete" else "failed"


def _reason(running: Running) -> str:
    return str(running.ending.payload.get("error", "")) if running.ending is not None else running.telling.failure


def _wishes(request: ChatRequest, opened: Opened | None) -> Wishes:
    """What the person set. The limits of the deeper modes count only where reasoning is shown."""
    is_deep = request.mode.shows_thinking
    deep = request.temperature_deep if is_deep else None
    return Wishes(
        system=request.custom_prompt or (opened.system if opened else None),
        temperature=request.temperature if deep is None else deep,
        top_p=request.top_p,
        max_tokens=request.max_tokens_deep if is_deep else None,
    )


def _history(request: ChatRequest) -> Sequence[Line]:
    return [Line(line.role, line.content) for line in request.history or ()]
