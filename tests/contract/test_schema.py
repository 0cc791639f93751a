import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.contract import schema
from stipula.contract.schema import BadSchema, NoSuchPlace, RemoteReference, TooDeep, UnknownDraft


@given(st.lists(st.text()))
def test_a_pointer_gives_its_steps_back(steps):
    assert schema.tokens(schema.pointer(*steps)) == steps


def test_a_pointer_finds_keys_with_slashes_tildes_and_indexes():
    document = {"a/b": [{"~": 1}], "": 2}
    assert [schema.at(document, place) for place in ("/a~1b/0/~0", "/", "")] == [1, 2, document]


@pytest.mark.parametrize("place", ["/b", "/a/1", "/a/-1", "/a/x", "/a/0/y"])
def test_a_pointer_to_nothing_is_named(place):
    with pytest.raises(NoSuchPlace, match=f"'{place}' names nothing"):
        schema.at({"a": [1]}, place)


@pytest.mark.parametrize(
    ("stated", "draft"),
    [
        ({}, "2020-12"),
        (True, "2020-12"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "07"),
        ({"$schema": "http://json-schema.org/draft-04/schema"}, "04"),
        ({"$schema": "https://spec.openapis.org/oas/3.1/dialect/base"}, "2020-12"),
    ],
)
def test_a_schema_says_its_draft(stated, draft):
    assert schema.draft_of(stated) == draft


@pytest.mark.parametrize("seen", ["http://example.com/mine", 7])
def test_an_unknown_draft_is_refused(seen):
    with pytest.raises(UnknownDraft):
        schema.draft_of({"$schema": seen})


def test_every_subschema_is_visited_with_its_pointer_and_no_instance_is():
    document = {
        "properties": {"items": {"type": "string"}, "a/b": True},
        "anyOf": [{"not": {}}],
        "items": [{}, {}],
        "const": {"properties": {"x": {}}},
        "dependencies": {"a": ["b"], "c": {}},
    }
    assert [place for place, _ in schema.walk(document)] == [
        "",
        "/properties/items",
        "/properties/a~1b",
        "/anyOf/0",
        "/anyOf/0/not",
        "/items/0",
        "/items/1",
        "/dependencies/c",
    ]


def test_a_schema_nested_beyond_reason_is_refused_without_a_crash():
    deep: dict = {}
    for _ in range(50_000):
        deep = {"items": deep}
    with pytest.raises(TooDeep):
        list(schema.walk(deep))


LIBRARY = {
    "$id": "https://example.com/root",
    "$defs": {
        "a b": {"type": "string"},
        "named": {"$id": "item.json", "$defs": {"x": {"type": "null"}}},
        "marked": {"$anchor": "here", "type": "integer"},
    },
}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", LIBRARY),
        ("#/$defs/a%20b", {"type": "string"}),
        ("#here", {"$anchor": "here", "type": "integer"}),
        ("item.json#/$defs/x", {"type": "null"}),
        ("https://example.com/root#here", {"$anchor": "here", "type": "integer"}),
        ("https://json-schema.org/draft/2020-12/schema", {"$ref": "https://json-schema.org/draft/2020-12/schema"}),
    ],
)
def test_a_reference_is_resolved_inside_its_document(reference, found):
    assert schema.resolved(LIBRARY, reference) == found


def test_a_reference_that_leads_out_is_refused_and_nothing_is_fetched():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/s"
        with pytest.raises(RemoteReference, match="is not fetched"):
            schema.check({"$ref": address})
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"properties": {"a": {"type": "objekt"}}}, "at /properties/a/type"),
        ({"required": "a"}, "at /required"),
        ({"$ref": "#/$defs/x"}, "names nothing"),
        ({"$ref": "#there"}, "names nothing"),
        ({"pattern": "("}, "at /pattern"),
    ],
)
def test_what_is_no_schema_is_named_with_its_place(bad, said):
    with pytest.raises(BadSchema, match=f"^tool:x.*{said}"):
        schema.check(bad, where="tool:x")


def test_a_good_schema_of_any_draft_passes():
    schema.check(True)
    schema.check(LIBRARY)
    schema.check({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True})


@given(data=st.data())
def test_a_rewriting_that_changes_nothing_copies(schemas, data):
    one = data.draw(schemas)
    assert schema.rewritten(one, lambda same: same) == one
