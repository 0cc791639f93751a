"""Laws of containment, held by random schemas: it is an order, edits move it the right way, no value refutes it."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stipula.diff.containment import Contained, NotContained, Undecided, contains

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-4, 6) | st.sampled_from([0.5, 1.0, 2.5]) | st.text("ab1", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["string", "integer", "number", "object", "array", "boolean", "null"])
NAMES = st.sampled_from("abc")
PATTERNS = st.sampled_from(["^a", "b$", "^[ab]*$", "1", "^a{1,2}$", "^(a|b1)+$"])


def schemas(depth: int = 2) -> st.SearchStrategy[Any]:
    """Schemas over few names and small numbers, so that two of them meet."""
    scalar = st.one_of(
        st.fixed_dictionaries({"type": TYPES}),
        st.fixed_dictionaries({"enum": st.lists(VALUES, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"const": VALUES}),
        st.fixed_dictionaries(
            {},
            optional={
                "minimum": st.integers(-2, 3),
                "exclusiveMaximum": st.integers(0, 5),
                "multipleOf": st.sampled_from([1, 2, 0.5]),
            },
        ),
        st.fixed_dictionaries(
            {"type": st.just("string")},
            optional={"minLength": st.integers(0, 2), "maxLength": st.integers(0, 3), "pattern": PATTERNS},
        ),
        st.booleans(),
    )
    if depth == 0:
        return scalar
    inner = schemas(depth - 1)
    compound = st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object")},
            optional={
                "properties": st.dictionaries(NAMES, inner, max_size=2),
                "required": st.lists(NAMES, unique=True, max_size=2),
                "additionalProperties": inner, "patternProperties": st.dictionaries(PATTERNS, inner, max_size=1),
                "minProperties": st.integers(0, 2), "maxProperties": st.integers(0, 3),
            },
        ),
        st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={
                "prefixItems": st.lists(inner, min_size=1, max_size=2), "items": inner, "contains": inner,
                "minItems": st.integers(0, 2), "maxItems": st.integers(0, 3), "uniqueItems": st.booleans(),
            },
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"if": inner, "then": inner}, optional={"else": inner}),
    )  # fmt: skip
    return scalar | compound


MODEST = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def accepts(schema: Any) -> Callable[[Any], bool]:
    return jsonschema_rs.Draft202012Validator(schema, offline=True, validate_formats=False).is_valid


@MODEST
@given(schema=schemas())
def test_a_schema_contains_itself(schema: Any):
    assert contains(schema, schema) == Contained()


@MODEST
@given(schema=schemas())
def test_a_copy_in_other_words_contains_and_is_contained(schema: Any):
    other = {"allOf": [{"anyOf": [schema, False]}, {"not": {"not": json.loads(json.dumps(schema))}}]}
    assert not isinstance(contains(schema, other), NotContained)
    assert not isinstance(contains(other, schema), NotContained)


@MODEST
@given(lhs=schemas(), rhs=schemas(), values=st.lists(VALUES, max_size=12))
def test_no_value_refutes_an_answer(lhs: Any, rhs: Any, values: list[Any]):
    answer = contains(lhs, rhs)
    left, right = accepts(lhs), accepts(rhs)
    if isinstance(answer, Contained):
        assert [value for value in values if left(value) and not right(value)] == []
    elif isinstance(answer, NotContained):
        assert (left(answer.witness), right(answer.witness)) == (True, False)


@MODEST
@given(lhs=schemas(), rhs=schemas())
def test_what_both_accept_lies_in_each_and_each_lies_in_what_either_accepts(lhs: Any, rhs: Any):
    assert not isinstance(contains({"allOf": [lhs, rhs]}, lhs), NotContained)
    assert not isinstance(contains(lhs, {"anyOf": [lhs, rhs]}), NotContained)


@MODEST
@given(lhs=schemas(), rhs=schemas())
def test_nothing_lies_both_in_a_schema_and_in_its_complement(lhs: Any, rhs: Any):
    assert not isinstance(contains({"allOf": [lhs, {"not": lhs}]}, rhs), NotContained)
    assert not isinstance(contains(rhs, {"anyOf": [lhs, {"not": lhs}]}), NotContained)


@MODEST
@given(one=schemas(1), two=schemas(1), three=schemas(1))
def test_containment_passes_on(one: Any, two: Any, three: Any):
    if contains(one, two) == contains(two, three) == Contained():
        assert not isinstance(contains(one, three), NotContained)


@MODEST
@given(lhs=schemas(), rhs=schemas())
def test_small_schemas_are_decided(lhs: Any, rhs: Any):
    assert not isinstance(contains(lhs, rhs), Undecided)
