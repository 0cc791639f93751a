"""Whether every stream that one order allows is allowed by another, and the shortest that is not.

An order is an automaton over event names: inclusion is decided by walking both at once, breadth first, so that
the first stream found is a shortest one. Letters: an event whose payload does not fit the other side is another event.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from stipula.contract.model import Json
from stipula.diff.words import listed, members

OfEvent = Callable[[str], bool]


class StreamShown(Struct, frozen=True):
    """A whole stream of the new order that the old one does not allow.

    at: which of its events, from 0, is the first that may not come; its length where it ends too early. wanted: what
    might come there.
    """

    events: tuple[str, ...]
    at: int
    wanted: tuple[str, ...]

    def evidence(self) -> dict[str, Any]:
        """As JSON."""
        seen = self.events[self.at] if self.at < len(self.events) else "the end"
        return {"stream": list(self.events), "at": self.at, "seen": seen, "wanted": list(self.wanted)}


class Order:
    """An order document `{"initial", "final", "states", "anywhere"}`; an empty one allows its events in any order."""

    def __init__(self, document: Mapping[str, Json], events: set[str]) -> None:
        """Events: all names that the contract has."""
        told = document or {"initial": "any", "final": ["any"], "states": {"any": dict.fromkeys(sorted(events), "any")}}
        self.initial = str(told.get("initial", ""))
        self.final = {str(one) for one in listed(told.get("final"))}
        self.states = {state: members(row) for state, row in members(told.get("states")).items()}
        self.anywhere = [str(one) for one in listed(told.get("anywhere"))]

    def steps(self, state: str) -> dict[str, str]:
        """Event → next state."""
        row = self.states.get(state, {})
        return (dict.fromkeys(self.anywhere, state) if row else {}) | row

    def way_out(self, state: str) -> tuple[str, ...] | None:
        """A shortest run of events from a state to an end; None where there is none."""
        seen = {state}
        waiting: deque[tuple[str, tuple[str, ...]]] = deque([(state, ())])
        while waiting:
            here, word = waiting.popleft()
            if here in self.final:
                return word
            for event, following in sorted(self.steps(here).items()):
                if following not in seen:
                    seen.add(following)
                    waiting.append((following, (*word, event)))
        return None


def stream_beyond(
    new: Order,
    old: Order,
    *,
    ignores: OfEvent = lambda _event: False,
    fits: OfEvent = lambda _event: True,
) -> StreamShown | None:
    """A shortest stream of `new` that `old` does not allow, or None where old allows them all.

    ignores: events that a reader of the old order lets pass, wherever they come. fits: whether each payload of an event
    of the new side is one of the old side.
    """
    waiting: deque[tuple[str, str, tuple[str, ...]]] = deque([(new.initial, old.initial, ())])
    seen = {(new.initial, old.initial)}
    found: list[StreamShown] = []
    while waiting:
        here, there, word = waiting.popleft()
        if found and len(word) >= len(found[0].events):
            break
        if here in new.final and there not in old.final:
            found.append(StreamShown(word, len(word), tuple(sorted(old.steps(there)))))
        for event, following in sorted(new.steps(here).items()):
            known = old.steps(there).get(event) if fits(event) else None
            after = there if ignores(event) else known
            if after is None:
                rest = new.way_out(following)
                if rest is not None:
                    found.append(StreamShown((*word, event, *rest), len(word), tuple(sorted(old.steps(there)))))
            elif (following, after) not in seen:
                seen.add((following, after))
                waiting.append((following, after, (*word, event)))
        found.sort(key=lambda one: (len(one.events), one.events))
    return found[0] if found else None
