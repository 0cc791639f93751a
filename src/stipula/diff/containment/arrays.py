"""Arrays: length × positions × counted items × distinctness, decided by walking the positions with capped counters.

An item has a *cast*: which of the counted formulas it satisfies. A run over the positions chooses a cast for each; a
state of the run is how many items each counter has seen, capped where more makes no difference. Items beyond the
last position that is spoken of are alike, and one that no counter needs can be left out: that bounds the length to try.
"""

from collections.abc import Iterator
from typing import Final, Protocol, TypeAlias

from stipula.diff.containment.budget import Budget, Undecidable
from stipula.diff.containment.forms import INF, Forge, Node
from stipula.diff.containment.matching import matched
from stipula.diff.containment.values import Value, key

MAX_LENGTH: Final = 3000
"""A run longer than this is not walked."""
Counts: TypeAlias = tuple[int, ...]
Cast: TypeAlias = tuple[tuple[bool, ...], tuple[Node, ...]]
"""Which counters an item counts for, and what it has to satisfy."""


class Children(Protocol):
    """What the parts of an array or object are asked of: conjunctions one level down."""

    forge: Forge
    budget: Budget

    def values(self, goal: tuple[Node, ...], wanted: int) -> list[Value]:
        """Up to `wanted` values that satisfy all nodes, fewer only if there are no more."""
        ...

    def empty(self, goal: tuple[Node, ...]) -> bool:
        """Whether no value does; false also where that is not known."""
        ...

    def member(self, node: Node, value: Value) -> bool:
        """Whether a value satisfies a node."""
        ...


class ArrayFacts:
    """A conjunction of array atoms, grown one by one."""

    def __init__(self, children: Children) -> None:
        self.children = children
        self.low: float = 0
        self.high = INF
        self.at: dict[int, tuple[Node, ...]] = {}
        self.onward: tuple[tuple[int, Node], ...] = ()
        self.counts: tuple[tuple[int, Node, float, float], ...] = ()
        self.distinct = False
        self.repeated = False
        self.barred: tuple[Value, ...] = ()

    def copy(self) -> "ArrayFacts":
        """An independent copy."""
        twin = ArrayFacts(self.children)
        twin.low, twin.high, twin.at = self.low, self.high, dict(self.at)
        twin.onward, twin.counts, twin.barred = self.onward, self.counts, self.barred
        twin.distinct, twin.repeated = self.distinct, self.repeated
        return twin

    def add(self, atom: Node) -> bool:
        """Take one more atom; false where it cannot hold together with the others."""
        args = atom.args
        match atom.op:
            case "alen":
                before = self.low
                self.low, self.high = max(self.low, args[0]), min(self.high, args[1])
                return self.low <= self.high and (self.low == before or self._possible(int(before), self.low))
            case "at":
                self.at[args[0]] = (*self.at.get(args[0], ()), args[1])
                return args[0] >= self.low or self._possible(args[0], args[0] + 1)
            case "from":
                self.onward = (*self.onward, (args[0], args[1]))
                return self._possible(args[0], self.low)
            case "count":
                self.counts = (*self.counts, args)
                self.low = max(self.low, args[0] + args[2] if args[2] else 0)
                return self.low <= self.high
            case "distinct" | "repeated":
                self.distinct = self.distinct or atom.op == "distinct"
                self.repeated = self.repeated or atom.op == "repeated"
                self.low = max(self.low, 2 if self.repeated else 0)
                return not (self.distinct and self.repeated) and self.low <= self.high
            case _:
                self.barred = (*self.barred, *atom.values)
                return True

    def _possible(self, first: int, until: float) -> bool:
        last = min(until, self.reach() + 1)
        return not any(self.children.empty(self.asked(index)) for index in range(first, int(last)))

    def reach(self) -> int:
        """The first position from which on all are alike."""
        named = (index + 1 for index in self.at)
        return max(0, 0, *named, *(index for index, _ in self.onward), *(count[0] for count in self.counts))

    def asked(self, index: int) -> tuple[Node, ...]:
        """What the item of a position has to satisfy, counters aside."""
        return (*self.at.get(index, ()), *(part for start, part in self.onward if start <= index))

    def values(self, wanted: int) -> list[Value]:
        """Up to `wanted` arrays; fewer only if there are no more."""
        barred = {key(value) for value in self.barred}
        found: dict[object, Value] = {}
        for value in self._candidates(wanted + len(barred)):
            self.children.budget.spend()
            name = key(value)
            if name not in barred:
                found.setdefault(name, value)
                if len(found) >= wanted:
                    break
        return list(found.values())

    def _candidates(self, wanted: int) -> Iterator[list[Value]]:
        if not self.repeated:
            yield from Runs(self, wanted).arrays()
            return
        reach = self.reach()
        for second in range(1, reach + 2):
            for first in range(second):
                yield from Runs(self, wanted, tied=(first, second)).arrays()


