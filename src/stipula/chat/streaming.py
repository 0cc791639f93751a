"""The routes of the turns: ask and follow, ask and wait, come back, stop, and what they all did."""

import logging
from collections.abc import Callable
from typing import Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stipula.chat import shapes
from stipula.chat.answers import body, fault, problem, read_body, refused, status_of, stream
from stipula.chat.clock import Clock, iso
from stipula.chat.events import Complete, Emitter, failure
from stipula.chat.guard import ChatGuard
from stipula.chat.requests import ChatRequest, RequestBroken, checked, read, read_query
from stipula.chat.settings import ChatSettings
from stipula.chat.turns import Turns
from stipula.errors import Problem
from stipula.redact import redact

_LOG: Final = logging.getLogger("stipula.chat")
_MAX_NUMBER_DIGITS: Final = 9


class StreamUnknown(Problem):
    """No stream of this request runs, and none is kept."""

    code, status = "CHT301", 404
    hint = "no stream of the request {id!r} is kept any more; what it answered stands in its conversation"


class StreamRoutes:
    """POST and GET /chat/stream, GET and DELETE /chat/stream/{request_id}, POST /chat, GET /chat/stream/metrics."""

    def __init__(
        self, turns: Turns, guard: ChatGuard, clock: Clock, settings: ChatSettings, new_uuid: Callable[[], UUID]
    ) -> None:
        self._turns = turns
        self._guard = guard
        self._clock = clock
        self._settings = settings
        self._new_uuid = new_uuid

    @property
    def routes(self) -> list[Route]:
        """Their table."""
        return [
            Route("/chat", self.ask_whole, methods=["POST"]),
            Route("/chat/stream", self.ask, methods=["POST", "GET"]),
            Route("/chat/stream/metrics", self.metrics),
            Route("/chat/stream/{request_id}", self.resume, methods=["GET"]),
            Route("/chat/stream/{request_id}", self.stop, methods=["DELETE"]),
        ]

    async def ask(self, request: Request) -> Response:
        """Begin a turn and follow it. A refusal is a stream of one `error` event under its own status."""
        try:
            asked = await self._read(request)
            request_id, running = await self._turns.start(asked)
        except Problem as why:
            event = Emitter(self._new_uuid()).emit(failure, error=redact(str(why)))
            return refused(event, status_of(why))
        answer = stream(self._turns.follow(request_id), request_id=request_id)
        if running is not None and running.opened is not None:
            answer.headers["x-conversation-id"] = running.opened.conversation
        return answer

    async def ask_whole(self, request: Request) -> Response:
        """Run a turn to its end and answer it in one piece."""
        asked = await self._read(request)
        request_id, running = await self._turns.start(asked)
        if running is None:
            return fault(429, f"This question is being answered already, by the request {request_id}.")
        await running.ended.wait()
        ending, telling = running.ending, running.telling
        if ending is None or ending.event != Complete.event:
            return fault(500, str(ending.payload["error"]) if ending else "the turn did not end")
        return body(
            shapes.Answer(
                success=True,
                response=telling.text,
                model=telling.plan.model,
                context=telling.plan.context,
                deep_thinking=telling.plan.mode.shows_thinking,
                thinking_process=telling.thought if telling.plan.mode.shows_thinking else "",
                tools=[],
                timestamp=iso(self._clock.now()),
            ),
            headers={"x-request-id": request_id},
        )

    async def resume(self, request: Request) -> Response:
        """The rest of a stream, of a turn that runs or ended within the last minutes."""
        request_id = request.path_params["request_id"]
        after = _last_number(request.headers.get("last-event-id"))
        if not await self._turns.is_known(request_id):
            return problem(StreamUnknown(id=request_id[:40]))
        return stream(self._turns.follow(request_id, after), request_id=request_id)

    async def stop(self, request: Request) -> Response:
        """Stop a turn; one that has ended already stays as it is."""
        request_id = request.path_params["request_id"]
        if not await self._turns.is_known(request_id):
            return problem(StreamUnknown(id=request_id[:40]))
        stopped = await self._turns.stop(request_id)
        return body(shapes.Stopped(success=True, request_id=request_id, stopped=stopped))

    async def metrics(self, _request: Request) -> Response:
        """What the streams did."""
        tally = self._turns.tally
        counts = [
            shapes.GuardCount(surface=row.surface, rule=row.rule, action=row.action, count=row.count)
            for row in self._guard.guard_counts()
        ]
        return body(
            shapes.Metrics(
                success=True,
                started_at=tally.started_at,
                snapshot_at=iso(self._clock.now()),
                totals=tally.totals,
                rates=tally.rates,
                by_backend=tally.by_backend,
                recent_completions=list(tally.completions),
                recent_errors=list(tally.errors),
                running=self._turns.count,
                guard=counts,
            )
        )

    async def _read(self, request: Request) -> ChatRequest:
        if request.method == "GET":
            asked = read_query(request.query_params)
        else:
            asked = read(await read_body(request, self._settings.max_body_bytes), ChatRequest)
        return checked(asked, max_message_chars=self._settings.max_message_chars)


def _last_number(text: str | None) -> int:
    """The number of the last frame that a reader has; without one it has none."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_NUMBER_DIGITS):
        raise RequestBroken(why=f"`Last-Event-ID` is {text[:40]!r}; wanted: the id of a frame, a number")
    return int(text)
