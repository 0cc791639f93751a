"""A value held against a shape: what is wrong, where, what was wanted, what was seen. Compiled once, never fetching."""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from stipula.contract.canonical import canonical
from stipula.contract.model import Json, Schema
from stipula.contract.schema import MAPS, BadSchema, at, pointer

if TYPE_CHECKING:
    import jsonschema_rs

MAX_VIOLATIONS: Final = 20
MAX_TEXT: Final = 120
MAX_CLIP: Final = 12
"""How much of a string is shown: enough to know it again, too little to hand on a secret."""
MAX_BACKTRACKS: Final = 100_000
"""For patterns with look-around only; all others run in an engine that does not backtrack."""


class Violation(Struct, frozen=True, kw_only=True):
    """One way in which a value is not what was promised. pointer: into the value; rule: the keyword that broke."""

    pointer: str
    wanted: str
    seen: str
    rule: str = ""

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: wanted {self.wanted}, saw {self.seen}"


class Shape:
    """A schema made ready; safe to share, `violations` costs under a microsecond on a small valid value."""

    def __init__(self, schema: Schema, where: str = "shape") -> None:
        """Compile. Raises BadSchema where the schema is none, or refers to what it does not hold."""
        self.schema = schema
        self._validator = _compiled(schema, where)

    def accepts(self, value: Json) -> bool:
        """Whether the value is what was promised."""
        try:
            return self._validator.is_valid(value)
        except (ValueError, UnicodeEncodeError):
            return False

    def violations(self, value: Json) -> list[Violation]:
        """What is wrong with the value, at most MAX_VIOLATIONS; empty if nothing is."""
        if self.accepts(value):
            return []
        found: list[Violation] = []
        try:
            for error in self._validator.iter_errors(value):
                found.extend(_explained(error, value))
                if len(found) >= MAX_VIOLATIONS:
                    break
        except (ValueError, UnicodeEncodeError) as why:  # nested too deep, half a surrogate pair, a Python object
            found.append(Violation(pointer="", wanted="a JSON value", seen=_clip(str(why), MAX_TEXT), rule="json"))
        return found[:MAX_VIOLATIONS]


def compile_shape(schema: Schema, where: str = "shape") -> Shape:
    """The shape of a schema; the same schema is compiled once, whatever the order of its keys."""
    return _cached(canonical(schema), where)


@lru_cache(maxsize=4096)
def _cached(text: bytes, where: str) -> Shape:
    return Shape(json.loads(text), where)


def _compiled(schema: Schema, where: str) -> "jsonschema_rs.Validator":
    import jsonschema_rs as rs  # noqa: PLC0415 - 0.1 s that only those pay who hold values against shapes

    try:
        return rs.validator_for(schema, offline=True, pattern_options=rs.RegexOptions())
    except (rs.ValidationError, ValueError):
        pass  # either look-around, which that engine refuses, or a fault that the next attempt names
    try:
        return rs.validator_for(schema, offline=True, pattern_options=rs.FancyRegexOptions(MAX_BACKTRACKS))
    except rs.ValidationError as why:
        raise BadSchema(where=where, pointer=pointer(*why.instance_path) or "/", why=why.message[:200]) from None
    except ValueError as why:
        raise BadSchema(where=where, pointer="/", why=str(why)[:200]) from None


# ---------------------------------------------------------------- words for a person


def _explained(error: "jsonschema_rs.ValidationError", value: Json) -> Iterator[Violation]:
    """One violation for each field that is missing or unwanted, else one for the error."""
    place = pointer(*error.instance_path)
    kind, facts = error.kind.name, error.kind.as_dict()
    if kind == "required":
        name = str(facts["property"])
        yield Violation(pointer=place + pointer(name), wanted=f"the field {name!r}", seen="nothing", rule=kind)
    elif isinstance(here := at(value, place), dict) and ("unexpected" in facts or _is_closed(error)):
        fields = cast("dict[str, Json]", here)
        for name in cast("list[str]", facts.get("unexpected", list(fields))):
            seen = shown(fields.get(name))
            yield Violation(pointer=place + pointer(name), wanted="no field of this name", seen=seen, rule=kind)
    else:
        yield Violation(pointer=place, wanted=_wanted(kind, facts), seen=shown(error.instance), rule=kind)


def _is_closed(error: "jsonschema_rs.ValidationError") -> bool:
    """Whether an object without `properties` is closed: the validator says `false` once then, for the object."""
    path = error.schema_path
    is_keyword = path[-1:] == ["additionalProperties"] and (len(path) == 1 or path[-2] not in MAPS)
    return error.kind.name == "falseSchema" and is_keyword


PLAIN_WORDS: Final = {
    "falseSchema": "nothing here",
    "uniqueItems": "no item twice",
    "contains": "an item of the promised form",
    "propertyNames": "other field names",
    "unevaluatedItems": "no further items",
}


def _wanted(kind: str, facts: dict[str, Any]) -> str:
    known = {key: value for key, value in facts.items() if key not in {"context", "error", "unexpected"}}
    match kind:
        case "type":
            types = known.get("types", ())
            words = f"type {' or '.join(sorted(str(one) for one in types))}"
        case "const":
            words = f"exactly {_json(known.get('expected_value'))}"
        case "enum":
            words = f"one of {_json(known.get('options'))}"
        case "anyOf" | "oneOf":
            words = f"one of {len(facts.get('context', ()))} forms{_nearest(facts)}"
        case "required":
            words = f"the field {known.get('property')!r}"
        case _:
            words = " ".join([PLAIN_WORDS.get(kind, kind), *(_json(value) for value in known.values())])
    return _clip(words, MAX_TEXT)


def _nearest(facts: dict[str, Any]) -> str:
    """What the form that fails least says; a form whose constant differs is another form."""
    forms = cast("list[list[jsonschema_rs.ValidationError]]", facts.get("context", ()))
    tried = [form for form in forms if form]
    if not tried:
        return ""
    best = min(tried, key=lambda form: (any(one.kind.name == "const" for one in form), len(form)))
    kind, place = best[0].kind, pointer(*best[0].instance_path)
    return f"; the nearest wants {f'at {place} ' if place else ''}{_wanted(kind.name, kind.as_dict())}"


def shown(value: Json) -> str:
    """A value in a few words: strings clipped, objects by their keys, arrays by their length."""
    match value:
        case str():
            return f"{_json(_clip(value, MAX_CLIP))}{f' ({len(value)} characters)' if len(value) > MAX_CLIP else ''}"
        case dict():
            keys = ", ".join(_clip(str(key), 2 * MAX_CLIP) for key in cast("dict[str, Json]", value))
            return _clip(f"an object with {keys}" if keys else "an empty object", MAX_TEXT)
        case list() | tuple():
            return f"an array of {len(cast('list[Json]', value))}"
        case _:
            return _clip(_json(value), 2 * MAX_CLIP)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"
