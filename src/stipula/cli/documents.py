"""Two documents of one kind, made comparable: which kind they are, and what is compared then."""

import datetime as dt
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import Struct

from stipula.collect.events import stream_contract
from stipula.collect.openapi_routes import surfaces as routes
from stipula.contract import lockfile, schema, toollist
from stipula.contract.model import Contract, Json
from stipula.diff.finding import Finding
from stipula.diff.judge import Judging, judge_contracts
from stipula.diff.judge_schemas import Way, diff_schemas
from stipula.diff.policy import Content, Tier
from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem

Kind = Literal["schema", "openapi", "mcp", "lock", "events"]
KINDS: Final[tuple[Kind, ...]] = ("schema", "openapi", "mcp", "lock", "events")


class BadChoice(Problem):
    """A line of a batch names a kind, direction, policy or tier that there is not."""

    code, exit_code = "CLI203", EXIT_USAGE
    hint = "{why}"


class NoToolList(Problem):
    """A document should be a `tools/list` answer and is none."""

    code, exit_code = "CLI204", EXIT_UNAVAILABLE
    hint = '{name}: no tool list; wanted {{"tools": […]}}, a list of such pages, or a list of tools'


class Options(Struct, frozen=True, kw_only=True):
    """How two documents are compared. kind None: as they look."""

    kind: Kind | None = None
    direction: Way = "both"
    content: Content = "lenient"
    tier: Tier = "wire"
    budget: float = 2.0
    old_draft: str | None = None
    new_draft: str | None = None

    def of_line(self, question: Mapping[str, Any]) -> "Options":
        """These options with what a line of a batch says. Raises BadChoice."""
        own = ("kind", "direction", "content", "tier", "old_draft", "new_draft")
        said = {name: question[name] for name in own if question.get(name) is not None}
        try:
            return msgspec.convert(msgspec.to_builtins(self) | said, Options)
        except msgspec.ValidationError as why:
            raise BadChoice(why=why) from None

    def judging(self) -> Judging:
        """The same for contracts."""
        today = dt.datetime.now(tz=dt.UTC).date()
        return Judging(content=self.content, tier=self.tier, budget_s=self.budget, today=today)


def kind_of(value: Json) -> Kind:
    """What a document looks like; whatever has no other mark is a schema."""
    if isinstance(value, list):
        return "mcp"
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if "openapi" in told or "swagger" in told:
        return "openapi"
    if "surfaces" in told and "format" in told:
        return "lock"
    if isinstance(told.get("tools"), list) or "inputSchema" in told:
        return "mcp"
    return "events" if isinstance(told.get("events"), dict) and "type" not in told else "schema"


def compared(old: Json, new: Json, options: Options) -> list[Finding]:
    """The findings between two documents of one kind."""
    kind = options.kind or kind_of(new)
    if kind == "schema":
        return diff_schemas(
            old, new, options.direction, content=options.content, tier=options.tier,
            old_draft=options.old_draft, new_draft=options.new_draft, budget_s=options.budget,
        )  # fmt: skip
    return judge_contracts(READERS[kind](old, "old"), READERS[kind](new, "new"), options.judging())


# ---------------------------------------------------------------- documents as contracts


def _openapi(value: Json, name: str) -> Contract:
    return Contract(surfaces=tuple(routes(value, name)))


def _lock(value: Json, name: str) -> Contract:
    return lockfile.read(json.dumps(value).encode(), file=name)


def _events(value: Json, name: str) -> Contract:
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return stream_contract(told, "/stream", name)


def tool_list(value: Json, name: str) -> Contract:
    """A `tools/list` answer as a contract: one page, a list of pages, a list of tools, or a single tool.

    `principal` (or `principalClass`, `scopes`) beside the tools says whom the list was shown to. Pages are kept as the
    shortest time says, and for everybody only where each page is.
    """
    pages = [_page(one, name) for one in _pages(value)]
    tools = [tool for page in pages for tool in page["tools"]]
    for tool in tools:
        for member in ("inputSchema", "outputSchema"):
            if isinstance(tool.get(member), dict | bool):
                schema.check(tool[member], where=f"{name}: {member} of {tool.get('name')}")
    facts = _facts(pages)
    server = re.sub(r"[\s/#]+", "-", str(facts.get("server", "tools"))) or "tools"
    protocol = next((str(page["protocolVersion"]) for page in pages if "protocolVersion" in page), "")
    seen = toollist.era("list", protocol, tools, {key: fact for key, fact in facts.items() if key != "server"})
    return Contract(
        surfaces=tuple(toollist.tool_surface(server, tool) for tool in tools),
        profiles=(toollist.profile(server, "", tools, [seen]),),
    )


def _pages(value: Json) -> list[Json]:
    if isinstance(value, list):
        items = cast("list[Json]", value)
        is_pages = any(isinstance(one, dict) and ("tools" in one or "result" in one) for one in items)
        return items if is_pages else [{"tools": items}]
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if isinstance(told.get("pages"), list):
        return [{key: fact for key, fact in told.items() if key != "pages"} | page for page in told["pages"]]
    return [{"tools": [told]}] if "tools" not in told and "result" not in told else [told]


def _page(value: Json, name: str) -> dict[str, Any]:
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if isinstance(told.get("result"), dict):
        told = told | cast("dict[str, Any]", told["result"])
    tools = told.get("tools")
    if not isinstance(tools, list) or not all(isinstance(one, dict) for one in cast("list[Json]", tools)):
        raise NoToolList(name=name)
    return told


def _facts(pages: list[dict[str, Any]]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for word in ("principal", "principalClass", "principal_class", "scopes"):
        for page in pages:
            if word in page:
                facts["principal"] = page[word]
    for page in pages:
        server = page.get("serverInfo", page.get("server"))
        if isinstance(server, dict) and "name" in server:
            facts["server"] = cast("dict[str, Any]", server)["name"]
        if isinstance(page.get("instructions"), str):
            facts["instructions"] = page["instructions"]
    times = [page["ttlMs"] for page in pages if isinstance(page.get("ttlMs"), int | float)]
    scopes = {page["cacheScope"] for page in pages if isinstance(page.get("cacheScope"), str)}
    cache = ({"ttlMs": min(times)} if times else {}) | (
        {"cacheScope": "public" if scopes == {"public"} else "private"} if scopes else {}
    )
    return facts | ({"cache": {"tools": cache}} if cache else {})


READERS: Final[dict[str, Callable[[Json, str], Contract]]] = {
    "openapi": _openapi, "mcp": tool_list, "lock": _lock, "events": _events,
}  # fmt: skip
