"""Who may ask at all: requests that another site made a browser send are refused, whatever they ask for.

Names and origins are judged by the rule of the whole server (`gateway.doors`). What is added here: a browser says by
`Sec-Fetch-Site` that another site's page sent a request even where that page left no origin, as an image does.
"""

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stipula.chat.answers import fault
from stipula.gateway.doors import Doors

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

    def __init__(self, app: ASGIApp, doors: Doors) -> None:
        self._app = app
        self._doors = doors

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

        why = self._doors.refusal(dict(scope["headers"])) or _of_another_site(Headers(scope=scope), scope["path"])
        app: ASGIApp | Response = self._app if why is None else fault(403, why)
        await app(scope, receive, with_headers)


def _of_another_site(headers: Headers, path: str) -> str | None:
    if headers.get("sec-fetch-site") in {"cross-site", "same-site"} and path not in _PAGES:
        return "Requests from pages of other sites are refused."
    return None
