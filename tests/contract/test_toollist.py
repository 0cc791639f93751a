import pytest

from stipula.contract.model import Surface
from stipula.contract.toollist import BadTool, era, profile, tool_surface

NOW = {
    "name": "now",
    "title": "Now",
    "description": "The time.",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object", "required": ["time"]},
    "annotations": {"title": "Clock", "readOnlyHint": True},
}


def test_a_tool_parts_into_shapes_behaviour_and_texts():
    assert tool_surface("time", NOW) == Surface(
        id="mcp:time#now",
        kind="mcp",
        shapes={"input": {"type": "object"}, "success": {"type": "object", "required": ["time"]}},
        annotations={"readOnlyHint": True, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True},
        texts={"title": "Now", "description": "The time.", "annotations.title": "Clock"},
        definition=NOW,
    )


def test_a_profile_stands_in_the_id():
    assert tool_surface("b2", {"name": "x", "inputSchema": True}, "full").id == "mcp:b2/full#x"


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ({}, "it has no name"),
        ({"name": 3}, "it has no name"),
        ({"name": "a", "inputSchema": []}, "inputSchema of a is list"),
        ({"name": "a", "annotations": "x"}, "annotations of a is str"),
    ],
)
def test_what_is_no_tool_is_named(definition, said):
    with pytest.raises(BadTool, match=f"time lists a tool that is none: {said}"):
        tool_surface("time", definition)


def test_a_profile_names_its_tools_and_eras_in_order():
    made = profile(
        "time", "", [NOW, {"name": "a"}], [era("modern", "2026-07-28", [NOW]), era("legacy", "2025-11-25", [NOW])]
    )
    assert made.tools == ("a", "now")
    assert [one.era for one in made.eras] == ["legacy", "modern"]
    assert made.eras[0].recipe == made.eras[1].recipe
