"""A schema of a question, made ready: its dialect, an exact copy, and the validator that witnesses are shown to."""

from typing import Any, cast

import jsonschema_rs

from stipula.diff.containment.answers import InvalidSchema, UnknownDialect
from stipula.diff.containment.budget import Undecidable
from stipula.diff.containment.dialects import (
    ALIASES,
    D04,
    D20,
    OPENAPI_30,
    OPENAPI_ALIASES,
    Dialect,
    dialect_at,
    from_openapi_30,
    without_content,
)
from stipula.diff.containment.documents import Document
from stipula.diff.containment.measures import Measures
from stipula.diff.containment.values import NotJson, TooDeep, Value, exact, is_object, plain


class Side:
    """One schema. `name` is "left" or "right", for messages."""

    def __init__(self, name: str, schema: object, draft: str | None) -> None:
        self.name = name
        try:
            copy = exact(schema)
        except NotJson as why:
            raise InvalidSchema(side=name, why=str(why)) from None
        except TooDeep as why:
            raise Undecidable(f"the {name} schema is {why}") from None
        if not isinstance(copy, dict | bool):
            raise InvalidSchema(side=name, why="a schema is an object or a boolean")
        self.dialect, self.schema = _read_as(name, copy, draft)
        self.schema = without_content(self.schema)
        self.plain: Any = plain(self.schema)
        self.document = Document(self.schema, self.dialect)
        self.measures = Measures(self.document)
        self.validator = self._validator()
        self.checkable = self.measures.fit_for_validator()

    def _validator(self) -> jsonschema_rs.Validator:
        if isinstance(self.schema, bool) and self.dialect is D04:
            raise InvalidSchema(side=self.name, why="draft-04 has no boolean schemas")
        try:
            return cast(
                "jsonschema_rs.Validator",
                self.dialect.validator(self.plain, offline=True, validate_formats=False),
            )
        except jsonschema_rs.ValidationError as why:
            if isinstance(why.kind, jsonschema_rs.ValidationErrorKind.Referencing):
                raise Undecidable(f"the {self.name} schema: {why.message}") from None
            raise InvalidSchema(side=self.name, why=why.message) from None
        except jsonschema_rs.ReferencingError as why:
            raise Undecidable(f"the {self.name} schema: {why}") from None
        except (ValueError, UnicodeEncodeError, OverflowError) as why:
            raise Undecidable(f"the {self.name} schema: {why}") from None

    def accepts(self, value: object) -> bool | None:
        """What jsonschema-rs says of a plain value; None where it gives up."""
        if not self.checkable:
            return None
        try:
            return self.validator.is_valid(value)
        except (ValueError, OverflowError, TypeError, RecursionError):
            return None


def _read_as(name: str, schema: Value, draft: str | None) -> tuple[Dialect, Value]:
    """The dialect that counts: the one named, else that of `$schema`, else 2020-12."""
    if draft in OPENAPI_ALIASES:
        return D04, from_openapi_30(schema)
    named = schema.get("$schema") if is_object(schema) else None
    stated = dialect_at(named)
    if draft is None:
        if stated is None and named is not None:
            raise Undecidable(f"the {name} schema is written in a dialect that is not known, {named!r}")
        return stated or D20, schema
    dialect = ALIASES.get(draft) or dialect_at(draft)
    if dialect is None:
        raise UnknownDialect(side=name, seen=draft, known=", ".join(sorted({*ALIASES, OPENAPI_30})))
    if is_object(schema) and stated is not dialect:
        return dialect, {word: part for word, part in schema.items() if word != "$schema"}
    return dialect, schema
