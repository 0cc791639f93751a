"""Foreign code is asked only about documents that it survives."""

from typing import Any

import pytest

from stipula.diff.containment import NotContained, contains
from stipula.diff.containment.sides import Side

CIRCLE = {"contains": {"$ref": "#", "prefixItems": [{}]}, "type": "array"}
META = {"$ref": "https://json-schema.org/draft/2020-12/schema"}


def doubling(levels: int) -> dict[str, Any]:
    """Shapes that each refer twice to the next, for the same instance."""
    shapes: dict[str, Any] = {
        f"a{i}": {"anyOf": [{"$ref": f"#/$defs/a{i + 1}"}, {"$ref": f"#/$defs/a{i + 1}"}]} for i in range(levels)
    }
    return {"$defs": {**shapes, f"a{levels}": {"type": "string"}}, "$ref": "#/$defs/a0"}


@pytest.mark.parametrize(
    ("schema", "fit"),
    [({"type": "string"}, True), (META, True), (CIRCLE, False), (doubling(2), True), (doubling(40), False)],
)
def test_the_algebra_is_asked_about_small_documents_without_circles(schema: Any, fit: bool):  # noqa: FBT001
    assert Side("left", schema, None).measures.fit_for_algebra() is fit


def test_the_validator_is_not_asked_where_branches_double():
    assert Side("left", doubling(40), None).accepts("a") is None
    assert Side("left", doubling(4), None).accepts("a") is True


def test_doubling_references_end_in_time():
    assert not isinstance(contains({"type": "string"}, doubling(40)), NotContained)
