"""What changes about a tool beyond its shapes: hints through their defaults, tasks, headers, names, the list's caching.

Sources: MCP schema 2025-11-25 and 2026-07-28 (ToolAnnotations, ToolExecution, SEP-2243 x-mcp-header, SEP-2549 ttlMs).
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET

from stipula.contract.model import Contract, Json, Surface
from stipula.contract.schema import pointer, references, tokens, walk
from stipula.contract.toollist import HINT_DEFAULTS
from stipula.diff.change import Change
from stipula.diff.finding import Finding
from stipula.diff.rules import RULES
from stipula.diff.telling import tell
from stipula.diff.words import members

MAX_NAME: Final = 64
"""The least of the vendors' limits for the name of a tool."""
NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
HEADER_TYPES: Final = frozenset({"string", "integer", "boolean"})
DANGEROUS: Final = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
"""The value of a hint that promises less care, or claims less danger, than before."""
KINDS: Final = {"string": "str", "object": "dict"}


def answer_kind(finding: Finding, pair: tuple[Json, Json]) -> Finding:
    """A change of type that turns a tool's answer from text to an object, or back, told as what it is."""
    kinds = [KINDS.get(str(members(one).get("type"))) for one in pair]
    is_root = finding.pointer in {"/shapes/success/type", "/shapes/success"} and finding.rule == "type-changed"
    if not is_root or None in kinds or kinds[0] == kinds[1]:
        return finding
    return tell(
        "answer-kind-changed", finding.surface, finding.pointer,
        old=finding.old, new=finding.new, evidence={"was": kinds[0], "now": kinds[1]}, consumers=finding.consumers,
    )  # fmt: skip


# ---------------------------------------------------------------- one tool, on both sides


def surface_findings(old: Surface, new: Surface) -> Iterator[Finding]:
    """What whole definitions show: task support, headers, the name, references that lead out."""
    yield from _tasks(old, new)
    yield from _headers(old, new)
    yield from _name(old, new)
    before, after = _remote(old), _remote(new)
    for place in sorted(after - before):
        yield tell("remote-reference-added", new.id, place, name=place)


def _tasks(old: Surface, new: Surface) -> Iterator[Finding]:
    stated = [members(members(one.definition).get("execution")) for one in (old, new)]
    was, now = (str(one.get("taskSupport", "forbidden")) for one in stated)
    if was == now:
        return
    place = pointer("definition", "execution", "taskSupport")
    if not stated[1]:
        yield tell("task-support-not-comparable", new.id, place, old=was)
    elif now == "required":
        yield tell("task-support-required", new.id, place, old=was, new=now, evidence={"call": "without a task"})
    elif now == "forbidden":
        yield tell("task-support-dropped", new.id, place, old=was, new=now, evidence={"call": "with a task"})
    else:
        yield tell("task-support-widened", new.id, place, old=was, new=now)


def _headers(old: Surface, new: Surface) -> Iterator[Finding]:
    before, after = _header_places(old), _header_places(new)
    for place in sorted(after.keys() - before.keys()):
        schema = after[place]
        if _may_be_header(schema):
            yield tell("header-parameter-added", new.id, place, new=schema.get("x-mcp-header"))
        else:
            yield tell(
                "header-parameter-refused", new.id, place, new=schema.get("x-mcp-header"),
                evidence={"dropped": new.id, "type": schema.get("type", "any")},
            )  # fmt: skip
    for place in sorted(before.keys() - after.keys()):
        yield tell("header-parameter-removed", new.id, place, old=before[place].get("x-mcp-header"))
    for place in sorted(before.keys() & after.keys()):
        if _may_be_header(before[place]) and not _may_be_header(after[place]):
            evidence = {"dropped": new.id, "type": after[place].get("type", "any")}
            yield tell(
                "header-parameter-refused", new.id, place, new=after[place].get("type", "any"), evidence=evidence
            )


def _header_places(surface: Surface) -> dict[str, dict[str, Any]]:
    return {
        f"/shapes/input{place}": members(here)
        for place, here in walk(surface.shapes.get("input", True))
        if "x-mcp-header" in members(here)
    }


def _may_be_header(schema: dict[str, Any]) -> bool:
    name = schema.get("x-mcp-header")
    is_name = isinstance(name, str) and re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) is not None
    return is_name and schema.get("type") in HEADER_TYPES


def _name(old: Surface, new: Surface) -> Iterator[Finding]:
    name = new.id.partition("#")[2]
    if old.id != new.id and not _is_portable(name):
        yield tell("tool-name-unportable", new.id, name=name)


def _is_portable(name: str) -> bool:
    return len(name) <= MAX_NAME and NAME.fullmatch(name) is not None


def _remote(surface: Surface) -> set[str]:
    return {
        pointer("shapes", outcome) + place
        for outcome, shape in surface.shapes.items()
        for place, reference in references(shape)
        if not reference.startswith("#") and "json-schema.org" not in reference
    }


# ---------------------------------------------------------------- one difference of one tool


