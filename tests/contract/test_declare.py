import dataclasses
from typing import Literal, Required, TypedDict

import msgspec
import pydantic
import pytest

from stipula.contract import schema
from stipula.contract.declare import Contract, NoShape, shape_of
from stipula.contract.model import Stream, Surface

TEXT = {"type": "string"}


class Item(msgspec.Struct):
    name: str
    size: int = 0


@dataclasses.dataclass
class Basket:
    items: list[Item]


class Fault(TypedDict, total=False):
    error: Required[str]
    code: int


class Inner(pydantic.BaseModel):
    kind: Literal["a", "b"]


class Outer(pydantic.BaseModel):
    inner: Inner
    twice: Inner | None = None


class Node(msgspec.Struct):
    below: list["Node"] = []


def test_a_schema_is_taken_as_it_is():
    assert shape_of(TEXT) is TEXT


@pytest.mark.parametrize("kind", [Item, Fault, Inner, Basket, list[Item], int | None, Outer, Node])
def test_every_kind_of_type_becomes_a_schema_that_holds_together(kind):
    schema.check(shape_of(kind))


def test_a_types_own_shape_is_the_root():
    assert shape_of(Fault) == {
        "title": "Fault",
        "type": "object",
        "properties": {"code": {"type": "integer"}, "error": TEXT},
        "required": ["error"],
    }


def test_a_recursive_type_keeps_its_definition():
    made = shape_of(Node)
    assert isinstance(made, dict)
    assert made["$ref"] == "#/$defs/Node"


def test_a_pydantic_model_inside_another_type_keeps_its_references():
    @dataclasses.dataclass
    class Holder:
        outer: Outer

    made = shape_of(Holder)
    assert isinstance(made, dict)
    assert set(made["$defs"]) == {"Inner"}
    schema.check(made)


def test_a_type_without_a_schema_is_named():
    class Opaque:
        pass

    with pytest.raises(NoShape, match="Opaque has no JSON Schema"):
        shape_of(Opaque)


def test_a_decorated_function_declares_what_it_takes_and_answers():
    contract = Contract()

    @contract.tool(failure={"type": "object"})
    def weather(city: str, days: int = 3, *, unit: Literal["c", "f"] = "c") -> Fault:
        """Tell the weather."""
        return {"error": f"{city}{days}{unit}"}

    assert weather("Rome")["error"] == "Rome3c"
    made = contract.build().surface("tool:weather")
    assert made is not None
    assert made.texts == {"description": "Tell the weather."}
    assert made.shapes == {
        "input": {
            "type": "object",
            "properties": {
                "city": TEXT,
                "days": {"type": "integer", "default": 3},
                "unit": {"enum": ["c", "f"], "default": "c"},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
        "success": shape_of(Fault),
        "failure": {"type": "object"},
    }


def test_a_route_has_a_surface_a_status_and_one_for_what_it_takes():
    made = Contract().route("post", "/items/{id}", {200: Item, "4XX": Fault}, takes=TEXT).build()
    assert {one.id: list(one.shapes) for one in made.surfaces} == {
        "route:POST /items/{id}": ["input"],
        "route:POST /items/{id}#200": ["success"],
        "route:POST /items/{id}#4XX": ["failure"],
    }


def test_a_stream_has_a_surface_an_event_and_one_order():
    order = {"initial": "a", "final": ["b"], "states": {"a": {"chunk": "b"}, "b": {}}}
    made = Contract().stream("/chat", {"chunk": TEXT}, order=order, laws=[{"x": 1}], keepalive=": k").build()
    assert made.surfaces == (Surface(id="stream:/chat#chunk", kind="stream", shapes={"success": TEXT}),)
    assert made.streams == (Stream(path="/chat", order=order, laws=({"x": 1},), keepalive=": k"),)


def test_tools_requests_and_mcp_lists_join_in_one_contract():
    made = (
        Contract()
        .declare_tool("a", takes=TEXT, annotations={"readOnlyHint": True})
        .request("openai_chat", {"type": "object"})
        .mcp("time", [{"name": "now", "inputSchema": {}}])
        .build()
    )
    assert [one.id for one in made.surfaces] == ["mcp:time#now", "request:openai_chat", "tool:a"]
    assert [one.id for one in made.profiles] == ["mcp:time"]
