"""How a JSON Schema is read: its dialect, its subschemas, its pointers, its references. Nothing is ever fetched.

Shapes are JSON Schema 2020-12; older drafts are read where a document says so. A boolean is a schema.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, cast

from stipula.contract.model import Json, Schema
from stipula.errors import EXIT_UNAVAILABLE, Problem

DRAFTS: Final[dict[str, str]] = {
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "http://json-schema.org/draft-07/schema": "07",
    "http://json-schema.org/draft-06/schema": "06",
    "http://json-schema.org/draft-04/schema": "04",
    # OpenAPI 3.1 adds a vocabulary of annotations to 2020-12
    "https://spec.openapis.org/oas/3.1/dialect/base": "2020-12",
    "https://spec.openapis.org/oas/3.1/dialect/2024-11-10": "2020-12",
}
DEFAULT_DRAFT: Final = "2020-12"

SINGLE: Final = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
LISTS: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})  # `items` is a list in older drafts
MAPS: Final = frozenset({
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
})  # fmt: skip
DATA: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords whose values are instances, not schemas: nothing in them is a keyword."""
TEXTS: Final = frozenset({"title", "description", "examples", "$comment"})
"""Keywords that tell a reader something and a validator nothing."""

MAX_DEPTH: Final = 200


class BadSchema(Problem):
    """A shape is no JSON Schema."""

    code, exit_code = "CON201", EXIT_UNAVAILABLE
    hint = "{where}: not a JSON Schema at {pointer}: {why}"


class UnknownDraft(Problem):
    """A shape names a dialect of JSON Schema that we do not know."""

    code, exit_code = "CON202", EXIT_UNAVAILABLE
    hint = "$schema is {seen!r}; known are {known}"


class RemoteReference(Problem):
    """A `$ref` leads out of its document. It is never fetched: put what it names under `$defs`."""

    code, exit_code = "CON203", EXIT_UNAVAILABLE
    hint = "$ref {reference!r} leads out of the document and is not fetched; copy what it names into $defs"


class NoSuchPlace(Problem):
    """A JSON pointer, or a local `$ref`, names nothing."""

    code, exit_code = "CON204", EXIT_UNAVAILABLE
    hint = "{pointer!r} names nothing in the document"


class TooDeep(Problem):
    """A document is nested deeper than anything we read."""

    code, exit_code = "CON205", EXIT_UNAVAILABLE
    hint = "nested deeper than {limit} levels at {pointer}"


# ---------------------------------------------------------------- JSON pointers (RFC 6901)


def escaped(token: str | int) -> str:
    """One step of a pointer, with its slash."""
    return "/" + str(token).replace("~", "~0").replace("/", "~1")


def pointer(*tokens: str | int) -> str:
    """The pointer of these steps; "" is the whole document."""
    return "".join(escaped(token) for token in tokens)


def tokens(text: str) -> list[str]:
    """The steps of a pointer."""
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]


def at(document: Json, place: str) -> Json:
    """What stands at this pointer."""
    here: Json = document
    for token in tokens(place):
        if isinstance(here, dict) and token in here:
            here = cast("dict[str, Json]", here)[token]
        elif isinstance(here, list) and token.isdecimal() and int(token) < len(cast("list[Json]", here)):
            here = cast("list[Json]", here)[int(token)]
        else:
            raise NoSuchPlace(pointer=place)
    return here


# ---------------------------------------------------------------- dialects


def draft_of(schema: Schema) -> str:
    """The draft a schema says it is written in, as "2020-12" or "07"; without `$schema` the newest."""
    if isinstance(schema, bool) or "$schema" not in schema:
        return DEFAULT_DRAFT
    seen = schema["$schema"]
    draft = DRAFTS.get(seen.rstrip("#")) if isinstance(seen, str) else None
    if draft is None:
        raise UnknownDraft(seen=seen, known=", ".join(DRAFTS))
    return draft


def check(schema: Schema, where: str = "schema") -> None:
    """Hold a schema against the meta-schema of its draft (they come with jsonschema-rs) and its refs against itself.

    where: how messages name the schema.
    """
    import jsonschema_rs  # noqa: PLC0415 - 0.1 s that only those pay who check a schema

    draft_of(schema)
    for place, reference in references(schema):
        try:
            resolved(schema, reference)
        except NoSuchPlace:
            raise BadSchema(where=where, pointer=place, why=f"$ref {reference!r} names nothing") from None
    try:
        jsonschema_rs.validator_for(schema, offline=True)  # compiles patterns too, which the meta-schema does not
    except jsonschema_rs.ValidationError as why:
        raise BadSchema(where=where, pointer=pointer(*why.instance_path) or "/", why=why.message[:200]) from None
    except ValueError as why:
        raise BadSchema(where=where, pointer="/", why=str(why)[:200]) from None


