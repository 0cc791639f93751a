"""What servers of MCP offer, in every era that they speak, on every page, in every profile."""

import json
import sys
from typing import Any

import pytest

from stipula.collect.environment import NotInEnvironment
from stipula.collect.mcp import collect
from stipula.collect.mcp_problems import ErasDiffer, NoEra, NoServerName, ProfilesOfUrl


def tool(name="echo", **more):
    return {"name": name, "description": f"It is {name}.", "inputSchema": {"type": "object"}} | more


VENDORS: Any = {"x-vendor": ["kept", 1.5, None]}


def test_a_tool_is_frozen_as_it_crossed_the_wire(honest, mcp_entry, tmp_path):
    sent = tool(
        title="Echo",
        outputSchema={"type": "object", "properties": {"n": {"const": 2**63}}},
        annotations={"readOnlyHint": True},
        _meta={"vendor/cost": 3},
        **VENDORS,
    )
    contract = collect(mcp_entry(honest(tools=[sent])), tmp_path)
    (surface,) = contract.surfaces
    assert surface.id == "mcp:honest#echo"
    assert surface.definition == sent
    assert surface.shapes == {"input": sent["inputSchema"], "success": sent["outputSchema"]}
    assert surface.annotations["readOnlyHint"] is True
    assert surface.texts == {"title": "Echo", "description": "It is echo."}


def test_both_eras_are_asked_and_stated(honest, mcp_entry, tmp_path):
    (profile,) = collect(mcp_entry(honest()), tmp_path).profiles
    legacy, modern = profile.eras
    assert [(one.era, one.protocol) for one in profile.eras] == [("legacy", "2025-11-25"), ("modern", "2026-07-28")]
    assert (legacy.recipe, legacy.shape) == (modern.recipe, modern.shape)
    assert legacy.facts == {"capabilities": {"tools": {}}, "server": {"name": "honest", "version": "1.2.3"}}
    assert modern.facts == legacy.facts | {"cache": {"tools": {"ttlMs": 1000, "cacheScope": "private"}}}


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_server_of_one_era_is_asked_in_that_one(honest, mcp_entry, tmp_path, era):
    contract = collect(mcp_entry(honest(eras=[era])), tmp_path)
    assert [one.era for one in contract.profiles[0].eras] == [era]
    assert [one.id for one in contract.surfaces] == ["mcp:honest#echo"]


def test_a_server_that_falls_over_the_modern_greeting_is_legacy(misbehaving, mcp_entry, tmp_path):
    contract = collect(mcp_entry(misbehaving("dies_at_discover")), tmp_path)
    assert [one.era for one in contract.profiles[0].eras] == ["legacy"]


def test_a_server_that_declines_both_eras_is_told_with_both_answers(misbehaving, mcp_entry, tmp_path):
    with pytest.raises(NoEra, match=r'initialize: error -32000: "closed on Sundays"; server/discover: error -32000'):
        collect(mcp_entry(misbehaving("declines_both")), tmp_path)


def test_all_pages_are_read(honest, mcp_entry, tmp_path):
    tools = [tool(f"t{number:02}") for number in range(25)]
    contract = collect(mcp_entry(honest(tools=tools, pages=25)), tmp_path)
    assert [one.definition for one in contract.surfaces] == tools
    assert contract.profiles[0].tools == tuple(f"t{number:02}" for number in range(25))


def test_neither_paging_nor_the_order_of_tools_changes_what_is_frozen(honest, mcp_entry, tmp_path):
    tools = [tool(f"t{number}") for number in range(4)]
    straight = collect(mcp_entry(honest(tools=tools, pages=1)), tmp_path)
    assert collect(mcp_entry(honest(tools=tools[::-1], pages=3)), tmp_path) == straight


def test_a_server_without_tools_has_an_empty_list(honest, mcp_entry, tmp_path):
    contract = collect(mcp_entry(honest(tools=[])), tmp_path)
    assert contract.surfaces == ()
    assert contract.profiles[0].tools == ()


def test_prompts_and_resources_are_recorded_where_they_are_offered(honest, mcp_entry, tmp_path):
    prompts = [{"name": "b"}, {"name": "a", "arguments": [{"name": "x", "required": True}]}]
    resources = [{"uri": "file:///x", "name": "x"}]
    entry = mcp_entry(honest(prompts=prompts, resources=resources))
    for era in collect(entry, tmp_path).profiles[0].eras:
        assert era.facts["prompts"] == [prompts[1], prompts[0]]
        assert era.facts["resources"] == resources
        assert "resource_templates" not in era.facts


