"""An MCP tool as a surface: its schemas are shapes, its hints behaviour, its prose texts."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from stipula.contract.canonical import tool_list_digests
from stipula.contract.model import Era, Json, Profile, Schema, Surface
from stipula.errors import EXIT_UNAVAILABLE, Problem

HINT_DEFAULTS: Final = {
    # MCP schema 2025-11-25 and 2026-07-28, ToolAnnotations
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}


class BadTool(Problem):
    """An MCP server lists something that is no tool."""

    code, exit_code = "CON401", EXIT_UNAVAILABLE
    hint = "{server} lists a tool that is none: {why}"


def tool_surface(server: str, definition: Mapping[str, Any], profile: str = "") -> Surface:
    """The surface of one entry of a `tools/list` answer. Hints that it leaves out count with their defaults."""
    name: Json = definition.get("name")
    if not isinstance(name, str) or not name:
        raise BadTool(server=server, why="it has no name")
    shapes: dict[str, Schema] = {}
    for outcome, member in (("input", "inputSchema"), ("success", "outputSchema")):
        shape = definition.get(member)
        if shape is None:
            continue
        if not isinstance(shape, dict | bool):
            raise BadTool(server=server, why=f"{member} of {name} is {type(shape).__name__}, not an object")
        shapes[outcome] = cast("Schema", shape)
    given: Json = definition.get("annotations") or {}
    if not isinstance(given, dict):
        raise BadTool(server=server, why=f"annotations of {name} is {type(given).__name__}, not an object")
    hints = {key: value for key, value in cast("dict[str, Json]", given).items() if key != "title"}
    return Surface(
        id=f"mcp:{server}/{profile}#{name}" if profile else f"mcp:{server}#{name}",
        kind="mcp",
        shapes=shapes,
        annotations=HINT_DEFAULTS | hints,
        texts=_texts(definition, cast("dict[str, Json]", given)),
        definition=dict(definition),
    )


def _texts(definition: Mapping[str, Any], annotations: Mapping[str, Any]) -> dict[str, str]:
    named = {
        "title": definition.get("title"),
        "description": definition.get("description"),
        "annotations.title": annotations.get("title"),
    }
    return {name: text for name, text in named.items() if isinstance(text, str)}


def era(name: str, protocol: str, tools: Iterable[dict[str, Any]], facts: dict[str, Any] | None = None) -> Era:
    """One era's view of a tool list, with its digests."""
    digests = tool_list_digests(tools)
    return Era(era=name, protocol=protocol, recipe=digests.recipe, shape=digests.shape, facts=facts or {})


def profile(server: str, name: str, tools: Iterable[dict[str, Any]], eras: Iterable[Era]) -> Profile:
    """The entry of one tool list beside the surfaces of its tools."""
    names = tuple(sorted(str(tool["name"]) for tool in tools))
    return Profile(server=server, name=name, tools=names, eras=tuple(sorted(eras, key=lambda one: one.era)))
