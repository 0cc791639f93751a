"""A small stream, its guard's parts, and what they tell."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from stipula.enforce.policy import Policy
from stipula.enforce.stream import StreamGuard, shapes_of
from stipula.wire.grammar import Grammar, Violation

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
DOCUMENT: dict[str, Any] = {
    "events": {"open": {"type": "object"}, "part": TEXT, "end": TEXT, "error": TEXT},
    "order": {
        "initial": "start",
        "final": ["done"],
        "states": {
            "start": {"open": "on", "error": "done"},
            "on": {"part": "on", "end": "done", "error": "done"},
            "done": {},
        },
    },
    "laws": [{"id": "T", "kind": "joined", "parts": "part#/text", "whole": "end#/text"}],
    "forms": {
        "reopened": {
            "order": {
                "initial": "start",
                "final": ["done"],
                "states": {
                    "start": {"open": "on", "error": "done"},
                    "on": {"open": "on", "part": "on", "end": "done", "error": "done"},
                    "done": {},
                },
            }
        }
    },
}


class Told(list[tuple[str, str, str]]):
    """(surface, law, action) of each break, in order."""

    def __call__(self, surface: str, violation: Violation, action: str) -> None:
        self.append((surface, violation.law, action))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def guard_of(told: Told) -> Callable[..., StreamGuard]:
    """A guard of a fresh stream; payload: what its `error` event says."""
    grammar = Grammar.from_document(DOCUMENT)
    shapes = shapes_of(grammar)

    def make(policy: Policy, payload: object | None = None, draws: list[float] | None = None) -> StreamGuard:
        drawn = itertools.chain(draws or [])
        ending = {"text": "the answer broke its contract"} if payload is None else payload
        return StreamGuard(
            grammar,
            shapes,
            policy,
            told,
            surface="stream:/talk",
            refusal=lambda _why: ("error", ending),
            draw=lambda: next(drawn),
        )

    return make
