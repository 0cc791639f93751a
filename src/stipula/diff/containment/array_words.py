"""Keywords about arrays, in the spelling of each draft."""

from typing import cast

from stipula.diff.containment.dialects import D06, D19, D20
from stipula.diff.containment.forms import INF, Node
from stipula.diff.containment.places import Place, Reading
from stipula.diff.containment.values import Value


def prefix(place: Place) -> tuple[list[Value], Value | None]:
    """The schemas of the first items, and that of all others where there is one."""
    schema = place.schema
    if place.dialect.level >= D20.level:
        return cast("list[Value]", schema.get("prefixItems", [])), schema.get("items")
    items = schema.get("items")
    if isinstance(items, list):
        return cast("list[Value]", items), schema.get("additionalItems")
    return [], items


def read(reader: Reading, place: Place) -> list[Node]:
    """The formulas of the array keywords of one schema."""
    schema, forge = place.schema, reader.forge
    first, rest = prefix(place)
    parts = [forge.at(index, reader.child(place, part)) for index, part in enumerate(first)]
    if rest is not None:
        parts.append(forge.onward(len(first), reader.child(place, rest)))
    parts.append(forge.sized("alen", schema.get("minItems", 0), schema.get("maxItems", INF)))
    if schema.get("uniqueItems") is True:
        parts.append(forge.distinct())
    if "contains" in schema and place.dialect.level >= D06.level:
        counted = place.dialect.level >= D19.level
        low, high = (schema.get("minContains", 1), schema.get("maxContains", INF)) if counted else (1, INF)
        parts.append(forge.count(0, reader.child(place, schema["contains"]), low, high))
    return parts
