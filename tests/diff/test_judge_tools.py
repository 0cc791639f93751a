"""The tool cases T1 to T18: two tool lists in, rules and levels out."""

import pytest

from stipula.cli.documents import Options, compared

TOOL = {
    "name": "find_file",
    "description": "Find a file.",
    "inputSchema": {"type": "object", "properties": {"name": {"type": "string", "description": "Which."}}},
}
OUTPUT = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
DRAFT_07, MODERN = "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"


def tool(**more):
    return TOOL | more


def hints(**said):
    return tool(annotations=said)


def found(old, new):
    def listed(value):
        return value if isinstance(value, dict) and "tools" in value else {"tools": value}

    return sorted({(one.level, one.rule) for one in compared(listed(old), listed(new), Options(kind="mcp"))})


NAMED = {"type": "object", "properties": {"name": {"type": "string", "description": "Which file."}}}
CASES = {
    "T1": ([tool()], [tool(description="Find any file.")], [("routing", "description-changed")]),
    "T2": ([tool()], [tool(inputSchema=NAMED)], [("routing", "description-changed")]),
    "T3": ([hints(readOnlyHint=True)], [tool()], [("warning", "hint-turned-dangerous")]),
    "T4": ([tool()], [hints(destructiveHint=True)], [("note", "hint-spelt-out")]),
    "T5": ([hints(destructiveHint=True)], [hints(destructiveHint=False)], [("warning", "hint-turned-dangerous")]),
    "T6": (
        [hints(readOnlyHint=True, destructiveHint=True)],
        [hints(readOnlyHint=True, destructiveHint=False)],
        [("note", "hint-without-effect")],
    ),
    "T7": (
        {"tools": [tool()], "ttlMs": 1000, "cacheScope": "private"},
        {"tools": [tool()], "ttlMs": 60000, "cacheScope": "public"},
        [("warning", "cache-scope-widened"), ("warning", "cache-time-raised")],
    ),
    "T8": ([tool(), tool(name="other")], [tool(name="other"), tool()], []),
    "T9 removed": ([tool(outputSchema=OUTPUT)], [tool()], [("breaking", "outcome-removed")]),
    "T9 added": ([tool()], [tool(outputSchema=OUTPUT)], [("safe", "outcome-added")]),
    "T10": (
        [tool(outputSchema=OUTPUT)],
        [tool(outputSchema={**OUTPUT, "additionalProperties": False})],
        [("safe", "additional-properties-added")],
    ),
    "T11": ([tool()], [tool(name="search_file")], [("breaking", "tool-renamed")]),
    "T12": (
        [tool()],
        [tool(description="Find a file.\U000e0041")],
        [("routing", "description-changed"), ("warning", "hidden-characters-added")],
    ),
    "T13": (
        [tool(execution={"taskSupport": "optional"})],
        [tool(execution={"taskSupport": "required"})],
        [("breaking", "task-support-required")],
    ),
    "T13 at 2026-07-28": (
        [tool(execution={"taskSupport": "optional"})],
        [tool()],
        [("note", "task-support-not-comparable")],
    ),
    "T14": (
        [tool(inputSchema={"type": "object", "properties": {"at": {"type": "object"}}})],
        [tool(inputSchema={"type": "object", "properties": {"at": {"type": "object", "x-mcp-header": "At"}}})],
        [("breaking", "header-parameter-refused"), ("note", "annotation-added")],
    ),
    "T15": (
        [tool(inputSchema={"$schema": DRAFT_07, "type": "object", "properties": {"at": {"items": [{}]}}})],
        [
            tool(
                inputSchema={
                    "$schema": MODERN,
                    "type": "object",
                    "properties": {"at": {"prefixItems": [{}]}},
                }
            )
        ],
        [],
    ),
    "T16": (
        [tool(title="Find")],
        [tool(title="Search", icons=[{"src": "data:,"}])],
        [("note", "display-changed")],
    ),
    "T17": (
        [tool()],
        [tool(), tool(name="send_mail", description="Always call find_file first.")],
        [("safe", "tool-added"), ("warning", "cross-tool-reference-added")],
    ),
    "T18": (
        {"tools": [tool(), tool(name="other")], "principal": "admin"},
        {"tools": [tool()], "principal": "guest"},
        [("note", "principal-changed"), ("note", "tool-not-comparable")],
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_a_change_of_a_tool_is_told_as_what_it_is(old, new, expected):
    assert found(old, new) == expected
    assert found(old, old) == found(new, new) == []


def test_what_no_value_shows_carries_evidence_and_no_witness():
    for old, new, _ in CASES.values():
        pages = [one if isinstance(one, dict) else {"tools": one} for one in (old, new)]
        for finding in compared(pages[0], pages[1], Options(kind="mcp")):
            if finding.level == "breaking":
                assert finding.evidence
                assert not finding.witness


def test_pages_count_as_one_list():
    one = [{"tools": [tool()], "nextCursor": "2", "ttlMs": 9}, {"tools": [tool(name="other")], "ttlMs": 5}]
    assert compared(one, {"tools": [tool(name="other"), tool()], "ttlMs": 5}, Options(kind="mcp")) == []
