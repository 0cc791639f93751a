"""What `unevaluatedProperties` and `unevaluatedItems` see: the parts that successful branches looked at.

A contribution is a condition (a branch that has to hold) with what the branch looks at. Looking at more only helps,
so "every part that no successful branch looked at satisfies S" is a choice over the branches: each is either asked to
hold, and what it looks at is taken out, or left aside.
"""

from typing import Final, TypeAlias, cast

from stipula.diff.containment import array_words, object_words
from stipula.diff.containment.budget import Undecidable
from stipula.diff.containment.dialects import D07, D19, D20
from stipula.diff.containment.forms import INF, Node
from stipula.diff.containment.places import Place, Reading
from stipula.diff.containment.values import OBJECT, Value

MAX_CHOICES: Final = 12
Members: TypeAlias = list[tuple[Node, Node]]
"""Conditions, each with a formula on the names it looks at."""
Items: TypeAlias = list[tuple[Node, float, Node]]
"""Conditions, each with the length of the prefix it looks at and a formula on other items it looks at."""


def read(reader: Reading, place: Place) -> list[Node]:
    """The formulas of `unevaluatedProperties` and `unevaluatedItems`."""
    parts: list[Node] = []
    if "unevaluatedProperties" in place.schema:
        parts.append(members(reader, place))
    if "unevaluatedItems" in place.schema:
        parts.append(items(reader, place))
    return parts


def members(reader: Reading, place: Place) -> Node:
    """`unevaluatedProperties`."""
    forge = reader.forge
    others = reader.child(place, place.schema["unevaluatedProperties"])
    always, choices = forge.false, dict[Node, Node]()
    for condition, names in _members(reader, place, forge.true, _beside(place)):
        if condition is forge.true:
            always = forge.either(always, names)
        else:
            choices[condition] = forge.either(choices.get(condition, forge.false), names)
    open_ = [(condition, names) for condition, names in choices.items() if names is not forge.false]
    if len(open_) > MAX_CHOICES:
        raise Undecidable("unevaluatedProperties beside too many branches")

    def chosen(index: int, seen: Node) -> Node:
        if seen is forge.true:
            return forge.true
        if index == len(open_):
            return forge.each(forge.negate(seen), others)
        condition, names = open_[index]
        more = chosen(index + 1, forge.either(seen, names))
        return forge.either(forge.both(condition, more), chosen(index + 1, seen))

    return chosen(0, always)


def items(reader: Reading, place: Place) -> Node:
    """`unevaluatedItems`."""
    forge = reader.forge
    others = reader.child(place, place.schema["unevaluatedItems"])
    found = [one for one in _items(reader, place, forge.true, _beside(place)) if one[1] or one[2] is not forge.false]
    found.sort(key=lambda one: one[0] is not forge.true)
    if sum(condition is not forge.true for condition, _, _ in found) > MAX_CHOICES:
        raise Undecidable("unevaluatedItems beside too many branches")

    def chosen(index: int, start: float, seen: Node) -> Node:
        if start == INF:
            return forge.true
        if index == len(found):
            return forge.onward(int(start), forge.either(seen, others))
        condition, until, matching = found[index]
        more = chosen(index + 1, max(start, until), forge.either(seen, matching))
        if condition is forge.true:
            return more
        return forge.either(forge.both(condition, more), chosen(index + 1, start, seen))

    return chosen(0, 0, forge.false)


# ---------------------------------------------------------------- contributions

Branch: TypeAlias = tuple[Node, Place | bool]


def _beside(place: Place) -> frozenset[tuple[int, tuple[str, ...]]]:
    return frozenset({place.name})


def _branches(reader: Reading, place: Place) -> list[Branch]:
    """The schemas that are applied in place, each with the condition that it holds, given that the whole holds."""
    forge, schema = reader.forge, place.schema
    true = forge.true
    found: list[Branch] = [(true, target) for target in reader.referred(place)]
    if "$ref" in schema and place.dialect.level <= D07.level:
        return found

    def inner(part: Value) -> Place | bool:
        if isinstance(part, bool):
            return part
        return reader.place(cast("dict[str, Value]", part), place.resource, place.scope)

    found.extend((true, inner(part)) for part in schema.get("allOf", []))
    for word in ("anyOf", "oneOf"):
        found.extend((reader.part(place, part), inner(part)) for part in schema.get(word, []))
    for name, needed in object_words.dependent(place):
        if not isinstance(needed, list):
            given = forge.both(forge.mask(OBJECT), object_words.has(forge, name))
            found.append((given, inner(needed)))
    if "if" in schema:
        test = reader.part(place, schema["if"])
        found.append((test, inner(schema["if"])))
        found.append((test, inner(schema.get("then", True))))
        found.append((forge.negate(test), inner(schema.get("else", True))))
    return found


def _inside(
    reader: Reading, place: Place, condition: Node, through: frozenset[tuple[int, tuple[str, ...]]]
) -> list[tuple[Place, Node, frozenset[tuple[int, tuple[str, ...]]]]]:
    found: list[tuple[Place, Node, frozenset[tuple[int, tuple[str, ...]]]]] = []
    for given, target in _branches(reader, place):
        if isinstance(target, bool):
            continue
        if target.name in through:
            raise Undecidable("a schema that refers to itself without consuming any of the instance")
        found.append((target, reader.forge.both(condition, given), through | {target.name}))
    return found


def _members(
    reader: Reading, place: Place, condition: Node, through: frozenset[tuple[int, tuple[str, ...]]]
) -> Members:
    forge, schema = reader.forge, place.schema
    found: Members = []
    top = len(through) == 1
    if "additionalProperties" in schema or ("unevaluatedProperties" in schema and not top):
        found.append((condition, forge.true))
    else:
        found.append((condition, object_words.declared(reader, schema)))
    for target, given, path in _inside(reader, place, condition, through):
        found.extend(_members(reader, target, given, path))
    return found


def _items(reader: Reading, place: Place, condition: Node, through: frozenset[tuple[int, tuple[str, ...]]]) -> Items:
    forge, schema = reader.forge, place.schema
    found: Items = []
    first, rest = array_words.prefix(place)
    top = len(through) == 1
    if rest is not None or ("unevaluatedItems" in schema and not top):
        found.append((condition, INF, forge.false))
    elif first:
        found.append((condition, len(first), forge.false))
    if "contains" in schema and place.dialect.level >= D19.level:
        if place.dialect.level < D20.level:
            raise Undecidable("unevaluatedItems beside contains in 2019-09, which validators read differently")
        found.append((condition, 0, reader.child(place, schema["contains"])))
    for target, given, path in _inside(reader, place, condition, through):
        found.extend(_items(reader, target, given, path))
    return found
