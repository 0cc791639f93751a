"""One difference of two schemas, and the schema that has this one difference only."""

from typing import Any, Final, Literal, cast

from msgspec import UNSET, Struct, UnsetType

from stipula.contract.model import Json
from stipula.contract.schema import pointer, tokens
from stipula.diff.words import members

Edit = Literal[
    "added", "added-required", "changed", "decreased", "increased", "narrowed", "null-added", "null-removed",
    "removed", "renamed", "value-added", "value-removed", "widened",
]  # fmt: skip
NEW_SIDE: Final = "stipula-new-side"
"""The name under `$defs` of the old schema at which the whole new one stands, where a difference refers into it."""


class Patch(Struct, frozen=True):
    """Put a value at a place of the old schema, or take away what stands there (UNSET)."""

    place: str
    value: Json | UnsetType = UNSET


class Fact(Struct, frozen=True, kw_only=True):
    """A difference, unjudged.

    word: the keyword; "" is the schema itself. pointer: into the new document as written, or into the old one for what
    went. old_place, new_place: in the plain schemas. name: the field, value or pattern that it is about. reads: where
    in a value, `*` for any member or item.
    old, new: unset where there was, or is, nothing. patches: the difference as an edit of the old plain schema.
    """

    word: str
    edit: Edit
    pointer: str
    old_place: str
    new_place: str
    name: str = ""
    reads: str = ""
    old: Json | UnsetType = UNSET
    new: Json | UnsetType = UNSET
    patches: tuple[Patch, ...] = ()
    is_annotation: bool = False


def applied(old: Json, new: Json, patches: tuple[Patch, ...]) -> Json:
    """The old plain schema with these edits. new: the plain schema into which patched values may refer."""
    edited: Json = old
    for patch in patches:
        edited = _put(edited, tokens(patch.place), patch.value)
    whole = members(edited)
    if not (whole and any(_refers(patch.value) for patch in patches)):
        return edited
    return whole | {"$defs": members(whole.get("$defs")) | {NEW_SIDE: moved_in(new)}}


def moved_in(value: Json) -> Json:
    """A value of the new schema whose references follow it to where the new schema will stand."""
    if isinstance(value, list):
        return [moved_in(one) for one in cast("list[Json]", value)]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for word, part in members(value).items():
        is_local = word == "$ref" and isinstance(part, str) and part.startswith("#")
        made[word] = f"#{pointer('$defs', NEW_SIDE)}{part[1:]}" if is_local else moved_in(part)
    return made


def _refers(value: Json) -> bool:
    """Whether a patched value refers into the new side."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            if str(members(here).get("$ref", "")).startswith(f"#/$defs/{NEW_SIDE}"):
                return True
            waiting.extend(members(here).values())
        elif isinstance(here, list):
            waiting.extend(cast("list[Json]", here))
    return False


def _put(here: Json, steps: list[str], value: Json | UnsetType) -> Json:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(here, list):
        items = list(cast("list[Json]", here))
        index = int(step)
        items[index : index + 1] = [_put(items[index], rest, value)]
        return items
    copy = dict(members(here))
    if not rest and value is UNSET:
        copy.pop(step, None)
        return copy
    copy[step] = _put(copy.get(step, {}), rest, value)
    return copy
