"""How the chat answers: JSON bodies, faults, event streams."""

from collections.abc import AsyncIterator, Mapping
from typing import Final

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from stipula.chat.events import StreamEvent
from stipula.chat.requests import RequestBroken
from stipula.chat.shapes import Fault
from stipula.errors import Problem
from stipula.redact import redact
from stipula.wire.sse import KEEPALIVE, encode

_NEVER_STORED: Final = {"cache-control": "no-store"}
_STREAM: Final = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}
STATUSES: Final = frozenset({400, 403, 404, 405, 429, 503})
"""What a fault may be answered with; anything else is a 500."""


def body(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer."""
    return Response(
        msgspec.json.encode(value),
        status,
        headers={**_NEVER_STORED, **(headers or {})},
        media_type="application/json",
    )


def fault(status: int, why: str) -> Response:
    """A fault: `{"error": sentence}`."""
    headers = {"retry-after": "2"} if status in {429, 503} else None
    return body(Fault(error=why), status, headers)


def problem(why: Problem) -> Response:
    """The answer to a request that ran into a problem."""
    return fault(status_of(why), redact(str(why)))


def status_of(why: Problem) -> int:
    """The status of a problem, among those that the contract knows."""
    return why.status if why.status in STATUSES else 500


def refused(event: StreamEvent, status: int) -> Response:
    """The answer of a stream that never began: one `error` event."""
    headers = {**_STREAM, "x-request-id": str(event.payload.get("request_id", ""))}
    return Response(encode(event.frame(1)), status, headers=headers, media_type="text/event-stream")


def stream(frames: AsyncIterator[bytes | None], *, request_id: str) -> Response:
    """An event stream; None among the frames is a silence, and becomes the comment that keeps the line alive."""

    async def lines() -> AsyncIterator[bytes]:
        async for frame in frames:
            yield KEEPALIVE if frame is None else frame

    headers = {**_STREAM, "x-request-id": request_id}
    return StreamingResponse(lines(), headers=headers, media_type="text/event-stream")


async def read_body(request: Request, max_bytes: int) -> bytes:
    """The JSON body of a request, no longer than allowed; what a plain form of another site could send is refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > max_bytes:
                raise RequestBroken(why=f"the body has more than {max_bytes} bytes; that is the limit")
            parts.append(part)
    except ClientDisconnect:
        raise RequestBroken(why="the request ended before its body") from None
    if size and kind != "application/json":
        raise RequestBroken(why=f"the content type is {kind[:60]!r}; wanted: application/json")
    return b"".join(parts)
