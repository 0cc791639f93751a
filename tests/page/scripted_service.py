"""A chat service that does what a script says: `python scripted_service.py --port 8000`.

Real sockets, real server-sent events, stored in memory. The question picks the script (see `answer_to`); a script may
wait at a gate, which the test opens with `POST /script/open`. It speaks contract v2 as the page's own service does.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

WEB = Path(__file__).resolve().parents[2] / "src/stipula/chat/web"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
RICH = """## Paris

The capital of **France** is *Paris*, on the [Seine](https://en.wikipedia.org/wiki/Seine).

1. It has about two million people.
2. It has been the capital since 987.
   - with interruptions

| Year | People |
|------|-------:|
| 1801 | 546,856 |
| 2023 | 2,102,650 |

```python
def capital(country: str) -> str:
    return {"France": "Paris"}[country]
```

> Fluctuat nec mergitur.
"""
LONG = "\n\n".join(f"Paragraph {n} of a long answer, with enough words in it to fill a line or two." for n in range(60))

Step = tuple[str, Any]  # ("chunk", text) | ("think", text) | ("gate", name) | ("error", text) | ("cut", None) | ...


def pieces(text: str, size: int = 7) -> list[Step]:
    return [("chunk", text[at : at + size]) for at in range(0, len(text), size)]


def answer_to(question: str) -> list[Step]:
    """The script of a question. `attack:` answers with the rest of the question, as it stands."""
    if question.startswith("attack:"):
        return pieces(question.removeprefix("attack:"), 5)
    return SCRIPTS.get(question, pieces(RICH if "France" in question else f"You wrote: {question}"))


SCRIPTS: dict[str, list[Step]] = {
    "Count slowly": [*pieces("One, two, "), ("gate", "count"), *pieces("three, four.")],
    "Lose the line": [*pieces("Before the cut, "), ("cut", None), *pieces("after the cut.")],
    "Repeat yourself": [*pieces("Said "), ("cut back", 3), *pieces("only once.")],
    "Fail halfway": [*pieces("It begins well"), ("error", "The upstream closed the connection.")],
    "Say nothing": [],
    "Wait first": [("gate", "first"), *pieces("Here I am.")],
    "Think aloud": [("think", "First "), ("think", "this. "), ("gate", "thought"), ("think", "Then that."), *pieces("So: 42.")],
    "A long answer": [*pieces(LONG, 400)[:10], ("gate", "long"), *pieces(LONG, 400)[10:]],
    "Only what is required": [("think", "Hm."), ("bare", None), *pieces("Bare but well.")],
}


def now() -> str:
    return datetime.now(UTC).isoformat()


class Turn:
    """One answer: its frames so far, and who waits for more."""

    def __init__(self, question: str, body: dict[str, Any], message: dict[str, Any]) -> None:
        self.id = uuid.uuid4().hex[:12]
        self.question, self.message = question, message
        self.mode = body.get("thinking_mode", "instant")
        self.model = body.get("model") or "echo"
        self.frames: list[str] = []
        self.cuts: list[tuple[int, int]] = []  # (after this frame, go back so many frames on resume)
        self.is_done = self.is_stopped = False
        self.more = asyncio.Condition()

    async def put(self, event: str, data: dict[str, Any]) -> None:
        data = {**data, "request_id": self.id}
        async with self.more:
            self.frames.append(f"id: {len(self.frames)}\nevent: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n")
            self.is_done = event in {"complete", "error"}
            self.more.notify_all()

    async def follow(self, start: int, known: int) -> AsyncIterator[bytes]:
        """The frames from `start` on; ends early, as a lost line does, at each cut after `known` frames."""
        at = start
        while True:
            async with self.more:
                await self.more.wait_for(lambda: len(self.frames) > at or self.is_done)
            while at < len(self.frames):
                yield self.frames[at].encode()
                at += 1
                if at > known and at in [cut for cut, _ in self.cuts]:
                    return
            if self.is_done:
                return


class Service:
    def __init__(self) -> None:
        self.conversations: dict[str, dict[str, Any]] = {}
        self.turns: dict[str, Turn] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.log: list[str] = []
        self.models = [
            {"id": "smollm2-135m", "name": "SmolLM2 135M", "provider": "local", "available": True, "description": ""},
            {"id": "echo", "name": "echo", "provider": "echo", "available": True, "description": "Repeats what you write"},
        ]
        self.refusal: tuple[int, str] | None = None

    def gate(self, name: str) -> asyncio.Event:
        return self.gates.setdefault(name, asyncio.Event())

    # ------------------------------------------------------------ turns

    async def ask(self, request: Request) -> Response:
        body = await request.json()
        self.log.append(f"POST /chat/stream {body['message']}")
        if self.refusal:
            status, text = self.refusal
            return JSONResponse({"error": text}, status, headers={"Retry-After": "30"} if status == 429 else {})
        turn = self.begin(body)
        return self.stream(turn, 0, 0)

    def known(self, identity: str) -> dict[str, Any]:
        """A conversation; one that a killed service has forgotten begins anew, under its old id."""
        row = {"_id": identity, "user_id": "local", "model": "", "title": "Again", "created_at": now(), "updated_at": now()}
        return self.conversations.setdefault(identity, row | {"messages": []})

    def begin(self, body: dict[str, Any]) -> Turn:
        messages = self.known(body["conversation_id"])["messages"]
        if not any(message["_id"] == body["message_id"] for message in messages):
            messages.append({"_id": body["message_id"], "role": "user", "content": body["message"], "created_at": now()})
        answer = {"_id": uuid.uuid4().hex, "role": "assistant", "content": "", "created_at": now(), "metadata": {}}
        turn = Turn(body["message"], body, answer)
        answer["metadata"] = {"request_id": turn.id, "status": "streaming", "model": turn.model}
        messages.append(answer)
        self.turns[turn.id] = turn
        task = asyncio.get_running_loop().create_task(self.play(turn))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return turn

    async def play(self, turn: Turn) -> None:
        steps = answer_to(turn.question)
        await turn.put("metadata", metadata(turn))
        thoughts = [text for kind, text in steps if kind == "think"] or (["Let me see."] if turn.mode == "think" else [])
        has_begun, number = False, 0
        if thoughts and not any(kind == "think" for kind, _ in steps):
            steps = [("think", thoughts[0]), *steps]
        for kind, value in steps:
            if turn.is_stopped:
                break
            if kind == "think":
                if not has_begun:
                    await turn.put("thinking_start", {"category": "general", "timestamp": now()})
                has_begun = True
                await turn.put("thinking", {"step": value, "step_index": number, "category": "general", "is_reasoning_chunk": True})
            elif kind == "chunk":
                if has_begun:
                    await self.end_thinking(turn, thoughts)
                    has_begun = False
                turn.message["content"] += value
                number += 1
                await turn.put("chunk", {"content": value, "chunk_index": number})
            elif kind == "gate":
                await self.hold(turn, value)
            elif kind == "cut":
                turn.cuts.append((len(turn.frames), 0))
            elif kind == "cut back":
                turn.cuts.append((len(turn.frames), value))
            elif kind == "error":
                turn.message["metadata"] |= {"status": "error", "error": value}
                return await turn.put("error", {"error": value})
        if has_begun:
            await self.end_thinking(turn, thoughts)
        turn.message["metadata"] |= {"status": "stopped" if turn.is_stopped else "complete", "thinking_steps": thoughts}
        turn.message["is_stopped"] = turn.is_stopped
        return await turn.put("complete", complete(turn, thoughts, number))

    async def hold(self, turn: Turn, name: str) -> None:
        gate = self.gate(name)
        while not (gate.is_set() or turn.is_stopped):
            await asyncio.sleep(0.005)

    async def end_thinking(self, turn: Turn, thoughts: list[str]) -> None:
        end = {"summary": "Thought it over", "steps": thoughts, "category": "general", "duration_ms": 1400}
        await turn.put("thinking_end", end)

    def stream(self, turn: Turn, start: int, known: int) -> Response:
        headers = {"Cache-Control": "no-cache"}
        return StreamingResponse(turn.follow(start, known), media_type="text/event-stream", headers=headers)

    async def resume(self, request: Request) -> Response:
        turn = self.turns.get(request.path_params["id"])
        self.log.append(f"GET /chat/stream {request.headers.get('last-event-id', 'all')}")
        if turn is None:
            return JSONResponse({"error": "no such turn"}, 404)
        last = request.headers.get("last-event-id")
        start = 0 if last is None else int(last) + 1
        back = next((back for cut, back in turn.cuts if cut == start), 0)
        return self.stream(turn, max(0, start - back), start)

    async def stop(self, request: Request) -> Response:
        self.log.append("DELETE /chat/stream")
        turn = self.turns.get(request.path_params["id"])
        if turn is None:
            return JSONResponse({"error": "no such turn"}, 404)
        turn.is_stopped = True
        return JSONResponse({"message": "stopped"})

    # ------------------------------------------------------------ conversations

    async def conversation_list(self, _request: Request) -> Response:
        rows = [without_messages(row) for row in reversed(self.conversations.values())]
        return JSONResponse({"conversations": rows, "count": len(rows)})

    async def create(self, request: Request) -> Response:
        body = await request.json()
        row = self.known(uuid.uuid4().hex[:16])
        row["title"] = body.get("title", "New Chat")
        return JSONResponse(without_messages(row))

    async def conversation(self, request: Request) -> Response:
        identity = request.path_params["id"]
        row = self.conversations.get(identity)
        if row is None:
            return JSONResponse({"error": "no such conversation"}, 404)
        if request.method == "DELETE":
            self.log.append("DELETE /conversations")
            del self.conversations[identity]
            return JSONResponse({"message": "deleted"})
        if request.method == "PATCH":
            row["title"] = (await request.json())["title"]
            return JSONResponse(without_messages(row))
        return JSONResponse(row)

    async def model_list(self, _request: Request) -> Response:
        ready = sum(bool(row["available"]) for row in self.models)
        return JSONResponse({"models": self.models, "total": len(self.models), "available_count": ready, "tiers": []})

    # ------------------------------------------------------------ the test's own hands

    async def control(self, request: Request) -> Response:
        body = await request.json()
        if "forget" in body:
            self.__init__()
        if "open" in body:
            self.gate(body["open"]).set()
        if "models" in body:
            self.models = body["models"]
        if "refuse" in body:
            self.refusal = tuple(body["refuse"]) if body["refuse"] else None
        return JSONResponse({"log": self.log})


def without_messages(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "messages"}


def metadata(turn: Turn) -> dict[str, Any]:
    fixed = {"stream_backend": "scripted", "stream_contract_version": "v2", "web_search": False, "streaming": True}
    facts = {"model": turn.model, "context": "casual", "deep_thinking": False, "thinking_mode": turn.mode}
    return {**facts, **fixed, "timestamp": now()}


def complete(turn: Turn, thoughts: list[str], chunks: int) -> dict[str, Any]:
    return {
        "response": turn.message["content"],
        "model": turn.model,
        "context": "casual",
        "deep_thinking": False,
        "thinking_mode": turn.mode,
        "total_chunks": chunks,
        "thinking_summary": "Thought it over" if thoughts else "",
        "thinking_steps": thoughts,
        "thinking_duration_ms": 1400 if thoughts else 0,
        "timestamp": now(),
        "elapsed_time": 1.234,
        "tokens": 34,
        "max_tokens": 512,
    }


async def index(_request: Request) -> Response:
    return FileResponse(WEB / "index.html", headers={"Content-Security-Policy": CSP})


def app() -> Starlette:
    service = Service()
    routes = [
        Route("/", index),
        Mount("/static", StaticFiles(directory=WEB)),
        Route("/chat/stream", service.ask, methods=["POST"]),
        Route("/chat/stream/{id}", service.resume, methods=["GET"]),
        Route("/chat/stream/{id}", service.stop, methods=["DELETE"]),
        Route("/conversations", service.conversation_list),
        Route("/conversations/new", service.create, methods=["POST"]),
        Route("/conversations/{id}", service.conversation, methods=["GET", "DELETE", "PATCH"]),
        Route("/api/models", service.model_list),
        Route("/script", service.control, methods=["POST"]),
    ]
    return Starlette(routes=routes)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, required=True)
    port = options.parse_args().port
    listener = socket.create_server(("127.0.0.1", port))
    print("ready", flush=True)  # the socket queues what comes before the server reads it
    with contextlib.suppress(KeyboardInterrupt):
        config = uvicorn.Config(app(), log_level="warning", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
