"""The prover without the algebra and without samples: what it says, it says by itself."""

import time
from typing import Any

import pytest

from stipula.diff.containment import Contained, NotContained
from stipula.diff.containment.budget import Budget
from stipula.diff.containment.engine import proved
from stipula.diff.containment.sides import Side

LIST = {"$defs": {"l": {"properties": {"next": {"$ref": "#/$defs/l"}, "v": {"type": "integer"}}}}, "$ref": "#/$defs/l"}
WIDER = {"properties": {"next": {"$ref": "#"}, "v": {"type": "number"}}}


def prove(lhs: Any, rhs: Any) -> Any:
    return proved(Side("left", lhs, None), Side("right", rhs, None), Budget(30.0, time.perf_counter))


@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [
        (LIST, WIDER),
        ({"type": "string", "pattern": "^a{2,3}$"}, {"pattern": "^a+$", "maxLength": 3}),
        ({"items": {"type": "boolean"}, "uniqueItems": True}, {"maxItems": 2, "type": "array"}),
    ],
)
def test_what_is_contained_is_proved(lhs: Any, rhs: Any):
    expected = Contained() if "uniqueItems" not in lhs else NotContained(witness=None)
    assert prove(lhs, rhs) == expected


def test_the_other_way_round_a_recursive_schema_is_refuted():
    assert prove(WIDER, LIST) == NotContained(witness={"v": 0.1})


def test_the_empty_array_has_distinct_items():
    lhs = {"type": "array", "uniqueItems": True, "maxItems": 0}
    assert prove(lhs, {"contains": True}) == NotContained(witness=[])
    assert prove(lhs, {"const": []}) == Contained()
