"""A shape made just wide enough for values that it refuses, where that takes plain edits: a proposal, for people."""

import json
from collections.abc import Iterable
from typing import Any, Final, cast

from stipula.contract.model import Json, Schema
from stipula.contract.schema import at, tokens
from stipula.contract.verdict import Violation, compile_shape

MAX_EDITS: Final = 50
TYPES: Final = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)


def widened(shape: Schema, values: Iterable[Json]) -> Schema | None:
    """The shape that takes all values as well; None where no plain edit leads there."""
    wide = cast("Schema", json.loads(json.dumps(shape)))
    for value in values:
        for _ in range(MAX_EDITS):
            broken = compile_shape(wide).violations(value)
            if not broken:
                break
            if not _is_edited(wide, broken[0], value):
                return None
        else:
            return None
    return wide


def _is_edited(root: Schema, broken: Violation, value: Json) -> bool:
    """Change the place that refuses the value; False where there is no plain way."""
    steps, rule = tokens(broken.pointer), broken.rule
    is_about_field = rule in {"required", "additionalProperties"}
    place = _place(root, steps[:-1] if is_about_field else steps)
    if place is None or rule not in place:
        return False
    if rule == "additionalProperties":
        place.setdefault("properties", {})[steps[-1]] = {"type": _type(at(value, broken.pointer))}
    elif rule == "required":
        place["required"] = [name for name in place["required"] if name != steps[-1]]
    elif rule == "type":
        known: Json = place["type"]
        place["type"] = [
            *(cast("list[Json]", known) if isinstance(known, list) else [known]),
            _type(at(value, broken.pointer)),
        ]
    elif rule == "enum":
        place["enum"] = [*place["enum"], at(value, broken.pointer)]
    elif rule == "const":
        place["enum"] = [place.pop("const"), at(value, broken.pointer)]
    else:
        return False
    return True


def _place(root: Schema, steps: list[str]) -> dict[str, Any] | None:
    """The subschema of a place, by `properties`, `items` and local `$ref`; None where that is not all."""
    here = _target(root, root)
    for step in steps:
        if here is None:
            return None
        named = here.get("properties", {})
        here = _target(root, named[step] if step in named else here.get("items") if step.isdecimal() else None)
    return here


def _target(root: Schema, schema: Json) -> dict[str, Any] | None:
    for _ in range(MAX_EDITS):  # a reference may lead to another, and in a circle
        words = cast("dict[str, Any]", schema) if isinstance(schema, dict) else {}
        reference = words.get("$ref")
        if not isinstance(reference, str):
            return words or None
        if not reference.startswith("#/"):
            return None
        schema = at(root, reference[1:])
    return None


def _type(value: Json) -> str:
    return next((name for kind, name in TYPES if isinstance(value, kind)), "null")
