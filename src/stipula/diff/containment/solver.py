"""Whether a conjunction of formulas has values, and which: the least fixpoint over all conjunctions that are asked.

JSON values are finite trees. A smallest value of a goal never holds, further down, a value of the same goal; so a
goal that comes up again while it is being searched has, for that path, no values yet. Goals that depend on such a
guess are searched again until no goal gains a value; only then is "there is none" believed.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Final

from stipula.diff.containment import numbers
from stipula.diff.containment.arrays import ArrayFacts
from stipula.diff.containment.budget import Budget, OutOfBudget, Undecidable
from stipula.diff.containment.forms import Forge, Node, restricted
from stipula.diff.containment.membership import Membership
from stipula.diff.containment.objects import ObjectFacts
from stipula.diff.containment.scalars import AtomFacts, Facts, FiniteFacts
from stipula.diff.containment.search import Theory, searched
from stipula.diff.containment.strings import Patterns, Strings
from stipula.diff.containment.values import ARRAY, BOOLEAN, KINDS, NULL, NUMBER, OBJECT, STRING, Key, Value, key

FIRST_UNKNOWN: Final[float] = math.inf


class Entry:
    """What is known of a goal: values found so far, at most `cap` of them."""

    __slots__ = ("active", "cap", "depends", "done", "stamp", "unclear", "values")

    def __init__(self) -> None:
        self.values: dict[Key, Value] = {}
        self.cap = 0
        self.done = False
        self.active = -1
        self.stamp = -1
        self.depends: float = FIRST_UNKNOWN
        self.unclear = ""

    def full(self, wanted: int) -> bool:
        """Whether the entry answers without more search."""
        return len(self.values) >= wanted or (self.done and len(self.values) < self.cap)


class Solver:
    """Answers goals of one question. `expand` gives the formula that a reference stands for."""

    def __init__(self, forge: Forge, expand: Callable[[int], Node], budget: Budget) -> None:
        self.forge = forge
        self.expand = expand
        self.budget = budget
        self.patterns = Patterns(budget)
        self.strings = Strings(self.patterns)
        self.membership = Membership(forge, expand, self.patterns, budget)
        self.table: dict[frozenset[int], Entry] = {}
        self.goals: dict[tuple[int, ...], frozenset[int] | None] = {}
        self.typed: dict[tuple[int, int], Node | None] = {}
        self.asked: dict[int, dict[Key, bool]] = {NUMBER: {}, STRING: {}}
        self.depends: float = FIRST_UNKNOWN
        self.depth = 0
        self.stamp = 0
        self.waiting: list[Entry] = []
        self.theories = {bit: self._theory(bit) for bit in KINDS}

    # ------------------------------------------------------------ what the theories ask

    def member(self, node: Node, value: Value) -> bool:
        """Whether a value satisfies a formula."""
        return self.membership.holds(node, value)

    def empty(self, goal: tuple[Node, ...]) -> bool:
        """Whether a goal has no values, as far as is known now; false where it is not decided."""
        try:
            return not self.values(goal, 1)
        except OutOfBudget:
            raise
        except Undecidable:
            return False

    def certainly(self, question: Callable[[], bool]) -> bool:
        """A yes that does not rest on a guess about a goal that is still being searched."""
        before, self.depends = self.depends, FIRST_UNKNOWN
        try:
            return question() and self.depends == FIRST_UNKNOWN
        finally:
            self.depends = min(before, self.depends)

    def values(self, goal: tuple[Node, ...], wanted: int) -> list[Value]:
        """Up to `wanted` values that satisfy all nodes; fewer only if, by what is known now, there are no more."""
        name = self._goal(goal)
        if name is None:
            return []
        entry = self.table.setdefault(name, Entry())
        if entry.full(wanted):
            return list(entry.values.values())[:wanted]
        if entry.active >= 0:
            self.depends = min(self.depends, entry.active)
            if wanted > entry.cap:
                entry.cap, self.stamp = wanted, self.stamp + 1
            return list(entry.values.values())[:wanted]
        if entry.stamp == self.stamp and entry.cap >= wanted:
            self.depends = min(self.depends, entry.depends)
            return list(entry.values.values())[:wanted]
        if entry.unclear:
            raise Undecidable(entry.unclear)
        entry.cap = max(entry.cap, wanted)
        try:
            self._solve(name, entry)
        except OutOfBudget:
            raise
        except Undecidable as why:
            entry.unclear = str(why)
            raise
        return list(entry.values.values())[:wanted]

    # ------------------------------------------------------------ the fixpoint

    def _solve(self, name: frozenset[int], entry: Entry) -> None:
        outer, self.depends = self.depends, FIRST_UNKNOWN
        waiting_from = len(self.waiting)
        entry.active, entry.done = self.depth, False
        self.depth += 1
        try:
            depends = self._iterated(name, entry)
        finally:
            self.depth -= 1
            level, entry.active = entry.active, -1
            self.depends = min(outer, self.depends)
        if depends >= level:
            entry.done = True
            for other in self.waiting[waiting_from:]:
                other.done = other.depends >= level
            self.waiting[waiting_from:] = [other for other in self.waiting[waiting_from:] if not other.done]
            self.depends = outer
        else:
            entry.stamp, entry.depends = self.stamp, depends
            self.waiting.append(entry)

    def _iterated(self, name: frozenset[int], entry: Entry) -> float:
        """Search until no goal that was touched gains a value; the outermost goal that the result rests on."""
        while True:
            self.budget.spend()
            before, self.depends = self.stamp, FIRST_UNKNOWN
            gained = False
            for value in self._computed(name, entry.cap):
                if key(value) not in entry.values:
                    entry.values[key(value)] = value
                    gained = True
            if gained:
                self.stamp += 1
            if self.depends > self.depth - 1 or len(entry.values) >= entry.cap or self.stamp == before:
                return self.depends

    def _computed(self, name: frozenset[int], cap: int) -> list[Value]:
        found: list[Value] = []
        unclear: Undecidable | None = None
        whole = self.forge.both(*(self.forge.nodes[ident] for ident in sorted(name)))
        for bit in KINDS:
            if len(found) >= cap:
                break
            try:
                found.extend(searched(self.theories[bit], self.at_type(whole, bit), cap - len(found)))
            except OutOfBudget:
                raise
            except Undecidable as why:
                unclear = why
        if unclear is not None and len(found) < cap:
            raise unclear
        return found

    def _goal(self, goal: tuple[Node, ...]) -> frozenset[int] | None:
        """The name of a conjunction: its parts, references opened; None where two of them exclude each other."""
        name = tuple(node.ident for node in goal)
        if name not in self.goals:
            whole = self.forge.both(*(self._opened(node, ()) for node in goal))
            parts = whole.args if whole.op == "and" else (whole,)
            self.goals[name] = None if whole is self.forge.false else frozenset(part.ident for part in parts)
        return self.goals[name]

    def _opened(self, node: Node, through: tuple[int, ...]) -> Node:
        if node.op == "and":
            return self.forge.both(*(self._opened(part, through) for part in node.args))
        if node.op not in ("ref", "nref"):
            return node
        target = node.args[0]
        if target in through:
            raise Undecidable("a schema that refers to itself without consuming any of the instance")
        meant = self.expand(target)
        return self._opened(meant if node.op == "ref" else self.forge.negate(meant), (*through, target))

    # ------------------------------------------------------------ one type at a time

    def at_type(self, node: Node, bit: int) -> Node:
        """What a formula says of the values of one type."""
        name = (node.ident, bit)
        if name in self.typed:
            found = self.typed[name]
            if found is None:
                raise Undecidable("a schema that refers to itself without consuming any of the instance")
            return found
        self.typed[name] = None
        try:
            found = self._at_type(node, bit)
        except Undecidable:
            del self.typed[name]
            raise
        self.typed[name] = self.typed[found.ident, bit] = found
        return found

    def _at_type(self, node: Node, bit: int) -> Node:
        self.budget.spend()
        leaf = restricted(self.forge, node, bit)
        if leaf is not None:
            return leaf
        match node.op:
            case "and":
                return self.forge.both(*(self.at_type(part, bit) for part in node.args))
            case "or":
                return self.forge.either(*(self.at_type(part, bit) for part in node.args))
            case _:
                meant = self.expand(node.args[0])
                return self.at_type(meant if node.op == "ref" else self.forge.negate(meant), bit)

    def _theory(self, bit: int) -> Theory:
        return Theory(
            forge=self.forge,
            begin=partial(self._begin, bit),
            at_type=partial(self.at_type, bit=bit),
            member=self.member,
            certainly=self.certainly,
            spend=self.budget.spend,
        )

    def _begin(self, bit: int) -> Facts:
        match bit:
            case _ if bit == NULL:
                return FiniteFacts([None])
            case _ if bit == BOOLEAN:
                return FiniteFacts([False, True])
            case _ if bit == NUMBER:
                return AtomFacts(partial(numbers.values, budget=self.budget), self.asked[NUMBER])
            case _ if bit == STRING:
                return AtomFacts(self.strings.values, self.asked[STRING])
            case _ if bit == ARRAY:
                return ArrayFacts(self)
            case _:
                assert bit == OBJECT
                return ObjectFacts(self)
