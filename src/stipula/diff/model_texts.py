"""What a text that a model reads may do beside telling: characters that do not show, the names of other tools."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from stipula.contract.canonical import texts
from stipula.contract.model import Contract, Json, Surface
from stipula.contract.schema import pointer, tokens
from stipula.diff.change import Change
from stipula.diff.finding import Finding
from stipula.diff.telling import tell

HIDDEN: Final = re.compile(
    "[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Zero width, bidirectional controls, tags, variation selectors, fillers: none of them shows (Unicode 16)."""
MIN_NAME: Final = 4
"""Shorter names of tools are words of any text."""


def cues(old: Contract, new: Contract) -> Iterator[Finding]:
    """What the texts of a tool hold now and did not hold before. A text is compared with the one that was approved."""
    before = {one.id: one for one in old.surfaces}
    for surface in new.surfaces:
        if surface.kind in {"mcp", "tool"}:
            yield from _hidden(before.get(surface.id), surface)
            if surface.kind == "mcp":
                yield from _cross_references(before.get(surface.id), surface, new)


def _all_texts(surface: Surface | None) -> dict[str, str]:
    if surface is None:
        return {}
    found = {place: text for place, text in texts(surface).items() if isinstance(text, str)}
    return found | {"/id": surface.id.partition("#")[2]}


def _hidden(old: Surface | None, new: Surface) -> Iterator[Finding]:
    before = _all_texts(old)
    for place, text in _all_texts(new).items():
        come = set(HIDDEN.findall(text)) - set(HIDDEN.findall(before.get(place, "")))
        if come:
            named = sorted(f"U+{ord(char):04X}" for char in come)
            yield tell(
                "hidden-characters-added", new.id, place,
                name=", ".join(named[:5]), evidence={"characters": named[:20]}, layer="routing",
            )  # fmt: skip


def _cross_references(old: Surface | None, new: Surface, contract: Contract) -> Iterator[Finding]:
    """Tools of the same list that a text names now: one tool can talk a model into calling another."""
    place, _, own = new.id.partition("#")
    others = [
        name
        for one in contract.surfaces
        if one.id.startswith(f"{place}#") and (name := one.id.partition("#")[2]) != own
    ]
    before = _named(_all_texts(old), others)
    for name in sorted(_named(_all_texts(new), others) - before):
        yield tell("cross-tool-reference-added", new.id, pointer("texts"), name=name, layer="routing")


def _named(told: Mapping[str, str], names: list[str]) -> set[str]:
    words = {word for place, text in told.items() if place != "/id" for word in re.findall(r"[\w.-]+", text)}
    plain = {word.strip(".-") for word in words}
    return {name for name in names if len(name) >= MIN_NAME and (name in words or name in plain)}


def change_findings(change: Change) -> Iterator[Finding]:
    """A text or an annotation of a surface that is neither an MCP tool nor a route."""
    name = tokens(change.pointer)[-1] if change.pointer else ""
    old: Json = change.old
    if change.rule == "text-changed":
        yield tell(
            "description-changed", change.surface, change.pointer, old=old, new=change.new, name=name, layer="routing"
        )
    elif change.rule == "annotation-changed":
        yield tell(
            "behaviour-changed", change.surface, change.pointer, old=old, new=change.new, name=name, layer="behaviour"
        )
