"""The chat as one ASGI application. It must be given its lifespan: turns run in it, and are stored at its end."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID, uuid4

from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from stipula.chat.answers import STATUSES, fault, problem
from stipula.chat.asking import Models
from stipula.chat.clock import Clock
from stipula.chat.conversations import Conversations
from stipula.chat.door import Door
from stipula.chat.guard import ChatGuard
from stipula.chat.keeping import ConversationRoutes, ServiceRoutes
from stipula.chat.page import page_routes
from stipula.chat.settings import ChatSettings
from stipula.chat.streaming import StreamRoutes
from stipula.chat.turns import Turns
from stipula.errors import Problem
from stipula.gateway.doors import Doors
from stipula.redact import redact
from stipula.storage.ports import Journal, Records

_LOG: Final = logging.getLogger("stipula.chat")


class ChatStore(Struct, frozen=True, kw_only=True):
    """What the chat keeps where. records: conversations, None where none are kept. journal: streams, for replay."""

    records: Records | None
    journal: Journal


def chat_app(
    models: Models,
    store: ChatStore,
    guard: ChatGuard,
    clock: Clock,
    settings: ChatSettings,
    *,
    doors: Doors = Doors(),  # noqa: B008 - frozen
    new_uuid: Callable[[], UUID] = uuid4,
) -> Starlette:
    """The application: page, turns, conversations, models. models: the gateway in process. doors: the server's own."""
    book = None if store.records is None else Conversations(store.records, clock, new_uuid)
    turns = Turns(models, book, store.journal, guard, clock, settings, new_uuid)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncGenerator[None]:
        async with turns:
            yield

    return Starlette(
        routes=[
            *StreamRoutes(turns, guard, clock, settings, new_uuid).routes,
            *ConversationRoutes(book, turns, settings).routes,
            *ServiceRoutes(models, book, clock).routes,
            *page_routes(),
        ],
        middleware=[Middleware(Door, doors=doors)],
        exception_handlers={Problem: _on_problem, HTTPException: _on_http, Exception: _on_surprise},
        lifespan=lifespan,
    )


async def _on_problem(_request: Request, why: Exception) -> Response:
    assert isinstance(why, Problem)
    return problem(why)


async def _on_http(request: Request, why: Exception) -> Response:
    assert isinstance(why, HTTPException)
    status = why.status_code if why.status_code in STATUSES else 500
    words = {
        404: f"nothing is at {request.url.path[:80]}",
        405: f"{request.method} is not answered at {request.url.path[:80]}",
    }
    answer = fault(status, words.get(status, str(why.detail)))
    answer.headers.update(why.headers or {})
    return answer


async def _on_surprise(request: Request, why: Exception) -> Response:
    _LOG.error("%s %s: %s", request.method, request.url.path, redact(repr(why)))
    return fault(500, "Something went wrong inside the service; its log says what.")
