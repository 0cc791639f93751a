"""How large a document is once its references are written out: what foreign code may be asked without harm.

jsonschema-rs knows no budget, and a native stack that runs over ends the process. Its algebra is asked only about
documents without circles whose size and choices are bounded; its validator only where one instance is not looked at
by exponentially many branches.
"""

import math
from typing import Final
from urllib.parse import urldefrag

import msgspec

from stipula.diff.containment.budget import Undecidable
from stipula.diff.containment.dialects import ADDRESSES
from stipula.diff.containment.documents import Document, Resource, joined
from stipula.diff.containment.values import Value, is_array, is_object

MAX_SIZE: Final = 3000
MAX_CHOICES: Final = 1000
MAX_DEPTH: Final = 100
MAX_BRANCHES: Final = 20_000
META_SIZE: Final = 500
DYNAMIC: Final = ("$dynamicRef", "$recursiveRef")
IN_PLACE: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})


class Measure(msgspec.Struct):
    """Schemas once references are written out, and the product of the choices among them; infinite in a circle."""

    size: float = 1.0  # floats on purpose: they end in infinity, where whole numbers would grow without bound
    choices: float = 1.0

    def add(self, other: "Measure") -> None:
        """Take in a part."""
        self.size += other.size
        self.choices *= other.choices


class Measures:
    """The measures of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.known: dict[int, Measure] = {}
        self.branches: dict[int, float] = {}

    def fit_for_algebra(self) -> bool:
        """Whether the whole document is small, shallow and without circles."""
        whole = self.whole(self.document.root, self.document.home, 0)
        return whole.size <= MAX_SIZE and whole.choices <= MAX_CHOICES

    def fit_for_validator(self) -> bool:
        """Whether no place has exponentially many branches for one instance."""
        return all(self.in_place(node, self.document.home, 0) <= MAX_BRANCHES for node in self.document.places.values())

    def whole(self, node: Value, resource: Resource, depth: int) -> Measure:
        """A schema with all that is in it."""
        if not is_object(node):
            return Measure()
        if depth > MAX_DEPTH:
            return Measure(math.inf, math.inf)
        if id(node) not in self.known:
            self.known[id(node)] = Measure(math.inf, math.inf)  # what a circle finds
            resource = self.document.resource_of(node, resource)
            found = Measure()
            for part in self._targets(node, resource, found):
                found.add(self.whole(part, resource, depth + 1))
            for word, value in node.items():
                found.choices *= _choices(word, value)
                for part in _schemas(word, value):
                    found.add(self.whole(part, resource, depth + 1))
            self.known[id(node)] = found
        return self.known[id(node)]

    def in_place(self, node: Value, resource: Resource, depth: int) -> float:
        """How many schemas are held against one instance."""
        if not is_object(node):
            return 1
        if depth > 4 * MAX_DEPTH:
            return math.inf
        if id(node) not in self.branches:
            self.branches[id(node)] = 1
            resource = self.document.resource_of(node, resource)
            total = 1.0 + sum(
                self.in_place(part, resource, depth + 1) for part in self._targets(node, resource, Measure())
            )
            for word, value in node.items():
                if word in IN_PLACE or word in ("dependentSchemas", "dependencies"):
                    total += sum(self.in_place(part, resource, depth + 1) for part in _schemas(word, value))
            self.branches[id(node)] = total
        return self.branches[id(node)]

    def _targets(self, node: dict[str, Value], resource: Resource, found: Measure) -> list[Value]:
        """What the references of a schema name; the meta-schemas count as they are, dynamic references as circles."""
        targets: list[Value] = []
        if any(word in node for word in DYNAMIC):
            found.size = math.inf
        reference = node.get("$ref")
        if isinstance(reference, str):
            address = urldefrag(joined(resource.address, reference))[0]
            if address in ADDRESSES and address not in self.document.resources:
                found.size += META_SIZE
            else:
                try:
                    targets.append(self.document.resolve(reference, resource)[0])
                except Undecidable:
                    found.size = math.inf
        return targets


def _schemas(word: str, value: Value) -> list[Value]:
    """The schemas at a keyword; definitions count where they are referred to."""
    if word in ("$defs", "definitions", "enum", "const", "default", "examples"):
        return []
    if is_array(value):
        return [part for part in value if is_object(part)]
    if not is_object(value):
        return []
    if word in ("properties", "patternProperties", "dependentSchemas", "dependencies"):
        return [part for part in value.values() if is_object(part)]
    return [value]


def _choices(word: str, value: Value) -> int:
    """Into how many cases a keyword falls apart."""
    if word in ("anyOf", "oneOf") and is_array(value):
        return max(1, len(value))
    if word == "if":
        return 2
    if word == "not" and is_object(value):
        return max(1, len(value))
    if word in ("dependentSchemas", "dependentRequired", "dependencies") and is_object(value):
        return 2 ** min(64, len(value))
    return 1
