"""The gateway over HTTP: raw ASGI, one table of paths. Every answer has a request id and says what we cost.

A caller who leaves is noticed while we wait for an upstream, and the work upstream ends with the request.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import aclosing
from secrets import token_hex
from time import perf_counter
from typing import Any, Final

import msgspec

from stipula.dialects import by_name
from stipula.dialects.dialect import Dialect
from stipula.gateway import faults
from stipula.gateway.clients import Clients, credential_in
from stipula.gateway.config import MAX_BODY_BYTES
from stipula.gateway.faults import Fault, plain
from stipula.gateway.metrics import CONTENT_TYPE as METRICS_TYPE
from stipula.gateway.relay import Flow, Gateway, Whole
from stipula.gateway.trip import Trip
from stipula.gateway.views import Views

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

SURFACES: Final = {"/v1/chat/completions": "openai_chat", "/v1/messages": "anthropic_messages"}
"""Where each dialect is read."""
ID_HEADERS: Final = {"anthropic_messages": b"request-id"}
"""Where a vendor's own client looks for the request id, beside our `x-request-id`."""
_JSON: Final = (b"content-type", b"application/json")
_STREAM: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)
_HTTP_OK: Final = 200


class _Gone(Exception):  # noqa: N818 - no fault: somebody closed the connection
    """The caller has left."""


class GatewayApp:
    """The ASGI application.

    admins: who may see `/metrics` and `/admin`; without any everybody may, unless is_admin_closed.
    """

    def __init__(
        self,
        gateway: Gateway,
        *,
        clients: Clients | None = None,
        admins: Clients | None = None,
        is_admin_closed: bool = False,
        max_body_bytes: int = MAX_BODY_BYTES,
        new_id: Callable[[], str] = lambda: token_hex(12),
    ) -> None:
        self._gateway = gateway
        self._clients = clients or Clients(())
        self._views = Views(gateway, admins or Clients(()), is_admin_closed=is_admin_closed)
        self._max_body_bytes = max_body_bytes
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request. The server's own start and stop are `front.py`'s."""
        reply = _Answering(send, f"req_{self._new_id()}")
        headers: dict[bytes, bytes] = dict(scope["headers"])
        surface = by_name(SURFACES.get(scope["path"], "openai_chat"))
        reply.id_header = ID_HEADERS.get(surface.name)
        try:
            if scope["path"] in SURFACES:
                if scope["method"] != "POST":
                    await reply.fault(surface, plain(405, f"{scope['path']} takes POST."), allow="POST")
                    return
                await self._ask(surface, scope, headers, receive, reply)
            else:
                await self._view(scope, headers, surface, reply)
        except _Gone:
            pass
        except Exception as why:  # noqa: BLE001 - the one place where faults become answers
            await reply.fault(surface, faults.of(why))

    async def turn_away(self, words: str, send: Send) -> None:
        """Answer a request that may not come in at all."""
        reply = _Answering(send, f"req_{self._new_id()}")
        await reply.fault(by_name("openai_chat"), plain(403, words, code="foreign_request"))

    async def _ask(
        self, surface: Dialect, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, reply: "_Answering"
    ) -> None:
        client = self._clients.admit(credential_in(headers, scope["query_string"]))
        found = self._edge(headers)
        body = b"" if found else await _body(receive, self._max_body_bytes)
        if body is None:
            found = plain(413, f"The request body is longer than {self._max_body_bytes} bytes.")
        if found is not None:
            self._gateway.metrics.rejections("edge").inc()
            await reply.fault(surface, found)
            return
        trip = reply.trip = Trip(client, reply.request_id, reply.started)
        try:
            async with asyncio.TaskGroup() as group:
                watch = group.create_task(_watch(receive))
                try:
                    await reply.answer(await self._gateway.answer(surface, body or b"", trip))
                except Exception as why:  # noqa: BLE001 - told while the caller is still watched
                    await reply.fault(surface, faults.of(why))
                watch.cancel()
        except* _Gone:
            pass

    def _edge(self, headers: Mapping[bytes, bytes]) -> Fault | None:
        """What the headers alone forbid."""
        kind = headers.get(b"content-type", b"application/json").split(b";")[0].strip().lower()
        if kind != b"application/json" and not kind.endswith(b"+json"):
            return plain(415, f"The body must be application/json, not {kind.decode('latin-1')[:100]!r}.")
        if headers.get(b"content-encoding", b"identity").strip().lower() not in (b"identity", b""):
            return plain(415, "The body must come without a content-encoding.")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._max_body_bytes:
            return plain(413, f"The request body is longer than {self._max_body_bytes} bytes.")
        return None

    async def _view(self, scope: Scope, headers: Mapping[bytes, bytes], surface: Dialect, reply: "_Answering") -> None:
        path: str = scope["path"]
        show = self._views.find(path)
        if show is None:
            await reply.fault(surface, plain(404, f"There is nothing at {path[:200]}."))
            return
        if scope["method"] not in ("GET", "HEAD"):
            await reply.fault(surface, plain(405, f"{path[:200]} takes GET."), allow="GET")
            return
        credential = credential_in(headers, scope["query_string"])
        if path.startswith("/v1/"):
            self._clients.admit(credential)
        shown = show(credential)
        kind = METRICS_TYPE if isinstance(shown.body, bytes) else "application/json"
        body = shown.body if isinstance(shown.body, bytes) else msgspec.json.encode(shown.body)
        await reply.whole(shown.status, body, [(b"content-type", kind.encode())])


async def _body(receive: Receive, max_bytes: int) -> bytes | None:
    """The whole body; None where it is too long, without having kept it."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return body if len(body) <= max_bytes else None
    pieces, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        size += len(message.get("body", b""))
        if size > max_bytes:
            return None
        pieces.append(message.get("body", b""))
    return b"".join(pieces)


