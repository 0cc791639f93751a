"""What may come from anywhere gets an answer, `undecided` or an error that says why; nothing hangs or is fetched."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from stipula.diff.containment import InvalidSchema, Undecided, contains


def nested(depth: int, keyword: str, core: Any) -> Any:
    for _ in range(depth):
        core = {keyword: {"a": core} if keyword == "properties" else core}
    return core


def mutual(branches: int) -> dict[str, Any]:
    """Shapes that all refer to each other, each in a choice of exactly one."""
    leaf = {"type": "null"}
    shapes = {
        f"n{i}": {
            "oneOf": [leaf]
            + [
                {"type": "object", "required": [f"k{j}"], "properties": {f"k{j}": {"$ref": f"#/$defs/n{j}"}}}
                for j in range(branches)
            ]
        }
        for i in range(branches)
    }
    return {"$defs": shapes, "$ref": "#/$defs/n0"}


def test_ten_thousand_levels_are_answered(decide: Callable[..., str]):
    assert decide(nested(10_000, "properties", {"type": "string"}), nested(10_000, "items", True)) == "undecided"


def test_five_megabytes_are_answered(decide: Callable[..., str]):
    large = {
        "properties": {f"property-{number:06}": {"type": "string", "maxLength": number} for number in range(60_000)}
    }
    assert len(json.dumps(large)) > 3_000_000
    assert decide(large, {"type": ["object", "array", "string", "number", "boolean", "null"]}, budget_s=20.0) in {
        "contained",
        "undecided",
    }


def test_sixty_four_shapes_that_refer_to_each_other_are_answered_in_time(decide: Callable[..., str]):
    wide, narrow = mutual(64), mutual(64)
    narrow["$defs"]["n3"]["oneOf"].pop(0)
    assert decide(wide, mutual(64)) in {"contained", "undecided"}
    assert decide(wide, narrow) in {"not contained", "undecided"}


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a*)*b?$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_a_pattern_that_makes_others_backtrack_is_answered(pattern: str, decide: Callable[..., str]):
    assert decide({"type": "string", "pattern": pattern}, {"type": "string"}) == "contained"
    assert decide({"type": "string"}, {"type": "string", "pattern": pattern}) in {"not contained", "undecided"}


def test_a_pattern_whose_automaton_explodes_ends_in_time():
    answer = contains(
        {"type": "string", "pattern": "(a|b)*a(a|b){40}x"}, {"pattern": "(a|b)*a(a|b){39}y"}, budget_s=0.5
    )
    assert not isinstance(answer, InvalidSchema)


def test_four_hundred_digits_are_exact(decide: Callable[..., str]):
    assert decide({"type": "integer", "minimum": 10**400}, {"minimum": 10**400 - 1}) == "contained"
    assert decide({"type": "integer", "minimum": 10**400 - 1}, {"minimum": 10**400}) != "contained"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strin"},
        {"pattern": "("},
        {"minimum": "1"},
        {"required": "a"},
        {"minimum": float("nan")},
        7,
        "x",
        None,
        [],
    ],
)
def test_what_is_no_schema_is_named(schema: Any):
    with pytest.raises(InvalidSchema) as caught:
        contains(schema, True)
    assert str(caught.value).startswith("the left schema is not valid")


def test_a_reference_to_another_machine_is_never_followed():
    answer = contains({"$ref": "http://127.0.0.1:9/schema.json"}, {"type": "string"})
    assert isinstance(answer, Undecided)
    assert "127.0.0.1:9" in answer.reason


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"$id": "urn:x:a", "$ref": "urn:x:a"},
        {"$defs": {"a": {"$id": "urn:x:b", "$ref": "urn:x:b"}}, "$ref": "#/$defs/a"},
        {"allOf": [{"$ref": "#"}], "properties": {"a": {"$ref": "#"}}},
        {"$dynamicRef": "#x", "$dynamicAnchor": "x"},
        {"$ref": "#/$defs/none"},
    ],
)
def test_references_that_go_in_circles_or_nowhere_end(schema: Any):
    for pair in ((schema, schema), (schema, {"type": "string"}), ({"type": "string"}, schema)):
        contains(*pair, budget_s=1.0)


def test_answers_do_not_depend_on_the_hash_seed():
    script = (
        "from stipula.diff.containment import contains\n"
        "print(contains({'type': ['object', 'string', 'array'], 'minProperties': 2,"
        " 'patternProperties': {'^a': {'enum': [3, 1, 2]}}},"
        " {'anyOf': [{'type': 'object', 'required': ['a']}, {'type': 'string', 'pattern': '^[xyz]'}]}))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=dict(os.environ, PYTHONHASHSEED=seed),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2", "77")
    }
    assert len(answers) == 1
