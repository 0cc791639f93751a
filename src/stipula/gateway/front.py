"""The outermost application: turns foreign names and pages away, sends paths to their room, starts and stops rooms."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from stipula.gateway.app import GatewayApp, Message, Receive, Scope, Send
from stipula.gateway.doors import Doors

App = Callable[[Scope, Receive, Send], Awaitable[None]]
PATHS = ("/v1", "/v1beta", "/health", "/ready", "/metrics", "/admin")
"""What is the gateway's; everything else is the other application's."""


class Front:
    """The application that a server runs.

    other: for paths that are not the gateway's; its start and stop are run, too. beside: work that goes on while the
    server runs and is cancelled with it. on_stop: called when the server ends.
    """

    def __init__(
        self,
        doors: Doors,
        gateway: GatewayApp,
        other: App | None = None,
        *,
        beside: Sequence[Callable[[], Coroutine[None, None, None]]] = (),
        on_stop: Sequence[Callable[[], Awaitable[None]]] = (),
    ) -> None:
        self._doors = doors
        self._gateway = gateway
        self._other = other
        self._beside = beside
        self._on_stop = on_stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection's request, or the server's life."""
        match scope["type"]:
            case "http":
                await self._http(scope, receive, send)
            case "lifespan":
                await self._life(receive, send)
            case _:
                await send({"type": "websocket.close", "code": 1003})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._doors.refusal(dict(scope["headers"]))
        if refusal is not None:
            await self._gateway.turn_away(refusal, send)
        elif self._other is None or "/" + scope["path"].split("/", 2)[1] in PATHS:
            await self._gateway(scope, receive, send)
        else:
            await self._other(scope, receive, send)

    async def _life(self, receive: Receive, send: Send) -> None:
        async with AsyncExitStack() as stack:
            await receive()
            for stop in self._on_stop:
                stack.push_async_callback(stop)
            if self._other is not None:
                await stack.enter_async_context(_alive(self._other))
            await stack.enter_async_context(_running(self._beside))
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


@asynccontextmanager
async def _running(works: Sequence[Callable[[], Coroutine[None, None, None]]]) -> AsyncGenerator[None]:
    """Work that goes on inside, and ends there."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work()) for work in works]
        yield
        for task in tasks:
            task.cancel()


@asynccontextmanager
async def _alive(app: App) -> AsyncGenerator[None]:
    """An application between its start and its stop; one that knows neither is left alone."""
    asked: asyncio.Queue[Message] = asyncio.Queue()
    told: asyncio.Queue[Mapping[str, object]] = asyncio.Queue()

    async def run() -> None:
        try:
            await app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, asked.get, told.put)
        finally:
            await told.put({"type": "over"})

    async with asyncio.TaskGroup() as group:
        group.create_task(run())
        await asked.put({"type": "lifespan.startup"})
        begun = await told.get()
        if begun["type"] == "lifespan.startup.failed":
            raise RuntimeError(str(begun.get("message") or "an application did not start"))
        yield
        await asked.put({"type": "lifespan.shutdown"})
        await told.get()
