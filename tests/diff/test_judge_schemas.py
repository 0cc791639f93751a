"""Laws of the verdict about two schemas: silence, witnesses, blame."""

from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

import stipula
from stipula.contract.model import Reader
from stipula.diff.asking import Written
from stipula.diff.attribution import Shapes
from stipula.diff.finding import verdict
from stipula.diff.judge_schemas import diff_schemas, shape_findings
from stipula.diff.policy import Policy

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def fields(required=(), **properties):
    return {"type": "object", "properties": properties, "required": list(required)}


def levels(old, new, direction: Any = "both", **policy):
    return sorted({(one.level, one.rule) for one in diff_schemas(old, new, direction, **policy)})


# ---------------------------------------------------------------- silence

NAMES = st.sampled_from(["a", "b", "user_id", "x/y"])
SCALARS = st.one_of(
    st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": st.integers(0, 3)}),
    st.fixed_dictionaries({"type": st.just("integer")}, optional={"minimum": st.integers(-3, 3)}),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["a", 1, None, True]), min_size=1, unique_by=repr)}),
    st.just({"type": ["string", "null"], "maxLength": 9, "description": "text"}),
    st.just({}),
)


def objects(inner):
    return st.builds(
        lambda properties, needed, is_closed: {
            "type": "object",
            "properties": properties,
            "required": sorted(name for name in properties if name in needed),
            **({"additionalProperties": False} if is_closed else {}),
        },
        st.dictionaries(NAMES, inner, max_size=3),
        st.sets(NAMES),
        st.booleans(),
    )


SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        objects(inner),
        inner.map(lambda one: {"type": "array", "items": one}),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: {"anyOf": some}),
    ),
    max_leaves=6,
)


def reworded(schema, defs):
    """The same schema in other words: keys turned round, parts behind references, null and constants respelt."""
    if not isinstance(schema, dict):
        return schema
    made = {}
    for word, value in reversed(list(schema.items())):
        if word == "properties":
            made[word] = {name: reworded(one, defs) for name, one in reversed(list(value.items()))}
        elif word == "items":
            made[word] = reworded(value, defs)
        elif word == "anyOf":
            made[word] = [reworded(one, defs) for one in reversed(value)]
        else:
            made[word] = list(reversed(value)) if word == "required" else value
    if made.get("type") == ["string", "null"]:
        text = made.pop("description", None)
        made = {"anyOf": [{"type": "null"}, {**made, "type": "string"}], **({"description": text} if text else {})}
    elif list(made) == ["enum"] and len(made["enum"]) == 1:
        made = {"const": made["enum"][0]}
    name = f"part{len(defs)}"
    defs[name] = made
    return {"$ref": f"#/$defs/{name}"}


@given(SCHEMAS)
@settings(max_examples=60, deadline=None)
def test_the_same_schema_in_other_words_is_no_difference(schema):
    defs = {}
    other = reworded(schema, defs) | {"$defs": defs}
    assert diff_schemas(schema, other) == diff_schemas(other, schema) == diff_schemas(schema, schema) == []


@given(SCHEMAS, SCHEMAS, st.sampled_from(["request", "response"]), st.sampled_from(["lenient", "strict"]))
@settings(max_examples=150, deadline=None)
def test_every_break_is_shown_by_a_value_that_two_validators_agree_on(old, new, direction, content):
    writer, reader = (old, new) if direction == "request" else (new, old)
    for finding in diff_schemas(old, new, direction, content=content):
        if finding.level == "breaking":
            for is_valid in (
                lambda schema, value: jsonschema_rs.validator_for(schema, offline=True).is_valid(value),
                lambda schema, value: jsonschema.Draft202012Validator(schema).is_valid(value),
            ):
                assert is_valid(writer, finding.witness)
                assert not is_valid(reader, finding.witness)


@given(SCHEMAS, SCHEMAS)
@settings(max_examples=100, deadline=None)
def test_a_verdict_is_that_of_containment(old, new):
    found = verdict(diff_schemas(old, new, "request", content="strict"))
    is_contained = type(stipula.contains(old, new)).__name__ == "Contained"
    assert (found != "breaking") == is_contained


# ---------------------------------------------------------------- blame


