"""The fifteen duties of an engine that decides containment, each with what it must tell apart."""
# ruff: noqa: E501 - a table is read by its rows

from collections.abc import Callable
from typing import Any

import pytest

YES, NO = "contained", "not contained"
LIST = {
    "$defs": {
        "l": {
            "anyOf": [
                {"type": "null"},
                {
                    "type": "object",
                    "required": ["v", "n"],
                    "properties": {"v": {"type": "integer"}, "n": {"$ref": "#/$defs/l"}},
                },
            ]
        }
    },
    "$ref": "#/$defs/l",
}
WIDER_LIST = {
    "$defs": {
        "m": {
            "anyOf": [
                {"type": "null"},
                {
                    "type": "object",
                    "required": ["v", "n"],
                    "properties": {"v": {"type": "number"}, "n": {"$ref": "#/$defs/m"}},
                },
            ]
        }
    },
    "$ref": "#/$defs/m",
}
TREE = {
    "$id": "urn:x:tree",
    "$dynamicAnchor": "node",
    "type": "object",
    "properties": {"kids": {"type": "array", "items": {"$dynamicRef": "#node"}}},
}
CLOSED_TREE = {
    "$id": "urn:x:closed",
    "$dynamicAnchor": "node",
    "$ref": "urn:x:tree",
    "unevaluatedProperties": False,
    "$defs": {"t": TREE},
}

DUTIES: dict[str, list[tuple[Any, Any, str]]] = {
    "1 emptiness": [
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, False, YES),
        ({"type": "object", "required": ["a"], "properties": {"a": False}}, False, YES),
        ({"type": "array", "uniqueItems": True, "items": {"type": "boolean"}, "minItems": 3}, False, YES),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, False, YES),
        ({"type": "integer", "minimum": 1, "exclusiveMaximum": 2}, False, NO),
    ],
    "2 regular expressions": [
        ({"type": "string", "pattern": "^a+$"}, {"pattern": "a"}, YES),
        ({"type": "string", "pattern": "a"}, {"pattern": "^a+$"}, NO),
        ({"type": "string", "pattern": "^\\d{2,3}$"}, {"pattern": "^[0-9]+$"}, YES),
        ({"type": "string", "pattern": "^[0-9]+$"}, {"pattern": "^\\d{2,3}$"}, NO),
        ({"type": "string", "pattern": "^(foo|bar)$"}, {"enum": ["foo", "bar"]}, YES),
        ({"type": "string", "pattern": "^(?!x)[a-z]$"}, {"pattern": "^[a-wyz]$"}, YES),
        ({"type": "string", "pattern": "^\\p{Lu}$"}, {"pattern": "^\\p{L}$"}, YES),
        ({"type": "string", "pattern": "^\\p{L}$"}, {"pattern": "^\\p{Lu}$"}, NO),
        ({"type": "string", "pattern": "^a$"}, {"not": {"pattern": "\\n"}}, YES),
    ],
    "3 patterns and lengths": [
        ({"type": "string", "pattern": "^[ab]{2}$"}, {"minLength": 2, "maxLength": 2}, YES),
        ({"type": "string", "pattern": "^[ab]{2}$"}, {"maxLength": 1}, NO),
        ({"enum": ["a", "bb"]}, {"type": "string", "maxLength": 2}, YES),
        ({"const": "\U0001f600"}, {"maxLength": 1}, YES),
    ],
    "4 numbers": [
        ({"const": 1.0}, {"type": "integer"}, YES),
        ({"multipleOf": 0.3}, {"multipleOf": 0.1}, YES),
        ({"multipleOf": 0.1}, {"multipleOf": 0.3}, NO),
        ({"type": "integer", "minimum": 2}, {"exclusiveMinimum": 1}, YES),
        ({"type": "integer", "exclusiveMinimum": 1}, {"minimum": 2}, YES),
        ({"type": "number", "exclusiveMinimum": 1}, {"minimum": 2}, NO),
        ({"type": "integer", "minimum": 9007199254740993}, {"minimum": 9007199254740992}, YES),
        ({"type": "integer", "multipleOf": 6}, {"allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, YES),
        ({"type": "integer", "allOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, {"multipleOf": 6}, YES),
    ],
    "5 objects by the alphabet of their keys": [
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"additionalProperties": {"type": "number"}}, YES),
        ({"type": "object", "additionalProperties": {"type": "number"}}, {"additionalProperties": {"type": "integer"}}, NO),
        ({"patternProperties": {"^a": {"type": "integer"}}}, {"properties": {"ab": {"type": "number"}}}, YES),
        ({"type": "object", "propertyNames": {"pattern": "^a"}}, {"patternProperties": {"^b": False}}, YES),
        ({"type": "object", "required": ["a", "b"]}, {"minProperties": 2}, YES),
        ({"type": "object", "properties": {"a": True, "b": True}, "additionalProperties": False}, {"maxProperties": 2}, YES),
        ({"type": "object", "dependentRequired": {"a": ["b"]}, "required": ["a"]}, {"required": ["b"]}, YES),
        ({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}, {"dependentRequired": {"a": ["b"]}}, YES),
    ],
    "6 what additional and unevaluated see": [
        ({"type": "object", "allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False}, {"maxProperties": 1}, YES),
        ({"type": "object", "allOf": [{"properties": {"a": True}}], "additionalProperties": False}, {"maxProperties": 0}, YES),
        ({"type": "object", "anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, True], "unevaluatedProperties": False}, {"maxProperties": 0}, NO),
    ],
    "7 arrays": [
        ({"type": "array", "contains": {"type": "integer"}, "minContains": 2}, {"contains": {"type": "number"}}, YES),
        ({"type": "array", "contains": {"type": "number"}}, {"contains": {"type": "integer"}}, NO),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, {"maxItems": 1}, YES),
        ({"type": "array", "items": {"const": 1}, "uniqueItems": True}, {"maxItems": 1}, YES),
        ({"type": "array", "contains": {"const": 1}, "minContains": 3}, {"minItems": 3}, YES),
        ({"type": "array", "contains": {"const": 1}, "maxContains": 0, "minContains": 0}, {"not": {"contains": {"const": 1}}}, YES),
    ],
    "8 unions on the right": [
        ({"type": "object"}, {"anyOf": [{"required": ["a"]}, {"not": {"required": ["a"]}}]}, YES),
        ({"type": "integer", "minimum": 0, "maximum": 10}, {"anyOf": [{"maximum": 5}, {"minimum": 5}]}, YES),
        ({"type": "integer", "minimum": 0, "maximum": 10}, {"anyOf": [{"maximum": 4}, {"minimum": 6}]}, NO),
        ({"type": "number", "minimum": 0, "maximum": 10}, {"anyOf": [{"maximum": 4}, {"minimum": 4}]}, YES),
    ],
    "9 one of, and only one": [
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}, YES),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "number"}]}, NO),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, {"not": {"type": "integer"}}, YES),
    ],
    "10 recursion": [
        (LIST, WIDER_LIST, YES),
        (WIDER_LIST, LIST, NO),
        (CLOSED_TREE, TREE, YES),
        (TREE, CLOSED_TREE, NO),
    ],
    "11 conditions and complements": [
        ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": False}, {"type": "string", "minLength": 1}, YES),
        ({"not": {"not": {"type": "string"}}}, {"type": "string"}, YES),
        ({"not": {"type": "object", "required": ["a"]}}, {"type": "object"}, NO),
        ({"type": "integer", "not": {"multipleOf": 2}}, {"not": {"multipleOf": 4}}, YES),
    ],
    "12 annotations": [
        ({"type": "string", "format": "date", "title": "x", "default": 1}, {"type": "string"}, YES),
        ({"type": "string"}, {"type": "string", "format": "date", "deprecated": True, "readOnly": True}, YES),
    ],
    "13 other spellings": [
        ({"const": 1}, {"enum": [1.0]}, YES),
        ({"anyOf": [{"const": 1}, {"const": 2}]}, {"enum": [2, 1]}, YES),
        ({"type": ["string", "null"]}, {"anyOf": [{"type": "null"}, {"type": "string"}]}, YES),
        (True, {}, YES),
        ({"type": "integer"}, {"type": "number", "multipleOf": 1}, YES),
        ({"type": "number", "multipleOf": 1}, {"type": "integer"}, YES),
        ({"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"}, {"type": "string"}, YES),
    ],
    "14 open and closed": [
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "string"}}, "additionalProperties": False}, NO),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}, {"properties": {"a": {"type": "string"}}}, YES),
        ({"type": "object"}, {"type": "object", "properties": {"a": {"type": "string"}}}, NO),
    ],
    "host equality": [
        ({"const": 0}, {"const": False}, NO),
        ({"const": 1}, {"const": True}, NO),
        ({"enum": [0]}, {"enum": [False, None, ""]}, NO),
        ({"const": [1.0]}, {"const": [1]}, YES),
        ({"const": {"a": 0}}, {"const": {"a": False}}, NO),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("lhs", "rhs", "wanted"),
    [pytest.param(*case, id=f"{duty}-{number}") for duty, cases in DUTIES.items() for number, case in enumerate(cases)],
)
def test_a_duty_is_kept(lhs: Any, rhs: Any, wanted: str, decide: Callable[..., str]):
    assert decide(lhs, rhs) == wanted


