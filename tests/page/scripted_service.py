"""A chat service that does what a script says: `python scripted_service.py --port 8000`.

Real sockets, real server-sent events, stored in memory. The question picks the script (see `answer_to`); a script may
wait at a gate, which the test opens with `POST /script/open`. It speaks contract v2 as the page's own service does.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import sys
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

Step = tuple[str, Any]  # the name of a method of `Turn`, and its argument


def pieces(text: str, size: int = 7) -> list[Step]:
    return [("chunk", text[at : at + size]) for at in range(0, len(text), size)]


def answer_to(question: str) -> list[Step]:
    """The script of a question. `attack:` answers with the rest of the question, as it stands."""
    if question.startswith("attack:"):
        return pieces(question.removeprefix("attack:"), 5)
    return SCRIPTS.get(question, pieces(RICH if "France" in question else f"You wrote: {question}"))


SCRIPTS: dict[str, list[Step]] = {
    "Count slowly": [*pieces("One, two, "), ("gate", "count"), *pieces("three, four.")],
    "Lose the line": [*pieces("Before the cut, "), ("cut", 0), *pieces("after the cut.")],
    "Repeat yourself": [*pieces("Said "), ("cut", 3), *pieces("only once.")],
    "Fail halfway": [*pieces("It begins well"), ("fail", "The upstream closed the connection.")],
    "Say nothing": [],
    "Wait first": [("gate", "first"), *pieces("Here I am.")],
    "Think aloud": [
        ("think", "First "),
        ("think", "this. "),
        ("gate", "thought"),
        ("think", "Then that."),
        *pieces("So: 42."),
    ],
    "A long answer": [*pieces(LONG, 400)[:10], ("gate", "long"), *pieces(LONG, 400)[10:]],
}


def now() -> str:
    return datetime.now(UTC).isoformat()


class Turn:
    """One answer: its frames so far, who waits for more, and the steps that its script may take."""

    def __init__(self, body: dict[str, Any], gates: "Gates") -> None:
        self.id = uuid.uuid4().hex[:12]
        self.question = body["message"]
        self.mode = body.get("thinking_mode", "instant")
        self.model = body.get("model") or "echo"
        self.gates = gates
        facts = {"request_id": self.id, "status": "streaming", "model": self.model}
        self.message: dict[str, Any] = {
            "_id": uuid.uuid4().hex,
            "role": "assistant",
            "content": "",
            "created_at": now(),
            "metadata": facts,
        }
        self.frames: list[str] = []
        self.cuts: list[tuple[int, int]] = []  # (after so many frames, go back so many on resume)
        self.thoughts: list[str] = []
        self.chunks = 0
        self.is_thinking = self.is_done = False
        self.stopped = asyncio.Event()
        self.more = asyncio.Condition()

    async def play(self) -> None:
        await self.put("metadata", metadata(self))
        for kind, value in self.steps():
            if self.stopped.is_set() or self.is_done:
                break
            await getattr(self, kind)(value)
        if not self.is_done:
            await self.complete()

    def steps(self) -> list[Step]:
        steps = answer_to(self.question)
        thinks_itself = any(kind == "think" for kind, _ in steps)
        return steps if thinks_itself or self.mode == "instant" else [("think", "Let me see."), *steps]

    async def think(self, text: str) -> None:
        if not self.is_thinking:
            await self.put("thinking_start", {"category": "general", "timestamp": now()})
        self.is_thinking = True
        self.thoughts.append(text)
        step = {"step": text, "step_index": len(self.thoughts), "category": "general", "is_reasoning_chunk": True}
        await self.put("thinking", step)

    async def end_thinking(self) -> None:
        if self.is_thinking:
            end = {"summary": "Thought it over", "steps": self.thoughts, "category": "general", "duration_ms": 1400}
            await self.put("thinking_end", end)
        self.is_thinking = False

    async def chunk(self, text: str) -> None:
        await self.end_thinking()
        self.message["content"] += text
        self.chunks += 1
        await self.put("chunk", {"content": text, "chunk_index": self.chunks})

    async def gate(self, name: str) -> None:
        waits = [asyncio.ensure_future(event.wait()) for event in (self.gates[name], self.stopped)]
        _, late = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in late:
            wait.cancel()

    async def cut(self, back: int) -> None:
        self.cuts.append((len(self.frames), back))

    async def fail(self, reason: str) -> None:
        self.message["metadata"] |= {"status": "failed", "error": reason}
        await self.put("error", {"error": reason})

    async def complete(self) -> None:
        await self.end_thinking()
        self.message["metadata"] |= {"status": "whole", "thinking_steps": self.thoughts}
        self.message["is_stopped"] = self.stopped.is_set()
        await self.put("complete", complete(self))

    async def put(self, event: str, data: dict[str, Any]) -> None:
        payload = json.dumps({**data, "request_id": self.id}, ensure_ascii=False)
        async with self.more:
            self.frames.append(f"id: {len(self.frames)}\nevent: {event}\ndata: {payload}\n\n")
            self.is_done = event in {"complete", "error"}
            self.more.notify_all()

    async def follow(self, start: int, known: int) -> AsyncIterator[bytes]:
        """The frames from `start` on; ends early, as a lost line does, at each cut after `known` frames."""
        at = start
        while True:
            async with self.more:
                await self.more.wait_for(lambda at=at: len(self.frames) > at or self.is_done)
            while at < len(self.frames):
                yield self.frames[at].encode()
                at += 1
                if at > known and at in [cut for cut, _ in self.cuts]:
                    return
            if self.is_done:
                return


class Gates(dict[str, asyncio.Event]):
    def __missing__(self, name: str) -> asyncio.Event:
        return self.setdefault(name, asyncio.Event())


class Service:
    def __init__(self) -> None:
        self.conversations: dict[str, dict[str, Any]] = {}
        self.turns: dict[str, Turn] = {}
        self.gates = Gates()
        self.tasks: set[asyncio.Task[None]] = set()
        self.log: list[str] = []
        self.models = [
            {"id": "smollm2-135m", "name": "SmolLM2 135M", "provider": "local", "available": True, "description": ""},
            {
                "id": "echo",
                "name": "echo",
                "provider": "echo",
                "available": True,
                "description": "Repeats what you write",
            },
        ]
        self.refusal: tuple[int, str] | None = None

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
        row = {
            "_id": identity,
            "user_id": "local",
            "model": "",
            "title": "Again",
            "created_at": now(),
            "updated_at": now(),
        }
        return self.conversations.setdefault(identity, row | {"messages": []})

    def begin(self, body: dict[str, Any]) -> Turn:
        messages = self.known(body["conversation_id"])["messages"]
        if not any(message["_id"] == body["message_id"] for message in messages):
            messages.append(
                {"_id": body["message_id"], "role": "user", "content": body["message"], "created_at": now()}
            )
        turn = Turn(body, self.gates)
        messages.append(turn.message)
        self.turns[turn.id] = turn
        task = asyncio.ensure_future(turn.play())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return turn

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
        turn.stopped.set()
        return JSONResponse({"message": "stopped"})

    # ------------------------------------------------------------ conversations

    async def conversation_list(self, _request: Request) -> Response:
        rows = [without_messages(row) for row in reversed(self.conversations.values())]
        return JSONResponse({"conversations": rows, "count": len(rows)})

    async def search(self, request: Request) -> Response:
        words = request.query_params["q"].lower().split()
        texts = {key: json.dumps(row["messages"]).lower() for key, row in self.conversations.items()}
        found = [key for key, text in texts.items() if all(word in text for word in words)]
        rows = [without_messages(self.conversations[key]) for key in found]
        return JSONResponse({"success": True, "conversations": rows, "count": len(rows)})

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
            self.gates[body["open"]].set()
        if "models" in body:
            self.models = body["models"]
        if "seed" in body:
            self.known("seeded")["messages"] = stored(body["seed"])
        if "refuse" in body:
            self.refusal = tuple(body["refuse"]) if body["refuse"] else None
        return JSONResponse({"log": self.log})


def stored(count: int) -> list[dict[str, Any]]:
    """So many questions and answers of an old conversation."""
    messages: list[dict[str, Any]] = []
    for n in range(count):
        messages.append({"_id": f"q{n}", "role": "user", "content": f"Question {n}", "created_at": now()})
        answer = {"_id": f"a{n}", "role": "assistant", "content": f"Answer **number** {n}", "created_at": now()}
        messages.append(answer | {"metadata": {"status": "whole"}})
    return messages


def without_messages(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "messages"}


def metadata(turn: Turn) -> dict[str, Any]:
    fixed = {"stream_backend": "scripted", "stream_contract_version": "v2", "web_search": False, "streaming": True}
    facts = {"model": turn.model, "context": "casual", "deep_thinking": False, "thinking_mode": turn.mode}
    return {**facts, **fixed, "timestamp": now()}


def complete(turn: Turn) -> dict[str, Any]:
    return {
        "response": turn.message["content"],
        "model": turn.model,
        "context": "casual",
        "deep_thinking": False,
        "thinking_mode": turn.mode,
        "total_chunks": turn.chunks,
        "thinking_summary": "Thought it over" if turn.thoughts else "",
        "thinking_steps": turn.thoughts,
        "thinking_duration_ms": 1400 if turn.thoughts else 0,
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
        Route("/conversations/search", service.search),
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
    sys.stdout.write("ready\n")  # the socket queues what comes before the server reads it
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        config = uvicorn.Config(app(), log_level="warning", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
