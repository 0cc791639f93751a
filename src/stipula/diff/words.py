"""The keywords of JSON Schema by what they do to the set of values, for comparing and for plain spellings."""

from typing import Any, Final, cast

from stipula.contract.model import Json

TEXTS: Final = frozenset({"title", "description", "examples"})
"""What a model, or a person, reads."""
ANNOTATIONS: Final = TEXTS | frozenset({
    "$comment", "contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated", "discriminator",
    "example", "externalDocs", "format", "readOnly", "writeOnly", "xml",
})  # fmt: skip
"""What changes no verdict about a value (JSON Schema 2020-12 validation §7, §8, §9; OpenAPI 3.1 §4.8.24)."""
NUMBER_WORDS: Final = frozenset({
    "exclusiveMaximum", "exclusiveMinimum", "maxContains", "maximum", "maxItems", "maxLength", "maxProperties",
    "minContains", "minimum", "minItems", "minLength", "minProperties",
})  # fmt: skip
OF_NUMBERS: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
OF_STRINGS: Final = frozenset({"maxLength", "minLength", "pattern"})
OF_ARRAYS: Final = frozenset({
    "contains", "items", "maxContains", "maxItems", "minContains", "minItems", "prefixItems", "unevaluatedItems",
    "uniqueItems",
})  # fmt: skip
OF_OBJECTS: Final = frozenset({
    "additionalProperties", "dependentRequired", "dependentSchemas", "maxProperties", "minProperties",
    "patternProperties", "properties", "propertyNames", "required", "unevaluatedProperties",
})  # fmt: skip
SILENT_ON_NULL: Final = OF_NUMBERS | OF_STRINGS | OF_ARRAYS | OF_OBJECTS | ANNOTATIONS
"""Keywords that say nothing of null."""
CORE: Final = frozenset({"$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary",
                         "definitions", "id"})  # fmt: skip
"""Keywords that say how a schema is read, not what it accepts."""
LANGUAGE: Final = NUMBER_WORDS | OF_NUMBERS | OF_STRINGS | OF_ARRAYS | OF_OBJECTS | frozenset({
    "$ref", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then", "type",
})  # fmt: skip


def is_annotation(word: str) -> bool:
    """Whether a keyword, known or not, leaves the set of values as it is."""
    return word not in LANGUAGE and word not in CORE


def members(value: Json) -> dict[str, Any]:
    """A JSON object, or an empty one where value is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def listed(value: Json) -> list[Any]:
    """A JSON array, or an empty one where value is none."""
    return cast("list[Any]", value) if isinstance(value, list) else []
