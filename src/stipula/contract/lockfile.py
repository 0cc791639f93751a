"""`stipula.lock.json`: a contract as text, bytes in and bytes out.

Sorted by id, keys sorted, one surface = one block of lines with an empty line after it, so that git merges changes of
different surfaces. It holds the full text, for a bare hash cannot be reviewed; characters that do not show are escaped.
"""

import re
from typing import Any, Final, cast

import msgspec

from stipula.contract import locktext
from stipula.contract.canonical import Digests, canonical, digests, required_sorted
from stipula.contract.locktext import LockBroken
from stipula.contract.model import Contract, Json, Kind, Profile, Reader, Schema, Stream, Surface
from stipula.contract.toollist import tool_surface
from stipula.errors import EXIT_UNAVAILABLE, Problem

FORMAT: Final = 1
"""Raised when the layout or the recipe of a digest changes; a lock of a lower level is frozen anew."""
ABOUT: Final = "written by `stipula freeze`, held by `stipula check`; not edited by hand"


class LockConflict(Problem):
    """The lock holds the marks of a merge that nobody finished."""

    code, exit_code = "CON502", EXIT_UNAVAILABLE
    hint = "{file}:{line}: an unfinished merge ({mark}); take either side of the file, then run `stipula freeze`"


class LockForeign(Problem):
    """The lock was written by a version of Stipula with another format."""

    code, exit_code = "CON503", EXIT_UNAVAILABLE
    hint = "{file} has format {seen}, this version of Stipula reads {wanted}; {advice}"


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A surface as the lock holds it. An MCP tool is told by its definition alone."""

    id: str
    kind: Kind
    digests: Digests
    shapes: dict[str, Schema] = msgspec.field(default_factory=dict[str, Schema])
    annotations: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    texts: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    definition: Any = None
    consumers: tuple[Reader, ...] = ()


class _Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    stipula: str
    format: int
    surfaces: tuple[_Record, ...]
    streams: tuple[Stream, ...]
    profiles: tuple[Profile, ...]


# ---------------------------------------------------------------- writing


def write(contract: Contract) -> bytes:
    """The lock of a contract; equal contracts give equal bytes. Raises NotJson where a value has no JSON text."""
    sections: dict[str, list[dict[str, Json]]] = {
        "surfaces": [_record(one) for one in contract.surfaces],
        "streams": [_stream(one) for one in contract.streams],
        "profiles": [msgspec.to_builtins(one) for one in contract.profiles],
    }
    for records in sections.values():
        canonical(records)  # refuses what has no JSON text
    return locktext.laid_out({"stipula": ABOUT, "format": FORMAT}, sections)


def _stream(stream: Stream) -> dict[str, Json]:
    members: dict[str, Json] = msgspec.to_builtins(stream)
    return members if stream.more else {name: value for name, value in members.items() if name != "more"}


def _record(surface: Surface) -> dict[str, Json]:
    record: dict[str, Json] = {"id": surface.id, "kind": surface.kind, "digests": msgspec.to_builtins(digests(surface))}
    if _is_told_by_definition(surface):
        record["definition"] = required_sorted(surface.definition)
    else:
        record |= _told_in_full(surface)
    if surface.consumers:
        record["consumers"] = msgspec.to_builtins(surface.consumers)
    return record


def _told_in_full(surface: Surface) -> dict[str, Json]:
    members: dict[str, Json] = {
        "shapes": {outcome: required_sorted(shape) for outcome, shape in surface.shapes.items()},
        "annotations": surface.annotations,
        "texts": surface.texts,
    }
    told = {name: value for name, value in members.items() if value}
    return told if surface.definition is None else told | {"definition": required_sorted(surface.definition)}


def _is_told_by_definition(surface: Surface) -> bool:
    if surface.kind != "mcp":
        return False
    try:
        told = _of_definition(surface.id, surface.definition)
    except Problem:
        return False
    return told.id == surface.id and digests(told) == digests(surface)


def _of_definition(surface_id: str, definition: Json) -> Surface:
    place, _, _ = surface_id.removeprefix("mcp:").partition("#")
    server, _, profile = place.partition("/")
    return tool_surface(server, cast("dict[str, Any]", definition) if isinstance(definition, dict) else {}, profile)


# ---------------------------------------------------------------- reading

CONFLICT: Final = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?: .*)?$", re.MULTILINE)


def read(content: bytes, file: str = "stipula.lock.json") -> Contract:
    """The contract that a lock holds. file: how messages name it."""
    try:
        text = content.decode()
    except UnicodeDecodeError as why:
        raise LockBroken(file=file, line=content.count(b"\n", 0, why.start) + 1, why="not UTF-8") from None
    if mark := CONFLICT.search(text):
        raise LockConflict(file=file, line=locktext.line_at(text, mark.start()), mark=mark[1])
    document = locktext.parsed(text, file)
    _check_format(document, file)
    try:
        stored = msgspec.convert(document, _Document)
        contract = Contract(tuple(_surface(one) for one in stored.surfaces), stored.streams, stored.profiles)
    except (msgspec.ValidationError, Problem) as why:
        raise LockBroken(file=file, line=_line_of(text, document, why), why=_lowered(str(why))) from None
    _check_digests(contract, stored, text, file)
    return contract


def _surface(record: _Record) -> Surface:
    if record.kind == "mcp" and not record.shapes and record.definition is not None:
        told = _of_definition(record.id, record.definition)
        return msgspec.structs.replace(told, id=record.id, consumers=record.consumers)
    members = {name: getattr(record, name) for name in record.__struct_fields__ if name != "digests"}
    return Surface(**members)


def _check_format(document: Json, file: str) -> None:
    seen = cast("dict[str, Json]", document).get("format") if isinstance(document, dict) else None
    if not isinstance(seen, int):
        raise LockBroken(file=file, line=1, why="this is no lock of Stipula (it names no format)")
    if seen != FORMAT:
        advice = "upgrade Stipula" if seen > FORMAT else "run `stipula freeze` to write it anew"
        raise LockForeign(file=file, seen=seen, wanted=FORMAT, advice=advice)


def _check_digests(contract: Contract, stored: _Document, text: str, file: str) -> None:
    """A text that was edited by hand, or merged badly, is not what somebody froze."""
    frozen = {one.id: one.digests for one in stored.surfaces}
    for surface in contract.surfaces:
        if digests(surface) != frozen[surface.id]:
            why = f"the text of {surface.id} is not the one its digests were taken of"
            raise LockBroken(file=file, line=locktext.line_of(text, surface.id), why=why)


PLACE: Final = re.compile(r"\$\.(?P<section>surfaces|streams|profiles)\[(?P<index>\d+)\]")


def _line_of(text: str, document: Json, why: Exception) -> int:
    """The line of the entry that a message is about, as near as it says."""
    if isinstance(why, Problem):
        return locktext.line_of(text, str(why.facts.get("surface", "")))
    place = PLACE.search(str(why))
    if place is None:
        return 1
    entry: Json = document[place["section"]][int(place["index"])]
    names = cast("dict[str, Json]", entry) if isinstance(entry, dict) else {}
    return locktext.line_of(text, str(names.get("id") or names.get("path") or names.get("server") or ""))


def _lowered(words: str) -> str:
    return words[:1].lower() + words[1:]
