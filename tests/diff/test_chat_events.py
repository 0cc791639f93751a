"""Every field of every event of the chat stream: whoever removes, renames or retypes one is told where."""

import copy
import json
from pathlib import Path

import pytest

from stipula.contract.declare import Contract
from stipula.diff.compare import compare
from stipula.diff.finding import judge

DOCUMENT = json.loads((Path(__file__).parents[1] / "data/sse-events.json").read_text(encoding="utf-8"))
EVENTS = {
    name: {**DOCUMENT["$defs"][name], "$defs": DOCUMENT["$defs"]} for name in DOCUMENT["properties"]["event"]["enum"]
}
FIELDS = [(event, field) for event, shape in EVENTS.items() for field in shape.get("properties", {})]


def without_name(names, field):
    return [name for name in names if name != field]


def removed(shape, field):
    del shape["properties"][field]
    shape["required"] = without_name(shape["required"], field)


def renamed(shape, field):
    shape["properties"][f"{field}New"] = shape["properties"].pop(field)
    shape["required"] = [f"{field}New" if name == field else name for name in shape["required"]]


def retyped(shape, field):
    shape["properties"][field] = {"type": "null"}


def contract(events):
    return Contract().stream("/chat/stream", events).build()


@pytest.mark.parametrize("edit", [removed, renamed, retyped])
@pytest.mark.parametrize(("event", "field"), FIELDS)
def test_a_field_that_goes_or_changes_is_named_with_surface_and_pointer(event, field, edit):
    events = copy.deepcopy(EVENTS)
    edit(events[event], field)
    found = judge(compare(contract(EVENTS), contract(events)))
    places = {(one.surface, one.pointer.partition("/type")[0].removesuffix("/$ref")) for one in found}
    assert (f"stream:/chat/stream#{event}", f"/shapes/success/properties/{field}") in places
    assert "breaking" in {one.level for one in found}
