"""Where a finding stands in the files that were compared: line and column, JSON and YAML alike."""

from pathlib import Path
from typing import Any, Final, cast

import yaml
from msgspec import UNSET

from stipula.contract.model import Json
from stipula.contract.schema import pointer, tokens
from stipula.diff.finding import Finding
from stipula.diff.reports.words import Spot, Spots
from stipula.diff.words import listed, members

MAX_BYTES: Final = 8 * 1024 * 1024
"""Larger files are reported without lines: composing their nodes would cost more than the diff."""


def spots_of(findings: list[Finding], files: tuple[Path, Path], documents: tuple[Json, Json]) -> dict[str, Spots]:
    """Fingerprint → where it stands in the old and the new file."""
    if not findings:
        return {}
    old, new = (_Lines(file, document) for file, document in zip(files, documents, strict=True))
    return {
        one.fingerprint: (old.spot(one) if one.new is UNSET or one.old is not UNSET else None,
                          new.spot(one) if one.old is UNSET or one.new is not UNSET else None)
        for one in findings
    }  # fmt: skip


class _Lines:
    """The nodes of one file."""

    def __init__(self, file: Path, document: Json) -> None:
        self.file = file
        self.document = document
        self.root = self._composed()

    def _composed(self) -> yaml.Node | None:
        content = self.file.read_bytes()
        if len(content) > MAX_BYTES:
            return None
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            return cast("Any", yaml).compose(content.decode("utf-8-sig"), Loader=loader)
        except (yaml.YAMLError, RecursionError, UnicodeDecodeError):
            return None  # JSON with a tab, say: the report has no lines then

    def spot(self, finding: Finding) -> Spot | None:
        """The place of a finding, or the nearest one above it that the file has."""
        if self.root is None:
            return None
        here, mark = self.root, self.root.start_mark
        for step in tokens(_place(finding, self.document)):
            found = _below(here, step)
            if found is None:
                break
            here, mark = found[1], found[0].start_mark
        return Spot(str(self.file), mark.line + 1, mark.column + 1)


def _below(node: yaml.Node, step: str) -> tuple[yaml.Node, yaml.Node] | None:
    """The key, or the item, and the value at a step."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
        item = node.value[int(step)]
        return item, item
    return None


# ---------------------------------------------------------------- from a surface to its document


def _place(finding: Finding, document: Json) -> str:
    """The pointer into the document that was handed in."""
    kind, _, rest = finding.surface.partition(":")
    if kind == "mcp":
        return _of_tool(finding, document, rest.partition("#")[2])
    if kind == "route":
        return _of_route(rest)
    if kind == "stream" and "#" in rest:
        return pointer("events", rest.partition("#")[2]) + finding.pointer.removeprefix("/shapes/success")
    return finding.pointer


SHAPES: Final = {"/shapes/input": "/inputSchema", "/shapes/success": "/outputSchema", "/definition": "", "/texts": ""}


def _of_tool(finding: Finding, document: Json, name: str) -> str:
    tools = listed(members(document).get("tools") if isinstance(document, dict) else document)
    index = next((at for at, one in enumerate(tools) if members(one).get("name") == name), None)
    if index is None:
        return ""
    base = f"/tools/{index}" if isinstance(document, dict) else f"/{index}"
    for prefix, member in SHAPES.items():
        if finding.pointer.startswith(prefix):
            return base + member + finding.pointer.removeprefix(prefix)
    return base + finding.pointer


def _of_route(rest: str) -> str:
    operation, _, status = rest.partition("#")
    method, _, path = operation.partition(" ")
    place = pointer("paths", path, method.lower())
    return place + pointer("responses", status) if status else place
