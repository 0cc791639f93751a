"""A schema as it counts at its place: references followed, what is only said about reading it left out."""

from typing import Any, cast

from msgspec import UNSET, Struct

from stipula.contract.model import Json
from stipula.contract.schema import NoSuchPlace, at, pointer
from stipula.diff import words
from stipula.diff.fact import Edit
from stipula.diff.plain import Plain
from stipula.diff.words import is_annotation, listed, members


class View(Struct, frozen=True):
    """A schema as it counts: references followed. said: keyword → (value, place in the plain document)."""

    place: str
    schema: Any
    said: dict[str, tuple[Json, str]]

    def get(self, word: str) -> Json:
        """The value of a keyword, UNSET where it is not stated."""
        return self.said[word][0] if word in self.said else UNSET

    def at(self, word: str) -> str:
        """Where a keyword stands, or would."""
        return self.said[word][1] if word in self.said else self.place + pointer(word)


def view_of(document: Plain, place: str) -> View:
    """The schema at place, through its references. What stands beside a reference comes before what it names."""
    said: dict[str, tuple[Json, str]] = {}
    seen: set[str] = set()
    while True:
        here: Json = at(document.schema, place)
        if not isinstance(here, dict):
            return View(place, here, said)
        schema = members(here)
        for word, value in schema.items():
            if word not in words.CORE and word != "$ref" and not (word == "additionalProperties" and value == {}):
                said.setdefault(word, (value, place + pointer(word)))
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return View(place, here, said)
        if not reference.startswith("#") or place in seen or not _is_there(document.schema, reference[1:]):
            said["$ref"] = (reference, place + "/$ref")
            return View(place, here, said)
        seen.add(place)
        place = reference[1:]


def placed(branches: list[Any], place: str) -> list[tuple[Json, str]]:
    """Each branch with its place."""
    return [(branch, f"{place}/{index}") for index, branch in enumerate(branches)]


def but(view: View, word: str) -> dict[str, tuple[Json, str]]:
    """What a view says, one keyword aside."""
    return {key: value for key, value in view.said.items() if key != word}


def states(view: View) -> bool:
    """Whether a schema says anything of values."""
    return any(not is_annotation(word) for word in view.said)


def _is_there(document: Json, place: str) -> bool:
    try:
        at(document, place)
    except NoSuchPlace:
        return False
    return True


def names_in(value: Json) -> set[str]:
    """The names of a list of names."""
    return {str(one) for one in listed(value)}


def type_edit(was: Json, now: Json) -> Edit | None:
    """How a type changed; None where only its spelling did."""
    before, after = _types(was), _types(now)
    come, gone = after - before, before - after
    if not come and not gone:
        return None
    if come and gone:
        return "changed"
    if come == {"null"} or gone == {"null"}:
        return "null-added" if come else "null-removed"
    return "widened" if come else "narrowed"


def _types(value: Json) -> set[str]:
    names = set(map(str, cast("list[Json]", value))) if isinstance(value, list) else {str(value)}
    return names | {"integer"} if "number" in names else names
