"""The dialects of JSON Schema that are read, and what is different in each."""

from typing import Any, Final, cast

import jsonschema_rs
import msgspec

from stipula.diff.containment.values import Value


class Dialect(msgspec.Struct, frozen=True):
    """What a dialect knows. `level` orders drafts by age."""

    name: str
    level: int
    address: str
    validator: Any
    draft: int

    @property
    def id_word(self) -> str:
        """The keyword that names a resource."""
        return "id" if self.level == 4 else "$id"  # noqa: PLR2004 - draft-04 alone


D04 = Dialect(
    "draft-04", 4, "http://json-schema.org/draft-04/schema", jsonschema_rs.Draft4Validator, jsonschema_rs.Draft4
)
D06 = Dialect(
    "draft-06", 6, "http://json-schema.org/draft-06/schema", jsonschema_rs.Draft6Validator, jsonschema_rs.Draft6
)
D07 = Dialect(
    "draft-07", 7, "http://json-schema.org/draft-07/schema", jsonschema_rs.Draft7Validator, jsonschema_rs.Draft7
)
D19 = Dialect(
    "2019-09",
    19,
    "https://json-schema.org/draft/2019-09/schema",
    jsonschema_rs.Draft201909Validator,
    jsonschema_rs.Draft201909,
)
D20 = Dialect(
    "2020-12",
    20,
    "https://json-schema.org/draft/2020-12/schema",
    jsonschema_rs.Draft202012Validator,
    jsonschema_rs.Draft202012,
)
DIALECTS: Final = (D04, D06, D07, D19, D20)
OPENAPI_30: Final = "openapi-3.0"
ADDRESSES: Final = {
    **{dialect.address: dialect for dialect in DIALECTS},
    "https://spec.openapis.org/oas/3.1/dialect/base": D20,
    "https://spec.openapis.org/oas/3.1/dialect/2024-11-10": D20,
}
ALIASES: Final = {
    **{dialect.name: dialect for dialect in DIALECTS},
    **{dialect.name.removeprefix("draft-"): dialect for dialect in DIALECTS},
    **{f"draft{dialect.level}": dialect for dialect in DIALECTS if dialect.level < D19.level},
    **{f"draft-{dialect.level}": dialect for dialect in DIALECTS if dialect.level < D19.level},
    "draft2019-09": D19, "draft-2019-09": D19, "draft201909": D19,
    "draft2020-12": D20, "draft-2020-12": D20, "draft202012": D20,
    "openapi-3.1": D20, "openapi3.1": D20,
}  # fmt: skip
OPENAPI_ALIASES: Final = frozenset({OPENAPI_30, "openapi3.0", "openapi-3.0.3", "openapi-3"})


def dialect_at(address: object) -> Dialect | None:
    """The dialect that a `$schema` names."""
    return ADDRESSES.get(address.rstrip("#")) if isinstance(address, str) else None


# ---------------------------------------------------------------- where subschemas stand

SINGLE: Final = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
LISTS: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
MAPS: Final = frozenset({
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
})  # fmt: skip


def subschemas(schema: dict[str, Value]) -> list[Value]:
    """The schemas directly inside a schema, at the keywords of any dialect."""
    found: list[Value] = []
    for word, part in schema.items():
        if word in MAPS and isinstance(part, dict):
            found.extend(cast("dict[str, Value]", part).values())
        elif word in LISTS and isinstance(part, list):
            found.extend(cast("list[Value]", part))
        elif word in SINGLE:
            found.append(part)
    return [part for part in found if isinstance(part, dict)]


CONTENT: Final = frozenset({"contentEncoding", "contentMediaType", "contentSchema"})
DATA: Final = frozenset({"const", "default", "enum", "example", "examples"})


def without_content(schema: Value, *, names: bool = False) -> Value:
    """The schema without the keywords about a string's content, which are annotations in every dialect we read.

    Validators of draft-06 and draft-07 may check them. `names`: the members of an object are names, not keywords.
    """
    if isinstance(schema, list):
        return [without_content(part) for part in cast("list[Value]", schema)]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Value] = {}
    for word, part in cast("dict[str, Value]", schema).items():
        if names:
            kept[word] = without_content(part)
        elif word in DATA:
            kept[word] = part
        elif word not in CONTENT:
            kept[word] = without_content(part, names=word in MAPS)
    return kept


# ---------------------------------------------------------------- OpenAPI 3.0

OPENAPI_ONLY: Final = frozenset(
    {"nullable", "discriminator", "readOnly", "writeOnly", "xml", "externalDocs", "example"}
)


def from_openapi_30(schema: Value, place: str = "schema") -> Value:
    """An OpenAPI 3.0 schema as the draft-04 schema with the same values.

    `nullable` adds null to a `type` beside it (OpenAPI 3.0.3), and to nothing else. `place` is "schema" or "map"
    (member names are no keywords); whatever else is data and stays.
    """
    if isinstance(schema, list):
        return [from_openapi_30(part, place) for part in cast("list[Value]", schema)]
    if not isinstance(schema, dict):
        return schema
    pairs = cast("dict[str, Value]", schema)
    if place == "map":
        return {name: from_openapi_30(part) for name, part in pairs.items()}
    if "$ref" in pairs:
        return {"$ref": pairs["$ref"], **{word: from_openapi_30(pairs[word], "map") for word in MAPS & pairs.keys()}}
    made: dict[str, Value] = {}
    for word, part in pairs.items():
        if word in OPENAPI_ONLY:
            continue
        if word in MAPS or word in ("components", "schemas"):
            made[word] = from_openapi_30(part, "map")
        else:
            made[word] = from_openapi_30(part) if word in SINGLE or word in LISTS else part
    if pairs.get("nullable") is True and isinstance(pairs.get("type"), str):
        made["type"] = [pairs["type"], "null"]
    return made
