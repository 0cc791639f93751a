"""The floor: what uvicorn and aiohttp alone cost to pass bytes on. `python -m benchmarks._bare UPSTREAM`."""

import socket
import sys
from typing import Any

import aiohttp
import uvicorn


class Bare:
    """Reads a body, sends it on, passes what comes back; looks at nothing."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.session: aiohttp.ClientSession | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if self.session is None:
            self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {"content-type": "application/json", "authorization": "Bearer key"}
        async with self.session.post(self.upstream + scope["path"], data=body, headers=headers) as answer:
            kind = answer.headers["content-type"].encode()
            await send({"type": "http.response.start", "status": answer.status, "headers": [(b"content-type", kind)]})
            while piece := await answer.content.readany():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


async def main() -> None:
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    config = uvicorn.Config(Bare(sys.argv[1]), http="httptools", log_level="error", access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    print(door.getsockname()[1], flush=True)
    await server.serve(sockets=[door])


if __name__ == "__main__":
    import uvloop

    uvloop.run(main())
