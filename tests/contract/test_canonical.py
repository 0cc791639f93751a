import hashlib
import json
import random
import subprocess
import sys

import msgspec
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from stipula.contract.canonical import (
    NotJson,
    canonical,
    digests,
    interface_form,
    required_sorted,
    texts,
    tool_list_digests,
)
from stipula.contract.model import Surface
from stipula.contract.schema import TooDeep

OBJECT = {"type": "object", "required": ["b", "a"], "properties": {"title": {"title": "T"}, "a": {}, "b": {}}}
TOOL = Surface(
    id="tool:t",
    kind="tool",
    shapes={"input": OBJECT},
    annotations={"readOnlyHint": True},
    texts={"description": "d"},
)


@settings(deadline=None)
@given(data=st.data())
def test_the_canonical_text_is_a_fixed_point(json_values, data):
    text = canonical(data.draw(json_values))
    assert canonical(json.loads(text)) == text


@settings(deadline=None)
@given(data=st.data())
def test_key_order_does_not_show(json_values, shuffled, data):
    value = data.draw(json_values)
    assert canonical(shuffled(value, data)) == canonical(value)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_within_exact_integers_the_text_is_that_of_rfc_8785(data):
    scalars = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(codec="utf-8"))
    floats = st.floats(allow_nan=False, allow_infinity=False)
    value = data.draw(
        st.recursive(
            scalars | floats, lambda it: st.lists(it) | st.dictionaries(st.text(st.characters(codec="utf-8")), it)
        )
    )
    assert canonical(value) == rfc8785.dumps(value)


def test_integers_beyond_exact_doubles_keep_every_digit():
    assert (
        canonical([2**53, 2**63 - 1, -(10**30)])
        == b"[9007199254740992,9223372036854775807,-1000000000000000000000000000000]"
    )


def test_keys_are_ordered_by_utf_16_units():
    # U+10000 is written with a surrogate, which sorts below U+E000
    assert canonical({"\ue000": 1, "\U00010000": 2}) == '{"\U00010000":2,"\ue000":1}'.encode()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (float("nan"), "nan has"),
        (float("-inf"), "-inf has"),
        ("\ud800", "half a surrogate pair has"),
        ({1: 2}, "the key 1 has"),
        ({"a": {3}}, "a set has"),
        (10**5000, "an integer of thousands of digits has"),
    ],
    ids=["nan", "inf", "surrogate", "key", "object", "huge"],
)
def test_what_has_no_json_text_is_refused_by_name(value, said):
    with pytest.raises(NotJson, match=said):
        canonical(value)


def test_nesting_beyond_reason_is_refused():
    value: list = []
    for _ in range(10_000):
        value = [value]
    with pytest.raises(TooDeep):
        canonical(value)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_digests_do_not_depend_on_the_order_of_keys_or_of_required(surfaces, shuffled, data):
    surface = data.draw(surfaces)
    other = msgspec.structs.replace(
        surface,
        shapes=shuffled({name: reversed_required(shape) for name, shape in surface.shapes.items()}, data),
        annotations=shuffled(surface.annotations, data),
        definition=shuffled(surface.definition, data),
    )
    assert digests(other) == digests(surface)


def reversed_required(schema):
    """The schema with every `required` turned round; generated schemas hold instances under const and enum only."""
    if isinstance(schema, list):
        return [reversed_required(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value[::-1] if key == "required" and isinstance(value, list)
        else value if key in {"const", "enum"}
        else reversed_required(value)
        for key, value in schema.items()
    }  # fmt: skip


def test_the_order_of_enum_and_of_branches_counts():
    for keyword, values in (("enum", ["a", "b"]), ("oneOf", [{}, False]), ("prefixItems", [{}, False])):
        there = msgspec.structs.replace(TOOL, shapes={"input": {keyword: values}})
        back = msgspec.structs.replace(TOOL, shapes={"input": {keyword: values[::-1]}})
        assert digests(there).interface != digests(back).interface


@pytest.mark.parametrize(
    ("layer", "change"),
    [
        ("behaviour", {"annotations": {"readOnlyHint": False}}),
        ("routing", {"texts": {"description": "D"}}),
        ("interface", {"shapes": {"input": {"type": "object"}}}),
    ],
)
def test_a_change_shows_in_its_layer_and_on_the_wire(layer, change):
    before, after = digests(TOOL), digests(msgspec.structs.replace(TOOL, **change))
    differing = {name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)}
    assert differing - {"routing"} == {layer, "wire"} - {"routing"}
    assert layer in differing


