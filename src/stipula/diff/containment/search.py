"""Chooses branches of a formula over one type until a conjunction of atoms is left that has values.

The search splits cases as a SAT solver does: branches that contradict what is known already are struck out, a choice
with one branch left is no choice, and the choice with the fewest branches is made first.
"""

from collections.abc import Callable, Iterator

from stipula.diff.containment.budget import OutOfBudget, Undecidable
from stipula.diff.containment.forms import Forge, Node
from stipula.diff.containment.scalars import Facts
from stipula.diff.containment.values import Key, Value, key


class Theory:
    """What the search needs to know of the type it searches in."""

    def __init__(
        self,
        forge: Forge,
        begin: Callable[[], Facts],
        at_type: Callable[[Node], Node],
        member: Callable[[Node, Value], bool],
        certainly: Callable[[Callable[[], bool]], bool],
        spend: Callable[[], None],
    ) -> None:
        self.forge = forge
        self.begin = begin
        self.at_type = at_type
        self.member = member
        self.certainly = certainly
        self.spend = spend


class Branch:
    """A case of the search: atoms taken, choices open. `finite` is the list of values where there is one."""

    def __init__(self, theory: Theory, facts: Facts) -> None:
        self.theory = theory
        self.facts = facts
        self.taken: dict[int, Node] = {}
        self.open: dict[int, Node] = {}
        self.finite: list[Value] | None = None

    def copy(self) -> "Branch":
        """An independent copy."""
        twin = Branch(self.theory, self.facts.copy())
        twin.taken, twin.open, twin.finite = dict(self.taken), dict(self.open), self.finite
        return twin

    def take(self, node: Node) -> bool:  # noqa: PLR0911 - one for each shape of formula
        """Add a formula; false where it contradicts what was taken."""
        if node.op == "and":
            return all(self.take(part) for part in sorted(node.args, key=_late))
        if node.op == "false":
            return False
        if node.op == "true" or node.ident in self.taken:
            return True
        if node.op == "or":
            self.open[node.ident] = node
            return True
        if self.theory.at_type(self.theory.forge.negate(node)).ident in self.taken:
            return False
        self.taken[node.ident] = node
        if node.op == "in" and self.finite is None:
            self.finite = [value for value in node.values if all(self._fits(one, value) for one in self.taken.values())]
        elif self.finite is not None:
            self.finite = [value for value in self.finite if self._fits(node, value)]
        else:
            return self.facts.add(node)
        return bool(self.finite)

    def _fits(self, node: Node, value: Value) -> bool:
        try:
            return self.theory.member(node, value)
        except OutOfBudget:
            raise
        except Undecidable:
            return True

    def admits(self, node: Node) -> bool:
        """Whether a formula can be taken, choices inside it aside."""
        trial = self.copy()
        return trial.take(node)

    def implies(self, node: Node) -> bool:
        """Whether a formula holds of all values of this case, as far as is seen at once."""
        if node.op == "and":
            return all(self.implies(part) for part in node.args)
        if node.ident in self.taken:
            return True
        if node.op == "or":
            return any(part.ident in self.taken for part in node.args)
        denied = self.theory.at_type(self.theory.forge.negate(node))
        return denied.op != "or" and self.theory.certainly(lambda: not self.admits(denied))

    def settle(self) -> bool:
        """Strike out branches until nothing changes; false where a choice has none left."""
        changed = True
        while changed and self.finite is None:
            changed = False
            for ident, choice in list(self.open.items()):
                self.theory.spend()
                if ident not in self.open or self.finite is not None:
                    continue
                if any(self.implies(part) for part in choice.args):
                    del self.open[ident]
                    continue
                left = [part for part in choice.args if self.admits(part)]
                if not left:
                    return False
                if len(left) == 1:
                    del self.open[ident]
                    if not self.take(left[0]):
                        return False
                    changed = True
                elif len(left) < len(choice.args):
                    del self.open[ident]
                    smaller = self.theory.forge.either(*left)
                    self.open[smaller.ident] = smaller
                    changed = True
        return True

    def split(self) -> Iterator["Branch"]:
        """The cases of the smallest open choice."""
        ident = min(self.open, key=lambda one: (len(self.open[one].args), one))
        choice = self.open[ident]
        for part in choice.args:
            case = self.copy()
            del case.open[ident]
            if case.take(part):
                yield case


def _late(node: Node) -> tuple[bool, int]:
    return node.op == "or", node.ident


def searched(theory: Theory, node: Node, wanted: int) -> list[Value]:
    """Up to `wanted` values of the type that satisfy the formula; fewer only if there are no more."""
    found: dict[Key, Value] = {}
    unclear: Undecidable | None = None
    first = Branch(theory, theory.begin())
    stack: list[Iterator[Branch]] = [iter([first] if first.take(node) else [])]
    while stack and len(found) < wanted:
        theory.spend()
        case = next(stack[-1], None)
        if case is None:
            stack.pop()
            continue
        try:
            if not case.settle():
                continue
            if case.open and case.finite is None:
                stack.append(case.split())
                continue
            for value in _ended(theory, case, node, wanted):
                found.setdefault(key(value), value)
        except OutOfBudget:
            raise
        except Undecidable as why:
            unclear = why
    if unclear is not None and len(found) < wanted:
        raise unclear
    return list(found.values())[:wanted]


def _ended(theory: Theory, case: Branch, node: Node, wanted: int) -> list[Value]:
    if case.finite is None:
        return case.facts.values(wanted)
    return [value for value in case.finite if theory.member(node, value)]
