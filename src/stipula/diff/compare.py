"""What differs between two contracts: facts, in a fixed order, without a verdict.

The digests of a surface decide whether it is looked at; wherever they differ at least one change is reported.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import UNSET

from stipula.contract.canonical import canonical, digest, digests, required_sorted
from stipula.contract.model import Contract, Era, Json, Profile, Stream, Surface
from stipula.contract.schema import pointer
from stipula.diff.change import Change, Layer
from stipula.diff.compare_schemas import compare_schemas, same
from stipula.diff.renames import renames

TOLD_ELSEWHERE: Final = frozenset({"annotations", "description", "inputSchema", "name", "outputSchema", "title"})
"""Members of an MCP tool that are compared as shapes, annotations and texts."""
MAX_PLACES: Final = 20
T = TypeVar("T")


def compare(old: Contract, new: Contract) -> list[Change]:
    """Every difference, by surface, then by pointer; none between a contract and itself."""
    found = [
        *_surfaces(_by_id(map(_settled, old.surfaces)), _by_id(map(_settled, new.surfaces))),
        *_streams(_by_id(old.streams), _by_id(new.streams)),
    ]
    touched = {change.surface for change in found}
    found.extend(_profiles(_by_id(old.profiles), _by_id(new.profiles), touched))
    return sorted(found, key=lambda one: (one.surface, one.pointer, one.rule, _sortable(one)))


def _sortable(change: Change) -> bytes:
    return canonical([value for value in (change.old, change.new) if value is not UNSET])


def _settled(surface: Surface) -> Surface:
    """With `required` sorted, so that what a change shows, and its fingerprint, does not depend on that order."""
    shapes = {outcome: required_sorted(shape) for outcome, shape in surface.shapes.items()}
    return msgspec.structs.replace(surface, shapes=shapes, definition=required_sorted(surface.definition))


def _by_id(entries: Iterable[T]) -> dict[str, T]:
    return {str(getattr(entry, "id")): entry for entry in entries}  # noqa: B009 - three kinds that share a name


# ---------------------------------------------------------------- surfaces


def _surfaces(old: Mapping[str, Surface], new: Mapping[str, Surface]) -> Iterator[Change]:
    gone = {name: _rename_form(old[name]) for name in old.keys() - new.keys()}
    come = {name: _rename_form(new[name]) for name in new.keys() - old.keys()}
    renamed = renames(gone, come)
    for name, surface in old.items():
        word = "event" if surface.kind == "stream" else "surface"
        if name in renamed:
            yield _whole(name, f"{word}-renamed", old=name, new=renamed[name])
            yield from _surface(surface, new[renamed[name]])
        elif name in new:
            yield from _surface(surface, new[name])
        else:
            yield _whole(name, f"{word}-removed", old=_summary(surface))
    for name in sorted(new.keys() - old.keys() - set(renamed.values())):
        word = "event" if new[name].kind == "stream" else "surface"
        yield _whole(name, f"{word}-added", new=_summary(new[name]))


def _rename_form(surface: Surface) -> bytes:
    """What must stay the same for a rename; a surface without a shape has no form but its own name."""
    place = surface.id.partition("#")[0] if surface.kind in {"stream", "mcp"} else surface.kind
    said = [shape for shape in surface.shapes.values() if not isinstance(shape, bool) and shape]
    return canonical([surface.kind, place, digests(surface).interface if said else surface.id])


def _summary(surface: Surface) -> Json:
    return surface.shapes


def _whole(surface: str, rule: str, *, old: Json = UNSET, new: Json = UNSET, layer: Layer = "interface") -> Change:
    return Change(surface=surface, pointer="", rule=rule, layer=layer, old=old, new=new)


def _surface(old: Surface, new: Surface) -> Iterator[Change]:
    before, after = digests(old), digests(new)
    if before == after:
        return
    found = [
        *_shapes(old, new),
        *_members(new.id, "/annotations", old.annotations, new.annotations, rule="annotation-changed"),
        *_members(new.id, "/texts", old.texts, new.texts, rule="text-changed"),
    ]
    if old.kind == "mcp":
        found.extend(_definition(new.id, _rest(old.definition), _rest(new.definition)))
    if not found:  # the wire differs in what no other layer holds
        found.extend(_definition(new.id, old.definition, new.definition))
    if not found:
        found.append(_whole(new.id, "surface-changed", old=_summary(old), new=_summary(new)))
    yield from found


def _shapes(old: Surface, new: Surface) -> Iterator[Change]:
    for outcome in sorted(old.shapes.keys() | new.shapes.keys()):
        place = pointer("shapes", outcome)
        if outcome not in new.shapes:
            yield Change(
                surface=new.id, pointer=place, rule="outcome-removed", layer="interface", old=old.shapes[outcome]
            )
        elif outcome not in old.shapes:
            yield Change(
                surface=new.id, pointer=place, rule="outcome-added", layer="interface", new=new.shapes[outcome]
            )
        else:
            yield from compare_schemas(new.id, place, old.shapes[outcome], new.shapes[outcome])


LAYER_OF: Final[dict[str, Layer]] = {
    "annotation-changed": "behaviour",
    "cache-changed": "behaviour",
    "definition-changed": "wire",
    "keepalive-changed": "wire",
    "laws-changed": "interface",
    "order-changed": "interface",
    "protocol-changed": "wire",
    "text-changed": "routing",
}


def _members(
    surface: str, path: str, old: Mapping[str, Json], new: Mapping[str, Json], *, rule: str
) -> Iterator[Change]:
    """The members of two objects that stand at path, each compared as a whole."""
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name, UNSET), new.get(name, UNSET)
        if was is UNSET or now is UNSET or not same(was, now):
            place = path + pointer(name)
            yield Change(surface=surface, pointer=place, rule=rule, layer=LAYER_OF[rule], old=was, new=now)


def _rest(definition: Json) -> dict[str, Json]:
    members = cast("dict[str, Any]", definition) if isinstance(definition, dict) else {}
    return {name: value for name, value in members.items() if name not in TOLD_ELSEWHERE}


def _definition(surface: str, old: Json, new: Json) -> Iterator[Change]:
    for count, (place, was, now) in enumerate(_leaves("/definition", old, new)):
        if count == MAX_PLACES:
            return
        yield Change(surface=surface, pointer=place, rule="definition-changed", layer="wire", old=was, new=now)


def _leaves(place: str, old: Json, new: Json) -> Iterator[tuple[str, Json, Json]]:
    """The innermost places at which two values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        before, after = cast("dict[str, Json]", old), cast("dict[str, Json]", new)
        for name in sorted(before.keys() | after.keys()):
            yield from _leaves(place + pointer(name), before.get(name, UNSET), after.get(name, UNSET))
    elif old is UNSET or new is UNSET or not same(old, new):
        yield place, old, new


