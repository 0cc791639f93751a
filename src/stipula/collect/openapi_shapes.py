"""Schemas of an OpenAPI document as shapes that stand alone: their references hoisted, 3.0 turned into 2020-12.

Within a document references count from its root (`#/components/schemas/Item`). A shape holds what it needs under its
own `$defs`. Nothing outside the document is ever fetched.
"""

from collections.abc import Iterator
from typing import Any, Final, cast

from stipula.contract.model import Json, Schema
from stipula.contract.schema import (
    DRAFTS,
    BadSchema,
    NoSuchPlace,
    TooDeep,
    at,
    draft_of,
    is_schema,
    pointer,
    references,
    rewritten,
    tokens,
    walk,
)
from stipula.errors import EXIT_UNAVAILABLE, Problem

OAS_DIALECTS: Final = "https://spec.openapis.org/oas/"
"""2020-12 with a vocabulary of annotations; a shape says 2020-12 by saying nothing."""
COMPONENTS: Final = "/components/schemas/"
DEFS: Final = "#/$defs/"


class BadOpenApi(Problem):
    """A document is no OpenAPI document, or not at one place."""

    code, exit_code = "COL301", EXIT_UNAVAILABLE
    hint = "{file} at {pointer}: {why}"


class ForeignReference(Problem):
    """A `$ref` leads out of an OpenAPI document. It is never followed: bundle the document into one file."""

    code, exit_code = "COL302", EXIT_UNAVAILABLE
    hint = "{file} at {pointer}: $ref {reference!r} leads out of the document and is not followed; bundle it into one"


