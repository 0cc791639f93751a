"""From a word of event names to a stream with payloads that its sender may send: shapes and laws kept, another broken.

Payloads come out of the containment question: what lies in a shape and in nothing is its smallest member. Whatever is
composed is held against the shapes by an independent validator, and against the laws by the stream machine.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Final, Literal, TypeAlias

from msgspec import UNSET

from stipula.contract.canonical import canonical
from stipula.contract.model import Json, Schema
from stipula.contract.verdict import compile_shape
from stipula.diff.containment.answers import Contained, Containment, NotContained, Undecided
from stipula.diff.law_schemas import Step, agreeing, atoms, choices, duty, holding, lures
from stipula.wire.grammar import Grammar, StreamChecker, Violation
from stipula.wire.laws import Law, Same
from stipula.wire.places import reader_of

Contains = Callable[[Schema, Schema], Containment]
"""Whether every value of the left schema is one of the right: `stipula.diff.containment.contains`, or a stand-in."""
Admission = Literal["fits", "refused", "open"]
Letter: TypeAlias = tuple[str, bool]
"""An event, and whether the reader's shape is to refuse its payload."""
Stream: TypeAlias = tuple[Step, ...]

MAX_QUESTIONS: Final = 3_000
"""Questions of containment in one comparison."""
MAX_OPTIONS: Final = 64
MAX_TRIES: Final = 400
"""Payloads tried for one word."""


class Payloads:
    """What the two sides say of payloads: asked once each, remembered, bounded."""

    def __init__(self, writer: Grammar, reader: Grammar, contains: Contains) -> None:
        self.writer, self.reader = writer, reader
        self.reasons: dict[str, str] = {}
        self._contains = contains
        self._known: dict[bytes, Containment] = {}

    def admission(self, event: str) -> Admission:
        """Whether the reader's shape of an event takes every payload that the writer's shape allows."""
        left, right = _shape(self.writer, event), _shape(self.reader, event)
        answer = Contained() if canonical(left) == canonical(right) else self._asked(left, right)
        if isinstance(answer, Undecided):
            self.reasons.setdefault(event, f"the payloads of {event}: {answer.reason}")
            return "open"
        return "fits" if isinstance(answer, Contained) else "refused"

    def member(self, event: str, parts: Sequence[Schema] = (), *, is_refused: bool = False) -> Json:
        """A small payload that the writer may send and that fits the parts; UNSET where none is found.

        is_refused: one that the reader's shape refuses.
        """
        left = _narrowed(_shape(self.writer, event), parts)
        answer = self._asked(left, _shape(self.reader, event) if is_refused else False)
        return answer.witness if isinstance(answer, NotContained) else UNSET

    def is_empty(self, event: str, parts: Sequence[Schema] = ()) -> bool:
        """Whether it is proved that the writer has no such payload."""
        return isinstance(self._asked(_narrowed(_shape(self.writer, event), parts), False), Contained)

    def agree_by_shape(self, law: Law) -> bool:
        """Whether the shapes alone fix one value for all places that the atom wants to agree."""
        places = agreeing(law)
        spared: list[Json] = [None] if isinstance(law, Same) else []  # null says that the value is not known
        for event, pointer in places[:1]:
            value = reader_of(pointer)(self.member(event, [holding(pointer, {"not": {"enum": spared}})]))
            others: Schema = {"not": {"enum": [value, *spared]}}
            return value is not UNSET and all(self.is_empty(name, [holding(at, others)]) for name, at in places)
        return False

    def _asked(self, left: Schema, right: Schema) -> Containment:
        if left is False:
            return Contained()
        key = canonical([left, right])
        if key not in self._known:
            if len(self._known) >= MAX_QUESTIONS:
                return Undecided(f"more than {MAX_QUESTIONS} questions about payloads")
            self._known[key] = self._contains(left, right)
        return self._known[key]


def _shape(grammar: Grammar, event: str) -> Schema:
    """The shape of an event; where unknown keys are refused, without them."""
    shape = grammar.events[event]
    known = grammar.known_keys.get(event)
    return shape if known is None else _narrowed(shape, [{"propertyNames": {"enum": sorted(known)}}])


def _narrowed(shape: Schema, parts: Sequence[Schema]) -> Schema:
    """The shape with further demands; its root stays the root, for its references."""
    if False in parts or shape is False:
        return False
    told = [part for part in parts if part is not True]
    if not told:
        return shape
    words = shape if isinstance(shape, dict) else {}
    return {**words, "allOf": [*words.get("allOf", ()), *told]}


class Composer:
    """Makes streams of words. goal: an atom that is to be broken by the way; None where the word alone does it."""

    def __init__(self, payloads: Payloads, goal: Law | None = None) -> None:
        self._payloads = payloads
        self._writer, self._reader = payloads.writer, payloads.reader
        self._kept = [atom for law in self._writer.laws for atom in atoms(law)]
        self._goal = goal
        self._tries = 0

    def composed(self, word: Sequence[Letter], *, is_breaking: bool = True) -> Stream | None:
        """A stream of these events that the writer may send, and that the reader refuses; None if none is found."""
        self._tries = 0
        return self._finished(word, (), is_breaking=is_breaking)

    def _finished(self, word: Sequence[Letter], before: Stream, *, is_breaking: bool) -> Stream | None:
        if len(before) == len(word):
            is_wanted = not breaks(self._writer, before) and (not is_breaking or breaks(self._reader, before))
            return before if is_wanted else None
        event, is_refused = word[len(before)]
        seen: set[bytes] = set()
        for parts in self._options(event, before):
            payload = self._payloads.member(event, parts, is_refused=is_refused)
            if payload is UNSET or canonical(payload) in seen or self._tries >= MAX_TRIES:
                continue
            seen.add(canonical(payload))
            self._tries += 1
            longer = (*before, Step(event, payload))
            if _is_lawful(self._writer, longer):
                found = self._finished(word, longer, is_breaking=is_breaking)
                if found is not None:
                    return found
        return None

    def _options(self, event: str, before: Stream) -> Iterator[list[Schema]]:
        """Demands on the next payload, the most promising first."""
        duties = [wanted for atom in self._kept if (wanted := duty(atom, event, before)) is not True]
        goals = [self._goal] if self._goal else []
        baits: list[Schema] = [bait for goal in goals for bait in lures(goal, event, before)]
        ways = choices([*self._kept, *goals], event)
        for option in islice(product([*baits, True], *ways), MAX_OPTIONS):
            yield [*duties, *option]


def breaks(grammar: Grammar, stream: Stream) -> list[Violation]:
    """Everything that is wrong with a whole stream: order, shapes and laws."""
    shapes = {step.event for step in stream} & grammar.events.keys()
    checker = StreamChecker(grammar, {name: compile_shape(grammar.events[name], name).violations for name in shapes})
    found = [violation for step in stream for violation in checker.accept(step.event, step.payload)]
    return [*found, *checker.close()]


def _is_lawful(grammar: Grammar, begun: Stream) -> bool:
    """Whether a stream that goes on keeps order and laws so far; its payloads are made to fit."""
    checker = StreamChecker(grammar)
    return not any(checker.accept(step.event, step.payload) for step in begun)
