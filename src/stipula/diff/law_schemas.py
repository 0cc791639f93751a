"""The laws of a stream as schemas of its next payload: what a law demands of it, and what would break it.

The laws themselves are kept by `wire.laws`; this only guides a search for streams that keep some and break another, and
whatever it proposes is held against the laws afterwards. Atoms: laws that say one thing each.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from stipula.contract.model import Json, Schema
from stipula.wire.laws import (
    AbsentWhen,
    Counted,
    CountsUp,
    Equal,
    Joined,
    Law,
    Never,
    NotFalling,
    OnlyWhen,
    PresentWhen,
    Same,
)
from stipula.wire.places import alike, is_number, reader_of, split_place, steps_of

Conditional = OnlyWhen | AbsentWhen | PresentWhen
READY: Final = 2
"""The progress at which a word has what it takes to break a law."""


class Step(Struct, frozen=True):
    """One event of a stream with its payload."""

    event: str
    payload: Json


# ---------------------------------------------------------------- laws taken apart and compared


def atoms(law: Law) -> list[Law]:
    """The law as laws that say one thing each, without their words."""
    plain = replace(law, rule="")
    match plain:
        case Equal(pairs=pairs):
            return [replace(plain, pairs={earlier: later}) for earlier, later in sorted(pairs.items())]
        case Never(events=events):
            return [replace(plain, events=(event,)) for event in events]
        case OnlyWhen() | AbsentWhen() | PresentWhen():
            return [replace(plain, places=(place,)) for place in plain.places]
        case _:
            return [plain]


def implies(kept: Law, asked: Law) -> bool:
    """Whether a stream that keeps one atom keeps the other, as far as their forms tell."""
    match kept, asked:
        case (CountsUp(), CountsUp() | NotFalling()) | (NotFalling(within=""), NotFalling()):
            is_implied = kept.at == asked.at and {*kept.restarts} <= {*asked.restarts}
        case NotFalling(), NotFalling():
            is_implied = _at_and_within(kept) == _at_and_within(asked) and {*kept.restarts} <= {*asked.restarts}
        case Joined(), Joined():
            is_of_one = (kept.parts, kept.whole) == (asked.parts, asked.whole)
            is_implied = is_of_one and kept.if_none in {"empty", asked.if_none}
        case Same(), Same():
            is_implied = kept.field == asked.field and {*kept.events} >= {*asked.events}
        case OnlyWhen(), OnlyWhen():
            is_implied = _is_of_one(kept, asked) and _among(kept) <= _among(asked)
        case (AbsentWhen(), AbsentWhen()) | (PresentWhen(), PresentWhen()):
            is_implied = _is_of_one(kept, asked) and _among(kept) >= _among(asked)
        case _:
            is_implied = replace(kept, id="") == replace(asked, id="")
    return is_implied


def _at_and_within(law: NotFalling) -> tuple[str, str]:
    return law.at, law.within


def _is_of_one(kept: Conditional, asked: Conditional) -> bool:
    """Whether two conditional laws differ in nothing but the values that govern them."""
    return replace(kept, id="", among=()) == replace(asked, id="", among=())


def _among(law: Conditional) -> set[tuple[bool, Json]]:
    return {(isinstance(value, bool), value) for value in law.among}


# ---------------------------------------------------------------- which words can break an atom at all


def progress(law: Law, seen: int, event: str) -> int:
    """How far a word has come towards breaking an atom, after one more event; READY stays."""
    if seen >= READY:
        return READY
    match law:
        case CountsUp(at=at, restarts=restarts) | NotFalling(at=at, restarts=restarts):
            after = seen + (event == split_place(at)[0])
            after = 0 if after < READY and event in restarts else after
        case Joined(parts=parts, whole=whole):
            after = _in_turn(seen or int(law.if_none == "empty"), event, parts, whole)
        case Counted(at=at):
            after = READY * (event == split_place(at)[0])
        case Same(events=events):
            after = seen + (event in events)
        case Equal(pairs=pairs):
            ((earlier, later),) = pairs.items()
            after = _in_turn(seen, event, earlier, later)
        case Never(events=events):
            after = READY * (event in events)
        case OnlyWhen() | AbsentWhen():
            after = _in_turn(seen, event, law.when, law.places[0])
        case PresentWhen():
            after = _in_turn(seen, event, law.when, law.by)
    return after


def _in_turn(seen: int, event: str, first: str, second: str) -> int:
    """First place, then second; one event may carry both, and the first is seen first."""
    seen = seen or int(event == split_place(first)[0])
    return READY if seen and event == split_place(second)[0] else seen


# ---------------------------------------------------------------- schemas of places


def holding(pointer: str, schema: Schema) -> Schema:
    """A payload that has this place, and there what the schema says."""
    for step in reversed(steps_of(pointer)):
        if step.isdecimal():
            schema = {"type": "array", "prefixItems": [*[True] * int(step), schema], "minItems": int(step) + 1}
        else:
            schema = {"type": "object", "properties": {step: schema}, "required": [step]}
    return schema


def lacking(pointer: str) -> Schema:
    """A payload without this place; the whole payload is always there."""
    return {"not": holding(pointer, True)} if pointer else False


def either(pointer: str, schema: Schema) -> Schema:
    """A payload that lacks the place, or has there what the schema says."""
    return {"anyOf": [lacking(pointer), holding(pointer, schema)]}


# ---------------------------------------------------------------- what laws say of the next payload


def duty(law: Law, event: str, before: Sequence[Step]) -> Schema:
    """What the atom demands of the payload of the next event, `before` being what came; True where nothing.

    Where one payload holds both places of an atom, or falls into one of several groups, nothing can be said before it.
    """
    wanted: Schema = True
    match law:
        case CountsUp(at=at) | NotFalling(at=at, within="") if split_place(at)[0] == event:
            last = _running(law, before)
            if last is not None:
                in_line: Schema = {"const": last + 1} if isinstance(law, CountsUp) else {"minimum": last}
                wanted = either(split_place(at)[1], in_line)
        case Joined(parts=parts, whole=whole) if _is_later(event, whole, parts):
            joint = _joint(law, before)
            wanted = True if joint is None else either(split_place(whole)[1], {"enum": joint})
        case Counted(at=at) if split_place(at)[0] == event:
            wanted = either(split_place(at)[1], {"const": _count(law, event, before)})
        case Same(events=events, field=field) if event in events:
            first = _first(law, before)
            wanted = either(field, {"enum": [*first, None]}) if first else True
        case Equal(pairs=pairs):
            ((earlier, later),) = pairs.items()
            first = _last(before, earlier)
            if _is_later(event, later, earlier) and first is not UNSET:
                wanted = either(split_place(later)[1], {"const": first})
        case Never(events=events):
            wanted = event not in events
        case OnlyWhen() | AbsentWhen() if _is_later(event, law.places[0], law.when):
            is_empty = _governed(law, before) is isinstance(law, AbsentWhen)
            wanted = lacking(split_place(law.places[0])[1]) if is_empty else True
        case _:
            pass
    return wanted


def _is_later(event: str, place: str, first: str) -> bool:
    """Whether the event holds the place, and not the one that is seen before it."""
    return split_place(place)[0] == event != split_place(first)[0]


def choices(laws: Sequence[Law], event: str) -> list[list[Schema]]:
    """Ways to fill the next payload that decide how the atoms go on: of each list one, the plainest first."""
    values: dict[str, list[Json]] = {}
    ways: dict[str, list[Schema]] = {}
    for law in laws:
        if not isinstance(law, OnlyWhen | AbsentWhen | PresentWhen):
            continue
        when_event, when = split_place(law.when)
        if when_event == event:
            values.setdefault(when, []).extend(law.among)
        place_event, place = split_place(law.places[0])
        if isinstance(law, PresentWhen) and place_event == event and place:
            ways[place] = [True, holding(place, True)]
    for when, among in values.items():
        told = list({(isinstance(value, bool), value): value for value in among}.values())
        each: list[Schema] = [holding(when, {"const": value}) for value in told]
        ways[when] = [True, *each, holding(when, {"not": {"enum": told}})]
    return [ways[pointer] for pointer in sorted(ways)]


def is_idle(law: Law) -> bool:
    """Whether an atom says nothing: a place holds what it holds, an event has come once a field of it was seen."""
    match law:
        case Equal(pairs=pairs):
            return all(earlier == later for earlier, later in pairs.items())
        case PresentWhen(places=places, when=when):
            return places == (split_place(when)[0],)
        case _:
            return False


def needs(law: Law) -> list[tuple[str, Schema]]:
    """Payloads, by event, without every one of which the atom cannot be broken."""
    match law:
        case CountsUp(at=at) | NotFalling(at=at):
            return [(split_place(at)[0], holding(split_place(at)[1], {"type": "number"}))]
        case Joined(whole=place) | Counted(at=place):
            return [(split_place(place)[0], holding(split_place(place)[1], True))]
        case Equal(pairs=pairs):
            return [
                (event, holding(pointer, True)) for pair in pairs.items() for event, pointer in map(split_place, pair)
            ]
        case OnlyWhen() | AbsentWhen() | PresentWhen():
            event, when = split_place(law.when)
            among: Schema = {"enum": [*law.among]}
            told: list[tuple[str, Schema]] = [
                (event, holding(when, {"not": among} if isinstance(law, OnlyWhen) else among))
            ]
            place_event, place = split_place(law.places[0])
            return [*told, (place_event, holding(place, True))] if place and not isinstance(law, PresentWhen) else told
        case _:
            return []


def agreeing(law: Law) -> list[tuple[str, str]]:
    """The places, (event, pointer), that the atom wants to hold one value; none where it wants something else."""
    match law:
        case Same(events=events, field=field):
            return [(event, field) for event in events]
        case Equal(pairs=pairs):
            return [split_place(place) for pair in pairs.items() for place in pair]
        case _:
            return []


def lures(law: Law, event: str, before: Sequence[Step]) -> Iterator[Schema]:
    """Payloads of the next event that break the atom, or make ready to."""
    match law:
        case CountsUp(at=at) | NotFalling(at=at) if split_place(at)[0] == event:
            yield from _out_of_line(law, split_place(at)[1], before)
        case Joined(parts=parts, whole=whole):
            joint = _joint(law, before)
            yield from _unlike(whole, event, joint)
            yield from _unlike(parts, event, None)
        case Counted(at=at):
            yield from _unlike(at, event, [_count(law, event, before)])
        case Same(events=events, field=field) if event in events:
            yield holding(field, {"not": {"enum": [*_first(law, before), None]}})
        case Equal(pairs=pairs):
            ((earlier, later),) = pairs.items()
            first = _last(before, earlier)
            yield from _unlike(later, event, None if first is UNSET else [first])
            yield from _unlike(earlier, event, None)
        case OnlyWhen() | AbsentWhen() | PresentWhen():
            yield from _governing(law, event)
        case _:
            return


def _unlike(place: str, event: str, values: list[Json] | None) -> Iterator[Schema]:
    """Where the place is one of this event: something there that is none of the values."""
    name, pointer = split_place(place)
    if name == event:
        yield holding(pointer, True if values is None else {"not": {"enum": values}})


def _out_of_line(law: CountsUp | NotFalling, pointer: str, before: Sequence[Step]) -> Iterator[Schema]:
    last = _running(law, before)
    if last is None:
        yield from (holding(pointer, {"type": "number", "minimum": least}) for least in (1, 0))
        yield holding(pointer, {"type": "number"})
    elif isinstance(law, CountsUp):
        yield holding(pointer, {"type": "number", "not": {"const": last + 1}})
    else:
        yield holding(pointer, {"type": "number", "exclusiveMaximum": last})


def _governing(law: Conditional, event: str) -> Iterator[Schema]:
    when_event, when = split_place(law.when)
    place_event, place = split_place(law.places[0])
    among: Schema = {"enum": [*law.among]}
    if when_event == event:
        yield holding(when, {"not": among} if isinstance(law, OnlyWhen) else among)
    elif place_event == event and place:
        yield lacking(place) if isinstance(law, PresentWhen) else holding(place, True)


# ---------------------------------------------------------------- what a stream has shown so far


def _values(before: Sequence[Step], events: Sequence[str], pointer: str) -> list[Json]:
    read = reader_of(pointer)
    found = [read(step.payload) for step in before if step.event in events]
    return [value for value in found if value is not UNSET]


def _first(law: Same, before: Sequence[Step]) -> list[Json]:
    """The value that all others must be, in a list; an empty one where none was told yet."""
    return [value for value in _values(before, law.events, law.field) if value is not None][:1]


def _last(before: Sequence[Step], place: str) -> Json:
    """What the newest event of the place held there; UNSET where it held nothing."""
    event, pointer = split_place(place)
    payloads = [step.payload for step in before if step.event == event]
    return reader_of(pointer)(payloads[-1]) if payloads else UNSET


def _running(law: CountsUp | NotFalling, before: Sequence[Step]) -> int | float | None:
    """The last number of a count, or the highest of what may not fall."""
    event, pointer = split_place(law.at)
    start = 1 + max((at for at, step in enumerate(before) if step.event in law.restarts), default=-1)
    numbers = [value for value in _values(before[start:], (event,), pointer) if is_number(value)]
    if not numbers:
        return None
    return numbers[-1] if isinstance(law, CountsUp) else max(numbers)


def _joint(law: Joined, before: Sequence[Step]) -> list[Json] | None:
    """What the whole may be: the parts put together; None where that is anything, or parts do not go together."""
    event, pointer = split_place(law.parts)
    parts = _values(before, (event,), pointer)
    if not parts:
        return ["", []] if law.if_none == "empty" else None
    if all(isinstance(part, str) for part in parts):
        return ["".join(parts)]
    if all(isinstance(part, list) for part in parts):
        return [[item for part in parts for item in part]]
    return parts if len(parts) == 1 else None


def _count(law: Counted, event: str, before: Sequence[Step]) -> int:
    return sum(step.event == law.event for step in before) + (event == law.event)


def _governed(law: Conditional, before: Sequence[Step]) -> bool | None:
    event, pointer = split_place(law.when)
    told = _values(before, (event,), pointer)
    return any(alike(told[-1], value) for value in law.among) if told else None
