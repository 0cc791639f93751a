"""Objects: names are split into those that are spoken of and classes of all others; each has its own obligations.

`each G F` puts F on every member whose name is in G; `some G H` wants one. A name that a formula spells is a place of
its own. The other names fall into classes by which of the formulas over names they satisfy; names of one class are
interchangeable, and a class may hold few names or endlessly many.
"""

import itertools
from collections.abc import Iterator
from typing import TypeAlias

from stipula.diff.containment.arrays import Children
from stipula.diff.containment.forms import INF, Node
from stipula.diff.containment.values import STRING, Value, key

Goal: TypeAlias = tuple[Node, ...]
Sort: TypeAlias = tuple[bool, ...]
"""A class of names: which of the formulas over names hold."""
Slots: TypeAlias = tuple[tuple[str | Sort, Goal], ...]
"""Members that have to be there: a name or the class of one, and what the value has to satisfy."""


class ObjectFacts:
    """A conjunction of object atoms, grown one by one."""

    def __init__(self, children: Children) -> None:
        self.children = children
        self.low: float = 0
        self.high = INF
        self.named: dict[str, tuple[bool, Goal]] = {}
        self.each: tuple[tuple[Node, Node], ...] = ()
        self.some: tuple[tuple[Node, Node], ...] = ()
        self.barred: tuple[Value, ...] = ()

    def copy(self) -> "ObjectFacts":
        """An independent copy."""
        twin = ObjectFacts(self.children)
        twin.low, twin.high, twin.named = self.low, self.high, dict(self.named)
        twin.each, twin.some, twin.barred = self.each, self.some, self.barred
        return twin

    def add(self, atom: Node) -> bool:
        """Take one more atom; false where it cannot hold together with the others."""
        match atom.op:
            case "size":
                self.low, self.high = max(self.low, atom.args[0]), min(self.high, atom.args[1])
                return self.low <= self.high and self._required() <= self.high
            case "each":
                return self._each(*atom.args)
            case "some":
                return self._some(*atom.args)
            case _:
                self.barred = (*self.barred, *atom.values)
                return True

    def _each(self, names: Node, part: Node) -> bool:
        if names.op != "in":
            self.each = (*self.each, (names, part))
            touched = [name for name, (required, _) in self.named.items() if required and self._in(names, name)]
        else:
            touched: list[str] = []
            for name in spelled(names):
                required, goal = self.named.get(name, (False, ()))
                self.named[name] = (required, (*goal, part))
                if required:
                    touched.append(name)
        return not any(self.children.empty(self.goal(name)) for name in touched)

    def _some(self, names: Node, part: Node) -> bool:
        only = spelled(names) if names.op == "in" else []
        if len(only) != 1:
            self.some = (*self.some, (names, part))
            for name in only:
                self.named.setdefault(name, (False, ()))
            return names.op != "in" or bool(only)
        _, goal = self.named.get(only[0], (False, ()))
        self.named[only[0]] = (True, (*goal, part))
        return self._required() <= self.high and not self.children.empty(self.goal(only[0]))

    def _required(self) -> int:
        return sum(required for required, _ in self.named.values())

    def _in(self, names: Node, name: str) -> bool:
        return self.children.member(names, name)

    def goal(self, name: str) -> Goal:
        """What the value of a spelled name has to satisfy."""
        return (*self.named[name][1], *(part for names, part in self.each if self._in(names, name)))

    def values(self, wanted: int) -> list[Value]:
        """Up to `wanted` objects; fewer only if there are no more."""
        barred = {key(value) for value in self.barred}
        found: dict[object, Value] = {}
        for value in Members(self, wanted + len(barred)).objects():
            self.children.budget.spend()
            name = key(value)
            if name not in barred:
                found.setdefault(name, value)
                if len(found) >= wanted:
                    break
        return list(found.values())


def spelled(names: Node) -> list[str]:
    """The strings of a finite set of names."""
    return [value for value in names.values if isinstance(value, str)]


