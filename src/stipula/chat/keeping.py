"""The routes of the conversations, of the models, and of the stores' health."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stipula.chat import shapes
from stipula.chat.answers import body, read_body
from stipula.chat.asking import LOCAL, ModelRow, Models
from stipula.chat.clock import Clock, iso
from stipula.chat.conversations import Conversations, ConversationsOff
from stipula.chat.requests import NewConversation, Rename, read
from stipula.chat.settings import ChatSettings
from stipula.chat.turns import Turns
from stipula.errors import Problem

_MAX_WORDS: Final = 500
_OF_THIS_MACHINE: Final = {
    LOCAL: "A small language model that runs on this machine.",
    "echo": "Says back what you wrote; for trying things out without a model.",
}


class ConversationRoutes:
    """The six routes of the contract, and two later ones that carry `success`."""

    def __init__(self, book: Conversations | None, turns: Turns, settings: ChatSettings) -> None:
        self._kept = book
        self._turns = turns
        self._settings = settings

    @property
    def routes(self) -> list[Route]:
        """Their table."""
        return [
            Route("/conversations", self.newest, methods=["GET"]),
            Route("/conversations/new", self.new, methods=["POST"]),
            Route("/conversations/search", self.search, methods=["GET"]),
            Route("/conversations/{id}", self.whole, methods=["GET"]),
            Route("/conversations/{id}", self.delete, methods=["DELETE"]),
            Route("/conversations/{id}", self.rename, methods=["PATCH"]),
            Route("/conversations/{id}/archive", self.archive, methods=["POST"]),
            Route("/conversations/{id}/switch", self.switch, methods=["POST"]),
        ]

    @property
    def _book(self) -> Conversations:
        if self._kept is None:
            raise ConversationsOff
        return self._kept

    async def newest(self, _request: Request) -> Response:
        """Those that were used last."""
        rows = await self._book.newest()
        return body(shapes.ConversationList(conversations=rows, count=len(rows)))

    async def search(self, request: Request) -> Response:
        """Those that hold the words of `q`."""
        rows = await self._book.search(request.query_params.get("q", "")[:_MAX_WORDS])
        return body(shapes.FoundConversations(success=True, conversations=rows, count=len(rows)))

    async def whole(self, request: Request) -> Response:
        """One with its messages."""
        return body(await self._book.whole(request.path_params["id"]))

    async def new(self, request: Request) -> Response:
        """A fresh one."""
        book = self._book
        asked = read(await read_body(request, self._settings.max_body_bytes), NewConversation)
        return body(await book.new(model=asked.model, title=asked.title, system=asked.system_prompt))

    async def rename(self, request: Request) -> Response:
        """Another title."""
        book = self._book
        asked = read(await read_body(request, self._settings.max_body_bytes), Rename)
        row = await book.rename(request.path_params["id"], asked.title)
        return body(shapes.Renamed(success=True, conversation=row))

    async def delete(self, request: Request) -> Response:
        """Away with it, and with the turns that run in it."""
        book = self._book
        await self._turns.stop_all_of(request.path_params["id"])
        await book.delete(request.path_params["id"])
        return body(shapes.Done(message="The conversation was deleted."))

    async def archive(self, request: Request) -> Response:
        """Out of the list."""
        await self._book.archive(request.path_params["id"])
        return body(shapes.Done(message="The conversation was archived."))

    async def switch(self, request: Request) -> Response:
        """Open another one. The service keeps no open conversation itself: each request names its own."""
        whole = await self._book.whole(request.path_params["id"])
        return body(shapes.Switched(message="The conversation is open.", conversation=whole))


class ServiceRoutes:
    """GET /api/models and GET /api/health/databases."""

    def __init__(self, models: Models, book: Conversations | None, clock: Clock) -> None:
        self._models = models
        self._book = book
        self._clock = clock

    @property
    def routes(self) -> list[Route]:
        """Their table."""
        return [
            Route("/api/models", self.models, methods=["GET"]),
            Route("/api/health/databases", self.databases, methods=["GET"]),
        ]

    async def models(self, _request: Request) -> Response:
        """What a person may choose."""
        rows = [_listed(row) for row in self._models.models()]
        tiers = list(dict.fromkeys(row.tier for row in rows))
        ready = sum(row.available for row in rows)
        return body(shapes.ModelList(models=rows, total=len(rows), available_count=ready, tiers=list(tiers)))

    async def databases(self, _request: Request) -> Response:
        """Whether the stores work; the same body with 200 and with 503."""
        try:
            if self._book is None:
                raise ConversationsOff
            await self._book.check()
            health = shapes.StoreHealth(ok=True)
        except Problem as why:
            health = shapes.StoreHealth(ok=False, error=str(why))
        whole = shapes.DatabaseHealth(ok=health.ok, timestamp=iso(self._clock.now()), conversations=health)
        return body(whole, 200 if health.ok else 503)


def _listed(row: ModelRow) -> shapes.ListedModel:
    description = _OF_THIS_MACHINE.get(row.upstream, f"Answered by the upstream {row.upstream}.")
    return shapes.ListedModel(
        id=row.name,
        name=row.name,
        provider=row.upstream,
        model_id=row.name,
        configured=True,
        available=row.ready,
        supports_streaming=True,
        description=description,
        note=row.note,
        tier="free" if row.upstream in _OF_THIS_MACHINE else "standard",
    )
