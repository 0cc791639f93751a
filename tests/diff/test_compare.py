import pytest
from msgspec import UNSET

from stipula.contract.declare import Contract
from stipula.contract.model import Contract as Built
from stipula.contract.model import Stream, Surface
from stipula.contract.toollist import era
from stipula.diff.compare import compare, fingerprint

TEXT = {"type": "string"}
ORDER = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "a", "end": "b"}, "b": {}}}


def tool(shape):
    return Contract().declare_tool("t", success=shape).build()


def changes(old, new):
    return [(one.rule, one.pointer, one.old, one.new) for one in compare(old, new)]


def between(old, new):
    """The changes of two shapes, their pointers counted from the shape."""
    return [
        (rule, place.removeprefix("/shapes/success"), was, now)
        for rule, place, was, now in changes(tool(old), tool(new))
    ]


def fields(required=(), **properties):
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (fields(a=TEXT), fields(), [("field-removed", "/properties/a", TEXT, UNSET)]),
        (fields(), fields(a=TEXT), [("field-added", "/properties/a", UNSET, TEXT)]),
        ({"type": "object"}, fields(a=TEXT), [("field-added", "/properties/a", UNSET, TEXT)]),
        (fields(a=TEXT), fields(a={"type": "integer"}), [("type-changed", "/properties/a/type", "string", "integer")]),
        (fields(a=TEXT), fields(a={"type": ["null", "string"]}),
            [("type-changed", "/properties/a/type", "string", ["null", "string"])]),
        (fields(a=TEXT), fields(["a"], a=TEXT), [("required-added", "/required", UNSET, "a")]),
        (fields(["a"], a=TEXT), fields(a=TEXT), [("required-removed", "/required", "a", UNSET)]),
        (fields(["a", "b"]), fields(["b", "a"]), []),
        ({"type": ["a", "b"]}, {"type": ["b", "a"]}, [("type-respelt", "/type", ["a", "b"], ["b", "a"])]),
        (fields(user_id=TEXT, x=TEXT), fields(userId=TEXT, y=TEXT, z=TEXT), [
            ("field-renamed", "/properties/user_id", "user_id", "userId"),
            ("field-removed", "/properties/x", TEXT, UNSET),
            ("field-added", "/properties/y", UNSET, TEXT),
            ("field-added", "/properties/z", UNSET, TEXT),
        ]),
        (fields(["a"], a={"minLength": 3}), fields(["b"], b={"minLength": 3}),
            [("field-renamed", "/properties/a", "a", "b")]),
        (fields(["a"], a=TEXT), fields(b=TEXT), [
            ("field-renamed", "/properties/a", "a", "b"),
            ("required-removed", "/required", "a", UNSET),
        ]),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]},
            [("value-added", "/enum", UNSET, "c"), ("value-removed", "/enum", "a", UNSET)]),
        ({"enum": [1, True]}, {"enum": [True, 1.0]}, [("value-order-changed", "/enum", [1, True], [True, 1.0])]),
        ({"const": 1}, {"const": True}, [("constraint-changed", "/const", 1, True)]),
        ({"const": 1}, {"const": 1.0}, []),
        ({}, {"maxLength": 3}, [("constraint-added", "/maxLength", UNSET, 3)]),
        ({"pattern": "a"}, {}, [("constraint-removed", "/pattern", "a", UNSET)]),
        ({"x-mine": 1}, {"x-mine": 2}, [("constraint-changed", "/x-mine", 1, 2)]),
        ({"items": TEXT}, {"items": {}}, [("type-changed", "/items/type", "string", UNSET)]),
        ({"items": TEXT}, {"items": False}, [("shape-changed", "/items", TEXT, False)]),
        ({"additionalProperties": False}, {}, [("constraint-removed", "/additionalProperties", False, UNSET)]),
        ({"title": "a"}, {"title": "b"}, [("text-changed", "/title", "a", "b")]),
        (fields(title={"title": "a"}), fields(title={}), [("text-changed", "/properties/title/title", "a", UNSET)]),
        ({"anyOf": [TEXT, {}]}, {"anyOf": [{}, {"type": "null"}]},
            [("type-changed", "/anyOf/0/type", "string", "null")]),
        ({"anyOf": [TEXT]}, {"anyOf": [{}, TEXT]}, [("branch-added", "/anyOf/0", UNSET, {})]),
        ({"oneOf": [TEXT, {}]}, {"oneOf": [TEXT]}, [("branch-removed", "/oneOf/1", {}, UNSET)]),
        ({"allOf": [TEXT, {}]}, {"allOf": [{}, TEXT]}, [("branch-order-changed", "/allOf", [TEXT, {}], [{}, TEXT])]),
        ({"prefixItems": [TEXT]}, {"prefixItems": [TEXT, {}]}, [("position-added", "/prefixItems/1", UNSET, {})]),
        ({"$defs": {"x": TEXT}}, {"$defs": {}}, [("definition-removed", "/$defs/x", TEXT, UNSET)]),
        ({"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}, [("reference-changed", "/$ref", "#/$defs/x", "#/$defs/y")]),
        (TEXT, True, [("shape-changed", "", TEXT, True)]),
    ],
)  # fmt: skip
def test_each_difference_of_two_shapes_is_told_once(old, new, expected):
    assert sorted(map(str, between(old, new))) == sorted(map(str, expected))
    assert between(old, old) == between(new, new) == []


