"""An MCP server behind an address: the SDK's streamable HTTP, through a client that bounds what comes."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import NoReturn, cast

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from stipula.collect.mcp_problems import TooMuch, Unreachable, shown
from stipula.collect.mcp_stdio import MAX_LINE_BYTES, MAX_TOTAL_BYTES
from stipula.errors import Problem


class Endpoint:
    """The connections to one address. fault: what went wrong below the protocol. status: of the last answer."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, server: str, timeout_s: float, secrets: tuple[str, ...] = ()
    ) -> None:
        self.fault: Problem | None = None
        self.doing = ""
        self.status: int | None = None
        self._url = url
        self._headers = dict(headers)
        self._server = server
        self._timeout_s = timeout_s
        self._secrets = secrets

    @property
    def last_words(self) -> str:
        """What the last answer said below the protocol, for messages."""
        return f" (HTTP {self.status})" if self.status not in {None, 200, 202} else ""

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[TransportStreams]:
        """The streams that a client session takes. What breaks below the protocol is raised as `fault`."""
        client = httpx2.AsyncClient(
            headers={**self._headers, "accept-encoding": "identity"},
            timeout=httpx2.Timeout(self._timeout_s),
            event_hooks={"response": [self._bound]},
        )
        try:
            async with (
                client,
                streamable_http_client(self._url, http_client=client, max_sse_event_size=MAX_LINE_BYTES) as streams,
            ):
                yield streams
        except* (httpx2.HTTPError, OSError) as group:  # raised by a task of the transport
            if self.fault is None:
                self.fault = Unreachable(server=self._server, why=shown(_first(group), self._secrets))

    async def _bound(self, response: httpx2.Response) -> None:
        self.status = response.status_code
        if response.headers.get("content-encoding", "identity") != "identity":
            self._break("an answer that is compressed, which was not asked for")
        response.stream = _Counted(response.stream, self._break)

    def _break(self, why: str = "") -> NoReturn:
        limit = MAX_TOTAL_BYTES >> 20
        self.fault = (
            Unreachable(server=self._server, why=why)
            if why
            else TooMuch(server=self._server, limit=limit, unit="MiB in one answer")
        )
        raise httpx2.ReadError(str(self.fault))


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: object, on_too_much: Callable[[], NoReturn]) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)
        self._inner = inner
        self._on_too_much = on_too_much

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > MAX_TOTAL_BYTES:
                self._on_too_much()
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def _first(group: BaseExceptionGroup[BaseException]) -> str:
    """The words of the first exception inside."""
    leaf = next(_leaves(group))
    return str(leaf) or type(leaf).__name__


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for inner in group.exceptions:
        if isinstance(inner, BaseExceptionGroup):
            yield from _leaves(cast("BaseExceptionGroup[BaseException]", inner))
        else:
            yield inner
