"""One exchange with one upstream over HTTP: bytes out, a status and bytes back, as they come.

Nothing here knows what the bytes mean. Waits are bounded by who reads (`wait_s`); memory by the client's read buffer,
which stops the socket while nobody reads.
"""

import asyncio
import os
from collections.abc import Callable
from functools import lru_cache
from types import TracebackType
from typing import Final, Protocol, Self

from aiohttp import ClientError, ClientPayloadError, ClientResponse, ClientSession, ClientTimeout
from yarl import URL

from stipula import __version__
from stipula.errors import Problem
from stipula.gateway.ways import Way
from stipula.outbound import open_session, proxy_for
from stipula.redact import Secret

MAX_WHOLE_BYTES: Final = 64 * 1024 * 1024
"""A whole answer that is longer is a fault of the upstream."""
_LAST_BYTES_S: Final = 0.1
_JSON: Final = {"content-type": "application/json", "user-agent": f"stipula/{__version__}"}


class UpstreamUnreachable(Problem):
    """No connection, or one that ended before the first byte of an answer."""

    code, status = "GTW020", 502
    hint = "the upstream {upstream} could not be asked: {why}"


class UpstreamSilent(Problem):
    """The upstream kept the connection and sent nothing for too long."""

    code, status = "GTW021", 504
    hint = "the upstream {upstream} sent nothing for {waited_s:g} s"


class UpstreamCut(Problem):
    """The connection ended inside an answer."""

    code, status = "GTW022", 502
    hint = "the upstream {upstream} cut its answer: {why}"


class UpstreamBusy(Problem):
    """An upstream of this machine has as much to do as it may; or it cannot run at present."""

    code, status = "GTW023", 503
    hint = "{upstream} cannot answer now: {why}"

    def __init__(self, *, wait_s: float | None = None, **facts: object) -> None:
        super().__init__(**facts)
        self.wait_s = wait_s


class Exchange(Protocol):
    """One answer on its way. Whoever got it closes it."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def retry_after(self) -> str | None:
        """The Retry-After header as it came."""
        ...

    async def whole(self) -> bytes:
        """All bytes; `UpstreamCut` where they end too early."""
        ...

    async def piece(self, wait_s: float) -> bytes:
        """The bytes that have arrived, at least one; b"" at the end.

        `TimeoutError` after wait_s, and the next call goes on waiting; `UpstreamCut` where the connection broke.
        """
        ...

    async def finish(self) -> None:
        """Let it go after its terminal mark; the rest of the bytes is of no interest."""
        ...

    def close(self) -> None:
        """Let it go; what has not come is cancelled upstream. Calling it again, or after `finish`, does nothing."""
        ...


class Upstream(Protocol):
    """Somebody who answers asks of one dialect."""

    async def send(self, body: bytes, key: Secret | None, *, model: str, stream: bool) -> Exchange:
        """The answer's head; bytes follow. `UpstreamUnreachable`, `UpstreamBusy` where there is none."""
        ...

    def readiness(self) -> tuple[bool, str]:
        """Whether asking makes sense at present, and what a person should know of it; "" for nothing."""
        ...

    async def close(self) -> None:
        """End everything that is under way."""
        ...


