"""From candidates to one answer that has begun: upstream after upstream, key after key, until a first byte is there.

Nothing here is tried again once a byte of an answer exists. Whoever gets a `Begun` settles its use and lets its
exchange go.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from stipula.dialects.dialect import Dialect, UpstreamUnreadable
from stipula.dialects.ir import Ask, Failed, Reply
from stipula.dialects.losses import Losses
from stipula.errors import Problem
from stipula.gateway.config import UpstreamSettings
from stipula.gateway.keyring import Keyring, Use
from stipula.gateway.keys import Outcome, Resting
from stipula.gateway.metrics import Metrics
from stipula.gateway.reading import Heard, Reading
from stipula.gateway.retry import retry_after_s, verdict
from stipula.gateway.routing import Candidate
from stipula.gateway.upstream import Exchange, Upstream, UpstreamBusy, UpstreamCut, UpstreamSilent, UpstreamUnreachable
from stipula.redact import redact

_FIRST_REFUSAL = 400


class NoKey(Problem):
    """An upstream could answer, and every key of it rests or there is none."""

    code, status = "GTW010", 503
    hint = "no key of {upstream} can be used now: {why}"


class Refused(Problem):
    """What an upstream said in place of an answer, or that it said nothing, after all that could be tried was tried.

    wait_s: when asking again makes sense. is_spent: others were tried as well, so asking again at once is of no use.
    """

    code = "GTW011"
    hint = "{message}"

    def __init__(
        self, failed: Failed, *, wait_s: float | None = None, blame: Outcome = "neutral", moves: bool = False
    ) -> None:
        super().__init__(message=redact(failed.message))
        self.failed = replace(failed, message=redact(failed.message))
        self.wait_s = wait_s
        self.blame: Outcome = blame
        self.moves = moves
        self.is_spent = False


class Post(Struct, frozen=True):
    """One upstream as the relay knows it: how it is set, what it speaks, its keys, and the way to it."""

    settings: UpstreamSettings
    dialect: Dialect
    ring: Keyring
    upstream: Upstream

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        return self.settings.name


class Begun(Struct, frozen=True):
    """An answer that has begun. reply: the whole one; reading, first: a stream and what was heard of it so far."""

    post: Post
    model: str
    use: Use
    exchange: Exchange
    losses: Losses
    reply: Reply | None = None
    reading: Reading | None = None
    first: tuple[Heard, ...] = ()


class Attempts:
    """Tries. clock: seconds since 1970. max_attempts: for one request, all upstreams together."""

    def __init__(
        self, posts: Mapping[str, Post], metrics: Metrics, clock: Callable[[], float], *, max_attempts: int
    ) -> None:
        self._posts = posts
        self._metrics = metrics
        self._clock = clock
        self._max_attempts = max_attempts

    async def begin(self, ask: Ask, candidates: Sequence[Candidate]) -> Begun:
        """The first answer that begins; `Refused` with the last refusal where none does."""
        refusals: list[Refused] = []
        for candidate in candidates:
            post = self._posts[candidate.upstream]
            self._metrics.route_selections(post.name).inc()
            losses: Losses = []
            body = post.dialect.write_ask(replace(ask, model=candidate.model), losses)
            tried: set[int] = set()
            while len(refusals) < self._max_attempts:
                use = post.ring.take(tried)
                if isinstance(use, Resting):
                    if not tried:
                        refusals.append(_no_key(post, use))
                    break
                tried.add(use.index)
                try:
                    return await self._try(post, use, ask, body, candidate.model, losses)
                except Refused as why:
                    refusals.append(why)
                    if not why.moves:
                        raise _told(refusals) from None
        raise _told(refusals)

    async def _try(self, post: Post, use: Use, ask: Ask, body: bytes, model: str, losses: Losses) -> Begun:
        self._metrics.key_acquisitions(post.name).inc()
        limit_s = post.settings.first_byte_s if ask.stream else post.settings.whole_s
        exchange: Exchange | None = None
        is_begun = False
        said = "unreachable"
        try:
            async with asyncio.timeout(limit_s):
                exchange = await post.upstream.send(body, use.secret, model=model, stream=ask.stream)
                said = str(exchange.status)
                begun = await self._first(Begun(post, model, use, exchange, losses), ask)
            is_begun = True
        except TimeoutError:
            said = said if exchange else "silent"
            raise self._refusal(use, UpstreamSilent(upstream=post.name, waited_s=limit_s), "timeout_error") from None
        except (UpstreamUnreachable, UpstreamCut, UpstreamUnreadable, UpstreamBusy) as why:
            raise self._refusal(use, why, "api_error") from None
        except Refused as why:
            use.settle(why.blame, why.wait_s)
            raise
        finally:
            self._metrics.upstream_requests(post.name, said).inc()
            if not is_begun:
                use.settle("neutral")  # unless it was settled above: somebody went away
                if exchange is not None:
                    exchange.close()
        use.opened()
        return begun

    async def _first(self, begun: Begun, ask: Ask) -> Begun:
        """The answer with its first byte: the whole of it, or what is heard until there is something to tell."""
        exchange, dialect = begun.exchange, begun.post.dialect
        if exchange.status >= _FIRST_REFUSAL:
            failed = dialect.read_error(exchange.status, await exchange.whole())
            raise _refused(failed, wait_s=retry_after_s(exchange.retry_after, self._clock()))
        if not ask.stream:
            return replace(begun, reply=dialect.read_reply(await exchange.whole()))
        reading = Reading(exchange, dialect)
        first: list[Heard] = []
        while not any(heard.deltas for heard in first):
            first += await reading.next(begun.post.settings.first_byte_s)
        opening = next(heard.deltas[0] for heard in first if heard.deltas)
        if isinstance(opening, Failed):
            raise _refused(opening)
        self._metrics.streams_opened(begun.post.name).inc()
        return replace(begun, reading=reading, first=tuple(first))

    def _refusal(self, use: Use, why: Problem, kind: str) -> Refused:
        failed = Failed(
            message=f"{str(why)[:1].upper()}{str(why)[1:]}.", kind=kind, code=_CODES.get(type(why)), status=why.status
        )
        if isinstance(why, UpstreamBusy):
            use.settle("neutral")
            failed = replace(failed, kind="overloaded_error")
            return Refused(failed, wait_s=why.wait_s, moves=True)
        refused = _refused(failed)
        use.settle(refused.blame)
        return refused


_CODES: dict[type[Problem], str] = {
    UpstreamUnreachable: "upstream_unreachable",
    UpstreamSilent: "upstream_timeout",
    UpstreamCut: "upstream_incomplete",
    UpstreamUnreadable: "upstream_unreadable",
    UpstreamBusy: "upstream_unavailable",
}


def _refused(failed: Failed, *, wait_s: float | None = None) -> Refused:
    means = verdict(failed.status, failed.kind)
    return Refused(failed, wait_s=wait_s, blame=means.blame, moves=means.moves)


def _no_key(post: Post, resting: Resting) -> Refused:
    """Nobody to ask. A rest because of limits is told as a limit, so that the caller's client waits as it would."""
    is_limit = resting.cause == "rate_limit"
    if not post.ring.standing():
        why = "it has none; `keys` in the configuration is empty"
    elif resting.wait_s is None:
        why = "every one is being tried by another request"
    else:
        why = f"every one rests, the first for {resting.wait_s:.3g} s more (cause: {resting.cause})"
    problem = NoKey(upstream=post.name, why=why)
    kind, status, code = (
        ("rate_limit_error", 429, "rate_limit_exceeded") if is_limit else ("overloaded_error", 503, "no_key")
    )
    text = str(problem)
    failed = Failed(message=f"{text[:1].upper()}{text[1:]}.", kind=kind, code=code, status=status)
    return Refused(failed, wait_s=resting.wait_s, moves=True)


def _told(refusals: Sequence[Refused]) -> Refused:
    """The one refusal that the caller is told: the last that an upstream itself spoke, with the soonest wait of all."""
    spoken = [refused for refused in refusals if refused.failed.code != "no_key"]
    told = (spoken or refusals)[-1]
    waits = [refused.wait_s for refused in refusals if refused.wait_s is not None]
    told.wait_s = min(waits) if told.moves and waits else told.wait_s
    told.is_spent = told.moves and len(refusals) > 1
    return told