# ---------------------------------------------------------------- streams and tool lists


def _streams(old: Mapping[str, Stream], new: Mapping[str, Stream]) -> Iterator[Change]:
    for name in sorted(old.keys() - new.keys()):
        yield _whole(name, "stream-removed", old=old[name].order)
    for name in sorted(new.keys() - old.keys()):
        yield _whole(name, "stream-added", new=new[name].order)
    for name in sorted(old.keys() & new.keys()):
        yield from _stream(old[name], new[name])


def _stream(old: Stream, new: Stream) -> Iterator[Change]:
    for place, was, now in _leaves("/order", old.order, new.order):
        yield Change(surface=old.id, pointer=place, rule="order-changed", layer="interface", old=was, new=now)
    laws = list(old.laws), list(new.laws)
    if not same(*laws):
        yield from _members(old.id, "/laws", _numbered(laws[0]), _numbered(laws[1]), rule="laws-changed")
    for place, was, now in _leaves("/more", old.more, new.more):
        rule = "order-changed" if place.startswith("/more/forms") else "laws-changed"
        yield Change(surface=old.id, pointer=place, rule=rule, layer="interface", old=was, new=now)
    if not same(old.keepalive, new.keepalive):
        rule = "keepalive-changed"
        yield Change(
            surface=old.id, pointer="/keepalive", rule=rule, layer="wire", old=old.keepalive, new=new.keepalive
        )


def _numbered(values: list[Json]) -> dict[str, Json]:
    return {str(index): value for index, value in enumerate(values)}


def _profiles(old: Mapping[str, Profile], new: Mapping[str, Profile], touched: set[str]) -> Iterator[Change]:
    """touched: surfaces whose change is told already, and with it that of the list they stand in."""
    for name in sorted(old.keys() - new.keys()):
        yield _whole(name, "profile-removed", old=list(old[name].tools))
    for name in sorted(new.keys() - old.keys()):
        yield _whole(name, "profile-added", new=list(new[name].tools))
    for name in sorted(old.keys() & new.keys()):
        is_told = any(surface.startswith(f"{name}#") for surface in touched)
        yield from _profile(old[name], new[name], is_told=is_told)


def _profile(old: Profile, new: Profile, *, is_told: bool) -> Iterator[Change]:
    before, after = {one.era: one for one in old.eras}, {one.era: one for one in new.eras}
    for era in sorted(before.keys() | after.keys()):
        place = pointer("eras", era)
        if era not in after:
            yield Change(surface=old.id, pointer=place, rule="era-removed", layer="interface", old=before[era].protocol)
        elif era not in before:
            yield Change(surface=old.id, pointer=place, rule="era-added", layer="interface", new=after[era].protocol)
        else:
            yield from _era(old.id, before[era], after[era], is_told=is_told)


def _era(surface: str, old: Era, new: Era, *, is_told: bool) -> Iterator[Change]:
    path = pointer("eras", old.era)
    protocols = {"protocol": old.protocol}, {"protocol": new.protocol}
    yield from _members(surface, path, *protocols, rule="protocol-changed")
    yield from _members(surface, f"{path}/facts", old.facts, new.facts, rule="cache-changed")
    if not is_told and (old.recipe, old.shape) != (new.recipe, new.shape):
        # only this era's list has changed: the surfaces show the other era's
        rule, was, now = "tool-list-changed", old.recipe, new.recipe
        layer: Layer = "routing" if old.shape == new.shape else "interface"
        yield Change(surface=surface, pointer=f"{path}/recipe", rule=rule, layer=layer, old=was, new=now)


def fingerprint(change: Change) -> str:
    """What a waiver names: 16 hex digits over rule, surface, pointer, old and new value."""
    values = [[] if value is UNSET else [value] for value in (change.old, change.new)]
    return digest([change.rule, change.surface, change.pointer, *values])[:16]
