"""One server in one era of the protocol: the first word, then every list it offers, every page, within bounds.

Definitions are taken as they crossed the wire, not as the SDK's models show them.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol, TypeVar, cast

import anyio
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from msgspec import Struct
from pydantic import BaseModel, TypeAdapter, ValidationError

from stipula import __version__
from stipula.collect.mcp_problems import (
    BadAnswer,
    EndlessPages,
    Refused,
    SlowList,
    SlowStart,
    ToolTwice,
    TooMuch,
    shown,
)
from stipula.contract.model import Json
from stipula.errors import Problem

MODERN: Final = "modern"
LEGACY: Final = "legacy"
MAX_PAGES: Final = 500
MAX_ITEMS: Final = 5_000
CLIENT: Final = types.Implementation(name="stipula", version=__version__)
Result = TypeVar("Result")


class Line(Protocol):
    """A way to a server: a child on pipes, an address, an object in this process."""

    fault: Problem | None
    doing: str

    @property
    def last_words(self) -> str:
        """What the server last said beside the protocol, for messages."""
        ...

    def connected(self) -> AbstractAsyncContextManager[TransportStreams]:
        """The streams that a client session takes."""
        ...


class View(Struct, frozen=True, kw_only=True):
    """What a server shows in one era. stamp: its name and version as it states them; tools: as they were sent."""

    era: str
    protocol: str
    stamp: dict[str, Any]
    tools: tuple[dict[str, Any], ...]
    facts: dict[str, Any]


class NotSpoken(Exception):  # noqa: N818 - an answer, not an error
    """The server does not speak this era; the words say how it declined."""


LISTS: Final[dict[str, tuple[type[types.PaginatedRequest[Any]], str, str]]] = {
    # what it is called in facts: the request, the member of the answer, the capability that offers it
    "tools": (types.ListToolsRequest, "tools", "tools"),
    "prompts": (types.ListPromptsRequest, "prompts", "prompts"),
    "resources": (types.ListResourcesRequest, "resources", "resources"),
    "resource_templates": (types.ListResourceTemplatesRequest, "resourceTemplates", "resources"),
}


async def view(line: Line, era: str, *, server: str, timeout_s: float) -> View:
    """What the server at the end of a line shows in one era. timeout_s: for the first answer, and for all lists.

    Raises NotSpoken where the server declines the era, a Problem where it does anything else.
    """
    talk = _Talk(line, era, server=server, timeout_s=timeout_s)
    outcome: View | Exception | None = None
    async with line.connected() as (read, write), ClientSession(read, write, client_info=CLIENT) as session:
        try:  # nothing is raised through the task groups, which would wrap it
            outcome = await talk.all_of(session)
        except (Problem, NotSpoken, MCPError, ValidationError, RuntimeError) as why:
            outcome = line.fault or why  # what went wrong on the line is the cause of all else
    if isinstance(outcome, View):
        return outcome
    if not isinstance(outcome, Problem | NotSpoken) and line.fault is not None:
        raise line.fault  # the line broke under the talk, which saw only that
    raise talk.told(outcome)


class _Talk:
    """One conversation. It knows what it is waiting for, so that a failure can be told."""

    def __init__(self, line: Line, era: str, *, server: str, timeout_s: float) -> None:
        self._line, self._era, self._server, self._timeout_s = line, era, server, timeout_s
        self._protocol = LATEST_MODERN_VERSION if era == MODERN else LATEST_HANDSHAKE_VERSION
        self._method = ""
        self._pages = 0

    async def all_of(self, session: ClientSession) -> View:
        """Greet, then list."""
        hello = await self._within(self._greeted(session), SlowStart)
        return await self._within(self._listed(session, hello), SlowList)

    def told(self, why: Exception | None) -> Exception:
        """A failure as a problem of ours."""
        match why:
            case Problem() | NotSpoken():
                return why
            case MCPError():
                message = shown(_first_line(why.error.message)) + self._line.last_words
                return Refused(server=self._server, method=self._method, number=why.error.code, message=message)
            case ValidationError():
                return self._bad_answer(_said(why))
            case _:
                return self._bad_answer(shown(_first_line(str(why))))

    async def _within(self, step: Awaitable[Result], slow: type[Problem]) -> Result:
        with anyio.move_on_after(self._timeout_s):
            return await step
        if self._line.fault is not None:
            raise self._line.fault
        raise slow(
            server=self._server,
            method=self._method,
            timeout_s=self._timeout_s,
            pages=self._pages,
            stderr=self._line.last_words,
        )

    def _doing(self, method: str) -> None:
        self._method = method
        self._line.doing = f"before it answered {method}"

    def _bad_answer(self, why: str) -> Problem:
        return BadAnswer(server=self._server, method=self._method, protocol=self._protocol, why=why)

    # ------------------------------------------------------------ the first word

    async def _greeted(self, session: ClientSession) -> types.InitializeResult | types.DiscoverResult:
        return await (self._discovered(session) if self._era == MODERN else self._initialized(session))

    async def _initialized(self, session: ClientSession) -> types.InitializeResult:
        self._doing("initialize")
        try:
            hello = await session.initialize()
        except MCPError as why:
            if self._line.fault is not None:
                raise
            raise NotSpoken(_declined(why) + self._line.last_words) from None
        self._protocol = hello.protocol_version
        return hello

    async def _discovered(self, session: ClientSession) -> types.DiscoverResult:
        self._doing("server/discover")
        try:
            hello = types.DiscoverResult.model_validate(await self._discovery(session))
        except MCPError as why:
            if self._line.fault is not None:
                raise
            raise NotSpoken(_declined(why) + self._line.last_words) from None
        if not set(hello.supported_versions) & set(MODERN_PROTOCOL_VERSIONS):
            raise NotSpoken(f"it supports {', '.join(hello.supported_versions)[:80]}")
        session.adopt(hello)
        return hello

    async def _discovery(self, session: ClientSession) -> dict[str, Any]:
        try:
            return await session.send_discover(LATEST_MODERN_VERSION)
        except MCPError as why:
            if why.error.code != types.REQUEST_TIMEOUT:
                raise
        # a program that starts slowly misses the ten seconds that the SDK gives this request
        return await session.send_discover(LATEST_MODERN_VERSION)

    # ------------------------------------------------------------ the lists

    async def _listed(self, session: ClientSession, hello: types.InitializeResult | types.DiscoverResult) -> View:
        self._protocol = session.protocol_version or self._protocol
        capabilities = _plain(hello.capabilities)
        found: dict[str, list[dict[str, Any]]] = {}
        hints: dict[str, Any] = {}
        for name, (request, member, capability) in LISTS.items():
            if name == "tools" or capability in capabilities:
                found[name], hint = await self._pages_of(session, request, member)
                hints |= {name: hint} if hint else {}
        tools = found.pop("tools")
        self._check_names(tools)
        stamp = _plain(session.server_info) if session.server_info else {}
        facts = {
            "server": stamp,
            "capabilities": capabilities,
            "instructions": session.instructions,
            "cache": hints,
            **{name: sorted(items, key=_key) for name, items in found.items()},
        }
        return View(
            era=self._era,
            protocol=self._protocol,
            stamp=stamp,
            tools=tuple(tools),
            facts={name: value for name, value in facts.items() if value},
        )

    async def _pages_of(
        self, session: ClientSession, request: type[types.PaginatedRequest[Any]], member: str
    ) -> tuple[list[dict[str, Any]], dict[str, Json]]:
        """All entries of a list, and what its first page says of caching. Empty where the method is not known."""
        items: list[dict[str, Any]] = []
        hint: dict[str, Json] = {}
        cursor: str | None = None
        seen: set[str] = set()
        self._pages = 0
        while True:
            page = await self._page(session, request, cursor)
            if page is None:
                return items, hint
            self._pages += 1
            items.extend(page[member])
            if self._pages == 1:
                hint = {key: page[key] for key in ("ttlMs", "cacheScope") if key in page}
            if len(items) > MAX_ITEMS:
                raise TooMuch(server=self._server, limit=MAX_ITEMS, unit=f"entries of {self._method}")
            cursor = page.get("nextCursor")
            if cursor is None:
                return items, hint
            if cursor in seen or self._pages == MAX_PAGES:
                why = f"the cursor {shown(cursor)} came twice" if cursor in seen else f"{MAX_PAGES} pages came"
                raise EndlessPages(server=self._server, method=self._method, why=why)
            seen.add(cursor)

    async def _page(
        self, session: ClientSession, request: type[types.PaginatedRequest[Any]], cursor: str | None
    ) -> dict[str, Any] | None:
        """One page as it was sent; None where the server knows no such method."""
        asked = request.model_validate({"params": {"cursor": cursor} if cursor is not None else None})
        self._doing(str(asked.method))
        try:
            return await session.send_request(asked, _RAW)
        except MCPError as why:
            if why.error.code == types.METHOD_NOT_FOUND and self._line.fault is None:
                return None
            raise

    def _check_names(self, tools: list[dict[str, Any]]) -> None:
        names: set[str] = set()
        for tool in tools:
            if tool["name"] in names:
                raise ToolTwice(server=self._server, tool=tool["name"])
            names.add(tool["name"])


# the session checks an answer against its revision, then hands it to this, which takes it as it is
_RAW = cast("TypeAdapter[Any]", TypeAdapter(dict[str, Any]))


def _plain(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def _key(item: dict[str, Any]) -> str:
    return str(item.get("uri") or item.get("uriTemplate") or item.get("name"))


def _declined(why: MCPError) -> str:
    return f"error {why.error.code}: {shown(_first_line(why.error.message))}"


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0]


def _said(why: ValidationError) -> str:
    """The first fault that a model of the SDK found: its place and its kind."""
    first = why.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


Opener = Callable[[], Line]
"""Makes a fresh line: a server is asked anew for each era, since it settles on the first that it hears."""


async def views(opened: Opener, *, server: str, timeout_s: float) -> tuple[dict[str, View], dict[str, str]]:
    """What a server shows in each era that it speaks, and how it declined the others.

    The handshake comes first, for it is what every server can answer or decline; a server that spoke it and then
    falls over the modern greeting does not speak that.
    """
    found: dict[str, View] = {}
    declined: dict[str, str] = {}
    for era in (LEGACY, MODERN):
        line = opened()
        try:
            found[era] = await view(line, era, server=server, timeout_s=timeout_s)
        except NotSpoken as why:
            declined[era] = str(why)
        except Problem as why:
            if not (found and line.doing.endswith("server/discover")):
                raise
            declined[era] = str(why)
    return found, declined
