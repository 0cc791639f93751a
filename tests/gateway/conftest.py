"""A scripted upstream and a gateway in front of it: real servers on loopback, in the test's own event loop."""

import asyncio
import json
import re
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import uvicorn
from openai import AsyncOpenAI

from stipula import assembly, settings
from stipula.gateway.app import GatewayApp
from stipula.gateway.clients import Clients
from stipula.gateway.config import ClientKey
from stipula.gateway.doors import Doors
from stipula.gateway.front import Front
from stipula.gateway.relay import Gateway
from stipula.gateway.upstream import Sessions

USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


class QuietServer(uvicorn.Server):
    """A server that leaves the process's signals alone, and says when it has begun."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.begun = asyncio.Event()
        self.ending = asyncio.Event()

    @contextmanager
    def capture_signals(self):
        yield

    async def main_loop(self) -> None:
        await self.on_tick(0)
        self.begun.set()
        await self.ending.wait()


@asynccontextmanager
async def serving(app: Any) -> AsyncGenerator[str]:
    """The application on a free loopback port, as its address."""
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    server = QuietServer(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=2))
    async with asyncio.TaskGroup() as group:
        group.create_task(server.serve(sockets=[door]))
        await server.begun.wait()
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.ending.set()
    door.close()


# ---------------------------------------------------------------- the upstream


@dataclass
class Call:
    """One request that the upstream got."""

    body: dict[str, Any]
    raw: bytes
    key: str
    headers: dict[str, str]
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    sent: int = 0


@dataclass
class Answer:
    """What it answers: a body, or frames (objects become data lines, bytes go as they are), and then."""

    status: int = 200
    body: Any = None
    frames: Iterable[Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    then: str = "end"  # or: cut, hang
    before: str = ""  # hang: no head at all; close: the connection ends without one


class Upstream:
    """An ASGI application that answers as it is told, in order; the last answer is repeated."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.called = asyncio.Event()
        self.answers: list[Answer | Callable[[Call], Answer]] = []
        self.url = ""

    def say(self, *answers: Answer | Callable[[Call], Answer]) -> None:
        self.answers = list(answers)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        raw = b""
        while True:
            message = await receive()
            raw += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {k.decode(): v.decode() for k, v in scope["headers"]}
        call = Call(json.loads(raw), raw, headers.get("authorization", "").removeprefix("Bearer "), headers)
        self.calls.append(call)
        self.called.set()
        told = self.answers[min(len(self.calls), len(self.answers)) - 1]
        answer = told(call) if callable(told) else told
        await self._answer(answer, call, receive, send)

    async def _answer(self, answer: Answer, call: Call, receive: Any, send: Any) -> None:
        if answer.before == "hang":
            await self._until_gone(call, receive)
            return
        if answer.before == "close":
            raise ConnectionAbortedError
        kind = "application/json" if answer.frames is None else "text/event-stream"
        headers = {"content-type": kind} | answer.headers
        rows = [(k.encode(), v.encode()) for k, v in headers.items()]
        if answer.frames is None:
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            rows.append((b"content-length", str(len(body)).encode()))
            await send({"type": "http.response.start", "status": answer.status, "headers": rows})
            await send({"type": "http.response.body", "body": body})
            return
        await send({"type": "http.response.start", "status": answer.status, "headers": rows})
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(self._until_gone(call, receive))
            for frame in answer.frames:
                if call.gone.is_set():
                    break
                data = frame if isinstance(frame, bytes) else f"data: {json.dumps(frame)}\n\n".encode()
                await send({"type": "http.response.body", "body": data, "more_body": True})
                call.sent += len(data)
                await asyncio.sleep(0)
            if answer.then == "hang":
                return
            watch.cancel()
        if answer.then == "cut":
            raise ConnectionAbortedError
        await send({"type": "http.response.body", "body": b""})

    async def _until_gone(self, call: Call, receive: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        call.gone.set()


def _chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    head = {"id": "chatcmpl-u", "object": "chat.completion.chunk", "created": 1700000000, "model": "up-1"}
    return head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} | more


