import msgspec
import pytest

from stipula.contract.model import (
    BadOutcome,
    BadSurfaceId,
    Contract,
    NoSuchStream,
    Profile,
    Stream,
    Surface,
    SurfaceTwice,
    joined,
)


@pytest.mark.parametrize(
    ("kind", "surface_id"),
    [
        ("tool", "tool:web_search"),
        ("route", "route:GET /api/items/{id}#200"),
        ("route", "route:POST /chat#4XX"),
        ("route", "route:POST /chat#default"),
        ("route", "route:POST /chat"),
        ("stream", "stream:/chat/stream#chunk"),
        ("mcp", "mcp:time#now"),
        ("mcp", "mcp:b2/read-only#b2_list_keys"),
        ("request", "request:openai_chat"),
    ],
)
def test_an_id_follows_the_grammar_of_its_kind(kind, surface_id):
    assert Surface(id=surface_id, kind=kind).id == surface_id


@pytest.mark.parametrize(
    ("kind", "surface_id"),
    [
        ("tool", "tool:"),
        ("tool", "tool:two words"),
        ("tool", "mcp:time#now"),
        ("route", "route:get /x#200"),
        ("route", "route:GET x#200"),
        ("route", "route:GET /x#600"),
        ("stream", "stream:/chat"),
        ("mcp", "mcp:a/b/c#now"),
        ("mcp", "mcp:a"),
        ("request", "request:Open-AI"),
        ("event", "event:x"),
    ],
)
def test_any_other_id_is_refused_with_the_forms(kind, surface_id):
    with pytest.raises(BadSurfaceId, match="the forms are tool:NAME"):
        Surface(id=surface_id, kind=kind)


def test_a_shape_stands_under_an_outcome():
    with pytest.raises(BadOutcome, match="tool:a has a shape for 'output'"):
        Surface(id="tool:a", kind="tool", shapes={"output": True})


def test_a_contract_is_sorted_and_counts_equal_entries_once():
    b, a = Surface(id="tool:b", kind="tool"), Surface(id="tool:a", kind="tool")
    assert joined([Contract((b, a)), Contract((b,))]).surfaces == (a, b)


def test_one_id_stated_differently_is_refused():
    one = Surface(id="tool:a", kind="tool")
    other = msgspec.structs.replace(one, shapes={"input": True})
    with pytest.raises(SurfaceTwice, match="tool:a is stated twice"):
        Contract((one, other))


def test_a_stream_document_joins_the_events_and_what_holds_for_the_whole():
    chunk = Surface(id="stream:/chat#chunk", kind="stream", shapes={"success": {"type": "object"}})
    other = Surface(id="stream:/chat/other#chunk", kind="stream")
    whole = Stream(path="/chat", order={"initial": "a"}, laws=({"law": "counts"},), keepalive=": keepalive")
    assert Contract((chunk, other), (whole,)).stream_document("/chat") == {
        "events": {"chunk": {"type": "object"}},
        "order": {"initial": "a"},
        "laws": [{"law": "counts"}],
        "keepalive": ": keepalive",
    }


def test_an_unknown_stream_names_those_that_are_known():
    with pytest.raises(NoSuchStream, match=r"no stream at /b; it has /a"):
        Contract(streams=(Stream(path="/a"),)).stream_document("/b")


def test_a_profile_without_a_name_is_its_server():
    assert [Profile(server="b2").id, Profile(server="b2", name="full").id] == ["mcp:b2", "mcp:b2/full"]
