"""The stream of the chat held to its contract while it runs; breaks are counted, and under `enforce` end the stream."""

import json
from importlib import resources
from typing import Any, Final

from stipula.chat.events import Failure
from stipula.enforce.policy import Policy
from stipula.enforce.stream import StreamGuard, shapes_of
from stipula.enforce.tally import Row, Tally
from stipula.wire.grammar import Grammar, Violation

STREAM: Final = "stream:/chat/stream"


def document() -> dict[str, Any]:
    """The events document of the chat, version 2."""
    text = (resources.files("stipula.chat") / "contract" / "chat_v2.json").read_text(encoding="utf-8")
    return json.loads(text)


class ChatGuard:
    """Makes a guard for each stream; what all find is counted here. contract: if not version 2."""

    def __init__(self, policy: Policy | None = None, contract: dict[str, Any] | None = None) -> None:
        self._policy = policy or Policy()
        self._tally = Tally()
        self._grammar = Grammar.from_document(contract or document(), side="producer")
        self._shapes = shapes_of(self._grammar)

    def stream(self, request_id: str) -> StreamGuard:
        """A fresh guard for the stream of one request."""

        def refusal(why: Violation) -> tuple[str, object]:
            place = f"{why.event}{why.pointer}" if why.event else "the stream"
            told = f"The stream broke its own contract at {place}: wanted {why.wanted}, saw {why.seen}."
            return Failure.event, {"error": told, "request_id": request_id}

        return StreamGuard(
            self._grammar, self._shapes, self._policy, self._tally.count, surface=STREAM, refusal=refusal
        )

    def guard_counts(self) -> list[Row]:
        """Every break so far: surface, rule, what was done, how often."""
        return self._tally.rows()
