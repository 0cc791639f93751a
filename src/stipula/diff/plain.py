"""A schema in one plain spelling: 2020-12, references by pointer, and the equivalent forms of one thing made one.

What `plain` answers accepts the same values. It keeps, for every place that moved, where it stood, so that findings
point into the document as it was written. A document that names resources within itself (`$id` below its root) is left
as it is: `Plain.is_whole` says so, and then it is only ever compared as a whole.
"""

from collections.abc import Mapping
from typing import Any, Final, cast
from urllib.parse import unquote

from msgspec import Struct, field

from stipula.contract.model import Json
from stipula.contract.schema import DRAFTS, MAX_DEPTH, TooDeep, at, is_schema, pointer, walk
from stipula.diff import words
from stipula.diff.respelling import respelt
from stipula.diff.words import listed, members

SINGLE: Final = frozenset({
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
MAPS: Final = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
OLD_WORDS: Final = frozenset({"additionalItems", "dependencies"})
OLD_DRAFTS: Final = frozenset({"04", "06", "07"})
NO_SIBLINGS: Final = OLD_DRAFTS | {"openapi-3.0"}
"""Dialects in which nothing counts beside a `$ref`."""


class Plain(Struct, frozen=True):
    """A schema, plainly spelt. moved: place here → place in the document as written, for places that differ."""

    schema: Json
    moved: dict[str, str] = field(default_factory=dict[str, str])
    is_whole: bool = False

    def written_at(self, place: str) -> str:
        """Where, in the document as written, stands what stands here at place."""
        steps = place.count("/")
        for cut in range(steps + 1):
            head = place.rsplit("/", cut)[0] if cut else place
            if head in self.moved:
                return self.moved[head] + place[len(head) :]
        return place


def plain(schema: Json, draft: str | None = None) -> Plain:
    """The plain spelling. draft: the dialect, where the document does not say it. Raises TooDeep."""
    if not isinstance(schema, dict):
        return Plain({} if schema is True else schema)
    document = cast("dict[str, Any]", schema)
    if _names_resources(document):
        return Plain(document, is_whole=True)
    making = _Making(document, _dialect(document, draft))
    made = making.node(document, "", "")
    return Plain(making.pointed(made), making.moved)


def _dialect(document: Mapping[str, Any], draft: str | None) -> str:
    """The draft as "07" or "2020-12"; or "openapi-3.0"."""
    said = document.get("$schema")
    if draft is None:
        return DRAFTS.get(said.rstrip("#"), "2020-12") if isinstance(said, str) else "2020-12"
    name = draft.lower().removeprefix("draft").strip("-")
    if name.startswith("openapi"):
        return "openapi-3.0" if "3.1" not in name else "2020-12"
    return {"4": "04", "6": "06", "7": "07", "201909": "2019-09", "202012": "2020-12"}.get(name, name)


def _names_resources(document: dict[str, Any]) -> bool:
    return any(
        place and isinstance(here, dict) and any(_is_address(here.get(word)) for word in ("$id", "id"))
        for place, here in walk(document)
    )


def _is_address(value: Json) -> bool:
    return isinstance(value, str) and not value.startswith("#")


class _Making:
    """One document on its way to the plain spelling."""

    def __init__(self, document: dict[str, Any], dialect: str) -> None:
        self.document = document
        self.dialect = dialect
        self.moved: dict[str, str] = {}
        self.back: dict[str, str] = {}
        anchors = ("$anchor", "$dynamicAnchor")
        self.anchors = {
            here[word]: place
            for place, here in walk(document)
            if isinstance(here, dict)
            for word in anchors
            if isinstance(here.get(word), str)
        } | {
            here["$id"][1:]: place
            for place, here in walk(document)
            if isinstance(here, dict) and str(here.get("$id", "")).startswith("#")
        }
        self.targets = {target for _, target in self._local_references()}
        self.sees_evaluated = any(
            isinstance(here, dict) and here.keys() & {"unevaluatedProperties", "unevaluatedItems"}
            for _, here in walk(document)
        )

    def _local_references(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for place, here in walk(self.document):
            for word in ("$ref", "$dynamicRef", "$recursiveRef"):
                said = members(here).get(word)
                if isinstance(said, str) and (target := self.target(said)) is not None:
                    found.append((place, target))
        return found

    def target(self, reference: str) -> str | None:
        """The place that a reference names in this document; None for one that leads out of it."""
        address, _, fragment = reference.partition("#")
        if address and address != str(self.document.get("$id", "")).rstrip("#"):
            return None
        if not fragment or fragment.startswith("/"):
            return unquote(fragment)
        return self.anchors.get(fragment)

    def is_referred_into(self, place: str) -> bool:
        """Whether some reference names this place, or one below it."""
        return any(target == place or target.startswith(f"{place}/") for target in self.targets)

    # ------------------------------------------------------------ one schema

    def node(self, schema: Json, was: str, now: str) -> Json:
        """The plain form of the schema that stood at `was` and is to stand at `now`."""
        if was.count("/") > MAX_DEPTH:
            raise TooDeep(limit=MAX_DEPTH, pointer=was[:80] + "…")
        if not isinstance(schema, dict):
            return {} if schema is True else schema
        given = cast("dict[str, Any]", schema)
        if self.dialect in NO_SIBLINGS and isinstance(given.get("$ref"), str):
            given = {word: given[word] for word in ("$ref", "$defs", "definitions") if word in given}
        made: dict[str, Any] = {}
        for word, value in given.items():
            self._word(made, word, value, was, now)
        if made.keys() & {"$ref"} and any(word in words.LANGUAGE for word in made if word != "$ref"):
            self._ref_as_branch(made, was, now)
        return respelt(made, self, was, now)

    def _ref_as_branch(self, made: dict[str, Any], was: str, now: str) -> None:
        branches = listed(made.get("allOf"))
        self.move(f"{now}/allOf/{len(branches)}", was)
        self.move(f"{now}/allOf/{len(branches)}/$ref", f"{was}/$ref")
        made["allOf"] = [*branches, {"$ref": made.pop("$ref")}]

    def move(self, now: str, was: str) -> None:
        """Remember that what stands at `now` stood at `was`."""
        if now != was:
            self.moved[now] = was
        self.back[was] = now

    def lift(self, now: str, below: str) -> None:
        """What stood (in the form that is being made) below `below` stands at `now`: tell the map so."""
        was = self._written(below)
        for place in [one for one in self.moved if one == below or one.startswith(f"{below}/")]:
            self.moved[now + place[len(below) :]] = self.moved.pop(place)
        self.moved.setdefault(now, was)

    def _written(self, place: str) -> str:
        return Plain(None, self.moved).written_at(place)

    def _word(self, made: dict[str, Any], word: str, value: Json, was: str, now: str) -> None:
        """One keyword of the schema at `was`, put into the one that is made."""
        before, after = was + pointer(word), now + pointer(word)
        if self._is_core(word, value):
            return
        if word in {"$dynamicRef", "$recursiveRef"}:
            made.setdefault("$ref", value)  # one resource has one dynamic scope
        elif word in OLD_WORDS and self.dialect != "2020-12":
            self._old_word(made, word, value, was, now)
        elif word == "items" and isinstance(value, list):
            self._list(made, "prefixItems", value, before, now + "/prefixItems")
        elif word in MAPS and isinstance(value, dict):
            named = members(value)
            made[word] = {name: self.node(named[name], before + pointer(name), after + pointer(name)) for name in named}
        elif word in LISTS and isinstance(value, list):
            self._list(made, word, value, before, after)
        elif word in SINGLE and is_schema(value):
            self._single(made, word, value, before, after)
        else:
            self._other(made, word, value)

    def _is_core(self, word: str, value: Json) -> bool:
        """Whether a keyword says only how the document is read."""
        if word in {"$id", "id"}:
            return isinstance(value, str) and (word == "$id" or self.dialect == "04")
        return word in {"$schema", "$vocabulary", "$anchor", "$dynamicAnchor", "$recursiveAnchor"}

    def _old_word(self, made: dict[str, Any], word: str, value: Json, was: str, now: str) -> None:
        if word == "dependencies":
            self._dependencies(made, members(value), was, now)
        elif isinstance(members(self._at(was)).get("items"), list):
            self._single(made, "items", value, was + "/additionalItems", now + "/items")

    def _at(self, place: str) -> Json:
        return at(self.document, place)

    def _single(self, made: dict[str, Any], word: str, value: Json, was: str, now: str) -> None:
        if was != now:
            self.move(now, was)
        made[word] = self.node(value, was, now)

    def _list(self, made: dict[str, Any], word: str, value: Json, was: str, now: str) -> None:
        if was != now:
            self.move(now, was)
        made[word] = [self.node(child, f"{was}/{index}", f"{now}/{index}") for index, child in enumerate(listed(value))]

    def _dependencies(self, made: dict[str, Any], named: dict[str, Any], was: str, now: str) -> None:
        for name, wanted in named.items():
            word = "dependentRequired" if isinstance(wanted, list) else "dependentSchemas"
            before, after = was + pointer("dependencies", name), now + pointer(word, name)
            self.move(after, before)
            made.setdefault(word, {})[name] = wanted if isinstance(wanted, list) else self.node(wanted, before, after)

    def _other(self, made: dict[str, Any], word: str, value: Json) -> None:
        exclusive = {"exclusiveMaximum": "maximum", "exclusiveMinimum": "minimum"}.get(word)
        if exclusive and isinstance(value, bool):  # draft 04 and OpenAPI 3.0
            if value:
                made[word] = "pending"
            return
        if word == "nullable" and self.dialect == "openapi-3.0":
            made["nullable"] = value
            return
        if word in {"type", "enum", "required"} and isinstance(value, list):
            made[word] = list(listed(value))
            return
        made[word] = value

    # ------------------------------------------------------------ references, once every place is known

    def pointed(self, schema: Json, depth: int = 0) -> Json:
        """The finished form with its references naming places of it."""
        if isinstance(schema, list):
            return [self.pointed(one, depth + 1) for one in listed(schema)]
        if not isinstance(schema, dict):
            return schema
        made: dict[str, Any] = {}
        for word, value in members(schema).items():
            if word == "$ref" and isinstance(value, str):
                target = self.target(value)
                made[word] = value if target is None else f"#{self._now(target)}"
            elif word in words.ANNOTATIONS or word in {"const", "enum"}:
                made[word] = value
            else:
                made[word] = self.pointed(value, depth + 1)
        return made

    def _now(self, target: str) -> str:
        for cut in range(target.count("/") + 1):
            head = target.rsplit("/", cut)[0] if cut else target
            if head in self.back:
                return self.back[head] + target[len(head) :]
        return target
