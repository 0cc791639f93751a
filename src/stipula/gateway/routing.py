"""Which upstreams can answer a model, in order. Pure: no clock, no state, no network.

Names written out come before globs, so that a table may say `"gpt-*"` and still send one of them elsewhere; within
each the order is that of the file.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

STAR: Final = "*"
AS_ASKED: Final = "*"
"""As a target: the name goes on as it was asked."""


class Route(Struct, frozen=True):
    """One upstream's table: client's name or glob to upstream's name."""

    upstream: str
    models: Mapping[str, str]


class Candidate(Struct, frozen=True):
    """One upstream that can answer, and what it calls the model."""

    upstream: str
    model: str


def candidates(routes: Sequence[Route], asked: str) -> tuple[Candidate, ...]:
    """The upstreams that can answer, best first, each once; empty where no table knows the model."""
    found: dict[str, str] = {}
    for route in routes:
        if asked in route.models and STAR not in asked:
            found[route.upstream] = _target(route.models[asked], asked)
    for route in routes:
        for pattern, target in route.models.items():
            if route.upstream not in found and STAR in pattern and matches(pattern, asked):
                found[route.upstream] = _target(target, asked)
    return tuple(Candidate(upstream, model) for upstream, model in found.items())


def _target(target: str, asked: str) -> str:
    return asked if target == AS_ASKED else target


def matches(pattern: str, name: str) -> bool:
    """Whether a glob fits: `*` stands for any text, every other character for itself. Linear in the name.

    Model names hold `[`, `?` and `.`, so nothing but the star is special.
    """
    first, *rest = pattern.split(STAR)
    if not rest:
        return pattern == name
    if not name.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1]:
        at = name.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return name.endswith(rest[-1]) and len(name) - len(rest[-1]) >= at