def test_each_profile_is_a_start_of_its_own_with_its_environment_and_arguments(honest, mcp_entry, tmp_path):
    program, script, _ = honest()
    profiles = {
        "full": {"args": (json.dumps({"tools": [tool("a"), tool("b")]}),)},
        "small": {"args": (json.dumps({"tool_from_env": "WHAT"}),), "env": {"WHAT": "only this"}},
    }
    contract = collect(mcp_entry((program, script), profiles=profiles, env={"WHAT": "of the entry"}), tmp_path)
    assert [one.id for one in contract.surfaces] == ["mcp:honest/full#a", "mcp:honest/full#b", "mcp:honest/small#echo"]
    assert [(one.id, one.tools) for one in contract.profiles] == [
        ("mcp:honest/full", ("a", "b")),
        ("mcp:honest/small", ("echo",)),
    ]
    assert contract.surfaces[2].texts["description"] == "only this"


def test_a_child_sees_what_the_entry_names_and_nothing_else_of_ours(honest, mcp_entry, tmp_path, monkeypatch):
    monkeypatch.setenv("STIPULA_TEST_SECRET", "ours alone")

    def description(**members):
        entry = mcp_entry(honest(tool_from_env="STIPULA_TEST_SECRET"), **members)
        return collect(entry, tmp_path).surfaces[0].texts["description"]

    assert description() == "not there"
    assert description(env={"STIPULA_TEST_SECRET": "env:STIPULA_TEST_SECRET"}) == "ours alone"


def test_a_value_that_is_not_in_the_environment_is_named(honest, mcp_entry, tmp_path):
    with pytest.raises(NotInEnvironment, match="DSN is to come from the environment variable STIPULA_TEST_NONE"):
        collect(mcp_entry(honest(), env={"DSN": "env:STIPULA_TEST_NONE"}), tmp_path)


def test_the_child_runs_in_the_folder_of_the_project(mcp_entry, tmp_path):
    (tmp_path / "here.py").write_text("raise SystemExit('found')")
    with pytest.raises(Exception, match=r"ended with exit status 1 .* last on stderr: \"found\""):
        collect(mcp_entry((sys.executable, "here.py")), tmp_path)


def test_the_name_of_the_entry_counts_before_that_of_the_server(honest, mcp_entry, tmp_path):
    assert collect(mcp_entry(honest(), name="mine"), tmp_path).surfaces[0].id == "mcp:mine#echo"


def test_a_name_with_signs_of_ids_in_it_is_made_fit(honest, mcp_entry, tmp_path):
    stamp = {"name": "@acme/time server #1", "version": "1"}
    assert collect(mcp_entry(honest(stamp=stamp)), tmp_path).profiles[0].server == "@acme-time-server-1"


def test_a_server_without_a_name_needs_one_in_its_entry(honest, mcp_entry, tmp_path):
    nameless = honest(stamp=None, eras=["modern"])
    with pytest.raises(NoServerName):
        collect(mcp_entry(nameless), tmp_path)
    assert collect(mcp_entry(nameless, name="given"), tmp_path).profiles[0].server == "given"


@pytest.mark.parametrize(
    ("modern", "pointer", "old", "new"),
    [
        (tool(description="It is not."), "/description", '"It is echo."', '"It is not."'),
        (tool(inputSchema={"type": "object", "minProperties": 1}), "/inputSchema/minProperties", "nothing", "1"),
        (tool("other"), "/", '{"description":"It is echo."', "nothing"),
        (tool(annotations={"readOnlyHint": True}), "/annotations", "nothing", '{"readOnlyHint":true}'),
    ],
)
def test_eras_that_define_a_tool_differently_are_a_problem(honest, mcp_entry, tmp_path, modern, pointer, old, new):
    with pytest.raises(ErasDiffer) as caught:
        collect(mcp_entry(honest(tools=[tool()], modern_tools=[modern])), tmp_path)
    facts = caught.value.facts
    assert facts["what"] == "tool 'echo'"
    assert (facts["legacy"], facts["modern"]) == ("2025-11-25", "2026-07-28")
    assert facts["pointer"] == pointer
    assert str(facts["old"]).startswith(old)
    assert str(facts["new"]).startswith(new)


def test_what_only_one_revision_knows_is_no_difference(honest, mcp_entry, tmp_path):
    old = tool(execution={"taskSupport": "optional"}, inputSchema={"type": "object", "required": ["b", "a"]})
    new = tool(inputSchema={"required": ["a", "b"], "type": "object"})
    contract = collect(mcp_entry(honest(tools=[old], modern_tools=[new])), tmp_path)
    assert contract.surfaces[0].definition == new


def test_a_server_that_asks_back_and_logs_is_heard_out(misbehaving, mcp_entry, tmp_path):
    assert len(collect(mcp_entry(misbehaving("asks_back")), tmp_path).surfaces) == 1


def test_profiles_of_an_address_are_refused(mcp_entry, tmp_path):
    with pytest.raises(ProfilesOfUrl):
        collect(mcp_entry(url="http://127.0.0.1:1/mcp", profiles={"a": {}}), tmp_path)
