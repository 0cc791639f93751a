"""One internal form for every dialect: formulas over JSON values, in negation normal form, shared by content.

An atom speaks of one JSON type and holds of all values of the other types, as keywords do; its negation is an atom
too, so `not` disappears while a formula is built. What an operator's arguments are:

| operator | holds of a value v of its type when |
| --- | --- |
| mask bits | the type of v is among the bits (not bound to one type) |
| in values, notin values | v equals one of them, none of them (not bound to one type) |
| ge q, gt q, le q, lt q, mul q, nmul q | v compares so; v is, is not a multiple of q |
| slen lo hi, pat text, npat text | code points counted; the pattern is found, is not found in v |
| alen lo hi, at i F, from i F | items counted; item i, every item from i on, satisfies F if there is one |
| count i C lo hi | lo to hi of the items from i on satisfy C |
| distinct, repeated | all items differ; some two are equal |
| size lo hi, each G F, some G H | members counted; F holds of every member whose name satisfies G; H holds of some |
| ref key, nref key | what the key stands for holds, does not (recursion) |
"""

import math
from fractions import Fraction
from typing import Any, Final

from stipula.diff.containment.values import ARRAY, EVERY, NUMBER, OBJECT, STRING, Value, key, kind, order

INF: Final = math.inf

ATOMS: Final[dict[str, int]] = {
    "ge": NUMBER, "gt": NUMBER, "le": NUMBER, "lt": NUMBER, "mul": NUMBER, "nmul": NUMBER,
    "slen": STRING, "pat": STRING, "npat": STRING,
    "alen": ARRAY, "at": ARRAY, "from": ARRAY, "count": ARRAY, "distinct": ARRAY, "repeated": ARRAY,
    "size": OBJECT, "each": OBJECT, "some": OBJECT,
}  # fmt: skip
FLIPPED: Final = {
    "ge": "lt", "lt": "ge", "gt": "le", "le": "gt", "mul": "nmul", "nmul": "mul", "pat": "npat", "npat": "pat",
    "distinct": "repeated", "repeated": "distinct",
}  # fmt: skip


class Node:
    """A formula. Equal formulas are the same object; `ident` numbers them in the order in which they were made."""

    __slots__ = ("args", "ident", "op", "values")

    def __init__(self, ident: int, op: str, args: tuple[Any, ...], values: tuple[Value, ...] = ()) -> None:
        self.ident = ident
        self.op = op
        self.args = args
        self.values = values

    def __repr__(self) -> str:
        shown = self.values if self.op in ("in", "notin") else self.args
        return f"({' '.join([self.op, *map(repr, shown)])})"


