"""Conjunctions over null, booleans, numbers and strings: what `search` grows while it chooses branches."""

from collections.abc import Callable
from typing import Protocol

from stipula.diff.containment.budget import OutOfBudget, Undecidable
from stipula.diff.containment.forms import Node
from stipula.diff.containment.values import Key, Value, key


class Facts(Protocol):
    """A conjunction of atoms over one type."""

    def copy(self) -> "Facts":
        """An independent copy."""
        ...

    def add(self, atom: Node) -> bool:
        """Take one more atom; false where it cannot hold together with the others."""
        ...

    def values(self, wanted: int) -> list[Value]:
        """Up to `wanted` values; fewer only if there are no more."""
        ...


class FiniteFacts:
    """null or booleans: what is not excluded."""

    def __init__(self, values: list[Value]) -> None:
        self.left = values

    def copy(self) -> "FiniteFacts":
        """An independent copy."""
        return FiniteFacts(self.left)

    def add(self, atom: Node) -> bool:
        """Only `notin` comes here."""
        barred = {key(value) for value in atom.values}
        self.left = [value for value in self.left if key(value) not in barred]
        return bool(self.left)

    def values(self, wanted: int) -> list[Value]:
        """What is left."""
        return self.left[:wanted]


class AtomFacts:
    """Numbers or strings: the atoms, asked as a whole; what was asked before is remembered."""

    def __init__(
        self, solve: Callable[[list[Node], int], list[Value]], asked: dict[Key, bool], atoms: tuple[Node, ...] = ()
    ) -> None:
        self.solve = solve
        self.asked = asked
        self.atoms = atoms

    def copy(self) -> "AtomFacts":
        """An independent copy."""
        return AtomFacts(self.solve, self.asked, self.atoms)

    def add(self, atom: Node) -> bool:
        """Ask at once whether any value is left."""
        if atom in self.atoms:
            return True
        self.atoms = (*self.atoms, atom)
        name = tuple(sorted(one.ident for one in self.atoms))
        if name not in self.asked:
            try:
                self.asked[name] = bool(self.solve(list(self.atoms), 1))
            except OutOfBudget:
                raise
            except Undecidable:
                self.asked[name] = True
        return self.asked[name]

    def values(self, wanted: int) -> list[Value]:
        """As the solver of the type finds them."""
        return self.solve(list(self.atoms), wanted)
