"""Which places of a consumer list a difference of shapes touches: the second ground of a break."""

from collections.abc import Iterable
from typing import Any, Final

from stipula.contract.model import Reader
from stipula.contract.schema import tokens
from stipula.diff.fact import Fact

TOUCHES: Final = frozenset({
    ("properties", "removed"), ("properties", "renamed"), ("type", "changed"), ("", "narrowed"),
})  # fmt: skip
"""Differences after which a read finds nothing, or another kind of thing."""
HARMLESS: Final = frozenset({"fallback", "unused"})
"""Verdicts of readers that go on without the field."""


def reading_lines(fact: Fact, readers: Iterable[Reader]) -> list[dict[str, Any]]:
    """The lines that read what this difference takes away, without a fallback."""
    if (fact.word, fact.edit) not in TOUCHES:
        return []
    return [
        {"file": one.file, "line": one.line, "field": one.field, "verdict": one.verdict}
        for one in readers
        if one.field and one.verdict not in HARMLESS and _lies_in(one.field, fact.reads)
    ]


def _lies_in(field: str, place: str) -> bool:
    """Whether a field that is read is the place, or lies below it; `*` stands for any member or item."""
    read, gone = tokens(field), tokens(place)
    if len(read) < len(gone):
        return False
    return all(one in (other, "*") or other == "*" for one, other in zip(read, gone, strict=False))
