"""Keywords that combine schemas for the same instance."""

from stipula.diff.containment.dialects import D07
from stipula.diff.containment.forms import Node
from stipula.diff.containment.places import Place, Reading


def read(reader: Reading, place: Place) -> list[Node]:
    """allOf, anyOf, oneOf, not, if-then-else."""
    schema, forge = place.schema, reader.forge
    parts: list[Node] = []
    if "allOf" in schema:
        parts.extend(reader.part(place, part) for part in schema["allOf"])
    if "anyOf" in schema:
        parts.append(forge.either(*(reader.part(place, part) for part in schema["anyOf"])))
    if "oneOf" in schema:
        parts.append(forge.exactly_one([reader.part(place, part) for part in schema["oneOf"]]))
    if "not" in schema:
        parts.append(forge.negate(reader.part(place, schema["not"])))
    if "if" in schema and place.dialect.level >= D07.level:
        test = reader.part(place, schema["if"])
        then = reader.part(place, schema.get("then", True))
        otherwise = reader.part(place, schema.get("else", True))
        parts.append(forge.both(forge.either(forge.negate(test), then), forge.either(test, otherwise)))
    return parts