class Runs:
    """The arrays of one conjunction; `tied` names two positions that hold the same value."""

    def __init__(self, facts: ArrayFacts, wanted: int, tied: tuple[int, int] | None = None) -> None:
        self.facts = facts
        self.children = facts.children
        self.wanted = wanted
        self.tied = tied
        self.reach = max(facts.reach(), tied[1] + 1 if tied else 0)
        self.caps = tuple(int(low if high == INF else high + 1) for _, _, low, high in facts.counts)
        self.casts: dict[int, list[Cast]] = {}
        low = max(int(facts.low), tied[1] + 1 if tied else 0)
        needed = max(self.reach, low) + sum(int(count[2]) for count in facts.counts)
        self.low = low
        self.last = int(min(facts.high, needed + wanted))

    def arrays(self) -> Iterator[list[Value]]:
        """All of them, shortest first, or `wanted` and more."""
        if self.low > self.last:
            return
        if self.low > MAX_LENGTH:
            if self.children.empty(self.facts.asked(self.reach)):
                return
            raise Undecidable(f"arrays of {self.low} items or more")
        layers: list[set[Counts]] = [{tuple(0 for _ in self.caps)}]
        for length in range(self.last + 1):
            ended = (
                {counts for counts in layers[length] if self._enough(counts)} if length >= self.low else set[Counts]()
            )
            if ended:
                yield from self._of_length(length, layers, ended)
            if length < self.last:
                layers.append(self._advanced(layers[length], length))
                if not layers[-1]:
                    return

    def _enough(self, counts: Counts) -> bool:
        return all(seen >= count[2] for seen, count in zip(counts, self.facts.counts, strict=True))

    def _advanced(self, layer: set[Counts], index: int) -> set[Counts]:
        after: set[Counts] = set()
        for cast, _ in self.cast(index):
            for counts in layer:
                self.children.budget.spend()
                reached = self._counted(counts, cast)
                if reached is not None:
                    after.add(reached)
        return after

    def _counted(self, counts: Counts, cast: tuple[bool, ...]) -> Counts | None:
        moved = tuple(
            min(cap, seen + hit) if cap else 0 for seen, hit, cap in zip(counts, cast, self.caps, strict=True)
        )
        for seen, (_, _, _, high) in zip(moved, self.facts.counts, strict=True):
            if seen > high:
                return None
        return moved

    def cast(self, index: int) -> list[Cast]:
        """The casts that some value of a position can have."""
        index = min(index, self.reach)
        if index not in self.casts:
            self.casts[index] = list(self._casts(index, (), self.facts.asked(index)))
        return self.casts[index]

    def _casts(self, index: int, cast: tuple[bool, ...], goal: tuple[Node, ...]) -> Iterator[Cast]:
        self.children.budget.spend()
        if not self._sat(goal):
            return
        if len(cast) == len(self.facts.counts):
            yield cast, goal
            return
        start, part, _, _ = self.facts.counts[len(cast)]
        if start > index:
            yield from self._casts(index, (*cast, False), goal)
            return
        yield from self._casts(index, (*cast, True), (*goal, part))
        yield from self._casts(index, (*cast, False), (*goal, self.children.forge.negate(part)))

    def _sat(self, goal: tuple[Node, ...]) -> bool:
        return bool(self.children.values(goal, 1))

    # ------------------------------------------------------------ the arrays of one length

    def _of_length(self, length: int, layers: list[set[Counts]], ended: set[Counts]) -> Iterator[list[Value]]:
        good = [ended]
        for index in range(length - 1, -1, -1):
            good.append({counts for counts in layers[index] if self._leads(counts, index, good[-1])})
        good.reverse()
        for goals in self._goals(length, good):
            yield from self._filled(goals)

    def _leads(self, counts: Counts, index: int, targets: set[Counts]) -> bool:
        self.children.budget.spend()
        return any(self._counted(counts, cast) in targets for cast, _ in self.cast(index))

    def _goals(self, length: int, good: list[set[Counts]]) -> Iterator[list[tuple[Node, ...]]]:
        """What the items have to satisfy, for each run of this length."""
        zero = tuple(0 for _ in self.caps)
        stack: list[Iterator[tuple[Counts, tuple[Node, ...]]]] = [iter([(zero, ())])]
        goals: list[tuple[Node, ...]] = []
        while stack:
            self.children.budget.spend()
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                if goals:
                    goals.pop()
                continue
            goals.append(step[1])
            if len(stack) == length + 1:
                yield goals[1:]
                goals.pop()
                continue
            stack.append(self._next(step[0], len(stack) - 1, good[len(stack)]))

    def _next(self, counts: Counts, index: int, good: set[Counts]) -> Iterator[tuple[Counts, tuple[Node, ...]]]:
        for cast, goal in self.cast(index):
            reached = self._counted(counts, cast)
            if reached is not None and reached in good:
                yield reached, goal

    def _filled(self, goals: list[tuple[Node, ...]]) -> Iterator[list[Value]]:
        need = self.wanted + (len(goals) if self.facts.distinct else 0)
        if self.tied:
            first, second = self.tied
            goals[first] = (*goals[first], *goals[second])
        pools: dict[tuple[int, ...], list[Value]] = {}
        choices: list[list[Value]] = []
        for goal in goals:
            name = tuple(node.ident for node in goal)
            if name not in pools:
                pools[name] = self.children.values(goal, need)
            choices.append(pools[name])
        if self.facts.distinct and matched(choices) is None:
            return
        yield from self._combined(choices)

    def _combined(self, choices: list[list[Value]]) -> Iterator[list[Value]]:
        """Every way to take one value of each choice, in order, without recursion."""
        if self.tied:
            choices[self.tied[1]] = [None]
        if not all(choices):
            return
        if self.facts.distinct and self.wanted == 1:
            chosen = matched(choices)
            if chosen is not None:
                yield chosen
            return
        keys = [[key(value) for value in choice] for choice in choices] if self.facts.distinct else []
        places = [-1] * len(choices)
        depth = 0
        while depth >= 0:
            self.children.budget.spend()
            if depth == len(choices):
                yield self._taken(choices, places)
                depth -= 1
                continue
            places[depth] += 1
            if places[depth] >= len(choices[depth]):
                places[depth] = -1
                depth -= 1
            elif not keys or all(keys[depth][places[depth]] != keys[at][places[at]] for at in range(depth)):
                depth += 1

    def _taken(self, choices: list[list[Value]], places: list[int]) -> list[Value]:
        taken = [choice[place] for choice, place in zip(choices, places, strict=True)]
        if self.tied:
            taken[self.tied[1]] = taken[self.tied[0]]
        return taken
