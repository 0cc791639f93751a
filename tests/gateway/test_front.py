"""The outermost application: doors for every path, rooms by path, lives of the rooms."""

import asyncio

import pytest

from stipula.gateway.app import GatewayApp
from stipula.gateway.doors import Doors
from stipula.gateway.front import Front

pytestmark = pytest.mark.anyio


class Other:
    """An application with a life of its own."""

    def __init__(self) -> None:
        self.life: list[str] = []

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            for verb in ("startup", "shutdown"):
                await receive()
                self.life.append(verb)
                await send({"type": f"lifespan.{verb}.complete"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})


async def asked(front, path, headers=()):
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": list(headers)}
    await front(scope, None, send)
    return sent[0]["status"], sent[1]["body"]


async def lived(front, between=None):
    inbox, outbox = asyncio.Queue(), asyncio.Queue()
    async with asyncio.TaskGroup() as group:
        group.create_task(front({"type": "lifespan"}, inbox.get, outbox.put))
        await inbox.put({"type": "lifespan.startup"})
        begun = await outbox.get()
        if between is not None:
            await between()
        await inbox.put({"type": "lifespan.shutdown"})
        return begun["type"], (await outbox.get())["type"]


@pytest.fixture
def app(start):
    async def make(**options):
        running = await start()
        return Front(Doors(), GatewayApp(running.gateway), **options)

    return make


@pytest.mark.parametrize("path", ["/", "/conversations", "/v1x", "/chat/stream"])
async def test_paths_that_are_not_the_gateways_go_to_the_other_application(app, path):
    front = await app(other=Other())
    assert await asked(front, path) == (200, path.encode())


@pytest.mark.parametrize("path", ["/health", "/v1/models", "/ready", "/metrics", "/admin/keys"])
async def test_paths_of_the_gateway_stay_with_it(app, path):
    status, body = await asked(await app(other=Other()), path)
    assert (status, body) != (200, path.encode())
    assert status == 200


@pytest.mark.parametrize("path", ["/", "/v1/models", "/metrics", "/health"])
async def test_foreign_names_are_turned_away_on_every_path(app, path):
    status, body = await asked(await app(other=Other()), path, [(b"host", b"evil.example")])
    assert (status, b"foreign_request" in body) == (403, True)


async def test_the_other_application_is_started_and_stopped(app):
    other = Other()
    front = await app(other=other)
    assert await lived(front) == ("lifespan.startup.complete", "lifespan.shutdown.complete")
    assert other.life == ["startup", "shutdown"]


async def test_work_beside_the_server_ends_with_it_and_then_everything_is_stopped(app):
    ended = []

    async def beside():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("beside")

    async def stop():
        ended.append("stop")

    front = await app(beside=[beside], on_stop=[stop])
    assert await lived(front, between=lambda: asyncio.sleep(0)) == (
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    )
    assert ended == ["beside", "stop"]


async def test_without_another_application_the_gateway_says_what_is_missing(app):
    assert (await asked(await app(), "/"))[0] == 404