def test_a_text_in_a_shape_is_routing_and_no_interface():
    titled = {"input": {**OBJECT, "title": "another", "$comment": "x"}}
    before, after = digests(TOOL), digests(msgspec.structs.replace(TOOL, shapes=titled))
    assert (before.interface, before.behaviour) == (after.interface, after.behaviour)
    assert before.routing != after.routing
    assert before.wire != after.wire


def test_a_property_called_like_a_text_keyword_is_part_of_the_interface():
    assert interface_form({"properties": {"title": {"title": "T"}, "description": True}}) == {
        "properties": {"title": {}, "description": True}
    }


def test_instances_keep_the_order_of_lists_called_required():
    schema = {
        "required": ["b", "a"],
        "default": {"required": ["b", "a"]},
        "properties": {"default": {"required": ["b", "a"]}},
    }
    assert required_sorted(schema) == {
        "required": ["a", "b"],
        "default": {"required": ["b", "a"]},
        "properties": {"default": {"required": ["a", "b"]}},
    }


def test_texts_are_named_by_their_pointer_in_the_surface():
    assert texts(TOOL) == {"/texts/description": "d", "/shapes/input/properties/title/title": "T"}


# ---------------------------------------------------------------- the published recipe

LISTED = [
    {"name": "z", "inputSchema": {"type": "object"}, "title": "dropped", "icons": []},
    {
        "name": "a",
        "description": "Größe",
        "annotations": {"title": "A", "readOnlyHint": True},
        "inputSchema": {
            "type": "object",
            "required": ["y", "x"],
            "properties": {"x": {"description": "p", "maximum": 9007199254740991}},
        },
        "_meta": {"k": [2, 1]},
    },
]


def test_the_recipe_is_the_published_one_byte_for_byte():
    described = hashlib.sha256("Größe".encode()).hexdigest()
    nothing = hashlib.sha256(b"").hexdigest()
    text = (
        '{"names":["a","z"],"tools":['
        f'{{"name":"a","descriptionSha256":"{described}",'
        '"inputSchema":{"properties":{"x":{"description":"p","maximum":9007199254740991}},"required":["x","y"],"type":"object"},'
        '"annotations":{"readOnlyHint":true,"title":"A"},"_meta":{"k":[2,1]}},'
        f'{{"name":"z","descriptionSha256":"{nothing}","inputSchema":{{"type":"object"}}}}]}}'
    )
    assert tool_list_digests(LISTED).recipe == hashlib.sha256(text.encode()).hexdigest()


def test_the_shape_digest_is_the_recipe_without_prose():
    text = (
        '{"names":["a","z"],"tools":[{"name":"a",'
        '"inputSchema":{"properties":{"x":{"maximum":9007199254740991}},"required":["x","y"],"type":"object"},'
        '"annotations":{"readOnlyHint":true},"_meta":{"k":[2,1]}},'
        '{"name":"z","inputSchema":{"type":"object"}}]}'
    )
    assert tool_list_digests(LISTED).shape == hashlib.sha256(text.encode()).hexdigest()


def test_another_wording_changes_the_recipe_and_not_the_shape():
    other = [LISTED[0], LISTED[1] | {"description": "other"}]
    before, after = tool_list_digests(LISTED), tool_list_digests(other)
    assert before.recipe != after.recipe
    assert before.shape == after.shape


def test_the_order_of_the_list_does_not_show():
    turned = random.Random(1).sample(LISTED, k=2)
    assert tool_list_digests(turned) == tool_list_digests(LISTED) == tool_list_digests(LISTED[::-1])


HASH_SEED_PROGRAM = """
from stipula.contract.canonical import digests, tool_list_digests
from stipula.contract.declare import Contract
from stipula.contract.lockfile import write
from stipula.contract.model import joined
from stipula.diff.compare import compare
from typing import Literal, TypedDict
class Answer(TypedDict, total=False):
    kind: Literal["b", "a", "c"]
    text: str
    size: int
built = Contract().route("GET", "/a", {200: Answer, 404: {"required": list({"x", "y", "zz"})}}).build()
other = Contract().route("GET", "/a", {200: {"properties": {"k": True, "l": True}}, 500: Answer}).build()
import hashlib
print(hashlib.sha256(write(built)).hexdigest(), compare(built, other))
"""


def test_results_do_not_depend_on_the_hash_seed():
    said = {
        subprocess.run(
            [sys.executable, "-c", HASH_SEED_PROGRAM],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(said) == 1
