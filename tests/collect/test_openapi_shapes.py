"""Schemas of a document as shapes that stand alone; the dialect of OpenAPI 3.0 told in the words of 2020-12."""

from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import validators

from stipula.collect.openapi_shapes import BadOpenApi, ForeignReference, Shapes, modern

DRAFT4: Any = jsonschema.Draft4Validator


def type_or_null(validator: Any, types: Any, instance: Any, schema: Any):
    if instance is not None or schema.get("nullable") is not True:
        yield from DRAFT4.VALIDATORS["type"](validator, types, instance, schema)


# OpenAPI 3.0 read by somebody else: Draft 4, whose exclusive bounds are booleans and whose $ref stands alone
OPENAPI_30: Any = validators.extend(DRAFT4, {"type": type_or_null})

COMPONENTS: dict[str, Any] = {
    "Count": {"type": "integer", "nullable": True, "minimum": 0, "exclusiveMinimum": True},
    "Tree": {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
    },
}  # fmt: skip
NAMES = st.sampled_from(["a", "b", "nullable", "example", "exclusiveMinimum", "$ref", "required"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, -1.5, "", "a", "abc"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2), max_leaves=4
)


def with_more(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    more = {"nullable": st.booleans(), "example": SCALARS, "description": st.just("words")}
    return st.fixed_dictionaries(required, optional=optional | more)


def larger(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    several = st.lists(inner, min_size=1, max_size=2)
    members = {
        "properties": st.dictionaries(NAMES, inner, max_size=2),
        "required": st.lists(NAMES, min_size=1, max_size=2, unique=True),
        "additionalProperties": st.booleans() | inner,
        "maxProperties": st.integers(0, 2),
    }
    return (
        with_more({"type": st.just("object")}, members)
        | with_more({"type": st.just("array"), "items": inner}, {"maxItems": st.integers(0, 2)})
        | with_more({}, {"allOf": several, "anyOf": several, "oneOf": several, "not": inner})
    )


BOUNDS = {
    "minimum": st.integers(-2, 2),
    "maximum": st.integers(-2, 2),
    "exclusiveMinimum": st.booleans(),
    "exclusiveMaximum": st.booleans(),
}
NUMERIC = {"type": st.sampled_from(["integer", "number"])}
# Draft 4 demands a bound beside an exclusive one; without it the flag means nothing
PLAIN = (
    with_more(NUMERIC, {name: BOUNDS[name] for name in ("minimum", "maximum")})
    | with_more(NUMERIC | {"minimum": BOUNDS["minimum"], "exclusiveMinimum": st.booleans()}, {})
    | with_more(NUMERIC | {"maximum": BOUNDS["maximum"], "exclusiveMaximum": st.booleans()}, {})
    | with_more({"type": st.just("string")}, {"minLength": st.integers(0, 3), "pattern": st.just("^a")})
    | with_more({"type": st.just("boolean")}, {})
    | with_more({"enum": st.lists(SCALARS, min_size=1, max_size=3)}, {"type": st.sampled_from(["string", "integer"])})
    | with_more(
        {"$ref": st.sampled_from([f"#/components/schemas/{name}" for name in COMPONENTS])},
        {"type": st.just("string"), "not": st.just({})},  # beside a $ref nothing counts
    )
)
SCHEMAS = st.recursive(PLAIN, larger, max_leaves=4)


def alone(raw: Any, *, is_30: bool = False, **root: Any) -> Any:
    document = {"components": {"schemas": COMPONENTS}} | root
    shapes = Shapes(document, file="x.json", is_30=is_30)
    return shapes.alone(shapes.checked(raw, "/here"))


@given(schema=SCHEMAS, value=VALUES)
def test_a_schema_of_3_0_accepts_what_a_second_validator_accepts(schema: dict[str, Any], value: Any):
    judge = OPENAPI_30({"components": {"schemas": COMPONENTS}, "allOf": [schema]})
    shape = alone(schema, is_30=True)
    assert jsonschema_rs.Draft202012Validator(shape, offline=True).is_valid(value) == judge.is_valid(value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"$ref": "#/a", "type": "string", "nullable": True}, {"$ref": "#/a"}),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"nullable": True}, {}),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMaximum": True}, {}),
        ({"exclusiveMinimum": 0.5}, {"exclusiveMinimum": 0.5}),
        ({"example": 1}, {"examples": [1]}),
        ({"x-nullable": True, "format": "date"}, {"x-nullable": True, "format": "date"}),
    ],
)
def test_each_old_word_has_a_new_one(old: dict[str, Any], new: dict[str, Any]):
    assert modern(old) == new