@pytest.mark.parametrize(
    ("old", "new", "direction", "expected"),
    [
        (fields(["a"], a=TEXT, b=NUMBER), fields(["c"], b={"type": ["integer", "null"]}, c=FLAG), "response", [
            ("breaking", "field-removed"), ("breaking", "null-allowed"), ("safe", "required-field-added")]),
        (fields(["a"], a=TEXT, b=NUMBER), fields(["c"], b={"type": ["integer", "null"]}, c=FLAG), "request", [
            ("breaking", "required-field-added"), ("safe", "field-removed"), ("safe", "null-allowed")]),
        (TEXT, {"anyOf": [{"type": "string", "maxLength": 4}, NUMBER]}, "request", [
            ("breaking", "max-length-added"), ("safe", "any-of-branch-added")]),
        ({"oneOf": [{"type": "integer"}]}, {"oneOf": [{"type": "integer"}, {"type": "number"}]}, "request", [
            ("breaking", "one-of-branch-added")]),
        (fields(a=TEXT), fields(a=TEXT, b=NUMBER), "request", [("note", "field-added")]),
        (fields(a=TEXT), {**fields(a=TEXT, b=NUMBER), "additionalProperties": False}, "request", [
            ("breaking", "additional-properties-added"), ("note", "field-added")]),
        (fields(["user_id"], user_id=TEXT), fields(["userId"], userId=TEXT), "response", [
            ("breaking", "field-renamed")]),
        ({"type": "string", "description": "a"}, {"type": "string", "description": "b"}, "both", [
            ("routing", "description-changed")]),
        ({"minimum": 5}, {"minimum": 3}, "request", [("safe", "minimum-decreased")]),
        ({"minimum": 5}, {"minimum": 3}, "response", [("breaking", "minimum-decreased")]),
        ({"enum": [0]}, {"enum": [False]}, "request", [("breaking", "const-changed")]),
        (True, False, "request", [("breaking", "schema-closed")]),
        ({"$ref": "#/$defs/n", "$defs": {"n": fields(n={"$ref": "#/$defs/n"}, v=TEXT)}},
            {"$ref": "#/$defs/m", "$defs": {"m": fields(n={"$ref": "#/$defs/m"}, v=NUMBER)}}, "request", [
            ("breaking", "type-changed")]),
    ],
)  # fmt: skip
def test_the_difference_that_breaks_is_the_one_that_is_blamed(old, new, direction, expected):
    assert levels(old, new, direction) == expected


def test_silence_about_a_name_counts_only_where_it_is_asked_to():
    old, new = fields(a=TEXT), fields(a=TEXT, b=NUMBER)
    [lenient] = diff_schemas(old, new, "request")
    assert lenient.level == "note"
    assert lenient.witness == {"b": None}
    [strict] = diff_schemas(old, new, "request", content="strict")
    assert (strict.level, strict.witness) == ("breaking", lenient.witness)


def test_readers_that_are_closed_take_no_new_field():
    old, new = fields(a=TEXT), fields(a=TEXT, b=NUMBER)
    assert levels(old, new, "response", tier="wire-strict") == [("breaking", "field-added")]
    assert levels(old, new, "response") == [("safe", "field-added")]


def test_differences_that_break_only_together_are_told_as_one():
    old = {"type": "object", "additionalProperties": False, "properties": {"a": {}}, "minProperties": 1}
    new = {"type": "object", "additionalProperties": False, "properties": {"a": {}}, "maxProperties": 0}
    assert verdict(diff_schemas(old, new, "request")) == "breaking"


def test_a_field_that_a_consumer_reads_breaks_though_no_value_shows_it():
    readers = (
        Reader(file="page.js", line=7, field="/b"),
        Reader(file="page.js", line=9, field="/b", verdict="fallback"),
    )
    shapes = Shapes(Written(fields(a=TEXT, b=TEXT)), Written(fields(a=TEXT)))
    [finding] = shape_findings(shapes, ("response",), Policy(), "tool:t", readers=readers)
    assert (finding.level, finding.rule, finding.witness) == ("breaking", "field-removed", UNSET)
    assert finding.evidence == {"read": [{"file": "page.js", "line": 7, "field": "/b", "verdict": "used"}]}


def test_a_question_without_an_answer_is_undecided_with_its_reason():
    old, new = {"type": "string", "pattern": r"^(a+)\1$"}, {"type": "string", "pattern": r"^(a+)(b?)\1$"}
    assert levels(old, new, "request")[0][0] in {"undecided", "safe"}


def test_a_place_is_told_as_the_document_writes_it():
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"anyOf": [TEXT, {"type": "null"}]}]}
    new = {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": ["integer", "null"]}]}
    [finding] = diff_schemas(old, new, "request")
    assert (finding.rule, finding.pointer) == ("type-changed", "/items/0/type")
