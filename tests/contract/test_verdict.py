import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.contract.schema import BadSchema
from stipula.contract.verdict import MAX_VIOLATIONS, Violation, compile_shape


def said(schema, value):
    return [str(one) for one in compile_shape(schema).violations(value)]


@pytest.mark.parametrize(
    ("schema", "value", "sentences"),
    [
        ({"type": "string"}, "x", []),
        ({"type": "string"}, 1, ["/: wanted type string, saw 1"]),
        (
            {"properties": {"a/b": {"type": ["null", "integer"]}}},
            {"a/b": True},
            ["/a~1b: wanted type integer or null, saw true"],
        ),
        ({"required": ["a"]}, {}, ["/a: wanted the field 'a', saw nothing"]),
        (
            {"items": {"additionalProperties": False}},
            [{"x": [1, 2]}],
            ["/0/x: wanted no field of this name, saw an array of 2"],
        ),
        ({"properties": {}, "additionalProperties": False}, {"x": 1}, ["/x: wanted no field of this name, saw 1"]),
        (
            {"properties": {"additionalProperties": False}},
            {"additionalProperties": {}},
            ["/additionalProperties: wanted nothing here, saw an empty object"],
        ),
        (
            {"prefixItems": [{}], "unevaluatedItems": False},
            [1, 2],
            ["/: wanted no further items, saw an array of 2"],
        ),
        ({"const": "v2"}, "v1", ['/: wanted exactly "v2", saw "v1"']),
        ({"enum": [1, "a"]}, None, ['/: wanted one of [1, "a"], saw null']),
        (
            {"anyOf": [{"type": "null"}, {"required": ["q"]}]},
            {},
            ["/: wanted one of 2 forms; the nearest wants type null, saw an empty object"],
        ),
        ({"minLength": 3}, "é", ['/: wanted minLength 3, saw "é"']),
        (False, 1, ["/: wanted nothing here, saw 1"]),
    ],
)
def test_a_violation_says_where_what_was_wanted_and_what_was_seen(schema, value, sentences):
    assert said(schema, value) == sentences


def test_half_a_surrogate_pair_is_a_violation_not_a_crash():
    assert [one.wanted for one in compile_shape({"type": "string"}).violations("\ud800")] == ["a JSON value"]


def test_the_nearest_form_is_the_one_whose_constants_fit():
    forms = [
        {"required": ["kind"], "properties": {"kind": {"const": "a"}}},
        {"required": ["kind", "size", "name"], "properties": {"kind": {"const": "b"}}},
    ]
    assert said({"oneOf": forms}, {"kind": "b"}) == [
        "/: wanted one of 2 forms; the nearest wants the field 'size', saw an object with kind"
    ]


SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer"},
        {"const": "x"},
        {"enum": ["x"]},
        {"pattern": "^x"},
        {"maxLength": 3},
        {"anyOf": [{"type": "null"}, {"const": 3}]},
        {"oneOf": [{"pattern": "^x"}, {"type": "array"}]},
        {"not": {"type": "string"}},
        {"format": "email"},
    ],
)
def test_no_more_than_a_clip_of_a_value_is_told(schema):
    found = compile_shape({"properties": {"key": schema}, "additionalProperties": schema}).violations(
        {"key": SECRET, "b": SECRET}
    )
    assert SECRET[:16] not in "".join(f"{one}" for one in found)


def test_what_is_told_is_bounded_in_count_and_length():
    many = compile_shape({"additionalProperties": False}).violations(
        {f"{'k' * 50}{n}": "v" * 10_000 for n in range(500)}
    )
    wide = compile_shape({"enum": ["x" * 1000] * 3}).violations(["y"] * 10_000)
    assert len(many) == MAX_VIOLATIONS
    assert max(len(one.seen) + len(one.wanted) for one in [*many, *wide]) < 300


def test_a_value_nested_beyond_reason_is_a_violation_not_a_crash():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert [one.rule for one in compile_shape({"type": "object"}).violations(deep)] == ["json"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"$ref": "#/$defs/gone"},
        {"$ref": "http://127.0.0.1:9/x"},
        {"pattern": "("},
        {"$schema": "http://a/b"},
    ],
)
def test_what_is_no_shape_is_refused_when_compiled(schema):
    with pytest.raises(BadSchema, match=r"^stream:/x#y: not a JSON Schema"):
        compile_shape(schema, where="stream:/x#y")


def test_a_pattern_with_look_ahead_works_and_one_that_explodes_ends():
    assert said({"pattern": "^a(?=b)"}, "ab") == []
    assert [one.rule for one in compile_shape({"pattern": "^(a+)+$"}).violations("a" * 60 + "b")] == ["pattern"]
    assert compile_shape({"pattern": "^(?=(a+)+$)b"}).violations("a" * 60 + "b") != []


def test_a_schema_is_compiled_once_whatever_its_key_order():
    assert compile_shape({"type": "string", "minLength": 1}) is compile_shape({"minLength": 1, "type": "string"})


@given(data=st.data())
def test_a_value_is_accepted_exactly_if_nothing_is_wrong_with_it(schemas, json_values, data):
    shape, value = compile_shape(data.draw(schemas)), data.draw(json_values)
    found = shape.violations(value)
    assert shape.accepts(value) == (found == [])
    assert all(isinstance(one, Violation) and json.dumps(one.pointer) for one in found)
