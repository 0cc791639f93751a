"""Keywords about objects: all become `each` and `some` over formulas on names."""

from typing import Any, cast

from stipula.diff.containment.dialects import D06, D19
from stipula.diff.containment.forms import INF, Forge, Node
from stipula.diff.containment.places import Place, Reading
from stipula.diff.containment.values import Value


def named(forge: Forge, names: list[str]) -> Node:
    """These names."""
    return forge.among(list(names))


def has(forge: Forge, name: str) -> Node:
    """There is a member of this name."""
    return forge.some(named(forge, [name]), forge.true)


def lacks(forge: Forge, name: str) -> Node:
    """There is none."""
    return forge.each(named(forge, [name]), forge.false)


def declared(reader: Reading, schema: dict[str, Value]) -> Node:
    """The names that `properties` and `patternProperties` speak of."""
    forge = reader.forge
    names = named(forge, list(schema.get("properties", {})))
    return forge.either(names, *(forge.pattern(text) for text in schema.get("patternProperties", {})))


def read(reader: Reading, place: Place) -> list[Node]:
    """The formulas of the object keywords of one schema."""
    schema, forge = place.schema, reader.forge
    parts = [forge.sized("size", schema.get("minProperties", 0), schema.get("maxProperties", INF))]
    for name, part in schema.get("properties", {}).items():
        parts.append(forge.each(named(forge, [name]), reader.child(place, part)))
    for text, part in schema.get("patternProperties", {}).items():
        parts.append(forge.each(forge.pattern(text), reader.child(place, part)))
    if "additionalProperties" in schema:
        others = forge.negate(declared(reader, schema))
        parts.append(forge.each(others, reader.child(place, schema["additionalProperties"])))
    if "propertyNames" in schema and place.dialect.level >= D06.level:
        wrong = forge.negate(reader.child(place, schema["propertyNames"]))
        parts.append(forge.each(wrong, forge.false))
    if isinstance(schema.get("required"), list):
        parts.extend(has(forge, name) for name in schema["required"])
    parts.extend(_dependencies(reader, place))
    return parts


def _dependencies(reader: Reading, place: Place) -> list[Node]:
    forge = reader.forge
    parts: list[Node] = []
    for name, needed in dependent(place):
        met = (
            forge.both(*(has(forge, other) for other in cast("list[str]", needed)))
            if isinstance(needed, list)
            else reader.part(place, needed)
        )
        parts.append(forge.either(lacks(forge, name), met))
    return parts


def dependent(place: Place) -> list[tuple[str, Any]]:
    """Names with what they call for: names of other members, or a schema.

    `dependencies` is still read in 2019-09 and 2020-12, whose meta-schemas keep it, as jsonschema-rs does.
    """
    schema = place.schema
    found: list[tuple[str, Any]] = list(schema.get("dependencies", {}).items())
    if place.dialect.level >= D19.level:
        found.extend(schema.get("dependentRequired", {}).items())
        found.extend(schema.get("dependentSchemas", {}).items())
    return found
