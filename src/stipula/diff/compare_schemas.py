"""What differs between two schemas, keyword by keyword, read as they are written. No verdict is given here."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from msgspec import UNSET, UnsetType

from stipula.contract.canonical import canonical, interface_form
from stipula.contract.model import Json, Schema
from stipula.contract.schema import LISTS, MAPS, SINGLE, TEXTS, is_schema, pointer
from stipula.diff.change import Change
from stipula.diff.renames import renames

Differ = Callable[["Place", Json, Json], Iterator[Change]]


class Place:
    """Where we are: a surface and a pointer in it."""

    __slots__ = ("path", "surface")

    def __init__(self, surface: str, path: str) -> None:
        """Path: a JSON pointer."""
        self.surface, self.path = surface, path

    def below(self, *tokens: str | int) -> "Place":
        """The place some steps further down."""
        return Place(self.surface, self.path + pointer(*tokens))

    def change(self, rule: str, old: Json, new: Json) -> Change:
        """A change here, at the layer of shapes."""
        layer = "routing" if rule == "text-changed" else "interface"
        return Change(surface=self.surface, pointer=self.path, rule=rule, layer=layer, old=old, new=new)


def compare_schemas(surface: str, path: str, old: Schema, new: Schema) -> Iterator[Change]:
    """Every difference of two schemas that stand at path of a surface."""
    yield from _schemas(Place(surface, path), old, new)


def same(old: Json, new: Json) -> bool:
    """Equal as JSON: key order aside, 1 and 1.0 alike, true and 1 apart."""
    return canonical(old) == canonical(new)


def _schemas(here: Place, old: Json, new: Json) -> Iterator[Change]:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        if not same(old, new):
            yield here.change("shape-changed", old, new)
        return
    before, after = _mapping(old), _mapping(new)
    renamed = _renamed_properties(before, after)
    for keyword in sorted(before.keys() | after.keys()):
        was, now = before.get(keyword, UNSET), after.get(keyword, UNSET)
        if keyword == "properties":
            yield from _properties(here.below(keyword), _mapping(was), _mapping(now), renamed)
        elif keyword == "required":
            yield from _required(here.below(keyword), was, now, renamed)
        else:
            yield from _keyword(here.below(keyword), keyword, was, now)


def _keyword(here: Place, keyword: str, was: Json, now: Json) -> Iterator[Change]:
    if was is not UNSET and now is not UNSET and same(was, now):
        return iter(())
    if keyword in TEXTS:
        return iter([here.change("text-changed", was, now)])
    for keywords, kind, compare in COMPARED:
        if keyword in keywords and isinstance(was, kind) and isinstance(now, kind):
            return compare(here, was, now)
    if was is UNSET:
        return iter([here.change("constraint-added", was, now)])
    return iter([here.change("constraint-removed" if now is UNSET else "constraint-changed", was, now)])


def _type(here: Place, was: Json, now: Json) -> Iterator[Change]:
    """Types are a set, written as one name or as a list of them; to state none is another type."""
    yield here.change("type-changed" if _names(was) != _names(now) else "type-respelt", was, now)


def _reference(here: Place, was: Json, now: Json) -> Iterator[Change]:
    """A shape that is taken from elsewhere now; whether it is the same is not looked at here."""
    yield here.change("reference-changed", was, now)


def _names(types: Json) -> list[str]:
    return sorted(str(one) for one in cast("list[Json]", types)) if isinstance(types, list) else [str(types)]


def _values(here: Place, was: list[Json], now: list[Json]) -> Iterator[Change]:
    """Values that went and came; their order counts, but says less."""
    before = {canonical(one): one for one in was}
    after = {canonical(one): one for one in now}
    for text in sorted(before.keys() - after.keys()):
        yield here.change("value-removed", before[text], UNSET)
    for text in sorted(after.keys() - before.keys()):
        yield here.change("value-added", UNSET, after[text])
    if before.keys() == after.keys():
        yield here.change("value-order-changed", was, now)


def _map(here: Place, old: Json, new: Json) -> Iterator[Change]:
    was, now = _mapping(old), _mapping(new)
    for name in sorted(was.keys() | now.keys()):
        if name not in now:
            yield here.below(name).change("definition-removed", was[name], UNSET)
        elif name not in was:
            yield here.below(name).change("definition-added", UNSET, now[name])
        else:
            yield from _schemas(here.below(name), was[name], now[name])


def _branches(here: Place, was: list[Json], now: list[Json]) -> Iterator[Change]:
    """Branches that did not change are taken out first; of the rest the first stands against the first."""
    kept = {canonical(one) for one in was} & {canonical(one) for one in now}
    before = [(index, one) for index, one in enumerate(was) if canonical(one) not in kept]
    after = [(index, one) for index, one in enumerate(now) if canonical(one) not in kept]
    for (index, old), (_, new) in zip(before, after, strict=False):
        yield from _schemas(here.below(index), old, new)
    for index, old in before[len(after) :]:
        yield here.below(index).change("branch-removed", old, UNSET)
    for index, new in after[len(before) :]:
        yield here.below(index).change("branch-added", UNSET, new)
    if not before and not after:
        yield here.change("branch-order-changed", was, now)


def _positions(here: Place, was: list[Json], now: list[Json]) -> Iterator[Change]:
    for index, (old, new) in enumerate(zip(was, now, strict=False)):
        yield from _schemas(here.below(index), old, new)
    for index in range(len(now), len(was)):
        yield here.below(index).change("position-removed", was[index], UNSET)
    for index in range(len(was), len(now)):
        yield here.below(index).change("position-added", UNSET, now[index])


# ---------------------------------------------------------------- fields, and their renames


def _properties(
    here: Place, was: Mapping[str, Json], now: Mapping[str, Json], renamed: Mapping[str, str]
) -> Iterator[Change]:
    for name in sorted(was):
        if name in renamed:
            yield here.below(name).change("field-renamed", name, renamed[name])
            yield from _schemas(here.below(renamed[name]), was[name], now[renamed[name]])  # its texts may differ
        elif name in now:
            yield from _schemas(here.below(name), was[name], now[name])
        else:
            yield here.below(name).change("field-removed", was[name], UNSET)
    for name in sorted(now.keys() - was.keys() - set(renamed.values())):
        yield here.below(name).change("field-added", UNSET, now[name])


def _required(here: Place, was: Json, now: Json, renamed: Mapping[str, str]) -> Iterator[Change]:
    """A renamed field that stays required has changed its name, nothing else."""
    before = {renamed.get(name, name): name for name in (_names(was) if isinstance(was, list) else ())}
    after = set(_names(now)) if isinstance(now, list) else set[str]()
    for name in sorted(before.keys() - after):
        yield here.change("required-removed", before[name], UNSET)
    for name in sorted(after - before.keys()):
        yield here.change("required-added", UNSET, name)


def _renamed_properties(old: Mapping[str, Json], new: Mapping[str, Json]) -> dict[str, str]:
    was, now = _mapping(old.get("properties")), _mapping(new.get("properties"))
    gone = {name: _form(was[name]) for name in was.keys() - now.keys()}
    come = {name: _form(now[name]) for name in now.keys() - was.keys()}
    return renames(gone, come)


def _form(schema: Json) -> bytes:
    return canonical(interface_form(schema) if is_schema(schema) else schema)


def _mapping(value: Json) -> Mapping[str, Json]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


COMPARED: Final[tuple[tuple[frozenset[str], tuple[type, ...], Differ], ...]] = (
    # keywords, what both of their values must be, how they are then compared
    (frozenset({"type"}), (str, list, UnsetType), _type),
    (frozenset({"$ref"}), (str, UnsetType), _reference),
    (frozenset({"enum"}), (list,), _values),
    (MAPS, (dict, UnsetType), _map),
    (frozenset({"allOf", "anyOf", "oneOf"}), (list,), _branches),
    (LISTS, (list,), _positions),
    (SINGLE, (dict, bool), _schemas),
)
