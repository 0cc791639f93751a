"""Canonical bytes and digests: one value, one text, whatever order its keys came in.

The form is RFC 8785 with one extension: integers beyond ±(2^53-1) are written as their full decimal digits, where the
RFC has no exact text for them. Digests are SHA-256, lower-case hex.
"""

import json
import math
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, Final, cast

import rfc8785
from msgspec import Struct

from stipula.contract.model import Json, Schema, Surface
from stipula.contract.schema import DATA, MAPS, MAX_DEPTH, TEXTS, TooDeep, pointer, rewritten, walk
from stipula.errors import EXIT_UNAVAILABLE, Problem

Layer = str
LAYERS: Final[tuple[Layer, ...]] = ("interface", "behaviour", "routing", "wire")


class NotJson(Problem):
    """A value has no JSON text: NaN, an infinity, half a surrogate pair, a key that is no string, a Python object."""

    code, exit_code = "CON301", EXIT_UNAVAILABLE
    hint = "{seen} has no JSON text; JSON has strings, finite numbers, true, false, null, arrays, objects"


class Digests(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A surface in four layers, so that a change says what kind it is.

    interface: the shapes, without what only readers see. behaviour: the annotations. routing: every text a model sees.
    wire: the whole definition.
    """

    interface: str
    behaviour: str
    routing: str
    wire: str


class ToolListDigests(Struct, frozen=True, kw_only=True):
    """An MCP tool list by the published recipe, and by the same recipe without prose."""

    recipe: str
    shape: str


def canonical(value: Json) -> bytes:
    """The one text of this value, UTF-8."""
    return _utf8(_written(value, is_sorted=True))


def digest(value: Json) -> str:
    """SHA-256 of the canonical bytes."""
    return sha256(canonical(value)).hexdigest()


# ---------------------------------------------------------------- the text of a value

_string: Callable[[str], str] = json.JSONEncoder(ensure_ascii=False).encode


def _written(value: Json, *, is_sorted: bool, depth: int = 0) -> str:
    match value:
        case str():
            text = _string(value)
        case True | False | None:
            text = {True: "true", False: "false", None: "null"}[value]
        case int():
            text = _integer(value)
        case float():
            text = _number(value)
        case dict():
            text = _object(cast("dict[object, Json]", value), is_sorted=is_sorted, depth=depth)
        case list() | tuple():
            _check_depth(depth)
            items = [_written(item, is_sorted=is_sorted, depth=depth + 1) for item in cast("list[Json]", value)]
            text = f"[{','.join(items)}]"
        case _:
            raise NotJson(seen=f"a {type(value).__name__}")
    return text


def _object(value: dict[object, Json], *, is_sorted: bool, depth: int) -> str:
    _check_depth(depth)
    for key in value:
        if not isinstance(key, str):
            raise NotJson(seen=f"the key {key!r}")
    members = cast("dict[str, Json]", value)
    # the RFC orders by UTF-16 units, which differs from code points beyond the basic plane
    keys = sorted(members, key=lambda key: key.encode("utf-16-be", "surrogatepass")) if is_sorted else list(members)
    written = [f"{_string(key)}:{_written(members[key], is_sorted=is_sorted, depth=depth + 1)}" for key in keys]
    return f"{{{','.join(written)}}}"


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise NotJson(seen=str(value))
    return rfc8785.dumps(value).decode()


def _integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:  # Python writes at most 4300 digits
        raise NotJson(seen="an integer of thousands of digits") from None


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise TooDeep(limit=MAX_DEPTH, pointer="…")


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise NotJson(seen="half a surrogate pair") from None


# ---------------------------------------------------------------- the layers of a surface


def digests(surface: Surface) -> Digests:
    """The four layers of a surface."""
    return Digests(
        interface=digest({outcome: interface_form(shape) for outcome, shape in surface.shapes.items()}),
        behaviour=digest(surface.annotations),
        routing=digest(texts(surface)),
        wire=digest(wire_form(surface)),
    )


def interface_form(schema: Schema) -> Schema:
    """A schema without titles, descriptions, examples and comments, its `required` sorted."""
    return rewritten(schema, _without_texts)


def _without_texts(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: _set_order(key, value) for key, value in schema.items() if key not in TEXTS}


def texts(surface: Surface) -> dict[str, Json]:
    """Every text of a surface that a model sees, by its pointer in the surface."""
    found: dict[str, Json] = {pointer("texts", name): text for name, text in surface.texts.items()}
    for outcome, shape in surface.shapes.items():
        for place, here in walk(shape):
            if isinstance(here, dict):
                for keyword in TEXTS & here.keys():
                    found[pointer("shapes", outcome) + place + pointer(keyword)] = here[keyword]
    return found


def wire_form(surface: Surface) -> Json:
    """The whole definition; `required` counts as a set."""
    if surface.definition is not None:
        return required_sorted(surface.definition)
    shapes = {outcome: required_sorted(shape) for outcome, shape in surface.shapes.items()}
    return {"shapes": shapes, "annotations": surface.annotations, "texts": surface.texts}


def required_sorted(value: Json, *, is_map: bool = False, depth: int = 0) -> Json:
    """A copy with every `required` list sorted, wherever schemas stand in value; instances stay as they are.

    is_map: the keys of value are names (of properties, say), not keywords.
    """
    _check_depth(depth)
    if isinstance(value, list):
        return [required_sorted(item, depth=depth + 1) for item in cast("list[Json]", value)]
    if not isinstance(value, dict):
        return value
    copy: dict[str, Json] = {}
    for key, child in cast("dict[str, Json]", value).items():
        if not is_map and (key in DATA or key == "required"):
            copy[key] = _set_order(key, child)
        else:
            copy[key] = required_sorted(child, is_map=not is_map and key in MAPS, depth=depth + 1)
    return copy


def _set_order(key: str, value: Json) -> Json:
    if key != "required" or not isinstance(value, list):
        return value
    names = cast("list[Json]", value)
    return sorted(names) if all(isinstance(name, str) for name in names) else names


# ---------------------------------------------------------------- the published recipe for MCP tool lists

PROSE: Final = frozenset({"description", "title", "examples"})


def tool_list_digests(tools: Iterable[dict[str, Any]]) -> ToolListDigests:
    """Digests of a `tools/list` answer.

    Per tool in this order: name, descriptionSha256, inputSchema, then outputSchema, annotations, _meta where sent; keys
    sorted below that, string lists named `required` sorted, other lists as they are; SHA-256 over the compact text of
    {"names", "tools"}, tools sorted by name.
    Source: backblaze-labs/b2-mcp ac07d1c, its four published hashes reproduced 2026-11-30.
    """
    listed = sorted(tools, key=lambda tool: str(tool["name"]))
    return ToolListDigests(
        recipe=_list_digest([_recipe(tool) for tool in listed]),
        shape=_list_digest([_shape_recipe(tool) for tool in listed]),
    )


def _list_digest(tools: list[dict[str, Any]]) -> str:
    document = {"names": [tool["name"] for tool in tools], "tools": tools}
    return sha256(_utf8(_written(document, is_sorted=False))).hexdigest()


def _recipe(tool: dict[str, Any]) -> dict[str, Any]:
    described = sha256(_utf8(tool.get("description") or "")).hexdigest()
    return {"name": tool["name"], "descriptionSha256": described} | _members(tool, frozenset())


def _shape_recipe(tool: dict[str, Any]) -> dict[str, Any]:
    return {"name": tool["name"]} | _members(tool, PROSE)


def _members(tool: dict[str, Any], dropped: frozenset[str]) -> dict[str, Any]:
    names = ("inputSchema", "outputSchema", "annotations", "_meta")
    sent = {name: tool[name] for name in names if name == "inputSchema" or tool.get(name) is not None}
    return {name: _ordered(value, dropped) for name, value in sent.items()}


def _ordered(value: Json, dropped: frozenset[str], *, is_map: bool = False, depth: int = 0) -> Json:
    """Keys sorted, `required` sorted, prose dropped; a property that is called `title` is no prose."""
    _check_depth(depth)
    if isinstance(value, list):
        return [_ordered(item, dropped, depth=depth + 1) for item in cast("list[Json]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Json]", value)
    kept = sorted(key for key in members if is_map or key not in dropped)
    return {
        key: _ordered(_set_order(key, members[key]), dropped, is_map=not is_map and key in MAPS, depth=depth + 1)
        for key in kept
    }