class Speech:
    """Answers of the chat dialect, ready to be said."""

    Answer = Answer
    DONE = b"data: [DONE]\n\n"
    chunk = staticmethod(_chunk)

    @staticmethod
    def whole(text: str = "All good.", **message: Any) -> Answer:
        finish = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": {"role": "assistant", "content": text} | message, "finish_reason": finish}
        head = {"id": "chatcmpl-u", "object": "chat.completion", "created": 1700000000, "model": "up-1"}
        return Answer(body=head | {"choices": [choice], "usage": USAGE})

    @staticmethod
    def frames(*words: str) -> list[Any]:
        said = [_chunk({"role": "assistant", "content": ""}), *(_chunk({"content": word}) for word in words)]
        return [*said, _chunk({}, "stop"), _chunk({}) | {"choices": [], "usage": USAGE}, Speech.DONE]

    @staticmethod
    def stream(*words: str) -> Answer:
        return Answer(frames=Speech.frames(*(words or ("All ", "good."))))

    @staticmethod
    def fault(status: int, message: str = "no", *, headers: dict[str, str] | None = None, **error: Any) -> Answer:
        return Answer(status=status, body={"error": {"message": message, **error}}, headers=headers or {})


@pytest.fixture
def speech() -> type[Speech]:
    return Speech


@pytest.fixture
async def upstream() -> AsyncIterator[Upstream]:
    scripted = Upstream()
    scripted.say(Speech.whole())
    async with serving(scripted) as scripted.url:
        yield scripted


# ---------------------------------------------------------------- the gateway


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Running:
    """A gateway that listens."""

    url: str
    gateway: Gateway
    http: aiohttp.ClientSession
    clock: Clock
    stack: AsyncExitStack

    @cached_property
    def sdk(self) -> AsyncOpenAI:
        """The official client; made where it is used, since it is slow to make."""
        client = AsyncOpenAI(base_url=f"{self.url}/v1", api_key="team-a", max_retries=0)
        self.stack.push_async_callback(client.close)
        return client

    async def post(self, body: Any, *, path: str = "/v1/chat/completions", **headers: str) -> "Got":
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"content-type": "application/json"} | names
        async with self.http.post(self.url + path, data=data, headers=sent) as answer:
            return Got(answer.status, {k.lower(): v for k, v in answer.headers.items()}, await answer.read())

    async def get(self, path: str, **headers: str) -> "Got":
        async with self.http.get(self.url + path, headers=headers) as answer:
            return Got(answer.status, {k.lower(): v for k, v in answer.headers.items()}, await answer.read())

    async def counters(self) -> dict[str, float]:
        page = (await self.get("/metrics")).raw.decode()
        return {name: float(value) for name, value in re.findall(r"^(stipula_\S+) (\S+)$", page, re.MULTILINE)}


@dataclass
class Got:
    """An answer, read to its end."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def data(self) -> list[Any]:
        """What the frames of a stream hold; the terminal mark as text."""
        lines = [line[6:] for line in self.raw.decode().split("\n") if line.startswith("data: ")]
        return [line if line == "[DONE]" else json.loads(line) for line in lines]


def _toml(url: str, more: str, keys: str, models: str) -> str:
    return f"""
[[gateway.upstreams]]
name = "main"
dialect = "openai_chat"
base_url = "{url}/v1"
{keys}
models = {models}
first_byte_s = 5
[[gateway.upstreams]]
name = "echo"
dialect = "echo"
{more}
"""


@pytest.fixture
async def start(upstream: Upstream) -> AsyncIterator[Callable[..., Any]]:
    """Starts gateways: `await start(more TOML, keys=…, models=…, environ=…)`."""
    async with AsyncExitStack() as stack:

        async def begin(
            more: str = "",
            *,
            config: str | None = None,
            keys: str = 'keys = ["env:KEY_1"]',
            models: str = '{ "m" = "up-1", "gpt-*" = "*" }',
            environ: dict[str, str] | None = None,
            **app_options: Any,
        ) -> Running:
            names = {"KEY_1": "key-1", "KEY_2": "key-2", "CLIENT_A": "team-a", "CLIENT_B": "team-b"} | (environ or {})
            text = config or _toml(upstream.url, more, keys, models)
            told = settings.read(text, file=Path("/nowhere/test.toml"), environ=names)
            clock, sessions = Clock(), await stack.enter_async_context(Sessions())
            ways = {one.name: assembly.upstream_of(one, sessions, clock) for one in told.gateway.upstreams}
            relay = assembly.gateway(told, ways, clock)
            admins = Clients([ClientKey(key=key) for key in told.server.admin_keys])
            clients = Clients(told.gateway.client_keys)
            app = GatewayApp(relay, clients=clients, admins=admins, **app_options)
            doors = Doors(told.server.host, frozenset(told.server.hosts))
            url = await stack.enter_async_context(serving(Front(doors, app, on_stop=[relay.close])))
            http = await stack.enter_async_context(aiohttp.ClientSession())
            return Running(url, relay, http, clock, stack)

        yield begin


@pytest.fixture
async def gateway(start: Callable[..., Any]) -> Running:
    return await start()
