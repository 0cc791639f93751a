"""The way of a request, top to bottom: read → tail → limits → route → cache → key, write, send → frames → usage.

Authentication and size stand before it, in `app.py`. The chat walks the same way in process, with an ask of its own
making. Nothing is counted, taken or looked up before the tail is judged.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from stipula.dialects import tail
from stipula.dialects.dialect import Dialect, DialectEdge
from stipula.dialects.ir import Ask, Closed, Delta, Failed, Reply, Usage, UsageDelta
from stipula.dialects.losses import HEADER as LOSSES_HEADER
from stipula.dialects.losses import losses_header
from stipula.errors import Problem
from stipula.gateway import usage
from stipula.gateway.attempts import Attempts, Begun, Post
from stipula.gateway.cache import Cache, Gatherer, key_of, replay
from stipula.gateway.clients import Client
from stipula.gateway.metrics import Metrics
from stipula.gateway.reading import Heard, Telling
from stipula.gateway.retry import verdict
from stipula.gateway.routing import STAR, Candidate, Route, candidates
from stipula.gateway.trip import Trip
from stipula.wire.sse import KEEPALIVE, Frame, encode

KEEPALIVE_S: Final = 15.0
KEEPALIVES: Final = {
    "openai_chat": KEEPALIVE,
    "anthropic_messages": encode(Frame(event="ping", data='{"type": "ping"}')),
}
"""What keeps a silent stream of a surface alive; some clients of other surfaces break at a comment."""
CACHE_HEADER: Final = "x-stipula-cache"


class TailRefused(Problem):
    """A request whose history ends in a way that no model should answer."""

    code, status = "GTW003", 400
    hint = "{message}"

    def __init__(self, found: tail.TailBreak) -> None:
        super().__init__(message=found.message)
        self.rule = found.rule
        self.param = found.param


class ModelUnknown(Problem):
    """No upstream has a model of this name."""

    code, status = "GTW004", 404
    hint = "The model {model!r} does not exist here; GET /v1/models lists those that do."


class Whole(Struct, frozen=True):
    """An answer in one piece."""

    body: bytes
    headers: Mapping[str, str] = {}


class Flow(Struct, frozen=True):
    """An answer in pieces. Whoever reads them closes the generator; closing it early cancels the work upstream."""

    pieces: AsyncGenerator[bytes]
    headers: Mapping[str, str] = {}


class ModelRow(Struct, frozen=True):
    """One model that can be asked for. note: why it is not ready, or what goes on; "" where nothing need be said."""

    name: str
    upstream: str
    ready: bool = True
    note: str = ""


class Gateway:
    """The gateway. posts: every upstream by name, in the order of the file. clock: seconds since 1970."""

    def __init__(
        self,
        posts: Mapping[str, Post],
        metrics: Metrics,
        clock: Callable[[], float],
        *,
        cache: Cache | None = None,
        journal: usage.Journal = usage.nowhere,
        max_attempts: int = 6,
    ) -> None:
        self.posts = posts
        self.metrics = metrics
        self._clock = clock
        self._cache = cache
        self._journal = journal
        self._routes = [Route(name, post.settings.model_names) for name, post in posts.items()]
        self._attempts = Attempts(posts, metrics, clock, max_attempts=max_attempts)

    # ------------------------------------------------------------ the way

    async def answer(self, surface: Dialect, body: bytes, trip: Trip) -> Whole | Flow:
        """The answer to a request body, in the dialect it came in. What is refused is raised."""
        ask = self._read(surface, body)
        able = self._judged(ask, trip)
        key, kept = self._looked_up(ask, trip)
        if kept is not None:
            return self._from_cache(surface, ask, kept)
        begun = await self._begin(ask, able, trip)
        headers = {LOSSES_HEADER: losses_header(begun.losses)} if begun.losses else {}
        if begun.reply is None:
            return Flow(self._told(surface, ask, begun, trip, key), headers)
        body = surface.write_reply(self._timed(begun.reply), begun.losses)
        await self._end_whole(begun, begun.reply, ask, trip, key)
        return Whole(body, headers)

    async def stream(self, ask: Ask, *, tenant: str = "", request_id: str = "") -> AsyncGenerator[Delta]:
        """The answer to an ask made in process, piece by piece. Raises before the first piece, later gives `Failed`."""
        trip, ask = Trip(Client(tenant), request_id), replace(ask, stream=True, include_usage=True)
        able = self._judged(ask, trip)
        key, kept = self._looked_up(ask, trip)
        if kept is not None:
            for delta in replay(kept):
                yield delta
            return
        begun = await self._begin(ask, able, trip)
        async with aclosing(self._heard(begun, ask, trip, key)) as pieces:
            async for heard in pieces:
                for one in heard:
                    for delta in one.deltas:
                        yield delta

    async def complete(self, ask: Ask, *, tenant: str = "", request_id: str = "") -> Reply:
        """The whole answer to an ask made in process."""
        trip, ask = Trip(Client(tenant), request_id), replace(ask, stream=False)
        able = self._judged(ask, trip)
        key, kept = self._looked_up(ask, trip)
        if kept is not None:
            return kept
        begun = await self._begin(ask, able, trip)
        assert begun.reply is not None, "an ask that does not stream is answered whole"
        await self._end_whole(begun, begun.reply, ask, trip, key)
        return begun.reply

    # ------------------------------------------------------------ its steps

    def _read(self, surface: Dialect, body: bytes) -> Ask:
        try:
            return surface.read_ask(body)
        except DialectEdge:
            self.metrics.rejections("edge").inc()
            raise

    def _judged(self, ask: Ask, trip: Trip) -> Sequence[Candidate]:
        """The upstreams that can answer an ask whose tail is sound and whose caller may ask it."""
        found = tail.judge(ask)
        if found is not None:
            self.metrics.rejections(found.rule).inc()
            raise TailRefused(found)
        trip.client.check(ask.model)
        able = candidates(self._routes, ask.model)
        if not able:
            raise ModelUnknown(model=ask.model)
        return able

    def _looked_up(self, ask: Ask, trip: Trip) -> tuple[bytes | None, Reply | None]:
        if self._cache is None:
            return None, None
        key = key_of(trip.client.tenant, ask)
        kept = self._cache.get(key, self._clock())
        self.metrics.cache_lookups("miss" if kept is None else "hit").inc()
        return key, kept

    def _from_cache(self, surface: Dialect, ask: Ask, kept: Reply) -> Whole | Flow:
        headers = {CACHE_HEADER: "hit"}
        if not ask.stream:
            return Whole(surface.write_reply(kept, []), headers)
        writer = surface.writer(ask)
        frames = b"".join(encode(frame) for delta in replay(kept) for frame in writer(delta))
        return Flow(_once(frames), headers)

    async def _begin(self, ask: Ask, able: Sequence[Candidate], trip: Trip) -> Begun:
        with trip.waiting():
            return await self._attempts.begin(ask, able)

    async def _told(
        self, surface: Dialect, ask: Ask, begun: Begun, trip: Trip, key: bytes | None
    ) -> AsyncGenerator[bytes]:
        telling = Telling(surface, begun.post.dialect, ask, begun.losses, int(self._clock()))
        silence = KEEPALIVES.get(surface.name, b"")
        async with aclosing(self._heard(begun, ask, trip, key)) as pieces:
            async for heard in pieces:
                told = b"".join([telling(one) for one in heard]) if heard else silence
                if told:
                    yield told

    async def _heard(self, begun: Begun, ask: Ask, trip: Trip, key: bytes | None) -> AsyncGenerator[Sequence[Heard]]:
        """What the upstream says until its end; an empty piece for each span of silence. Settles what was begun."""
        reading, idle_s = begun.reading, begun.post.settings.idle_s
        assert reading is not None, "a stream has a reading"
        gatherer = Gatherer() if key is not None else None
        bill: Usage | None = None
        heard: Sequence[Heard] = begun.first
        silent_s = 0.0
        try:
            while True:
                bill = _bill(heard) or bill
                if gatherer is not None:
                    gatherer.add(delta for one in heard for delta in one.deltas)
                yield heard
                if reading.ending is not None:
                    break
                try:
                    heard = await reading.next(min(KEEPALIVE_S, idle_s))
                    silent_s = 0.0
                except TimeoutError:
                    silent_s += min(KEEPALIVE_S, idle_s)
                    heard = () if silent_s < idle_s else (reading.fail(_silence(begun, idle_s)),)
        finally:
            ending = reading.ending
            if isinstance(ending, Closed):
                begun.use.settle("ok")
                self._keep(key, gatherer.reply() if gatherer else None)
            elif ending is not None:
                begun.use.settle(verdict(ending.status, ending.kind).blame)
            self._end(begun, ask, trip, bill, _ENDINGS[type(ending)])
            begun.exchange.close() if ending is None else await begun.exchange.finish()

    async def _end_whole(self, begun: Begun, reply: Reply, ask: Ask, trip: Trip, key: bytes | None) -> None:
        begun.use.settle("ok")
        begun.exchange.close()
        self._keep(key, reply)
        self._end(begun, ask, trip, reply.usage, "whole")

    def _timed(self, reply: Reply) -> Reply:
        """The reply with a time; an upstream that names none is written by surfaces that need one."""
        return reply if reply.created else replace(reply, created=int(self._clock()))

    def _keep(self, key: bytes | None, reply: Reply | None) -> None:
        if self._cache is not None and key is not None and reply is not None:
            self._cache.put(key, reply, self._clock())

    def _end(self, begun: Begun, ask: Ask, trip: Trip, bill: Usage | None, ending: str) -> None:
        """Free the key if nobody has, count the bill, write the record."""
        begun.use.settle("neutral")
        usage.count(self.metrics, begun.post.name, bill)
        for loss in begun.losses:
            self.metrics.lost(ask.dialect or "in process", loss.to, loss.what)
        self._journal(
            usage.Record(
                request_id=trip.request_id,
                tenant=trip.client.tenant,
                upstream=begun.post.name,
                asked=ask.model,
                model=begun.model,
                stream=ask.stream,
                ending=ending,
                ms=trip.elapsed_ms(),
                usage=bill,
                losses=len(begun.losses),
            )
        )

    # ------------------------------------------------------------ what there is

    def models(self) -> list[ModelRow]:
        """Every model that has a name of its own; globs stand for names that only their upstream knows."""
        rows: dict[str, ModelRow] = {}
        for name, post in self.posts.items():
            ready, note = post.upstream.readiness()
            for model in post.settings.model_names:
                if STAR not in model:
                    rows.setdefault(model, ModelRow(model, name, ready, note))
        return list(rows.values())

    def knows(self, model: str) -> str | None:
        """The upstream that would be asked first for a model; None where there is none."""
        able = candidates(self._routes, model)
        return able[0].upstream if able else None

    async def close(self) -> None:
        """End everything that is under way."""
        for post in self.posts.values():
            await post.upstream.close()


_ENDINGS: Final = {Closed: "whole", Failed: "failed", type(None): "left"}


def _bill(heard: Iterable[Heard]) -> Usage | None:
    bills = [delta.usage for one in heard for delta in one.deltas if isinstance(delta, UsageDelta)]
    return bills[-1] if bills else None


def _silence(begun: Begun, idle_s: float) -> Failed:
    words = f"The upstream {begun.post.name} sent nothing for {idle_s:g} s."
    return Failed(message=words, kind="timeout_error", code="upstream_timeout", status=504)


async def _once(piece: bytes) -> AsyncGenerator[bytes]:
    yield piece