@given(schema=SCHEMAS)
def test_a_modern_schema_has_no_old_word_left(schema: dict[str, Any]):
    told = modern(schema)
    assert not {"nullable", "example"} & told.keys()
    assert not any(isinstance(told.get(word), bool) for word in ("exclusiveMinimum", "exclusiveMaximum"))


def test_a_schema_of_3_1_is_left_as_it_was_written():
    raw = {"type": ["string", "null"], "nullable": True, "exclusiveMinimum": 3, "example": "a", "x-more": [1]}
    assert alone(raw) == raw


def test_a_shape_holds_what_it_reaches_and_no_more():
    shape = alone({"items": {"$ref": "#/components/schemas/Tree"}})
    assert shape == {
        "items": {"$ref": "#/$defs/Tree"},
        "$defs": {
            "Tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}
        },
    }


def test_a_place_that_is_no_component_is_hoisted_too_under_a_name_of_its_own():
    members: Any = {"x-shapes": {"kids": {"maxItems": 1}}}
    kids = [{"$ref": "#/components/schemas/Tree/properties/kids"}, {"$ref": "#/x-shapes/kids"}]
    shape = alone({"allOf": kids}, **members)
    assert shape["allOf"] == [{"$ref": "#/$defs/Tree.properties.kids"}, {"$ref": "#/$defs/x-shapes.kids"}]
    assert shape["$defs"]["x-shapes.kids"] == {"maxItems": 1}


def test_two_places_with_one_name_keep_apart():
    document: Any = {"a": {"x": {"s": {"type": "string"}}}, "b": {"a": {"x": {"s": {"type": "null"}}}}}
    shape = alone({"allOf": [{"$ref": "#/a/x/s"}, {"$ref": "#/b/a/x/s"}]}, **document)
    assert shape["$defs"] == {"a.x.s": {"type": "string"}, "a.x.s_2": {"type": "null"}}


def test_a_reference_may_name_an_anchor_or_the_address_of_the_document_itself():
    named: Any = {
        "components": {"schemas": {"N": {"$anchor": "here", "type": "null"}}},
        "$self": "https://a.example/o.json",
    }
    assert alone({"$ref": "#here"}, **named)["$ref"] == "#/$defs/N"
    assert alone({"$ref": "https://a.example/o.json#/components/schemas/N"}, **named)["$ref"] == "#/$defs/N"


def test_a_reference_to_a_published_metaschema_stays():
    raw = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert alone(raw) == raw


def test_a_shape_says_its_draft_where_the_document_says_an_older_one():
    old = "http://json-schema.org/draft-07/schema#"
    assert alone({"type": "string"}, jsonSchemaDialect=old) == {"$schema": old, "type": "string"}
    assert alone({"type": "string"}, jsonSchemaDialect="https://spec.openapis.org/oas/3.1/dialect/base") == {
        "type": "string"
    }


@pytest.mark.parametrize(
    ("raw", "kind", "words"),
    [
        ({"$ref": "other.json#/Pet"}, ForeignReference, "x.json at /here: $ref 'other.json#/Pet' leads out"),
        ({"items": {"$ref": "https://a.example/pet"}}, ForeignReference, "x.json at /here/items: $ref"),
        ({"$ref": "#/components/schemas/Gone"}, BadOpenApi, "x.json at /here: $ref '#/components/schemas/Gone' names"),
        ({"$ref": "#gone"}, BadOpenApi, "names no $anchor of the document"),
        ({"$ref": "#"}, BadOpenApi, "names the whole document"),
        ({"$ref": "#/info"}, BadOpenApi, "x.json at /info: a string where a schema is wanted"),
        ({"properties": {"a/b": {"minimum": "low"}}}, BadOpenApi, "x.json at /here/properties/a~1b/minimum: no schema"),
        ({"$schema": "https://a.example/mine"}, BadOpenApi, "no schema: $schema is 'https://a.example/mine'"),
        ("Pet", BadOpenApi, "x.json at /here: a string where a schema is wanted"),
    ],
)
def test_a_wrong_schema_is_named_with_its_place(raw: Any, kind: Any, words: str):
    with pytest.raises(kind) as caught:
        alone(raw, info="words")
    assert words in str(caught.value)


def test_what_is_wrong_in_a_component_is_named_there():
    with pytest.raises(BadOpenApi, match=r"x\.json at /components/schemas/Bad/type"):
        alone({"$ref": "#/components/schemas/Bad"}, components={"schemas": {"Bad": {"type": "objekt"}}})


def test_a_schema_nested_beyond_reason_is_named():
    deep: dict[str, Any] = {}
    for _ in range(300):
        deep = {"not": deep}
    with pytest.raises(BadOpenApi, match="nested beyond reason"):
        alone(deep)