def stream(events, **whole):
    return Contract().stream("/s", events, order=ORDER, **whole).build()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (tool(TEXT), Built(), [("surface-removed", "", {"success": TEXT}, UNSET)]),
        (Built(), tool(TEXT), [("surface-added", "", UNSET, {"success": TEXT})]),
        (tool(TEXT), Contract().declare_tool("t", failure=TEXT).build(),
            [("outcome-added", "/shapes/failure", UNSET, TEXT), ("outcome-removed", "/shapes/success", TEXT, UNSET)]),
        (tool(TEXT), Contract().declare_tool("T", success=TEXT).build(), [("surface-renamed", "", "tool:t", "tool:T")]),
        (Contract().declare_tool("a").build(), Contract().declare_tool("b").build(),
            [("surface-removed", "", {}, UNSET), ("surface-added", "", UNSET, {})]),
        (stream({"a": TEXT}), stream({"b": TEXT}), [("event-renamed", "", "stream:/s#a", "stream:/s#b")]),
        (stream({"a": TEXT}), stream({}), [("event-removed", "", {"success": TEXT}, UNSET)]),
        (stream({}), stream({"a": TEXT}), [("event-added", "", UNSET, {"success": TEXT})]),
        (stream({}, laws=[1, 2]), stream({}, laws=[1, 3]), [("laws-changed", "/laws/1", 2, 3)]),
        (stream({}, keepalive=None), stream({}, keepalive="ping"), [("keepalive-changed", "/keepalive", None, "ping")]),
        (Built(streams=(Stream(path="/s"),)), Built(), [("stream-removed", "", {}, UNSET)]),
    ],
)  # fmt: skip
def test_each_difference_of_two_contracts_is_told_once(old, new, expected):
    assert changes(old, new) == expected
    assert changes(old, old) == changes(new, new) == []


def test_an_order_is_compared_place_by_place():
    other = {"initial": "a", "final": ["a", "b"], "states": {"a": {"chunk": "b"}, "b": {}}}
    new = Contract().stream("/s", {}, order=other).build()
    assert changes(stream({}), new) == [
        ("order-changed", "/order/final", ["b"], ["a", "b"]),
        ("order-changed", "/order/states/a/chunk", "a", "b"),
        ("order-changed", "/order/states/a/end", "b", UNSET),
    ]


LISTED = {"name": "now", "description": "d", "inputSchema": {"type": "object"}, "icons": [1]}


def served(tool_definition, legacy=None, **facts):
    eras = [
        era("legacy", "2025-11-25", [legacy or tool_definition]),
        era("modern", "2026-07-28", [tool_definition], facts),
    ]
    return Contract().mcp("time", [tool_definition], eras=eras).build()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (LISTED, LISTED | {"description": "e"}, [("text-changed", "/texts/description", "d", "e")]),
        (LISTED, LISTED | {"annotations": {"readOnlyHint": True}},
            [("annotation-changed", "/annotations/readOnlyHint", False, True)]),
        (LISTED, LISTED | {"annotations": {"readOnlyHint": False}},
            [("definition-changed", "/definition/annotations", UNSET, {"readOnlyHint": False})]),
        (LISTED, LISTED | {"icons": [2]}, [("definition-changed", "/definition/icons", [1], [2])]),
        (LISTED, LISTED | {"inputSchema": {"type": "string"}},
            [("type-changed", "/shapes/input/type", "object", "string")]),
    ],
)  # fmt: skip
def test_each_difference_of_a_tool_is_told_in_its_layer(old, new, expected):
    assert changes(served(old), served(new)) == expected


def test_a_list_that_one_era_alone_shows_differently_is_told_at_the_profile():
    found = compare(served(LISTED), served(LISTED, legacy=LISTED | {"description": "e"}))
    assert [(one.surface, one.rule, one.pointer, one.layer) for one in found] == [
        ("mcp:time", "tool-list-changed", "/eras/legacy/recipe", "routing")
    ]


def test_a_cache_hint_and_an_era_are_told_at_the_profile():
    old, new = served(LISTED, ttlMs=1), served(LISTED, ttlMs=2)
    assert changes(old, new) == [("cache-changed", "/eras/modern/facts/ttlMs", 1, 2)]
    lone = Contract().mcp("time", [LISTED], eras=[era("modern", "2026-07-28", [LISTED], {"ttlMs": 2})]).build()
    assert changes(new, lone) == [("era-removed", "/eras/legacy", "2025-11-25", UNSET)]
    assert changes(lone, Built(surfaces=lone.surfaces)) == [("profile-removed", "", ["now"], UNSET)]


def test_whatever_differs_on_the_wire_is_told_somehow():
    old, new = (Built((Surface(id="tool:a", kind="tool", definition=text),)) for text in ("x", "y"))
    assert changes(old, new) == [("definition-changed", "/definition", "x", "y")]


def test_a_fingerprint_depends_on_what_changed_and_on_nothing_else():
    first, second = compare(tool(fields(a=TEXT, b=TEXT)), tool(fields(a={}, b={})))
    assert fingerprint(first) == fingerprint(compare(tool(fields(a=TEXT)), tool(fields(a={})))[0])
    assert fingerprint(first) != fingerprint(second)
    assert len(fingerprint(first)) == 16
