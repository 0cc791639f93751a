"""A model server that costs next to nothing: two answers made beforehand. `python -m benchmarks._mock`."""

import asyncio
import json
import sys
from typing import Any, cast

HEAD: dict[str, Any] = {"id": "chatcmpl-mock", "created": 1700000000, "model": "mock"}
WORDS = 32
USAGE = {"prompt_tokens": 12, "completion_tokens": WORDS, "total_tokens": 12 + WORDS}


def whole() -> bytes:
    message = {"role": "assistant", "content": "word " * WORDS}
    body = HEAD | {"object": "chat.completion", "usage": USAGE}
    return json.dumps(body | {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()


def frames() -> list[bytes]:
    """36 of them: the role, 32 words, the end, the bill, the mark."""
    deltas: list[tuple[dict[str, Any], str | None]] = [
        ({"role": "assistant", "content": ""}, None),
        *(({"content": "word "}, None) for _ in range(WORDS)),
        ({}, "stop"),
    ]
    chunk = HEAD | {"object": "chat.completion.chunk"}
    chunks = [chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
    said = [json.dumps(one).encode() for one in [*chunks, chunk | {"choices": [], "usage": USAGE}]]
    return [b"data: " + one + b"\n\n" for one in [*said, b"[DONE]"]]


def chunked(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


WHOLE = whole()
PLAIN = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(WHOLE), WHOLE)
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
PIECES = [chunked(frame) for frame in frames()]
GROUP = 4  # frames that leave together: a model's pace seen through a network


class Mock(asyncio.Protocol):
    """One connection. A body with `"stream":true` in it is answered by a stream."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
            if len(self.buffer) < end + 4 + size:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + size], self.buffer[end + 4 + size :]
            if b'"stream":true' in body:
                self.transport.write(STREAM)
                self.say(0)
            else:
                self.transport.write(PLAIN)

    def say(self, at: int) -> None:
        """The next frames, in a turn of the loop of their own."""
        if self.transport.is_closing():
            return
        if at >= len(PIECES):
            self.transport.write(b"0\r\n\r\n")
            return
        self.transport.write(b"".join(PIECES[at : at + GROUP]))
        asyncio.get_running_loop().call_later(0.0005, self.say, at + GROUP)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Mock, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    import uvloop

    uvloop.run(main())
