"""The gateway's counters, in a registry of their own. A refused request moves `stipula_rejections_total` and no other.

Labels come from the configuration, so their number is bounded; where callers can name one, it is bounded here.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal

from prometheus_client import CollectorRegistry, Counter, disable_created_metrics, generate_latest

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
MAX_LOSSES: Final = 500
"""Kinds of losses counted apart; a member of any name can be lost, so those beyond are counted as `other`."""
Rule = Literal["assistant_tail", "empty_user", "edge"]

disable_created_metrics()  # the time a series began is of no use here


class Metrics:
    """One registry, one set of counters."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=False)
        self.route_selections = self._counter(
            "stipula_route_selections", "Upstreams chosen for a request, failovers included", "upstream"
        )
        self.key_acquisitions = self._counter("stipula_key_acquisitions", "Keys taken from a pool", "upstream")
        self.cache_lookups = self._counter("stipula_cache_lookups", "Cache reads, by result", "result")
        self.upstream_requests = self._counter(
            "stipula_upstream_requests", "Requests sent to an upstream, by what came back", "upstream", "status"
        )
        self.streams_opened = self._counter("stipula_streams_opened", "Streams that an upstream began", "upstream")
        self.rejections = self._counter("stipula_rejections", "Requests refused before anything was touched", "rule")
        self.tokens = self._counter(
            "stipula_tokens", "Tokens as billed by the upstream, by direction", "upstream", "direction"
        )
        self.losses = self._counter("stipula_losses", "Members a dialect could not carry", "from", "to", "what")
        self._lost: set[tuple[str, str, str]] = set()
        for rule in ("assistant_tail", "empty_user", "edge"):
            self.rejections(rule)

    def _counter(self, name: str, words: str, *labels: str) -> Callable[..., Counter]:
        """A counter by its labels; finding one again is cheaper than the library's own way."""
        return lru_cache(maxsize=1024)(Counter(name, words, labels, registry=self.registry).labels)

    def lost(self, told_in: str, to: str, what: str) -> None:
        """Count one loss."""
        key = (told_in, to, what)
        if key not in self._lost:
            key = key if len(self._lost) < MAX_LOSSES else (told_in, to, "other")
            self._lost.add(key)
        self.losses(*key).inc()

    def page(self) -> bytes:
        """The text that Prometheus reads."""
        return generate_latest(self.registry)