class Shapes:
    """The schemas of one document. is_30: written in the dialect of OpenAPI 3.0. file: how messages name it."""

    def __init__(self, document: dict[str, Any], *, file: str, is_30: bool) -> None:
        self._document = document
        self._file = file
        self._is_30 = is_30
        self._self: Json = document.get("$self")
        self._dialect = self._dialect_of(document)
        self._names: dict[str, str] = {}
        self._hoisted: dict[str, Schema] = {}
        self._reach: dict[str, list[str]] = {}
        self._anchors: dict[str, str] | None = None

    def checked(self, raw: Json, place: str) -> Json:
        """The raw schema that stands at place, held against its draft, and so is all that it reaches.

        Raises BadOpenApi and ForeignReference with the pointer.
        """
        self._hold_to_its_draft(self._converted(raw, place), place)
        return raw

    def alone(self, raw: Json) -> Schema:
        """A checked schema, or one made around checked ones, with all that it reaches under `$defs`."""
        schema = self._converted(True if raw is None else raw, "")
        if isinstance(schema, bool):
            return schema
        needed: set[str] = set()
        waiting = list(self._reached(schema))
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting.extend(self._reach[name])
        if needed:
            own = cast("dict[str, Any]", schema.get("$defs", {}))
            schema = schema | {"$defs": own | {name: self._hoisted[name] for name in sorted(needed)}}
        return {"$schema": self._dialect, **schema} if self._dialect and "$schema" not in schema else schema

    def target(self, reference: str, place: str) -> str:
        """The pointer that a reference names. place: where it stands, for messages."""
        address, _, fragment = reference.partition("#")
        if address and address != self._self:
            raise ForeignReference(file=self._file, pointer=place or "/", reference=reference[:200])
        if fragment.startswith("/"):
            from urllib.parse import unquote  # noqa: PLC0415 - as in contract.schema

            return unquote(fragment)
        if self._anchors is None:
            self._anchors = dict(_anchors(self._document))
        if fragment not in self._anchors:
            why = f"$ref {reference!r} names {'no $anchor of the' if fragment else 'the whole'} document"
            raise BadOpenApi(file=self._file, pointer=place or "/", why=why)
        return self._anchors[fragment]

    # ------------------------------------------------------------ one schema, as it stands

    def _converted(self, raw: Json, place: str) -> Schema:
        schema = self._schema(raw, place)
        try:
            for where, reference in list(references(schema)):
                self._hoist(reference, place + where)
            return rewritten(schema, self._change)
        except (TooDeep, RecursionError):
            raise BadOpenApi(file=self._file, pointer=place or "/", why="a schema nested beyond reason") from None

    def _schema(self, value: Json, place: str) -> Schema:
        if not isinstance(value, dict | bool):
            raise BadOpenApi(file=self._file, pointer=place or "/", why=f"{kind(value)} where a schema is wanted")
        return cast("Schema", value)

    def _change(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self._is_30:
            schema = modern(schema)
        reference = schema.get("$ref")
        if isinstance(reference, str) and not _is_published(reference):
            schema = schema | {"$ref": "#" + pointer("$defs", self._names[self.target(reference, "")])}
        said = schema.get("$schema")
        if isinstance(said, str) and said.startswith(OAS_DIALECTS):
            schema = {key: value for key, value in schema.items() if key != "$schema"}
        return schema

    def _hold_to_its_draft(self, schema: Schema, place: str) -> None:
        import jsonschema_rs  # noqa: PLC0415 - 0.1 s that only those pay who collect schemas

        whole = {"$schema": self._dialect, **schema} if self._dialect and isinstance(schema, dict) else schema
        try:
            draft_of(whole)
            jsonschema_rs.meta.validate(whole)
        except jsonschema_rs.ValidationError as why:
            where = place + pointer(*why.instance_path)
            raise BadOpenApi(file=self._file, pointer=where or "/", why=f"no schema: {why.message[:160]}") from None
        except (BadSchema, Problem, ValueError, UnicodeEncodeError) as why:
            raise BadOpenApi(file=self._file, pointer=place or "/", why=f"no schema: {str(why)[:160]}") from None

    def _dialect_of(self, document: dict[str, Any]) -> str:
        said: Json = document.get("jsonSchemaDialect", "")
        if not isinstance(said, str):
            raise BadOpenApi(file=self._file, pointer="/jsonSchemaDialect", why=f"{kind(said)}, wanted an address")
        if not said or said.startswith(OAS_DIALECTS) or DRAFTS.get(said.rstrip("#")) == "2020-12":
            return ""
        if said.rstrip("#") not in DRAFTS:
            known = ", ".join(DRAFTS)
            raise BadOpenApi(file=self._file, pointer="/jsonSchemaDialect", why=f"{said!r}; known are {known}")
        return said

    # ------------------------------------------------------------ references

    def _hoist(self, reference: str, place: str) -> None:
        """See to it that what a reference names is among the hoisted schemas, with all that it reaches in turn."""
        fresh: list[tuple[str, Schema]] = []
        waiting = [(reference, place)]
        while waiting:
            named, where = waiting.pop()
            if _is_published(named) or (target := self.target(named, where)) in self._names:
                continue
            try:
                found = self._schema(at(self._document, target), target)
            except NoSuchPlace:
                why = f"$ref {named!r} names nothing in the document"
                raise BadOpenApi(file=self._file, pointer=where or "/", why=why) from None
            self._names[target] = self._free_name(target)
            fresh.append((target, found))
            waiting.extend((inner, target + step) for step, inner in references(found))
        for target, found in fresh:  # all names are known now, also those that lead back
            name, schema = self._names[target], rewritten(found, self._change)
            self._hold_to_its_draft(schema, target)
            self._hoisted[name] = schema
            self._reach[name] = list(self._reached(schema))

    def _reached(self, schema: Schema) -> Iterator[str]:
        """The names under `$defs` that a converted schema refers to."""
        for _, reference in references(schema):
            if reference.startswith(DEFS):
                yield tokens(reference[1:])[1]
            elif not _is_published(reference):  # a dynamic one, which keeps its text
                yield self._names[self.target(reference, "")]

    def _free_name(self, target: str) -> str:
        """A name for what stands at target: that of the component, or the last steps of the pointer."""
        component = target.removeprefix(COMPONENTS)
        is_component = target.startswith(COMPONENTS) and "/" not in component
        name = tokens("/" + component)[0] if is_component else ".".join(tokens(target)[-3:]) or "document"
        taken = set(self._names.values())
        number = 2
        free = name
        while free in taken:
            free, number = f"{name}_{number}", number + 1
        return free


def _is_published(reference: str) -> bool:
    """Whether a reference names a meta-schema that comes with every validator."""
    return reference.partition("#")[0] in DRAFTS


def _anchors(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, schema in _members(_members(document.get("components")).get("schemas")).items():
        for place, here in walk(schema) if is_schema(schema) else ():
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(here, dict) and isinstance(here.get(keyword), str):
                    yield here[keyword], pointer("components", "schemas", name) + place


def _members(value: Json) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


KINDS: Final = {"dict": "an object", "list": "a list", "str": "a string", "bool": "a boolean", "NoneType": "null"}


def kind(value: Json) -> str:
    """What a value is, for messages."""
    return KINDS.get(type(value).__name__, "a number")


# ---------------------------------------------------------------- the dialect of OpenAPI 3.0


def modern(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of OpenAPI 3.0 (draft 5 with `nullable`) in the words of 2020-12; its subschemas are modern already.

    `nullable` adds null to `type`, and has no effect without one (OpenAPI 3.0.3, proposal 2019-10-31); beside a `$ref`
    nothing counts; `exclusiveMinimum` and `exclusiveMaximum` are booleans; `example` is one of `examples`.
    """
    if isinstance(schema.get("$ref"), str):
        return {"$ref": schema["$ref"]}
    changed = {key: value for key, value in schema.items() if key not in {"nullable", "example"}}
    said: Json = schema.get("type")
    if schema.get("nullable") is True and isinstance(said, str) and said != "null":
        changed["type"] = [said, "null"]
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        is_exclusive: Json = schema.get(exclusive)
        if isinstance(is_exclusive, bool):
            del changed[exclusive]
            if is_exclusive and bound in changed:
                changed[exclusive] = changed.pop(bound)
    if "example" in schema and "examples" not in schema:
        changed["examples"] = [schema["example"]]
    return changed
