"""Places in a schema document, and what the keyword readers ask of the reader of a document."""

from typing import Protocol, TypeAlias

from stipula.diff.containment.dialects import Dialect
from stipula.diff.containment.documents import Resource
from stipula.diff.containment.forms import Forge, Node
from stipula.diff.containment.values import Value

Scope: TypeAlias = tuple[str, ...]
"""Addresses of the resources that were entered, outermost first, as far as a dynamic reference may ask for them."""


class Place:
    """A schema, where it stands and how it was reached."""

    __slots__ = ("resource", "schema", "scope")

    def __init__(self, schema: dict[str, Value], resource: Resource, scope: Scope) -> None:
        self.schema = schema
        self.resource = resource
        self.scope = scope

    @property
    def dialect(self) -> Dialect:
        """The dialect of the resource."""
        return self.resource.dialect

    @property
    def name(self) -> tuple[int, Scope]:
        """What tells places apart."""
        return id(self.schema), self.scope


class Reading(Protocol):
    """A reader of one document."""

    forge: Forge

    def part(self, place: Place, schema: Value) -> Node:
        """A subschema for the same instance."""
        ...

    def child(self, place: Place, schema: Value) -> Node:
        """A subschema for a part of the instance."""
        ...

    def place(self, schema: dict[str, Value], resource: Resource, scope: Scope) -> Place:
        """A schema with its resource, the scope grown by it."""
        ...

    def referred(self, place: Place) -> list[Place | bool]:
        """Where the references of a schema lead."""
        ...
