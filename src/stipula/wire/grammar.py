"""The stream machine: a table of events × states, and the laws between events. The table is data of an events document.

`Grammar` is the contract of one stream; `StreamChecker` holds one running stream to it, event by event, in bounded
memory and without input or output. The guard, the prover, the diagrams and the docs read the same table.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, Protocol, Self, cast

import msgspec
from msgspec import Struct

from stipula.wire.document import Order, Schema, any_order, declared_keys, narrowed, read_document
from stipula.wire.laws import Law, Watcher, watchers_of
from stipula.wire.places import shown

ORDER: Final = "order"
SHAPE: Final = "shape"
UNKNOWN_EVENT: Final = "unknown_event"
UNKNOWN_KEY: Final = "unknown_key"
_MAX_UNKNOWN_KEYS_TOLD: Final = 8


class Violation(Struct, frozen=True):
    """One break of a stream's contract.

    number: which event of the stream, from 1; the end of the stream counts as one more, and its event is "".
    law: the id of a law, or `order`, `shape`, `unknown_event`, `unknown_key`. pointer: into the payload.
    """

    number: int
    event: str
    pointer: str
    law: str
    wanted: str
    seen: str


class Mismatch(Protocol):
    """What a validator says of a payload that does not fit its shape."""

    @property
    def pointer(self) -> str:
        """Where."""
        ...

    @property
    def wanted(self) -> str:
        """What the shape says."""
        ...

    @property
    def seen(self) -> str:
        """What is there."""
        ...


Validator = Callable[[object], Iterable[Mismatch]]


class Grammar(Struct, frozen=True, kw_only=True):
    """The contract of one stream. events: name → shape. forms: orders that a sender may switch to by name.

    known_keys: the names that an event's shape declares, for events whose unknown keys are refused.
    """

    events: dict[str, Schema]
    order: Order
    laws: tuple[Law, ...]
    keepalive: str
    forms: dict[str, Order]
    refuses_unknown_events: bool
    known_keys: dict[str, frozenset[str]]

    @classmethod
    def from_document(cls, document: Mapping[str, object], *, side: Literal["reader", "producer"] = "reader") -> Self:
        """The grammar in a parsed events document; `GrammarBroken` names the place that is wrong.

        side: what a reader may rely on, or what the producer is held to (the same, and its `producer` part).
        """
        told = read_document(document)
        if side == "reader":
            events, laws, rest = told.events, told.laws, told
        else:
            events, laws, rest = narrowed(told), (*told.laws, *told.producer.laws), told.producer
        known = (
            {name: declared_keys(schema) for name, schema in events.items()} if rest.unknown_keys == "refuse" else {}
        )
        return cls(
            events=events,
            order=told.order or any_order(events),
            laws=laws,
            keepalive=told.keepalive,
            forms={name: form.order for name, form in told.forms.items()},
            refuses_unknown_events=rest.unknown_events == "refuse",
            known_keys={name: keys for name, keys in known.items() if keys is not None},
        )

    def form(self, name: str) -> Self:
        """The same contract with the order of one of its forms, for a stream that is known to be of that form."""
        return msgspec.structs.replace(self, order=self.forms[name])

    def accepts(self, word: Iterable[str]) -> bool:
        """Whether these events, in this order and no more, are a whole stream; shapes and laws are not asked."""
        return self.order.accepts(word)


class StreamChecker:
    """One running stream. Every `accept` and the `close` answer with what they found; the stream goes on after it.

    validators: by event, what finds the mismatches of a payload with its shape; events without one are not looked into.
    An event that may not come leaves the state as it is. After the end only the order speaks, once an event.
    """

    def __init__(self, grammar: Grammar, validators: Mapping[str, Validator] | None = None) -> None:
        self.number = 0
        self.state = grammar.order.initial
        self._grammar = grammar
        self._order = grammar.order
        self._validators = validators or {}
        self._forms = {name: order.initial for name, order in grammar.forms.items()}
        self._before = self.state
        self._is_closed = False
        self._watchers: dict[str, list[tuple[str, Watcher]]] = {}
        for law in grammar.laws:
            for event, watcher in watchers_of(law):
                self._watchers.setdefault(event, []).append((law.id, watcher))

    @property
    def is_done(self) -> bool:
        """Whether nothing may follow any more."""
        return not self._order.states[self.state]

    def allows(self, event: str) -> bool:
        """Whether an event may come now."""
        return self._order.step(self.state, event) is not None

    def admit(self, form: str) -> None:
        """From here on, and backwards, the stream is held to another form of the order."""
        self._order = self._grammar.forms[form]
        self.state = self._forms[form]

    def accept(self, event: str, payload: object) -> list[Violation]:
        """What is wrong with the next event; payload: its decoded JSON."""
        self.number += 1
        self._before = self.state
        found: list[Violation] = []
        was_done = self.is_done
        is_known = event in self._grammar.events
        if is_known or was_done:
            self._move(event, found)
        elif self._grammar.refuses_unknown_events:
            self._tell(found, event, "", UNKNOWN_EVENT, " | ".join(self._grammar.events), shown(event))
        if was_done or not is_known:
            return found
        validator = self._validators.get(event)
        if validator is not None:
            for mismatch in validator(payload):
                self._tell(found, event, mismatch.pointer, SHAPE, mismatch.wanted, mismatch.seen)
        if event in self._grammar.known_keys:
            self._look_at_keys(found, event, payload)
        for law, watcher in self._watchers.get(event, ()):
            broken = watcher(payload)
            if broken is not None:
                self._tell(found, event, broken.pointer, law, broken.wanted, broken.seen)
        return found

    def withdraw(self) -> None:
        """The last event was not sent after all: the state is as before it. What the laws saw stays seen."""
        self.state = self._before

    def close(self) -> list[Violation]:
        """The end of the stream: a break where its terminal event has not come. Told once."""
        if self._is_closed or self.state in self._order.final:
            return []
        self._is_closed = True
        wanted = " | ".join(self._order.allowed(self.state))
        return [Violation(self.number + 1, "", "", ORDER, wanted, f"the end of the stream in state {self.state}")]

    def _move(self, event: str, found: list[Violation]) -> None:
        for form, state in self._forms.items():
            self._forms[form] = self._grammar.forms[form].step(state, event) or state
        following = self._order.step(self.state, event)
        if following is not None:
            self.state = following
            return
        wanted = " | ".join(self._order.allowed(self.state)) or "nothing more"
        self._tell(found, event, "", ORDER, wanted, f"{event} in state {self.state}")

    def _tell(self, found: list[Violation], event: str, pointer: str, law: str, wanted: str, seen: str) -> None:
        found.append(Violation(self.number, event, pointer, law, wanted, seen))

    def _look_at_keys(self, found: list[Violation], event: str, payload: object) -> None:
        known = self._grammar.known_keys[event]
        if not isinstance(payload, dict) or payload.keys() <= known:
            return
        told = cast("dict[str, object]", payload)
        for key in sorted(told.keys() - known)[:_MAX_UNKNOWN_KEYS_TOLD]:
            pointer = "/" + key.replace("~", "~0").replace("/", "~1")
            self._tell(found, event, pointer, UNKNOWN_KEY, " | ".join(sorted(known)), shown(told[key]))