class Members:
    """The objects of one conjunction."""

    def __init__(self, facts: ObjectFacts, wanted: int) -> None:
        self.facts = facts
        self.children = facts.children
        self.wanted = wanted
        forge = self.children.forge
        formulas = {names.ident: names for names, _ in (*facts.each, *facts.some)}
        self.formulas = [names for names in formulas.values() if names.op != "in"]
        self.spelled = tuple(facts.named)
        self.others: Goal = (forge.mask(STRING), forge.not_among(list(self.spelled)))
        self.sorts: list[Sort] | None = None
        self.goals: dict[str | Sort, Goal] = {}

    def objects(self) -> Iterator[dict[str, Value]]:
        """All of them, or `wanted` and more; those with few members first."""
        slots: list[tuple[str | Sort, Goal]] = []
        for name in self.spelled:
            if self.facts.named[name][0]:
                goal = self.facts.goal(name)
                if not self._sat(goal):
                    return
                slots.append((name, goal))
        placements: list[Slots] = []
        for placed in self._placed(tuple(slots), 0):
            if len(placed) > self.facts.high:
                continue
            if self.wanted == 1:
                yield from self._grown(placed)
            else:
                placements.append(placed)
        for placed in placements:
            yield from self._grown(placed)

    def _sat(self, goal: Goal) -> bool:
        return bool(self.children.values(goal, 1))

    # ------------------------------------------------------------ classes of names

    def _sorts(self) -> list[Sort]:
        if self.sorts is None:
            self.sorts = list(self._split((), self.others))
        return self.sorts

    def _split(self, sort: Sort, goal: Goal) -> Iterator[Sort]:
        self.children.budget.spend()
        if not self._sat(goal):
            return
        if len(sort) == len(self.formulas):
            yield sort
            return
        names = self.formulas[len(sort)]
        yield from self._split((*sort, True), (*goal, names))
        yield from self._split((*sort, False), (*goal, self.children.forge.negate(names)))

    def _goal(self, place: str | Sort) -> Goal:
        """What a member of this name or class has to satisfy."""
        if place not in self.goals:
            if isinstance(place, str):
                self.goals[place] = self.facts.goal(place)
            else:
                holding = {names.ident for names, holds in zip(self.formulas, place, strict=True) if holds}
                self.goals[place] = tuple(part for names, part in self.facts.each if names.ident in holding)
        return self.goals[place]

    def _names(self, sort: Sort, wanted: int) -> list[str]:
        forge = self.children.forge
        signed = (names if holds else forge.negate(names) for names, holds in zip(self.formulas, sort, strict=True))
        return self.children.values((*self.others, *signed), wanted)

    def _within(self, names: Node, place: str | Sort) -> bool:
        if isinstance(place, str):
            return self.children.member(names, place)
        return names.op != "in" and place[next(at for at, one in enumerate(self.formulas) if one is names)]

    # ------------------------------------------------------------ members that have to be there

    def _placed(self, slots: Slots, at: int) -> Iterator[Slots]:
        """Every way to let members satisfy the `some` atoms, sharing a member first."""
        self.children.budget.spend()
        if at == len(self.facts.some):
            yield slots
            return
        names, part = self.facts.some[at]
        for index, (place, goal) in enumerate(slots):
            if self._within(names, place) and self._sat((*goal, part)):
                yield from self._placed((*slots[:index], (place, (*goal, part)), *slots[index + 1 :]), at + 1)
        for place in self._free(names, slots):
            goal = (*self._goal(place), part)
            if self._sat(goal):
                yield from self._placed((*slots, (place, goal)), at + 1)

    def _free(self, names: Node, slots: Slots) -> Iterator[str | Sort]:
        used = [place for place, _ in slots]
        for name in self.spelled:
            if name not in used and self._within(names, name):
                yield name
        for sort in [] if names.op == "in" else self._sorts():
            before = used.count(sort)
            if self._within(names, sort) and len(self._names(sort, before + 1)) > before:
                yield sort

    # ------------------------------------------------------------ members that may be there

    def _grown(self, slots: Slots) -> Iterator[dict[str, Value]]:
        need = int(max(0, self.facts.low - len(slots)))
        room = self.facts.high - len(slots)
        used = [place for place, _ in slots]
        extra: list[str | Sort] = []
        if need or (self.wanted > 1 and room > 0):
            extra = self._optional(used, need + self.wanted)
        for more in range(need, int(min(room, need + self.wanted, len(extra))) + 1):
            for chosen in _distinct_choices(extra, more):
                self.children.budget.spend()
                yield from self._filled((*slots, *((place, self._goal(place)) for place in chosen)))

    def _optional(self, used: list[str | Sort], wanted: int) -> list[str | Sort]:
        """Places for more members, a class as often as it has names left, up to `wanted`."""
        places: list[str | Sort] = [name for name in self.spelled if name not in used and self._sat(self._goal(name))]
        for sort in self._sorts():
            if self._sat(self._goal(sort)):
                before = used.count(sort)
                places.extend([sort] * (len(self._names(sort, before + wanted)) - before))
        return places

    def _filled(self, slots: Slots) -> Iterator[dict[str, Value]]:
        """The objects with exactly these members."""
        counted: dict[Sort, int] = {}
        for place, _ in slots:
            if not isinstance(place, str):
                counted[place] = counted.get(place, 0) + 1
        pools = {
            sort: itertools.permutations(self._names(sort, count + self.wanted - 1), count)
            for sort, count in counted.items()
        }
        choices = [self.children.values(goal, self.wanted) for _, goal in slots]
        if not all(choices):
            return
        for names in itertools.product(*pools.values()):
            given = dict(zip(pools, map(iter, names), strict=True))
            spelled_out = [place if isinstance(place, str) else next(given[place]) for place, _ in slots]
            for members in itertools.product(*choices):
                self.children.budget.spend()
                yield dict(zip(spelled_out, members, strict=True))


def _distinct_choices(places: list[str | Sort], count: int) -> Iterator[tuple[str | Sort, ...]]:
    """Choices of `count` places; equal places are interchangeable."""
    seen: set[tuple[str | Sort, ...]] = set()
    for chosen in itertools.combinations(places, count):
        if chosen not in seen:
            seen.add(chosen)
            yield chosen
