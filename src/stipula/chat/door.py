"""Who may ask at all: requests that another site made a browser send are refused, whatever they ask for.

A page on the Internet can make a browser talk to a service on loopback, and a name of its own can be made to resolve
to 127.0.0.1 (DNS rebinding). So the name the browser used must be ours, and the page it speaks for must be ours too.
"""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stipula.chat.answers import fault

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_PAGES: Final = ("/", "/favicon.ico")
"""What a link on any other site may lead to."""
_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}


class Door:
    """Middleware: lets in what is meant for us, and puts the headers on that every answer carries."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset((*LOOPBACK, *(host.lower() for host in hosts)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        why = foreign(Headers(scope=scope), scope["path"], self._hosts)
        app: ASGIApp | Response = self._app if why is None else fault(403, why)
        await app(scope, receive, with_headers)


def foreign(headers: Headers, path: str, hosts: frozenset[str]) -> str | None:
    """Why a request is not for us, None where it is."""
    host = headers.get("host", "")
    if _name_of(f"//{host}") not in hosts:
        return f"This service does not answer under the name {host[:80]!r}; open it by 127.0.0.1 or localhost."
    origin = headers.get("origin")
    if origin is not None and not _is_same(origin, host):
        return f"Requests from pages of {origin[:80]!r} are refused."
    if headers.get("sec-fetch-site") in {"cross-site", "same-site"} and path not in _PAGES:
        return "Requests from pages of other sites are refused."
    return None


def _is_same(origin: str, host: str) -> bool:
    """Whether a page of this origin was loaded from this host; behind a proxy the scheme may differ."""
    scheme, mark, place = origin.partition("://")
    return scheme in {"http", "https"} and bool(mark) and place.lower() == host.lower()


def _name_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