class Sessions:
    """One HTTP session for all upstreams, opened by the first request, since a session belongs to a running loop."""

    def __init__(self, make: Callable[[], ClientSession] = open_session) -> None:
        self._make = make
        self._session: ClientSession | None = None

    def get(self) -> ClientSession:
        """The session."""
        if self._session is None:
            self._session = self._make()
        return self._session

    async def close(self) -> None:
        """Close it, if anybody used it."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()


class HttpUpstream:
    """An upstream at an address. name: for messages only. base: as the vendor's own client takes it."""

    def __init__(self, name: str, base: str, way: Way, sessions: Sessions, *, connect_s: float = 10.0) -> None:
        self._name = name
        self._way = way
        self._base = base
        self._proxy = proxy_for(base)
        self._sessions = sessions
        self._timeout = ClientTimeout(total=None, sock_connect=connect_s)
        self._url = lru_cache(maxsize=256)(self._address)

    def _address(self, model: str, stream: bool) -> URL:  # noqa: FBT001 - the arguments are a cache's key
        return URL(self._way.url(self._base, model, stream=stream), encoded=True)

    async def send(self, body: bytes, key: Secret | None, *, model: str, stream: bool) -> Exchange:
        """The answer's head; `UpstreamUnreachable` where there is none."""
        headers = {**_JSON, **self._way.headers, **(self._way.bearing(key.reveal()) if key is not None else {})}
        try:
            response = await self._sessions.get().post(
                self._url(model, stream),
                data=body,
                headers={**headers, "accept": "text/event-stream"} if stream else headers,
                timeout=self._timeout,
                proxy=self._proxy,
                allow_redirects=False,  # a redirect would carry the credential to a place nobody chose
            )
        except (ClientError, OSError, asyncio.IncompleteReadError, ValueError) as why:
            raise UpstreamUnreachable(upstream=self._name, why=_reason(why)) from None
        return HttpExchange(self._name, response)

    def readiness(self) -> tuple[bool, str]:
        """Nobody knows before asking."""
        return True, ""

    async def close(self) -> None:
        """Nothing of its own is under way."""


def _reason(why: BaseException) -> str:
    if isinstance(why, asyncio.TimeoutError):
        return "no connection in time"
    if isinstance(why, OSError) and why.errno is not None and why.errno > 0:
        return os.strerror(why.errno).lower()  # the library's own words hold addresses
    return _WORDS.get(type(why).__name__, type(why).__name__)


_WORDS: Final = {
    "ServerDisconnectedError": "it closed the connection without an answer",
    "ClientConnectorDNSError": "its name is not known",
    "ClientConnectorCertificateError": "its certificate cannot be trusted",
    "ClientPayloadError": "the connection ended inside it",
}
"""The client's faults in words; others are told by their name."""


class HttpExchange:
    """An answer over a connection."""

    def __init__(self, name: str, response: ClientResponse) -> None:
        self._name = name
        self._response = response

    @property
    def status(self) -> int:
        """The HTTP status; a redirect is none that anybody can use, so it counts as a fault of the upstream."""
        status = self._response.status
        return status if status < 300 or status >= 400 else 502  # noqa: PLR2004 - the class of redirects

    @property
    def retry_after(self) -> str | None:
        """The Retry-After header as it came."""
        return self._response.headers.get("retry-after")

    async def whole(self) -> bytes:
        """All bytes."""
        try:
            pieces: list[bytes] = []
            size = 0
            while piece := await self._response.content.readany():
                pieces.append(piece)
                size += len(piece)
                if size > MAX_WHOLE_BYTES:
                    raise UpstreamCut(upstream=self._name, why=f"it is longer than {MAX_WHOLE_BYTES} bytes")
            return b"".join(pieces)
        except (ClientError, OSError) as why:
            raise UpstreamCut(upstream=self._name, why=_reason(why)) from None

    async def piece(self, wait_s: float) -> bytes:
        """The bytes that have arrived."""
        content = self._response.content
        try:
            ready = content.read_nowait()
            if ready or content.at_eof():
                return ready
            async with asyncio.timeout(wait_s):
                return await content.readany()
        except TimeoutError:
            raise
        except (ClientPayloadError, ClientError, OSError) as why:
            raise UpstreamCut(upstream=self._name, why=_reason(why)) from None

    async def finish(self) -> None:
        """The end of a chunked body often comes just after the last frame: waiting for it saves a connection."""
        try:
            if not self._response.content.at_eof():
                async with asyncio.timeout(_LAST_BYTES_S):
                    await self._response.content.readany()
        except (TimeoutError, ClientError, OSError):
            pass
        self.close()

    def close(self) -> None:
        """Give the connection back where the answer has ended, else break it, which ends the work upstream."""
        self._response.release()