# ---------------------------------------------------------------- subschemas


def children(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The direct subschemas, each with its pointer from here."""
    if isinstance(schema, bool):
        return
    for keyword, value in schema.items():
        if keyword in MAPS and isinstance(value, dict):
            for name, child in cast("dict[str, Json]", value).items():
                if is_schema(child):
                    yield pointer(keyword, name), child
        elif keyword in LISTS and isinstance(value, list):
            for index, child in enumerate(cast("list[Json]", value)):
                if is_schema(child):
                    yield pointer(keyword, index), child
        elif keyword in SINGLE and is_schema(value):
            yield pointer(keyword), value


def walk(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Every subschema with its pointer, the root first. Bounded: `TooDeep` beyond MAX_DEPTH."""
    waiting: list[tuple[str, Schema, int]] = [("", schema, 0)]
    while waiting:
        place, here, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise TooDeep(limit=MAX_DEPTH, pointer=place[:80] + "…")
        yield place, here
        below = [(place + step, child, depth + 1) for step, child in children(here)]
        waiting.extend(reversed(below))


def is_schema(value: Json) -> bool:
    """Whether this can stand where a schema is wanted."""
    return isinstance(value, dict | bool)


def rewritten(schema: Schema, change: Callable[[dict[str, Any]], dict[str, Any]], depth: int = 0) -> Schema:
    """A copy in which each subschema, from the leaves up, is what `change` made of it."""
    if isinstance(schema, bool):
        return schema
    if depth > MAX_DEPTH:
        raise TooDeep(limit=MAX_DEPTH, pointer="…")
    copy: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in MAPS and isinstance(value, dict):
            named = cast("dict[str, Json]", value)
            copy[keyword] = {name: _rewritten(child, change, depth) for name, child in named.items()}
        elif keyword in LISTS and isinstance(value, list):
            copy[keyword] = [_rewritten(child, change, depth) for child in cast("list[Json]", value)]
        elif keyword in SINGLE:
            copy[keyword] = _rewritten(value, change, depth)
        else:
            copy[keyword] = value
    return change(copy)


def _rewritten(child: Json, change: Callable[[dict[str, Any]], dict[str, Any]], depth: int) -> Json:
    return rewritten(child, change, depth + 1) if is_schema(child) else child


# ---------------------------------------------------------------- references


def references(schema: Schema) -> Iterator[tuple[str, str]]:
    """Every `$ref` (and `$dynamicRef`) with the pointer of the schema that holds it."""
    for place, here in walk(schema):
        if isinstance(here, dict):
            for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                reference = here.get(keyword)
                if isinstance(reference, str):
                    yield place, reference


def resolved(document: Schema, reference: str) -> Schema:
    """What a reference names inside its document.

    A bundled meta-schema resolves to `{"$ref": its address}`; anything else outside raises `RemoteReference`.
    """
    address, _, fragment = reference.partition("#")
    if address.rstrip("#") in DRAFTS:
        return {"$ref": reference}
    root = document if not address else _named(document, address)
    if root is None:
        raise RemoteReference(reference=reference)
    if fragment.startswith("/"):
        from urllib.parse import unquote  # noqa: PLC0415 - costs at start-up, wanted seldom

        found: Json = at(root, unquote(fragment))
        if not is_schema(found):
            raise NoSuchPlace(pointer=reference)
        return found
    return _anchored(root, fragment, reference) if fragment else root


def _named(document: Schema, address: str) -> Schema | None:
    """The subschema whose `$id` is this address, or ends in it after a slash."""
    for _, here in walk(document):
        if isinstance(here, dict):
            known = here.get("$id")
            if isinstance(known, str) and (known.rstrip("#") == address or known.endswith("/" + address)):
                return here
    return None


def _anchored(document: Schema, name: str, reference: str) -> Schema:
    for _, here in walk(document):
        if isinstance(here, dict) and name in (here.get("$anchor"), here.get("$dynamicAnchor")):
            return here
        if isinstance(here, dict) and here.get("$id") == f"#{name}":  # draft 06 and 07
            return here
    raise NoSuchPlace(pointer=reference)
