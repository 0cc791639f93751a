"""A schema document: its resources, anchors and references. Nothing is fetched.

The meta-schemas come with jsonschema-rs.
"""

import functools
from typing import Any, Final, cast
from urllib.parse import unquote, urldefrag, urljoin

import jsonschema_rs

from stipula.diff.containment.budget import Undecidable
from stipula.diff.containment.dialects import ADDRESSES, D07, D19, Dialect, dialect_at, subschemas
from stipula.diff.containment.values import Value, exact, is_array, is_object

BASE: Final = "http://document.invalid/"
"""What relative references of a document without `$id` are relative to."""


class Resource:
    """A schema that has an address, and all that is inside it except resources of their own."""

    def __init__(self, address: str, root: Value, dialect: Dialect) -> None:
        self.address = address
        self.root = root
        self.dialect = dialect
        self.anchors: dict[str, Value] = {}
        self.dynamic: dict[str, Value] = {}

    @property
    def recursive(self) -> bool:
        """Whether `$recursiveAnchor` (2019-09) is set."""
        return is_object(self.root) and self.root.get("$recursiveAnchor") is True


class Document:
    """One side of a question. Places are known by the identity of the Python object that stands there."""

    def __init__(self, schema: Value, dialect: Dialect) -> None:
        self.dialect = dialect
        self.resources: dict[str, Resource] = {}
        self.owner: dict[int, Resource] = {}
        self.places: dict[int, Value] = {}
        self.kept: list[Value] = []
        self.root = schema
        self.home = self._index(schema, BASE, dialect)

    def _index(self, schema: Value, base: str, dialect: Dialect) -> Resource:
        home = Resource(base, schema, dialect)
        self.resources[base] = home
        self.kept.append(schema)
        open_: list[tuple[Value, Resource]] = [(schema, home)]
        while open_:
            node, resource = open_.pop()
            if not is_object(node) or id(node) in self.owner:
                continue
            resource = self._entered(node, resource, top=node is schema)
            self.owner[id(node)] = resource
            self.places[id(node)] = node
            open_.extend((part, resource) for part in subschemas(node))
        return home

    def _entered(self, node: dict[str, Value], resource: Resource, *, top: bool) -> Resource:
        """The resource that a schema belongs to, itself if it has an address of its own; its anchors are noted."""
        dialect = resource.dialect
        if not top and "$schema" in node:
            dialect = dialect_at(node["$schema"]) or dialect
        name = node.get(dialect.id_word)
        hidden = "$ref" in node and dialect.level <= D07.level  # there, nothing beside a $ref counts
        if isinstance(name, str) and not hidden:
            address, fragment = urldefrag(joined(resource.address, name))
            if fragment and D07.level >= dialect.level:
                resource.anchors.setdefault(fragment, node)
            if not name.startswith("#") and address != resource.address:
                resource = Resource(address, node, dialect)
                if address in self.resources:
                    raise Undecidable(f"two schemas have the address {address}")
                self.resources[address] = resource
                if top:
                    self.resources[BASE] = resource
        for word in ("$anchor", "$dynamicAnchor") if dialect.level >= D19.level else ():
            anchor = node.get(word)
            if isinstance(anchor, str):
                resource.anchors.setdefault(anchor, node)
                if word == "$dynamicAnchor":
                    resource.dynamic.setdefault(anchor, node)
        return resource

    def resource_of(self, node: Value, fallback: Resource) -> Resource:
        """The resource that a place belongs to; booleans belong where they were met."""
        return self.owner.get(id(node), fallback) if is_object(node) else fallback

    def resolve(self, reference: str, resource: Resource) -> tuple[Value, Resource]:
        """The place that a reference names; `Undecidable` where it is outside or nowhere."""
        address, fragment = urldefrag(joined(resource.address, reference))
        if address not in self.resources:
            self._bundle(address, resource.dialect, reference)
        target = self.resources[address]
        fragment = unquote(fragment)
        if not fragment:
            return target.root, self.resource_of(target.root, target)
        if not fragment.startswith("/"):
            if fragment not in target.anchors:
                raise Undecidable(f"$ref {reference!r} names nothing in the document")
            return target.anchors[fragment], target
        return self._pointed(target, fragment, reference)

    def _pointed(self, target: Resource, pointer: str, reference: str) -> tuple[Value, Resource]:
        node, resource = target.root, target
        for step in pointer[1:].split("/"):
            token = step.replace("~1", "/").replace("~0", "~")
            if is_object(node) and token in node:
                node = node[token]
            elif is_array(node) and token.isdecimal() and int(token) < len(node):
                node = node[int(token)]
            else:
                raise Undecidable(f"$ref {reference!r} names nothing in the document")
            resource = self.resource_of(node, resource)
        if is_object(node) and id(node) not in self.owner:
            self._adopt(node, resource)
        if not is_object(node) and not isinstance(node, bool):
            raise Undecidable(f"$ref {reference!r} names no schema")
        return node, self.resource_of(node, resource)

    def _adopt(self, node: dict[str, Value], resource: Resource) -> None:
        """A schema that stands under a keyword that no dialect knows."""
        open_ = [node]
        while open_:
            part = open_.pop()
            if id(part) in self.owner:
                continue
            if "$id" in part or "$anchor" in part or "$dynamicAnchor" in part:
                raise Undecidable("an address under a keyword that is no part of the dialect")
            self.owner[id(part)] = resource
            open_.extend(subschemas(part))

    def _bundle(self, address: str, dialect: Dialect, reference: str) -> None:
        if address not in ADDRESSES and not address.startswith("https://json-schema.org/draft/20"):
            raise Undecidable(f"$ref {reference!r} leads out of the document and is not fetched")
        for where, schema in meta_schemas(dialect.address, dialect.draft).items():
            if where not in self.resources:
                copy = exact(schema)
                self._index(copy, where, dialect)
        if address not in self.resources:
            raise Undecidable(f"$ref {reference!r} leads out of the document and is not fetched")


@functools.cache
def meta_schemas(address: str, draft: int) -> dict[str, Any]:
    """The meta-schema of a dialect and its vocabularies, as jsonschema-rs carries them, by address."""
    bundled = cast("dict[str, Any]", jsonschema_rs.bundle({"$ref": address}, draft=draft, offline=True))
    parts = cast("dict[str, Any]", bundled.get("$defs", bundled.get("definitions", {})))
    return {where.rstrip("#"): schema for where, schema in parts.items()}


def joined(base: str, reference: str) -> str:
    """RFC 3986 resolution; a fragment alone stays in any base, `urn:` among them."""
    if reference.startswith("#"):
        return urldefrag(base)[0] + reference
    return urljoin(base, reference)