class Forge:
    """Makes the formulas of one question."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], Node] = {}
        self.nodes: list[Node] = []
        self.negations: dict[int, Node] = {}
        self.true = self._made("true", ())
        self.false = self._made("false", ())

    def _made(self, op: str, args: tuple[Any, ...], values: tuple[Value, ...] = ()) -> Node:
        name = (op, *(part.ident if isinstance(part, Node) else part for part in args))
        if name not in self.known:
            self.known[name] = Node(len(self.nodes), op, args, values)
            self.nodes.append(self.known[name])
        return self.known[name]

    # ------------------------------------------------------------ connectives

    def both(self, *parts: Node) -> Node:
        """Conjunction."""
        return self._joined("and", parts, self.true, self.false)

    def either(self, *parts: Node) -> Node:
        """Disjunction."""
        return self._joined("or", parts, self.false, self.true)

    def _joined(self, op: str, parts: tuple[Node, ...], neutral: Node, absorbing: Node) -> Node:
        flat: dict[int, Node] = {}
        bits: int | None = None
        for part in parts:
            for leaf in part.args if part.op == op else (part,):
                if leaf is absorbing:
                    return absorbing
                if leaf.op == "mask":
                    more = leaf.args[0]
                    bits = more if bits is None else bits & more if op == "and" else bits | more
                elif leaf is not neutral:
                    flat[leaf.ident] = leaf
        if bits is not None:
            mask = self.mask(bits)
            if mask is absorbing:
                return absorbing
            if mask is not neutral:
                flat[mask.ident] = mask
        ordered = tuple(flat[ident] for ident in sorted(flat))
        if not ordered:
            return neutral
        return ordered[0] if len(ordered) == 1 else self._made(op, ordered)

    def exactly_one(self, parts: list[Node]) -> Node:
        """`oneOf`, as a choice of the one that holds."""
        return self.either(
            *(
                self.both(part, *(self.negate(other) for at, other in enumerate(parts) if at != chosen))
                for chosen, part in enumerate(parts)
            )
        )

    def not_exactly_one(self, parts: list[Node]) -> Node:
        """None holds, or some two do."""
        none = self.both(*(self.negate(part) for part in parts))
        pairs = (
            self.both(part, other)
            for at, part in enumerate(parts)
            for other in parts[at + 1 :]
        )  # fmt: skip
        return self.either(none, *pairs)

    # ------------------------------------------------------------ leaves

    def mask(self, bits: int) -> Node:
        """Of one of these types."""
        if bits == EVERY:
            return self.true
        return self._made("mask", (bits,)) if bits else self.false

    def among(self, values: list[Value]) -> Node:
        """Equal to one of the values."""
        return self._finite("in", values) if values else self.false

    def not_among(self, values: list[Value]) -> Node:
        """Equal to none of the values."""
        return self._finite("notin", values) if values else self.true

    def _finite(self, op: str, values: list[Value]) -> Node:
        by_key = {key(value): value for value in values}
        keys = tuple(sorted(by_key, key=order)) if len(by_key) > 1 else tuple(by_key)
        return self._made(op, keys, tuple(by_key[name] for name in keys))

    def number(self, op: str, bound: int | Fraction) -> Node:
        """ge, gt, le, lt, mul, nmul."""
        return self._made(op, (bound,))

    def pattern(self, text: str) -> Node:
        """The pattern is found in the string."""
        return self._made("pat", (text,))

    def sized(self, op: str, low: float, high: float = INF) -> Node:
        """Bound `slen`, `alen` or `size`: from low to high, both included."""
        low = max(0, low)
        if low > high:
            return self.mask(EVERY ^ ATOMS[op])
        return self.true if low == 0 and high == INF else self._made(op, (low, high))

    def at(self, index: int, part: Node) -> Node:
        """Item `index`, if there is one."""
        return self.true if part is self.true else self._made("at", (index, part))

    def onward(self, index: int, part: Node) -> Node:
        """Every item from `index` on."""
        return self.true if part is self.true else self._made("from", (index, part))

    def count(self, index: int, part: Node, low: float, high: float = INF) -> Node:
        """From low to high of the items from `index` on satisfy `part`."""
        low = max(0, low)
        if low > high or (part is self.false and low > 0):
            return self.mask(EVERY ^ ARRAY)
        if (low == 0 and high == INF) or part is self.false:
            return self.true
        if high == 0:
            return self.onward(index, self.negate(part))
        if part is self.true:
            return self.sized("alen", index + low if low else 0, index + high)
        return self._made("count", (index, part, low, high))

    def distinct(self) -> Node:
        """All items differ."""
        return self._made("distinct", ())

    def each(self, names: Node, part: Node) -> Node:
        """Every member whose name satisfies `names`."""
        if names is self.false or part is self.true:
            return self.true
        return self._made("each", (names, part))

    def some(self, names: Node, part: Node) -> Node:
        """Some member whose name satisfies `names`."""
        if names is self.false or part is self.false:
            return self.mask(EVERY ^ OBJECT)
        return self._made("some", (names, part))

    def ref(self, target: int) -> Node:
        """Whatever the numbered place says."""
        return self._made("ref", (target,))

    # ------------------------------------------------------------ negation

    def negate(self, node: Node) -> Node:
        """The complement over all JSON values."""
        done = self.negations.get(node.ident)
        if done is None:
            done = self._negated(node)
            self.negations[node.ident] = done
            self.negations[done.ident] = node
        return done

    def _negated(self, node: Node) -> Node:  # noqa: PLR0911 - one for each operator
        op, args = node.op, node.args
        match op:
            case "true" | "false":
                return self.false if op == "true" else self.true
            case "mask":
                return self.mask(EVERY ^ args[0])
            case "and":
                return self.either(*(self.negate(part) for part in args))
            case "or":
                return self.both(*(self.negate(part) for part in args))
            case "in" | "notin":
                return self._made("notin" if op == "in" else "in", args, node.values)
            case "ref" | "nref":
                return self._made("nref" if op == "ref" else "ref", args)
            case _:
                return self.both(self.mask(ATOMS[op]), self._denied(op, args))

    def _denied(self, op: str, args: tuple[Any, ...]) -> Node:  # noqa: PLR0911 - one for each operator
        """What holds of the values of the atom's own type for which the atom does not."""
        if op in FLIPPED:
            return self._made(FLIPPED[op], args)
        match op:
            case "slen" | "alen" | "size":
                low, high = args
                more = self.sized(op, high + 1) if high != INF else self.false
                return self.either(self.sized(op, 0, low - 1) if low else self.false, more)
            case "at":
                index, part = args
                return self.both(self.sized("alen", index + 1), self.at(index, self.negate(part)))
            case "from":
                index, part = args
                return self.count(index, self.negate(part), 1)
            case "count":
                index, part, low, high = args
                more = self.count(index, part, high + 1) if high != INF else self.false
                return self.either(self.count(index, part, 0, low - 1) if low else self.false, more)
            case "each":
                return self.some(args[0], self.negate(args[1]))
            case _:
                return self.each(args[0], self.negate(args[1]))


def restricted(forge: Forge, node: Node, bit: int) -> Node | None:
    """What a leaf says of the values of one type: true, false, itself, or part of its values. None: not a leaf."""
    op = node.op
    if op in ATOMS:
        return node if ATOMS[op] == bit else forge.true
    match op:
        case "true" | "false":
            return node
        case "mask":
            return forge.true if node.args[0] & bit else forge.false
        case "in":
            kept = [value for value in node.values if kind(value) == bit]
            return node if len(kept) == len(node.values) else forge.among(kept)
        case "notin":
            kept = [value for value in node.values if kind(value) == bit]
            return node if len(kept) == len(node.values) else forge.not_among(kept)
        case _:
            return None