DRAFTS: dict[str, tuple[Any, Any, str, str, str]] = {
    "a tuple in two drafts": ({"items": [{"type": "string"}]}, {"prefixItems": [{"type": "string"}]}, "draft-07", "2020-12", YES),
    "an exclusive bound of draft 4": ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}, "draft-04", "2020-12", YES),
    "a flag that draft 6 does not have": ({"type": "integer", "exclusiveMinimum": 1}, {"minimum": 2}, "draft-06", "2020-12", YES),
    "beside a reference, draft 7 looks at nothing": (
        {"definitions": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/definitions/a", "maxLength": 1}}},
        {"properties": {"x": {"type": "string"}}}, "draft-07", "2020-12", YES,
    ),
    "nor does it see that limit": (
        {"definitions": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/definitions/a", "maxLength": 1}}},
        {"properties": {"x": {"type": "string", "maxLength": 1}}}, "draft-07", "2020-12", NO,
    ),
    "dependencies split in two": ({"dependencies": {"a": ["b"]}}, {"dependentRequired": {"a": ["b"]}}, "draft-07", "2019-09", YES),
    "nullable": ({"type": "string", "nullable": True}, {"type": ["string", "null"]}, "openapi-3.0", "2020-12", YES),
    "not nullable": ({"type": "string"}, {"type": ["string", "null"]}, "openapi-3.0", "2020-12", YES),
}  # fmt: skip


@pytest.mark.parametrize(("lhs", "rhs", "lhs_draft", "rhs_draft", "wanted"), DRAFTS.values(), ids=DRAFTS)
def test_each_side_is_read_in_its_own_draft(
    lhs: Any, rhs: Any, lhs_draft: str, rhs_draft: str, wanted: str, decide: Callable[..., str]
):
    assert decide(lhs, rhs, lhs_draft=lhs_draft, rhs_draft=rhs_draft) == wanted