async def _watch(receive: Receive) -> None:
    """Ends in `_Gone` when the caller closes the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    raise _Gone


class _Answering:
    """The answer to one request, sent once."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.started = perf_counter()
        self.trip: Trip | None = None
        self.id_header: bytes | None = None
        self._has_begun = False

    async def answer(self, answer: Whole | Flow) -> None:
        """An answer of the gateway. A stream's head goes out with its first piece."""
        headers = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
        if isinstance(answer, Whole):
            await self.whole(_HTTP_OK, answer.body, [_JSON, *headers])
            return
        async with aclosing(answer.pieces) as pieces:
            async for piece in pieces:
                if not self._has_begun:
                    await self._start(_HTTP_OK, [*_STREAM, *headers])
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        await self._send({"type": "http.response.body", "body": b""})

    async def fault(self, surface: Dialect, fault: Fault, *, allow: str = "") -> None:
        """A fault in the surface's envelope. After a stream has begun only breaking the connection would be honest."""
        if self._has_begun:
            raise ConnectionAbortedError(fault.message)
        body = surface.write_error(
            status=fault.status,
            message=fault.message,
            kind=fault.kind,
            param=fault.param,
            code=fault.code,
            request_id=self.request_id,
        )
        told = fault.headers() | ({"allow": allow} if allow else {})
        await self.whole(fault.status, body, [_JSON, *((k.encode(), v.encode()) for k, v in told.items())])

    async def whole(self, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        """An answer in one piece."""
        await self._start(status, [*headers, (b"content-length", b"%d" % len(body))])
        await self._send({"type": "http.response.body", "body": body})

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        self._has_begun = True
        overhead_ms = self.trip.overhead_ms() if self.trip else (perf_counter() - self.started) * 1000
        request_id = self.request_id.encode()
        ours = [(b"x-request-id", request_id), (b"x-stipula-overhead-ms", b"%.3f" % overhead_ms)]
        if self.id_header is not None:
            ours.append((self.id_header, request_id))
        await self._send({"type": "http.response.start", "status": status, "headers": [*headers, *ours]})
