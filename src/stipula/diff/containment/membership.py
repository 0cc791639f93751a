"""Whether a value satisfies a formula: the engine's own validator, exact where hosts are not."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from stipula.diff.containment.budget import Budget, Undecidable
from stipula.diff.containment.forms import ATOMS, Forge, Node
from stipula.diff.containment.strings import Patterns
from stipula.diff.containment.values import STRING, Value, is_array, is_object, key, kind


class Membership:
    """Validates values against the formulas of one question."""

    def __init__(self, forge: Forge, expand: Callable[[int], Node], patterns: Patterns, budget: Budget) -> None:
        self.forge = forge
        self.expand = expand
        self.patterns = patterns
        self.budget = budget
        self.names: dict[tuple[int, str], bool] = {}

    def holds(self, node: Node, value: Value) -> bool:
        """Whether the value satisfies the formula; `Undecidable` where a pattern is not understood."""
        if isinstance(value, str):
            name = (node.ident, value)
            if name not in self.names:
                self.names[name] = self._holds(node, value, ())
            return self.names[name]
        return self._holds(node, value, ())

    def _holds(self, node: Node, value: Value, through: tuple[int, ...]) -> bool:  # noqa: PLR0911 - one for each operator
        self.budget.spend()
        op, args = node.op, node.args
        match op:
            case "true" | "false":
                return op == "true"
            case "and":
                return all(self._holds(part, value, through) for part in args)
            case "or":
                return any(self._holds(part, value, through) for part in args)
            case "mask":
                return bool(args[0] & kind(value))
            case "in" | "notin":
                return (key(value) in args) == (op == "in")
            case "ref" | "nref":
                return self._referred(args[0], value, through) == (op == "ref")
            case _:
                return ATOMS[op] != kind(value) or self._atom(op, args, value)

    def _referred(self, target: int, value: Value, through: tuple[int, ...]) -> bool:
        if target in through:
            raise Undecidable("a schema that refers to itself without consuming any of the instance")
        return self._holds(self.expand(target), value, (*through, target))

    def _atom(self, op: str, args: tuple[Any, ...], value: Value) -> bool:
        match ATOMS[op]:
            case bit if bit == STRING:
                return self._string(op, args, value)
            case _ if is_array(value):
                return self._array(op, args, value)
            case _ if is_object(value):
                return self._object(op, args, value)
            case _:
                return _number(op, args[0], value)

    def _string(self, op: str, args: tuple[Any, ...], value: str) -> bool:
        if op == "slen":
            return args[0] <= len(value) <= args[1]
        return self.patterns.found(args[0], value) == (op == "pat")

    def _array(self, op: str, args: tuple[Any, ...], value: list[Value]) -> bool:
        match op:
            case "alen":
                return args[0] <= len(value) <= args[1]
            case "at":
                return len(value) <= args[0] or self.holds(args[1], value[args[0]])
            case "from":
                return all(self.holds(args[1], item) for item in value[args[0] :])
            case "count":
                return args[2] <= sum(self.holds(args[1], item) for item in value[args[0] :]) <= args[3]
            case _:
                differ = len({key(item) for item in value}) == len(value)
                return differ == (op == "distinct")

    def _object(self, op: str, args: tuple[Any, ...], value: dict[str, Value]) -> bool:
        match op:
            case "size":
                return args[0] <= len(value) <= args[1]
            case "each":
                return all(self.holds(args[1], part) for name, part in value.items() if self.holds(args[0], name))
            case _:
                return any(self.holds(args[0], name) and self.holds(args[1], part) for name, part in value.items())


def _number(op: str, bound: int | Fraction, value: int | Fraction) -> bool:
    match op:
        case "ge":
            return value >= bound
        case "gt":
            return value > bound
        case "le":
            return value <= bound
        case "lt":
            return value < bound
        case _:
            return (not Fraction(value) % Fraction(bound)) == (op == "mul")
