"""The events document: what the `events` collector reads, what a preset is, checked whole before anything runs on it.

`{"events": {NAME: schema}, "order": {"initial", "final", "states"}, "laws": […], "keepalive"}`, and where they are
wanted `forms` (other orders), `producer` (what the sender is held to beyond the reader's part), `unknown_events`,
`unknown_keys`, `title`, `description`. A document without an order lets its events come in any.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from stipula.errors import EXIT_USAGE, Problem
from stipula.wire.laws import Law, places_of
from stipula.wire.places import shown, split_place, steps_of
from stipula.wire.sse import FrameReader

Schema = dict[str, Any] | bool
"""A JSON Schema as it was parsed; what it means is the validator's business."""
Unknown = Literal["allow", "refuse"]


class GrammarBroken(Problem):
    """An events document is no grammar: a name that is not there, a state without an end, a law of no known kind."""

    code = "STR010"
    exit_code = EXIT_USAGE
    hint = "the events document is wrong at {place}: seen {seen}, wanted {wanted}"


class Order(Struct, frozen=True, forbid_unknown_fields=True):
    """Which event may come in which state: state → event → next state. anywhere: events that change no state.

    A stream may end in a final state only. A final state without events is the end: nothing may follow it.
    """

    initial: str
    final: tuple[str, ...]
    states: dict[str, dict[str, str]]
    anywhere: tuple[str, ...] = ()

    def step(self, state: str, event: str) -> str | None:
        """The state after an event, None where it may not come."""
        row = self.states[state]
        return row.get(event) or (state if row and event in self.anywhere else None)

    def allowed(self, state: str) -> list[str]:
        """The events that may come in a state."""
        row = self.states[state]
        return sorted({*row, *self.anywhere}) if row else []

    def accepts(self, word: Iterable[str]) -> bool:
        """Whether these events, in this order and no more, are a whole stream."""
        state: str | None = self.initial
        for event in word:
            if (state := self.step(state, event)) is None:
                return False
        return state in self.final

    def reachable(self) -> set[str]:
        """The states that some stream comes through."""
        return _closure({self.initial}, {state: set(row.values()) for state, row in self.states.items()})

    def ending(self) -> set[str]:
        """The states from which a stream can still come to its end."""
        before: dict[str, set[str]] = {}
        for state, row in self.states.items():
            for following in row.values():
                before.setdefault(following, set()).add(state)
        return _closure(set(self.final), before)


class Producer(Struct, frozen=True, forbid_unknown_fields=True):
    """What the sender is held to beyond what a reader may rely on. events: narrower shapes, laid over the open ones."""

    events: dict[str, Schema] = {}
    laws: tuple[Law, ...] = ()
    unknown_events: Unknown = "refuse"
    unknown_keys: Unknown = "refuse"


class Form(Struct, frozen=True, forbid_unknown_fields=True):
    """Another order that a stream may take where its sender says so."""

    order: Order
    description: str = ""


class EventsDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of the `events` collector, as it is written. Keys that begin with `x-` are notes and are dropped."""

    events: dict[str, Schema]
    order: Order | None = None
    laws: tuple[Law, ...] = ()
    keepalive: str = ""
    forms: dict[str, Form] = {}
    producer: Producer = Producer()
    unknown_events: Unknown = "allow"
    unknown_keys: Unknown = "allow"
    title: str = ""
    description: str = ""


def read_document(document: Mapping[str, object]) -> EventsDocument:
    """The parsed document, checked; `GrammarBroken` names the place that is wrong."""
    noted = {key: value for key, value in document.items() if not key.startswith(("x-", "$"))}
    try:
        told = msgspec.convert(noted, EventsDocument)
    except msgspec.ValidationError as why:
        what, _, place = str(why).partition(" - at ")
        raise GrammarBroken(place=place or "`$`", seen=what, wanted="the form of an events document") from None
    _check_order("order", told.order, told.events)
    for name, form in told.forms.items():
        _check_order(f"forms.{name}.order", form.order, told.events)
    _check_keepalive(told.keepalive)
    for name in told.producer.events.keys() - told.events.keys():
        raise GrammarBroken(place="producer.events", seen=name, wanted=_names(told.events))
    _check_laws("laws", told.laws, told.events)
    _check_laws("producer.laws", (*told.producer.laws, *told.laws), narrowed(told))
    return told


def narrowed(told: EventsDocument) -> dict[str, Schema]:
    """The shapes that a producer is held to: each open shape with its narrowing as one more `allOf` part."""
    shapes = dict(told.events)
    for name, narrowing in told.producer.events.items():
        open_shape = shapes[name]
        shape = open_shape if isinstance(open_shape, dict) else {"allOf": [open_shape]}
        shapes[name] = {**shape, "allOf": [*shape.get("allOf", ()), narrowing]}
    return shapes


def any_order(events: Iterable[str]) -> Order:
    """The order that allows every sequence of these events."""
    return Order("any", ("any",), {"any": dict.fromkeys(events, "any")})


def declared_keys(schema: Schema) -> frozenset[str] | None:
    """The names that a shape declares at its top, through `allOf`, `anyOf`, `oneOf` and local `$ref`.

    None where it declares none, or describes names by a pattern or by a schema: then any may be meant.
    """
    found: set[str] = set()
    waiting: list[object] = [schema]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or id(cast("object", part)) in seen:
            continue
        seen.add(id(cast("object", part)))
        words = cast("dict[str, object]", part)
        if "patternProperties" in words or isinstance(words.get("additionalProperties"), dict):
            return None
        properties = words.get("properties")
        found.update(cast("dict[str, object]", properties) if isinstance(properties, dict) else ())
        target = words.get("$ref")
        if isinstance(target, str) and target.startswith("#"):
            waiting.append(_pointed(schema, target[1:]))
        for keyword in ("allOf", "anyOf", "oneOf"):
            parts = words.get(keyword)
            waiting.extend(cast("list[object]", parts) if isinstance(parts, list) else ())
    return frozenset(found) or None


def _pointed(value: object, pointer: str) -> object:
    for step in steps_of(pointer):
        value = cast("dict[str, object]", value).get(step) if isinstance(value, dict) else None
    return value


def _check_order(place: str, order: Order | None, events: Mapping[str, Schema]) -> None:
    if order is None:
        return
    states, wanted_states = order.states.keys(), _names(order.states)
    named = {order.initial, *order.final, *(following for row in order.states.values() for following in row.values())}
    for state in sorted(named - states):
        raise GrammarBroken(place=place, seen=f"a state {shown(state)} without a row", wanted=wanted_states)
    sent = {*order.anywhere, *(event for row in order.states.values() for event in row)}
    for event in sorted(sent - events.keys()):
        raise GrammarBroken(place=place, seen=f"an event {shown(event)} without a shape", wanted=_names(events))
    for state in sorted(states - order.reachable()):
        raise GrammarBroken(place=place, seen=f"a state {shown(state)} that no stream reaches", wanted="a way to it")
    for state in sorted(states - order.ending()):
        raise GrammarBroken(place=place, seen=f"a state {shown(state)} without a way to an end", wanted="a final state")


def _check_keepalive(keepalive: str) -> None:
    frames = FrameReader(is_lenient=True).feed(f"{keepalive}\n\n".encode("utf-8", "replace"))
    if keepalive and (len(frames) != 1 or frames[0].comment is None):
        raise GrammarBroken(place="keepalive", seen=shown(keepalive), wanted="one comment line, as `: keepalive`")


def _check_laws(place: str, laws: tuple[Law, ...], events: Mapping[str, Schema]) -> None:
    ids = [law.id for law in laws]
    for law in laws:
        where = f"{place} {law.id}"
        if ids.count(law.id) > 1:
            raise GrammarBroken(place=where, seen="two laws with one id", wanted="an id for each")
        for event, pointer in map(split_place, places_of(law)):
            if event not in events:
                raise GrammarBroken(place=where, seen=f"an event {shown(event)}", wanted=_names(events))
            declared = declared_keys(events[event])
            if pointer and not pointer.startswith("/"):
                raise GrammarBroken(place=where, seen=shown(pointer), wanted="a JSON pointer, as `/name`")
            if pointer and declared and steps_of(pointer)[0] not in declared:
                raise GrammarBroken(place=where, seen=f"{event}#{pointer}", wanted=f"a field of {_names(declared)}")


def _names(names: Iterable[str]) -> str:
    return " | ".join(sorted(names)) or "none"


def _closure(start: set[str], following: Mapping[str, set[str]]) -> set[str]:
    """Every name that steps lead to, the start included."""
    found, waiting = set[str](), [*start]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(following.get(name, ()))
    return found
