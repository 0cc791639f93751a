"""Which branch of one choice became which branch of the other: equal ones first, then those that are most alike."""

from collections.abc import Callable
from typing import Any, Final, Protocol

from stipula.contract.canonical import canonical
from stipula.contract.model import Json
from stipula.diff.words import is_annotation, listed, members

MAX_COMPARED: Final = 64
"""Choices longer than this are paired by equality alone: likeness compares all with all."""
ALIKE: Final = 3
Branch = tuple[Json, str]


class Seen(Protocol):
    """A branch with its references followed."""

    @property
    def schema(self) -> Json:
        """The schema itself."""
        ...

    @property
    def said(self) -> dict[str, tuple[Json, str]]:
        """Keyword → value and place."""
        ...


View = Callable[[Json, str, bool], Any]


def partners(old: list[Branch], new: list[Branch], view: View) -> list[tuple[int, int]]:
    """Pairs of indices, by old index. view: (schema, place, is it old) → the branch, its references followed."""
    was = [_form(view(schema, place, True)) for schema, place in old]
    now = [_form(view(schema, place, False)) for schema, place in new]
    pairs: list[tuple[int, int]] = []
    left, right = list(range(len(old))), list(range(len(new)))
    for one in list(left):
        other = next((index for index in right if canonical(was[one]) == canonical(now[index])), None)
        if other is not None:
            pairs.append((one, other))
            left.remove(one)
            right.remove(other)
    if len(left) * len(right) <= MAX_COMPARED**2:
        ranked = sorted((-_likeness(was[one], now[other]), one, other) for one in left for other in right)
        for rank, one, other in ranked:
            if -rank >= ALIKE and one in left and other in right:
                pairs.append((one, other))
                left.remove(one)
                right.remove(other)
    return sorted(pairs)


def _form(seen: Seen) -> Json:
    if not isinstance(seen.schema, dict):
        return seen.schema
    return {word: value for word, (value, _) in seen.said.items() if not is_annotation(word) or word == "title"}


def _likeness(old: Json, new: Json) -> int:
    """0 for two that have nothing in common; a shared constant or title tells most."""
    before, after = members(old), members(new)
    if not (before and after):
        return 0
    score = 0
    if "title" in before and before["title"] == after.get("title"):
        score += 4
    if "$ref" in before and before["$ref"] == after.get("$ref"):
        score += 6
    one, other = members(before.get("properties")), members(after.get("properties"))
    for name in one.keys() & other.keys():
        tags = _tag(one[name]), _tag(other[name])
        if tags[0] is not None or tags[1] is not None:
            score += 6 if tags[0] == tags[1] else -6
        else:
            score += 1
    if "type" in before and before["type"] == after.get("type"):
        is_plain = before["type"] not in ("object", ["object"])
        score += ALIKE if is_plain else 1
    if "enum" in before and "enum" in after:
        score += 2
    return score


def _tag(schema: Json) -> bytes | None:
    values = listed(members(schema).get("enum"))
    return canonical(values[0]) if len(values) == 1 else None
