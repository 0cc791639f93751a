"""Equivalent forms of one schema made one, node by node: what comes in is made of plain parts, and so is what goes out.

Only forms that accept the same values for every value are exchanged (anchors: the thirteenth duty of the theory).
"""

from typing import Any, Final, Protocol

from stipula.contract.canonical import canonical
from stipula.contract.model import Json
from stipula.contract.schema import pointer
from stipula.diff.words import CORE, LANGUAGE, SILENT_ON_NULL, is_annotation, listed, members

EVERY_TYPE: Final = frozenset({"array", "boolean", "null", "number", "object", "string"})
NOTHING_SAID: Final[dict[str, Json]] = {
    "allOf": [], "dependentRequired": {}, "dependentSchemas": {}, "minItems": 0, "minLength": 0, "minProperties": 0,
    "not": False, "patternProperties": {}, "prefixItems": [], "propertyNames": {}, "required": [], "uniqueItems": False,
}  # fmt: skip
OPEN: Final = frozenset({"items", "unevaluatedItems", "unevaluatedProperties"})
"""`additionalProperties` is not among them: to state that an object is open is more than to be silent."""


class Moves(Protocol):
    """What a respelling needs to know of the document, and what it tells about places."""

    @property
    def sees_evaluated(self) -> bool:
        """Whether the document asks what was evaluated: then even an open schema says something."""
        ...

    def is_referred_into(self, place: str) -> bool:
        """Whether some reference names this place of the document as written, or one below it."""
        ...

    def lift(self, now: str, below: str) -> None:
        """What stood at `below` stands at `now`."""
        ...

    def move(self, now: str, was: str) -> None:
        """What stands at `now` stood at `was` in the document as written."""
        ...


def respelt(schema: dict[str, Any], moves: Moves, was: str, now: str) -> dict[str, Any] | bool:
    """The one form. was: where the schema stood; now: where it is to stand."""
    _bounds(schema)
    _types(schema)
    if schema.pop("nullable", None) is True and isinstance(schema.get("type"), str) and schema["type"] != "null":
        schema["type"] = sorted({schema["type"], "null"})
    if "const" in schema:
        values = [schema.pop("const")]
        schema["enum"] = values if "enum" not in schema else [one for one in listed(schema["enum"]) if _in(one, values)]
        moves.move(f"{now}/enum", f"{was}/const")
    schema = _only_branch(schema, moves, was, now)
    schema = _nullable(schema, moves, was, now)
    schema = _constants(schema, moves, now)
    return _without_nothing(schema, moves)


def _in(value: Json, values: list[Json]) -> bool:
    return canonical(value) in {canonical(one) for one in values}


def _bounds(schema: dict[str, Any]) -> None:
    """The booleans of draft 04 as numbers."""
    for word, bound in (("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")):
        if schema.get(word) == "pending":
            del schema[word]
            if bound in schema:
                schema[word] = schema.pop(bound)


def _types(schema: dict[str, Any]) -> None:
    given = schema.get("type")
    if given is None:
        return
    types = {str(one) for one in listed(given)} if isinstance(given, list) else {str(given)}
    if "number" in types:
        types.discard("integer")
    if types == {"number"} and schema.get("multipleOf") in (1, 1.0):
        types = {"integer"}
    if types == {"integer"} and schema.get("multipleOf") in (1, 1.0):
        del schema["multipleOf"]
    if types >= EVERY_TYPE:
        del schema["type"]
    else:
        schema["type"] = next(iter(types)) if len(types) == 1 else sorted(types)


def _only_branch(schema: dict[str, Any], moves: Moves, was: str, now: str) -> dict[str, Any]:
    """`allOf`, `anyOf` or `oneOf` of one schema, beside nothing that constrains, is that schema."""
    for word in ("allOf", "anyOf", "oneOf"):
        branches = listed(schema.get(word))
        if len(branches) != 1 or not isinstance(branches[0], dict):
            continue
        rest = {key: value for key, value in schema.items() if key != word}
        if all(key in CORE or is_annotation(key) for key in rest) and not moves.is_referred_into(f"{was}/{word}"):
            return _lifted(rest, members(branches[0]), moves, now, f"{now}/{word}/0")
    return schema


def _lifted(
    outer: dict[str, Any], inner: dict[str, Any], moves: Moves, now: str, below: str
) -> dict[str, Any]:  # fmt: skip
    """The inner schema with what is said around it; texts around it come first."""
    for key in inner.keys() - outer.keys():
        moves.lift(now + pointer(key), below + pointer(key))
    return inner | outer


def _nullable(schema: dict[str, Any], moves: Moves, was: str, now: str) -> dict[str, Any]:
    """`anyOf: [X, null]` is X with null among its types, where X says nothing else of null."""
    for word in ("anyOf", "oneOf"):
        branches = listed(schema.get(word))
        rest = {key: value for key, value in schema.items() if key != word}
        if len(branches) != 2 or not all(key in CORE or is_annotation(key) for key in rest):  # noqa: PLR2004 - X and null
            continue
        others = [index for index, branch in enumerate(branches) if not _is_null(branch)]
        if len(others) != 1 or moves.is_referred_into(f"{was}/{word}"):
            continue
        inner = members(branches[others[0]])
        if "type" in inner and not inner.keys() - SILENT_ON_NULL - {"type", "enum"} and not _takes_null(inner):
            types = listed(inner["type"]) if isinstance(inner["type"], list) else [inner["type"]]
            values = {"enum": [*listed(inner["enum"]), None]} if "enum" in inner else {}
            lifted = inner | {"type": sorted({*types, "null"})} | values
            return _lifted(rest, lifted, moves, now, f"{now}/{word}/{others[0]}")
    return schema


def _is_null(schema: Json) -> bool:
    said = {key: value for key, value in members(schema).items() if key in LANGUAGE}
    return isinstance(schema, dict) and said in ({"type": "null"}, {"enum": [None]}, {"type": "null", "enum": [None]})


def _takes_null(schema: dict[str, Any]) -> bool:
    types = schema.get("type")
    return types == "null" or (isinstance(types, list) and "null" in types)


def _constants(schema: dict[str, Any], moves: Moves, now: str) -> dict[str, Any]:
    """A choice among constants, where none has a text of its own, is an `enum`."""
    for word in ("anyOf", "oneOf"):
        branches = listed(schema.get(word))
        if not branches or "enum" in schema or not all(members(one).keys() == {"enum"} for one in branches):
            continue
        values = [value for branch in branches for value in listed(branch["enum"])]
        if len({canonical(value) for value in values}) == len(values):
            moves.lift(f"{now}/enum", f"{now}/{word}")
            rest = {key: value for key, value in schema.items() if key != word}
            return rest | {"enum": values}
    return schema


def _without_nothing(schema: dict[str, Any], moves: Moves) -> dict[str, Any]:
    """Without the keywords whose value says nothing."""
    for word in [word for word, value in schema.items() if _says_nothing(word, value)]:
        del schema[word]
    if not moves.sees_evaluated:
        for word in OPEN & schema.keys():
            if schema[word] == {}:
                del schema[word]
    if "if" not in schema:
        schema.pop("then", None)
        schema.pop("else", None)
    elif not schema.keys() & {"then", "else"} and not moves.sees_evaluated:
        del schema["if"]
    if "contains" not in schema:
        schema.pop("minContains", None)
        schema.pop("maxContains", None)
    return schema


def _says_nothing(word: str, value: Json) -> bool:
    if word not in NOTHING_SAID:
        return False
    nothing = NOTHING_SAID[word]
    return type(value) is type(nothing) and value == nothing
