"""Reads a schema document into formulas: keywords, references, dynamic scopes.

A place is read once per dynamic scope, subschemas of children with it. Where a reference closes a circle, the formula
holds a `ref` to the place, which is opened only where a solver gets there.
"""

from typing import Final, cast

from stipula.diff.containment import array_words, evaluated, logic_words, object_words
from stipula.diff.containment.budget import Budget, Undecidable
from stipula.diff.containment.dialects import D06, D07, D19, D20
from stipula.diff.containment.documents import Document, Resource
from stipula.diff.containment.forms import INF, Forge, Node
from stipula.diff.containment.places import Place, Scope
from stipula.diff.containment.values import NAMES, Value, is_array

MAX_NESTING: Final = 140


class Registry:
    """The numbered places of both sides of a question, for `ref` nodes."""

    def __init__(self) -> None:
        self.places: list[tuple[Reader, Place]] = []

    def expand(self, target: int) -> Node:
        """The formula of a numbered place."""
        reader, place = self.places[target]
        return reader.formula(place)


class Reader:
    """Reads one document."""

    def __init__(self, document: Document, forge: Forge, registry: Registry, budget: Budget) -> None:
        self.document = document
        self.forge = forge
        self.registry = registry
        self.budget = budget
        self.read: dict[tuple[int, Scope], Node] = {}
        self.numbers: dict[tuple[int, Scope], int] = {}
        self.chain: list[tuple[int, Scope]] = []
        self.chain_start = 0

    def root(self) -> Node:
        """The formula of the whole document."""
        resource = self.document.resource_of(self.document.root, self.document.home)
        return self.here(self.document.root, resource, ())

    # ------------------------------------------------------------ places

    def here(self, schema: Value, resource: Resource, scope: Scope) -> Node:
        """A schema that is applied to the same instance."""
        if isinstance(schema, bool):
            return self.forge.true if schema else self.forge.false
        if not isinstance(schema, dict):
            raise Undecidable("a schema that is neither an object nor a boolean")
        return self.formula(self.place(cast("dict[str, Value]", schema), resource, scope))

    def place(self, schema: dict[str, Value], resource: Resource, scope: Scope) -> Place:
        """A schema with its resource, the scope grown by it."""
        resource = self.document.resource_of(schema, resource)
        dynamic = resource.dynamic or resource.dialect is D19
        if dynamic and resource.address not in scope:
            scope = (*scope, resource.address)
        return Place(schema, resource, scope)

    def part(self, place: Place, schema: Value) -> Node:
        """A subschema for the same instance."""
        return self.here(schema, place.resource, place.scope)

    def child(self, place: Place, schema: Value) -> Node:
        """A subschema for a part of the instance."""
        if isinstance(schema, bool):
            return self.forge.true if schema else self.forge.false
        if not isinstance(schema, dict):
            raise Undecidable("a schema that is neither an object nor a boolean")
        inner = self.place(cast("dict[str, Value]", schema), place.resource, place.scope)
        if inner.name in self.chain:
            return self._ref(inner)
        before, self.chain_start = self.chain_start, len(self.chain)
        try:
            return self.formula(inner)
        finally:
            self.chain_start = before

    def _ref(self, place: Place) -> Node:
        if place.name not in self.numbers:
            self.numbers[place.name] = len(self.registry.places)
            self.registry.places.append((self, place))
        return self.forge.ref(self.numbers[place.name])

    def formula(self, place: Place) -> Node:
        """What a place says. `Undecidable` where it leads back to itself with the same instance."""
        name = place.name
        if name in self.read:
            return self.read[name]
        if name in self.chain:
            if name in self.chain[self.chain_start :]:
                raise Undecidable("a schema that refers to itself without consuming any of the instance")
            return self._ref(place)
        if len(self.chain) > MAX_NESTING:
            raise Undecidable(f"schemas nested deeper than {MAX_NESTING} levels")
        self.budget.spend()
        self.chain.append(name)
        try:
            self.read[name] = self._said(place)
        finally:
            self.chain.pop()
        return self.read[name]

    # ------------------------------------------------------------ references

    def referred(self, place: Place) -> list[Place | bool]:
        """Where the references of a schema lead."""
        found: list[Place | bool] = []
        schema = place.schema
        if isinstance(schema.get("$ref"), str):
            found.append(self._target(place, *self.document.resolve(schema["$ref"], place.resource)))
        if place.dialect is D19 and "$recursiveRef" in schema:
            found.append(self._recursive(place))
        if place.dialect is D20 and isinstance(schema.get("$dynamicRef"), str):
            found.append(self._dynamic(place, schema["$dynamicRef"]))
        return found

    def _target(self, place: Place, schema: Value, resource: Resource) -> Place | bool:
        if isinstance(schema, bool):
            return schema
        return self.place(schema, resource, place.scope)

    def _recursive(self, place: Place) -> Place | bool:
        target = place.resource
        if target.recursive:
            entered = [self.document.resources[address] for address in place.scope]
            outer = entered
            while outer and not outer[0].recursive:
                outer = outer[1:]
            if any(not one.recursive for one in outer):
                raise Undecidable("$recursiveRef across a resource without $recursiveAnchor")
            target = outer[0] if outer else target
        return self._target(place, target.root, target)

    def _dynamic(self, place: Place, reference: str) -> Place | bool:
        schema, resource = self.document.resolve(reference, place.resource)
        anchor = reference.rpartition("#")[2]
        if resource.dynamic.get(anchor) is not None and resource.dynamic.get(anchor) is schema:
            for address in place.scope:
                outer = self.document.resources[address]
                if anchor in outer.dynamic:
                    return self._target(place, outer.dynamic[anchor], outer)
        return self._target(place, schema, resource)

    # ------------------------------------------------------------ keywords

    def _said(self, place: Place) -> Node:
        schema, forge = place.schema, self.forge
        parts = [self._followed(target) for target in self.referred(place)]
        if "$ref" in schema and place.dialect.level <= D07.level:
            return forge.both(*parts)
        parts.extend(self._values(place))
        parts.extend(self._scalars(place))
        parts.extend(array_words.read(self, place))
        parts.extend(object_words.read(self, place))
        parts.extend(logic_words.read(self, place))
        if place.dialect.level >= D19.level:
            parts.extend(evaluated.read(self, place))
        return forge.both(*parts)

    def _followed(self, target: Place | bool) -> Node:  # noqa: FBT001 - a boolean is a schema
        if isinstance(target, bool):
            return self.forge.true if target else self.forge.false
        return self.formula(target)

    def _values(self, place: Place) -> list[Node]:
        schema, forge = place.schema, self.forge
        parts: list[Node] = []
        if "type" in schema:
            names = schema["type"] if is_array(schema["type"]) else [schema["type"]]
            parts.append(forge.either(*(self._type(name) for name in names)))
        if isinstance(schema.get("enum"), list):
            parts.append(forge.among(schema["enum"]))
        if "const" in schema and place.dialect.level >= D06.level:
            parts.append(forge.among([schema["const"]]))
        return parts

    def _type(self, name: object) -> Node:
        if not isinstance(name, str) or name not in NAMES:
            raise Undecidable(f"the type {name!r}")
        mask = self.forge.mask(NAMES[name])
        return self.forge.both(mask, self.forge.number("mul", 1)) if name == "integer" else mask

    def _scalars(self, place: Place) -> list[Node]:
        schema, forge = place.schema, self.forge
        parts: list[Node] = []
        old = place.dialect.level < D06.level
        for word, inner, outer in (("minimum", "ge", "gt"), ("maximum", "le", "lt")):
            exclusive = schema.get("exclusive" + word.capitalize())
            if word in schema:
                parts.append(forge.number(outer if old and exclusive is True else inner, schema[word]))
            if exclusive is not None and not isinstance(exclusive, bool):
                parts.append(forge.number(outer, exclusive))
        if "multipleOf" in schema:
            parts.append(forge.number("mul", schema["multipleOf"]))
        parts.append(forge.sized("slen", schema.get("minLength", 0), schema.get("maxLength", INF)))
        if isinstance(schema.get("pattern"), str):
            parts.append(forge.pattern(schema["pattern"]))
        return parts
