"""The laws of streams: what must hold between the events of one stream, beyond their order and each one's shape.

A closed set of small kinds; a law is data of an events document. A place is `EVENT#/pointer`, or `EVENT` alone.
`watchers_of` gives fresh watchers for each stream. A watcher remembers numbers, short values and digests, never a
text: its memory has a bound however long the stream is. A field that is not there breaks no law; shapes say that.
"""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import UNSET, Struct

from stipula.wire.places import Joint, alike, imprint, is_number, reader_of, shown, split_place

MAX_GROUPS: Final = 1024
"""Trajectories, or whatever else a law tells apart within one stream."""

Scalar = str | int | float | bool | None


class LawBase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A law has an id, which violations name, and the words of its own document."""

    id: str
    rule: str = ""


class CountsUp(LawBase, frozen=True, kw_only=True, tag="counts_up"):
    """A number rises by one from its first value. restarts: events after which any first value is good again."""

    at: str
    restarts: tuple[str, ...] = ()


class NotFalling(LawBase, frozen=True, kw_only=True, tag="not_falling"):
    """A number never falls among the events that agree in `within` (a pointer; events without it agree too)."""

    at: str
    within: str = ""
    restarts: tuple[str, ...] = ()


class Joined(LawBase, frozen=True, kw_only=True, tag="joined"):
    """A whole is its parts in their order: texts end to end, or lists one after the other.

    if_none: what the whole must be where no part came, `empty` or anything (`skip`).
    """

    parts: str
    whole: str
    if_none: Literal["empty", "skip"] = "empty"


class Counted(LawBase, frozen=True, kw_only=True, tag="counted"):
    """A number is how often an event came before it."""

    event: str
    at: str


class Same(LawBase, frozen=True, kw_only=True, tag="same"):
    """A field has one value on every event that carries it; null says that it is not known, and is let pass."""

    field: str
    events: tuple[str, ...]


class Equal(LawBase, frozen=True, kw_only=True, tag="equal"):
    """A later place holds what an earlier one held, for each pair {earlier: later}."""

    pairs: dict[str, str]


class Never(LawBase, frozen=True, kw_only=True, tag="never"):
    """Events that are registered and not sent."""

    events: tuple[str, ...]


class OnlyWhen(LawBase, frozen=True, kw_only=True, tag="only_when"):
    """Places that are filled only where the place `when`, on an earlier event, held one of `among`."""

    places: tuple[str, ...]
    when: str
    among: tuple[Scalar, ...]


class AbsentWhen(LawBase, frozen=True, kw_only=True, tag="absent_when"):
    """Places that stay empty where the place `when`, on an earlier event, held one of `among`."""

    places: tuple[str, ...]
    when: str
    among: tuple[Scalar, ...]


class PresentWhen(LawBase, frozen=True, kw_only=True, tag="present_when"):
    """Places of which each was filled at least once before the event `by`, where `when` held one of `among`."""

    places: tuple[str, ...]
    by: str
    when: str
    among: tuple[Scalar, ...]


Law = CountsUp | NotFalling | Joined | Counted | Same | Equal | Never | OnlyWhen | AbsentWhen | PresentWhen


class Break(Struct, frozen=True):
    """A law that does not hold any more: where in the payload, what was wanted, what was seen."""

    pointer: str
    wanted: str
    seen: str


Watcher = Callable[[object], Break | None]
"""Sees the payloads of one event, in order."""
Watchers = list[tuple[str, Watcher]]
"""(event, what watches it), for one stream."""


def places_of(law: Law) -> list[str]:
    """Every place that a law reads, and every event that it names."""
    match law:
        case CountsUp(at=at, restarts=restarts):
            places = [at, *restarts]
        case NotFalling(at=at, within=within, restarts=restarts):
            places = [at, *([f"{split_place(at)[0]}#{within}"] if within else []), *restarts]
        case Joined(parts=parts, whole=whole):
            places = [parts, whole]
        case Counted(event=event, at=at):
            places = [event, at]
        case Same(field=field, events=events):
            places = [f"{event}#{field}" for event in events]
        case Equal(pairs=pairs):
            places = [*pairs, *pairs.values()]
        case Never(events=events):
            places = [*events]
        case OnlyWhen() | AbsentWhen():
            places = [*law.places, law.when]
        case PresentWhen():
            places = [*law.places, law.by, law.when]
    return places


def watchers_of(law: Law) -> Watchers:
    """Fresh watchers for one stream; those of one event are to be called in this order."""
    match law:
        case CountsUp():
            watchers = _counts_up(law)
        case NotFalling():
            watchers = _not_falling(law)
        case Joined():
            watchers = _joined(law)
        case Counted():
            watchers = _counted(law)
        case Same():
            watchers = _same(law)
        case Equal():
            watchers = [watcher for pair in law.pairs.items() for watcher in _equal(*pair)]
        case Never():
            watchers = [_never(event) for event in law.events]
        case OnlyWhen() | AbsentWhen():
            watchers = _empty_if(law, is_held=isinstance(law, AbsentWhen))
        case PresentWhen():
            watchers = _present_when(law)
    return watchers


def _counts_up(law: CountsUp) -> Watchers:
    event, pointer = split_place(law.at)
    read = reader_of(pointer)
    wanted: int | float | None = None

    def see(payload: object) -> Break | None:
        nonlocal wanted
        value = read(payload)
        if not is_number(value):
            return None
        before, wanted = wanted, value + 1  # one gap is one break: the count goes on from what was seen
        return None if before is None or before == value else Break(pointer, shown(before), shown(value))

    def restart(_payload: object) -> None:
        nonlocal wanted
        wanted = None

    return [(event, see), *((name, restart) for name in law.restarts)]


def _not_falling(law: NotFalling) -> Watchers:
    event, pointer = split_place(law.at)
    read, read_group = reader_of(pointer), reader_of(law.within)
    last: dict[object, int | float] = {}

    def see(payload: object) -> Break | None:
        value = read(payload)
        if not is_number(value):
            return None
        group = imprint(read_group(payload)) if law.within else UNSET
        if group not in last and len(last) >= MAX_GROUPS:
            return Break(law.within, f"at most {MAX_GROUPS} values in one stream", shown(group))
        before, last[group] = last.get(group, value), value
        return None if value >= before else Break(pointer, f"{shown(before)} or more", shown(value))

    def restart(_payload: object) -> None:
        last.clear()

    return [(event, see), *((name, restart) for name in law.restarts)]


def _joined(law: Joined) -> Watchers:
    part_event, part_pointer = split_place(law.parts)
    whole_event, pointer = split_place(law.whole)
    read_part, read_whole = reader_of(part_pointer), reader_of(pointer)
    joint, parts = Joint(), 0

    def see(payload: object) -> None:
        nonlocal parts
        value = read_part(payload)
        if value is not UNSET:
            parts += 1
            joint.add(value)

    def judge(payload: object) -> Break | None:
        value = read_whole(payload)
        if value is UNSET or (parts == 0 and law.if_none == "skip"):
            return None
        whole = Joint()
        whole.add(value)
        if whole.imprint() == joint.imprint():
            return None
        return Break(
            pointer, f"the {parts} × {law.parts} joined, {joint.size} long", f"{whole.size} long: {shown(value)}"
        )

    return [(part_event, see), (whole_event, judge)]


def _counted(law: Counted) -> Watchers:
    judged, pointer = split_place(law.at)
    read = reader_of(pointer)
    count = 0

    def see(_payload: object) -> None:
        nonlocal count
        count += 1

    def judge(payload: object) -> Break | None:
        value = read(payload)
        return None if value is UNSET or alike(value, count) else Break(pointer, shown(count), shown(value))

    return [(law.event, see), (judged, judge)]


def _same(law: Same) -> Watchers:
    read = reader_of(law.field)
    first: object = UNSET

    def see(payload: object) -> Break | None:
        nonlocal first
        value = imprint(read(payload))
        if value is UNSET or value is None:
            return None
        if first is UNSET:
            first = value
        return None if alike(value, first) else Break(law.field, shown(first), shown(value))

    return [(event, see) for event in law.events]


def _equal(earlier: str, later: str) -> Watchers:
    (first_event, first_pointer), (later_event, pointer) = split_place(earlier), split_place(later)
    read_first, read_later = reader_of(first_pointer), reader_of(pointer)
    first: object = UNSET

    def see(payload: object) -> None:
        nonlocal first
        first = imprint(read_first(payload))

    def judge(payload: object) -> Break | None:
        value = imprint(read_later(payload))
        if first is UNSET or value is UNSET or alike(value, first):
            return None
        return Break(pointer, f"{shown(first)}, as {earlier}", shown(value))

    return [(first_event, see), (later_event, judge)]


def _never(event: str) -> tuple[str, Watcher]:
    return event, lambda _payload: Break("", f"no {event}", event)


class _Governing:
    """Whether the place that governs a law held one of its values; None until it was seen."""

    def __init__(self, law: OnlyWhen | AbsentWhen | PresentWhen) -> None:
        self.holds: bool | None = None
        self._law = law
        self._event, pointer = split_place(law.when)
        self._read = reader_of(pointer)

    def __str__(self) -> str:
        return f"{self._law.when} is {' or '.join(map(shown, self._law.among))}"

    def watcher(self) -> tuple[str, Watcher]:
        return self._event, self._see

    def _see(self, payload: object) -> None:
        value = self._read(payload)
        if value is not UNSET:
            self.holds = any(alike(value, wanted) for wanted in self._law.among)


def _empty_if(law: OnlyWhen | AbsentWhen, *, is_held: bool) -> Watchers:
    governing = _Governing(law)

    def one(place: str) -> tuple[str, Watcher]:
        event, pointer = split_place(place)
        read = reader_of(pointer)

        def see(payload: object) -> Break | None:
            if governing.holds is not is_held or (value := read(payload)) is UNSET:
                return None
            wanted = f"nothing, {'since' if is_held else 'unless'} {governing}"
            return Break(pointer, wanted, shown(value) if pointer else event)

        return event, see

    return [governing.watcher(), *map(one, law.places)]


def _present_when(law: PresentWhen) -> Watchers:
    governing = _Governing(law)
    missing = dict.fromkeys(law.places)

    def mark(place: str) -> tuple[str, Watcher]:
        event, pointer = split_place(place)
        read = reader_of(pointer)

        def see(payload: object) -> None:
            if read(payload) is not UNSET:
                missing.pop(place, None)

        return event, see

    def judge(_payload: object) -> Break | None:
        if not missing or governing.holds is not True:
            return None
        return Break("", f"{', '.join(missing)} before it, since {governing}", "none")

    return [governing.watcher(), *map(mark, law.places), (law.by, judge)]
