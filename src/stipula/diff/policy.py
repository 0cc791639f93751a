"""What a verdict takes for granted beyond the schemas: which members are sent, which are read. On plain spellings.

Writer: who sends the values, left of the question; reader: who takes them. `lenient`: an object that both state by
plain `properties` and that the writer leaves open by silence is taken not to carry names that only the reader declares.
`closed`: the writer sends, and the reader takes, declared names only. `one_way`: what is read-only is not sent in a
request, what is write-only not in a response.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from stipula.contract.model import Json
from stipula.contract.schema import NoSuchPlace, at, pointer
from stipula.diff.fact import Patch, applied
from stipula.diff.words import listed, members

Direction = Literal["request", "response"]
Content = Literal["lenient", "strict"]
Tier = Literal["wire", "wire-strict", "types"]

IN_PLACE_LISTS: Final = ("allOf", "anyOf", "oneOf")
IN_PLACE: Final = ("if", "then", "else")
EXPLICIT: Final = frozenset({"additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties"})
MAX_GROUPS: Final = 5_000


class Policy(Struct, frozen=True, kw_only=True):
    """How shapes are held against each other. drops_one_way: readOnly and writeOnly count (OpenAPI)."""

    content: Content = "lenient"
    tier: Tier = "wire"
    drops_one_way: bool = False

    def sides(self, writer: Json, reader: Json, direction: Direction) -> tuple[Json, Json]:
        """Both schemas as this policy reads them."""
        if self.drops_one_way:
            word = "readOnly" if direction == "request" else "writeOnly"
            writer, reader = one_way(writer, word, is_sent=True), one_way(reader, word, is_sent=False)
        if self.tier == "wire-strict":
            return closed(writer), closed(reader)
        return (lenient(writer, reader) if self.content == "lenient" else writer), reader


def lenient(writer: Json, reader: Json) -> Json:
    """The writer's schema, refusing the names that only the reader declares where the policy says so."""
    refused: dict[str, set[str]] = {}
    for left, right in _pairs(writer, reader):
        if left.is_stated and left.is_plain and right.is_stated:
            only = right.names - left.names
            for place in left.tops if only else ():
                refused.setdefault(place, set()).update(only)
    for place in sorted(refused):
        writer = _beside(writer, place, "properties", dict.fromkeys(sorted(refused[place]), False))
    return writer


def closed(schema: Json) -> Json:
    """The schema whose objects carry declared names only, wherever it is silent on others."""
    known: dict[str, frozenset[str]] = {}
    for own, _ in _pairs(schema, schema):
        if own.is_stated and own.is_plain:
            known.update({place: known.get(place, frozenset()) | own.names for place in own.tops})
    for place in sorted(known):
        schema = _beside(schema, place, "propertyNames", {"enum": sorted(known[place])})
    return schema


def one_way(schema: Json, word: str, *, is_sent: bool) -> Json:
    """Without the members that do not travel this way: not sent by a writer, let pass by a reader."""

    def changed(here: Json, *, is_map: bool = False) -> Json:
        if isinstance(here, list):
            return [changed(one) for one in listed(here)]
        if not isinstance(here, dict):
            return here
        copy = {key: changed(value, is_map=not is_map and key == "properties") for key, value in members(here).items()}
        if is_map or not isinstance(copy.get("properties"), dict):
            return copy
        gone = [name for name, child in members(here["properties"]).items() if _flag(schema, child, word)]
        for name in gone:
            copy["properties"][name] = False if is_sent else {}
        if gone and isinstance(copy.get("required"), list):
            copy["required"] = [name for name in copy["required"] if name not in gone]
        return copy

    return changed(schema)


def _flag(document: Json, schema: Json, word: str) -> bool:
    seen: set[str] = set()
    while isinstance(schema, dict):
        said = members(schema)
        if said.get(word) is True:
            return True
        reference = said.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#") or reference in seen:
            return False
        seen.add(reference)
        try:
            schema = at(document, reference[1:])
        except NoSuchPlace:
            return False
    return False


# ---------------------------------------------------------------- places in a value, and what is said of each


class _Side(Struct, frozen=True):
    """One document's part of a group: where it is entered, and everything in place below that."""

    tops: tuple[str, ...]
    inner: tuple[str, ...]
    names: frozenset[str]
    is_plain: bool
    is_stated: bool


def _pairs(left: Json, right: Json) -> Iterator[tuple[_Side, _Side]]:
    """Both documents' schemas for every place in a value that both describe."""
    waiting: list[tuple[tuple[str, ...], tuple[str, ...]]] = [(("",), ("",))]
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    while waiting and len(seen) < MAX_GROUPS:
        tops = waiting.pop()
        if tops in seen:
            continue
        seen.add(tops)
        one, other = _side(left, tops[0]), _side(right, tops[1])
        yield one, other
        before, after = _children(left, one), _children(right, other)
        waiting.extend((before[key], after[key]) for key in sorted(before.keys() & after.keys()))


def _side(document: Json, tops: tuple[str, ...]) -> _Side:
    inner: list[str] = []
    waiting = list(tops)
    while waiting:
        place = waiting.pop()
        if place in inner or not isinstance(here := _at(document, place), dict):
            continue
        inner.append(place)
        waiting.extend(_in_place(members(here), place))
    said = [members(_at(document, place)) for place in inner]
    return _Side(
        tops,
        tuple(inner),
        frozenset(name for one in said for name in members(one.get("properties"))),
        not any(EXPLICIT & one.keys() for one in said),
        any("properties" in one for one in said),
    )


def _in_place(schema: Mapping[str, Any], place: str) -> Iterator[str]:
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        yield reference[1:]
    for word in IN_PLACE_LISTS:
        yield from (f"{place}/{word}/{index}" for index in range(len(listed(schema.get(word)))))
    yield from (f"{place}/{word}" for word in IN_PLACE if word in schema)
    yield from (place + pointer("dependentSchemas", name) for name in members(schema.get("dependentSchemas")))


def _children(document: Json, side: _Side) -> dict[str, tuple[str, ...]]:
    """A step into the value → the schemas that are asked about what is there."""
    found: dict[str, list[str]] = {}
    for place in side.inner:
        said = members(_at(document, place))
        for name in members(said.get("properties")):
            found.setdefault(f".{name}", []).append(place + pointer("properties", name))
        for pattern in members(said.get("patternProperties")):
            found.setdefault(f"~{pattern}", []).append(place + pointer("patternProperties", pattern))
        for index in range(len(listed(said.get("prefixItems")))):
            found.setdefault(f"#{index}", []).append(f"{place}/prefixItems/{index}")
        for word in ("items", "contains", "additionalProperties"):
            if isinstance(said.get(word), dict):
                found.setdefault(word, []).append(f"{place}/{word}")
    return {step: tuple(places) for step, places in found.items()}


def _at(document: Json, place: str) -> Json:
    try:
        return at(document, place)
    except NoSuchPlace:
        return None


def _beside(document: Json, place: str, word: str, more: dict[str, Any]) -> Json:
    """The document with more said under a keyword at a place; what is said there already stays."""
    here = members(_at(document, place))
    return applied(document, None, (Patch(place, here | {word: more | members(here.get(word))}),))
