"""What a request cost: the last bill an upstream named, and the record of it."""

from collections.abc import Callable

from msgspec import Struct

from stipula.dialects.ir import Usage
from stipula.gateway.metrics import Metrics


class Record(Struct, frozen=True, kw_only=True):
    """One request, for the journal. ms: from its arrival to its last byte. ending: how the answer ended.

    usage: None where the upstream named no bill. asked, model: the model as asked and as the upstream calls it.
    """

    request_id: str
    tenant: str
    upstream: str
    asked: str
    model: str
    stream: bool
    ending: str
    ms: float
    usage: Usage | None = None
    losses: int = 0


Journal = Callable[[Record], None]
"""Where records go; must not wait."""


def nowhere(record: Record) -> None:
    """A journal that keeps nothing."""
    del record


def count(metrics: Metrics, upstream: str, usage: Usage | None) -> None:
    """Move the token counters by one bill."""
    if usage is None:
        return
    metrics.tokens(upstream, "in").inc(usage.tokens_in)
    metrics.tokens(upstream, "out").inc(usage.tokens_out)