def change_findings(change: Change, old: Surface, new: Surface) -> Iterator[Finding]:
    """What a change of hints, texts or the rest of the definition means."""
    steps = tokens(change.pointer)
    if steps[0] == "annotations":
        yield _hint(change, old, new, steps[1])
    elif steps[0] == "texts":
        code = "description-changed" if steps[1] == "description" else "display-changed"
        yield tell(code, change.surface, change.pointer, old=change.old, new=change.new, name=steps[1], layer="routing")
    elif steps[:2] == ["definition", "annotations"]:
        yield tell("hint-spelt-out", change.surface, change.pointer, old=change.old, new=change.new, name=steps[-1])
    elif steps[0] == "definition" and steps[1:2] and steps[1] not in TOLD_BY_SHAPES:
        code = "display-changed" if steps[1] == "icons" else "definition-changed"
        yield tell(code, change.surface, change.pointer, old=change.old, new=change.new, name=steps[1], layer="wire")


TOLD_BY_SHAPES: Final = frozenset({
    "annotations", "description", "execution", "inputSchema", "name", "outputSchema", "title",
})  # fmt: skip


def _hint(change: Change, old: Surface, new: Surface, name: str) -> Finding:
    """A hint that changed its effective value. Two of them mean nothing for a tool that only reads."""
    is_reading = old.annotations.get("readOnlyHint") is True and new.annotations.get("readOnlyHint") is True
    was, now = old.annotations.get(name), new.annotations.get(name)
    facts: dict[str, Any] = {"old": change.old, "new": change.new, "name": name, "layer": "behaviour"}
    if name not in HINT_DEFAULTS:
        return tell("annotation-of-tool-changed", change.surface, change.pointer, **facts)
    if is_reading and name in {"destructiveHint", "idempotentHint"}:
        return tell("hint-without-effect", change.surface, change.pointer, **facts)
    code = "hint-turned-dangerous" if now is DANGEROUS[name] else "hint-turned-careful"
    evidence = {"hint": name, "was": was, "now": now}
    return tell(code, change.surface, change.pointer, **facts, evidence=evidence)


def last_call(surface: Surface, change: Change) -> Json:
    """The call that nobody answers any more, and where it may have gone."""
    call = {"method": "tools/call", "params": {"name": surface.id.partition("#")[2]}}
    likely = {"likely": change.new} if change.rule == "surface-renamed" else {}
    return {"call": call} | likely


# ---------------------------------------------------------------- lists


def is_other_principal(surface: str, old: Contract, new: Contract) -> bool:
    """Whether the two lists were shown to principals of different classes."""
    place = surface.partition("#")[0]
    seen = [
        [era.facts.get("principal") for one in contract.profiles if one.id == place for era in one.eras]
        for contract in (old, new)
    ]
    return seen[0] != seen[1] and bool(seen[0]) and bool(seen[1])


def profile_findings(change: Change) -> Iterator[Finding]:
    """What a change of a tool list as a whole means."""
    if not change.surface.startswith("mcp:"):
        return
    if change.rule == "cache-changed":
        yield from _facts(change)
    else:
        evidence = {"gone": change.pointer or change.surface} if change.rule.endswith("-removed") else UNSET
        yield tell(
            change.rule if change.rule in RULES else "behaviour-changed", change.surface, change.pointer,
            old=change.old, new=change.new, name=change.pointer, layer=change.layer, evidence=evidence,
        )  # fmt: skip


def _facts(change: Change) -> Iterator[Finding]:
    name = tokens(change.pointer)[-1]
    if name == "cache":
        was, now = members(change.old), members(change.new)
        for part in sorted(was.keys() | now.keys()):
            yield from _cache(change, part, members(was.get(part)), members(now.get(part)))
    elif name == "principal":
        yield tell("principal-changed", change.surface, change.pointer, old=change.old, new=change.new)
    elif name == "instructions":
        yield tell(
            "instructions-changed", change.surface, change.pointer, old=change.old, new=change.new, layer="routing"
        )
    else:
        yield tell("server-fact-changed", change.surface, change.pointer, old=change.old, new=change.new, name=name)


def _cache(change: Change, part: str, was: dict[str, Any], now: dict[str, Any]) -> Iterator[Finding]:
    """How long, and by whom, a list may be kept: no caching where nothing is said."""
    place = change.pointer + pointer(part)
    before, after = was.get("ttlMs", 0), now.get("ttlMs", 0)
    if before != after:
        code = "cache-time-raised" if after > before else "cache-time-lowered"
        yield tell(code, change.surface, place + "/ttlMs", old=before, new=after, layer="behaviour")
    scopes = str(was.get("cacheScope", "private")), str(now.get("cacheScope", "private"))
    if scopes[0] != scopes[1]:
        code = "cache-scope-widened" if scopes[1] == "public" else "cache-scope-narrowed"
        yield tell(code, change.surface, place + "/cacheScope", old=scopes[0], new=scopes[1], layer="behaviour")
