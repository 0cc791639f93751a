"""Whether every stream that one side may send is one that the other side takes, and the shortest that is not.

A stream contract is an automaton over events, each with the shape of its payload, and laws between events. Inclusion of
the automata is decided by walking both at once; a letter that the reader's shape does not always take is two letters,
one that it takes and one that it refuses. Laws are compared by what they say; where one is left that only the reader
has, a stream is looked for that breaks it. Every stream that is shown was held against both sides.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, islice
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from stipula.contract.model import Json
from stipula.diff.containment.answers import Undecided
from stipula.diff.law_schemas import READY, atoms, implies, is_idle, needs, progress
from stipula.diff.shortest_words import TooManyStates, accepted_words
from stipula.diff.stream_composer import Composer, Contains, Letter, Payloads, Stream, breaks
from stipula.diff.words import listed, members
from stipula.wire.document import Unknown
from stipula.wire.grammar import ORDER, SHAPE, UNKNOWN_EVENT, UNKNOWN_KEY, Grammar
from stipula.wire.laws import Law, Never, Same

MAX_WORDS: Final = 24
"""Words of event names for which payloads are looked for, for each question."""

Pair: TypeAlias = tuple[str, str | None]
"""A state of the writer and one of the reader, None once that has refused something."""
Why = Literal["event", "unknown_event", "payload", "end", "law", "keepalive"]
"""What breaks: an event that may not come there, one that is not known, a payload that is refused, a stream that may
end there for its sender only, a law that only the reader holds, another comment that keeps the stream alive."""
BROKEN_BY: Final[dict[str, Why]] = {
    ORDER: "event", SHAPE: "payload", UNKNOWN_KEY: "payload", UNKNOWN_EVENT: "unknown_event",
}  # fmt: skip


class Included(Struct, frozen=True, tag="included"):
    """The reader takes every stream that the writer may send."""


class NotIncluded(Struct, frozen=True, kw_only=True, tag="not_included"):
    """A stream that the writer may send and the reader refuses, as short as one was found.

    at: the step that breaks, from 0; the length of the stream where its end does. pointer: into that payload.
    law: its id where `why` is a law. is_law_changed: the writer keeps another law of that id; else it keeps none.
    """

    stream: Stream
    at: int
    why: Why
    wanted: str
    seen: str
    pointer: str = ""
    law: str = ""
    is_law_changed: bool = False

    def evidence(self) -> dict[str, Any]:
        """As JSON."""
        told: dict[str, Any] = {
            "stream": [step.event for step in self.stream],
            "payloads": [step.payload for step in self.stream],
            "at": self.at, "why": self.why, "pointer": self.pointer, "wanted": self.wanted, "seen": self.seen,
        }  # fmt: skip
        return told | ({"law": self.law} if self.law else {})


Inclusion: TypeAlias = Included | NotIncluded | Undecided


def stream_inclusion(
    old: Grammar,
    new: Grammar,
    *,
    contains: Contains,
    direction: Literal["response", "request"] = "response",
    unknown_events: Unknown | None = None,
) -> Inclusion:
    """Whether a change of a stream breaks who is at its other end.

    A stream that we send (`response`) must be one that readers of the old contract take; one that we are sent
    (`request`) must be taken by the new. unknown_events: whether the reader lets events pass that it does not know;
    None takes the reader's own word. A writer sends what it names, whatever its readers must ignore.
    """
    writer, reader = (new, old) if direction == "response" else (old, new)
    if unknown_events is not None:
        reader = replace(reader, refuses_unknown_events=unknown_events == "refuse")
    return _Comparison(writer, reader, contains).answer()


class _Comparison:
    def __init__(self, writer: Grammar, reader: Grammar, contains: Contains) -> None:
        self.writer, self.reader = writer, reader
        self.payloads = Payloads(writer, reader, contains)
        self.never = {event for law in writer.laws if isinstance(law, Never) for event in law.events}
        self.open: list[str] = []

    def answer(self) -> Inclusion:
        found = [shown for question in (self.by_order, self.by_laws) for shown in self._shown(question)]
        if not found:
            found = list(self._shown(self.by_keepalive))
        if found:
            return min(found, key=lambda one: len(one.stream))
        reasons = dict.fromkeys([*self.payloads.reasons.values(), *self.open])
        return Undecided("; ".join(reasons)) if reasons else Included()

    def _shown(self, question: Callable[[], Iterable[NotIncluded]]) -> Iterator[NotIncluded]:
        try:
            yield from question()
        except TooManyStates:
            self.open.append("the orders have too many states")

    # ------------------------------------------------------------ order and payloads

    def by_order(self) -> Iterator[NotIncluded]:
        """A shortest stream that breaks order or shapes."""
        start: Pair = self.writer.order.initial, self.reader.order.initial
        words = accepted_words(start, self._pairs, self._is_beyond)
        yield from self._composed(Composer(self.payloads), words, "an order or a shape")

    def _pairs(self, pair: Pair) -> Iterator[tuple[Letter, Pair]]:
        """Steps of both sides at once; once the reader has refused something, of the writer alone."""
        here, there = pair
        for event, following in self._sent(here):
            after = None if there is None else self._taken(there, event)
            yield (event, False), (following, after)
            if after is not None and event in self.reader.events and self.payloads.admission(event) == "refused":
                yield (event, True), (following, None)

    def _taken(self, state: str, event: str) -> str | None:
        """The reader's state after an event, None where it refuses it; after the end it refuses all."""
        order = self.reader.order
        if event in self.reader.events:
            return order.step(state, event)
        return state if order.states[state] and not self.reader.refuses_unknown_events else None

    def _sent(self, state: str) -> Iterator[tuple[str, str]]:
        """What the writer may really send in a state."""
        order = self.writer.order
        for event in order.allowed(state):
            following = order.step(state, event)
            if following is not None and event not in self.never and not self.payloads.is_empty(event):
                yield event, following

    def _is_beyond(self, pair: Pair) -> bool:
        here, there = pair
        return here in self.writer.order.final and there not in self.reader.order.final

    # ------------------------------------------------------------ laws

    def by_laws(self) -> Iterator[NotIncluded]:
        """For each law that the writer does not keep, a short stream that breaks it."""
        kept = [atom for law in self.writer.laws for atom in atoms(law)]
        for law in self.reader.laws:
            for atom in atoms(law):
                if is_idle(atom) or any(implies(one, atom) for one in kept):
                    continue
                asked = self._possible(atom)
                if asked is not None:
                    yield from self._composed(Composer(self.payloads, asked), self._words(asked), f"the law {law.id}")

    def _possible(self, atom: Law) -> Law | None:
        """The atom as far as the writer's shapes leave something to it; None where they keep it themselves."""
        if isinstance(atom, Same):
            atom = replace(atom, events=tuple(event for event in atom.events if event in self.writer.events))
        needed = needs(atom)
        is_vacuous = any(
            event in self.writer.events and self.payloads.is_empty(event, [part]) for event, part in needed
        )
        return None if is_vacuous or self.payloads.agree_by_shape(atom) else atom

    def _words(self, law: Law) -> Iterator[tuple[Letter, ...]]:
        """Words of the writer that have what it takes to break an atom."""

        def steps(node: tuple[str, int]) -> Iterator[tuple[Letter, tuple[str, int]]]:
            for event, following in self._sent(node[0]):
                yield (event, False), (following, progress(law, node[1], event))

        start = self.writer.order.initial, 0
        return accepted_words(start, steps, lambda node: node[1] == READY and node[0] in self.writer.order.final)

    # ------------------------------------------------------------ what is shown

    def by_keepalive(self) -> Iterator[NotIncluded]:
        """Where all else is taken: any stream, kept alive in a way that the reader does not wait for."""
        if self.reader.keepalive in {"", self.writer.keepalive}:
            return
        words = accepted_words(self.writer.order.initial, self._letters, lambda state: state in self.writer.order.final)
        composer = Composer(self.payloads)
        streams = (composer.composed(word, is_breaking=False) for word in islice(words, MAX_WORDS))
        yield NotIncluded(
            stream=next((one for one in streams if one is not None), ()), at=0, why="keepalive",
            wanted=self.reader.keepalive, seen=self.writer.keepalive or "none",
        )  # fmt: skip

    def _letters(self, state: str) -> Iterator[tuple[Letter, str]]:
        for event, following in self._sent(state):
            yield (event, False), following

    def _composed(self, composer: Composer, words: Iterator[tuple[Letter, ...]], what: str) -> Iterator[NotIncluded]:
        """The first of the words that becomes a stream; where there are words and none does, the question is open."""
        tried = 0
        for word in islice(words, MAX_WORDS):
            tried += 1
            stream = composer.composed(word)
            if stream is not None:
                yield self._not_included(stream)
                return
        if tried:
            self.open.append(f"{what} may be broken, and no stream of {tried} tried shows it")

    def _not_included(self, stream: Stream) -> NotIncluded:
        first = breaks(self.reader, stream)[0]
        is_end = first.law == ORDER and not first.event
        why = "end" if is_end else BROKEN_BY.get(first.law, "law")
        law = first.law if why == "law" else ""
        return NotIncluded(
            stream=stream, at=first.number - 1, why=why, wanted=first.wanted, seen=first.seen, pointer=first.pointer,
            law=law, is_law_changed=law in {one.id for one in self.writer.laws},
        )  # fmt: skip


# ---------------------------------------------------------------- orders alone, as a contract states them

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


def stream_beyond(
    new: Order,
    old: Order,
    *,
    ignores: OfEvent = lambda _event: False,
    fits: OfEvent = lambda _event: True,
) -> StreamShown | None:
    """A shortest stream of `new` that `old` does not allow, or None where old allows them all.

    ignores: events that a reader of the old order lets pass, wherever they come before its end. fits: whether each
    payload of an event of the new side is one of the old side.
    """

    def after(there: str | None, event: str) -> str | None:
        if there is None or (ignores(event) and old.steps(there)):
            return there
        return old.steps(there).get(event) if fits(event) else None

    def steps(pair: Pair) -> Iterator[tuple[str, Pair]]:
        for event, following in new.steps(pair[0]).items():
            yield event, (following, after(pair[1], event))

    start: Pair = new.initial, old.initial
    words = accepted_words(start, steps, lambda pair: pair[0] in new.final and pair[1] not in old.final)
    for word in words:
        reached = [*accumulate(word, after, initial=start[1])]
        at = reached.index(None) - 1 if None in reached else len(word)
        return StreamShown(word, at, tuple(sorted(old.steps(reached[at] or ""))))
    return None
