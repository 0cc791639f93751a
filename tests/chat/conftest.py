"""The chat under a scripted model: what it says, and when, is up to the test."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from uuid import UUID

import pytest
from msgspec import Struct

from stipula.chat.app import ChatStore, chat_app
from stipula.chat.guard import ChatGuard
from stipula.chat.settings import ChatSettings
from stipula.dialects.ir import Ask, Closed, Delta, Opened, Stopped, TextDelta, ThoughtDelta, Usage, UsageDelta
from stipula.enforce.policy import Policy
from stipula.errors import Problem
from stipula.storage import memory
from stipula.wire.sse import Frame, FrameReader


class StillClock:
    """Time that a test moves. A wait ends when its time is passed, or when its work is done."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._waits: list[tuple[float, asyncio.Timeout]] = []

    def now(self) -> datetime:
        return datetime(2026, 11, 30, 10, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def within(self, seconds: float, work: Awaitable[Any]) -> bool:
        wait = asyncio.timeout(None)
        self._waits.append((self.seconds + seconds, wait))
        try:
            async with wait:
                await work
        except TimeoutError:
            return False
        finally:
            self._waits = [one for one in self._waits if one[1] is not wait]
        return True

    @property
    def waits(self) -> int:
        return len(self._waits)

    def pass_(self, seconds: float) -> None:
        self.seconds += seconds
        for until, wait in self._waits:
            if until <= self.seconds:
                wait.reschedule(asyncio.get_running_loop().time())


class Model(Struct, frozen=True):
    name: str
    upstream: str = "main"
    ready: bool = True
    note: str = ""


Script = Sequence[Delta | Problem | Exception | asyncio.Event | Callable[[], None]]


class ScriptedModels:
    """The seam of the gateway: says what the script says, waits where it waits, raises what it raises."""

    def __init__(self) -> None:
        self.script: Script = said("Paris", ".")
        self.rows: list[Model] = [Model("m")]
        self.asks: list[Ask] = []
        self.closed = 0

    def models(self) -> list[Model]:
        return self.rows

    async def stream(self, ask: Ask, *, tenant: str = "", request_id: str = "") -> AsyncIterator[Delta]:
        self.asks.append(ask)
        try:
            for step in self.script:
                match step:
                    case Exception():
                        raise step
                    case asyncio.Event():
                        await step.wait()
                    case Delta():
                        yield step
                    case _:
                        step()
        finally:
            self.closed += 1


OPENED = Opened(reply_id="r", model="m", created=0)


def said(*texts: str, thoughts: Sequence[str] = (), tokens: int | None = 7) -> list[Delta]:
    usage = [] if tokens is None else [UsageDelta(usage=Usage(tokens_in=3, tokens_out=tokens))]
    thinking = [ThoughtDelta(text=text) for text in thoughts]
    answer = [TextDelta(text=text) for text in texts]
    return [OPENED, *thinking, *answer, Stopped(stop="end"), *usage, Closed()]


class Answered(Struct):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def frames(self) -> list[Frame]:
        return FrameReader().feed(self.body)

    @property
    def events(self) -> list[tuple[str, dict]]:
        return [(frame.event, json.loads(frame.data)) for frame in self.frames if frame.comment is None]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.events]

    @property
    def last(self) -> dict:
        return self.events[-1][1]


class Service:
    """The application and its lifespan, asked in process."""

    def __init__(self, *, contract: dict[str, Any] | None = None, **settings: Any) -> None:
        self.clock = StillClock()
        self.models = ScriptedModels()
        self.store = memory.MemoryStore(self.clock.monotonic)
        self.settings = ChatSettings(**settings)
        self.guard = ChatGuard(Policy(mode=self.settings.guard), contract)
        self.keeps = True
        self._ids = itertools.count(1)

    async def __aenter__(self) -> Self:
        store = ChatStore(records=self.store.records if self.keeps else None, journal=self.store.journal)
        self.app = chat_app(
            self.models, store, self.guard, self.clock, self.settings, new_uuid=lambda: UUID(int=next(self._ids) << 80)
        )
        self._stack = AsyncExitStack()
        await self._stack.enter_async_context(self.app.router.lifespan_context(self.app))
        return self

    async def __aexit__(self, *facts: object) -> None:
        await self._stack.aclose()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> "Call":
        return Call(self.app, method, path, body, headers)

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answered:
        return await self.call(method, path, body, **headers).whole()

    async def chat(self, message: str = "Capital of France?", **fields: Any) -> Answered:
        return await self.ask("POST", "/chat/stream", {"message": message, "model": "m", **fields})


class Call:
    """One request. `begin` lets it run and gives it once its first body bytes are there; `whole` awaits its end."""

    def __init__(self, app: Any, method: str, path: str, body: Any, headers: dict[str, str]) -> None:
        path, _, query = path.partition("?")
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"host": "127.0.0.1:8400"} | ({"content-type": "application/json"} if body is not None else {})
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        self.answered = Answered(0, {}, b"")
        self._app = app
        self._raw = raw
        self._is_read = False
        self._came = asyncio.Event()
        self._gone = asyncio.Event()
        self._scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in sent.items() if value],
            "client": ("127.0.0.1", 5), "server": ("127.0.0.1", 8400), "state": {},
        }  # fmt: skip

    async def whole(self) -> Answered:
        async with asyncio.timeout(20):
            await self._app(self._scope, self._receive, self._send)
        return self.answered

    async def until(self, is_there: Callable[[Answered], bool]) -> Answered:
        async with asyncio.timeout(20):
            while not is_there(self.answered):
                self._came.clear()
                await self._came.wait()
        return self.answered

    def leave(self) -> None:
        self._gone.set()

    async def _receive(self) -> dict[str, Any]:
        if not self._is_read:
            self._is_read = True
            return {"type": "http.request", "body": self._raw, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.answered.status = message["status"]
            self.answered.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.answered.body += message.get("body", b"")
        self._came.set()


@pytest.fixture
def make_service() -> type[Service]:
    return Service


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with Service() as running:
        yield running
