"""Under --stipula-update what was asserted and not promised is written beside the lock, for people to look at."""

import pytest

from stipula.pytest_plugin.widening import widened

pytest_plugins = ["pytester"]

BODIES = [
    'c.value("route:GET /orders#200", {"id": "a", "total": "12"})',
    'c.value("route:GET /orders#200", {"id": "a"})',
    'c.value("route:GET /orders#200", {"id": "a", "total": "12"})',
    'c.stream("/answer", [("token", {"text": 1})])',
    'c.tools("time", [TOOL])',
    'c.value("route:GET /orders#200", {"id": "a", "total": 1})',
]


def surfaces(run):
    return [one["surface"] for one in run.proposals]


@pytest.mark.parametrize("words", [(), ("-p", "xdist.plugin", "-n", "2")], ids=["one process", "two workers"])
def test_what_failed_is_proposed_once_a_surface_and_the_lock_stays(project, pytester, lock, words):
    run = project(*BODIES, words=("--stipula-update", *words))
    assert run.outcomes == {"failed": 5, "passed": 1}
    assert surfaces(run) == ["mcp:time#then", "route:GET /orders#200", "stream:/answer", "stream:/answer#token"]
    assert run.proposals[1] == {
        "surface": "route:GET /orders#200",
        "outcome": "success",
        "tests": ["test_it.py::test_0", "test_it.py::test_1", "test_it.py::test_2"],
        "broken": [
            {"pointer": "/total", "wanted": "type number", "seen": '"12"'},
            {"pointer": "/total", "wanted": "the field 'total'", "seen": "nothing"},
        ],
        "values": [{"id": "a", "total": "12"}, {"id": "a"}],
        "shape": {
            "additionalProperties": False,
            "properties": {"id": {"type": "string"}, "total": {"type": ["number", "string"]}},
            "required": ["id"],
            "type": "object",
        },
    }
    assert run.proposals[3]["values"] == [{"text": 1}]
    assert (pytester.path / "stipula.lock.json").read_bytes() == lock
    assert "4 proposals in stipula.proposals.json; stipula.lock.json is as it was" in run.text


def test_without_the_option_nothing_is_written(project):
    assert project(*BODIES).proposals is None


def test_where_nothing_failed_old_proposals_go(project):
    assert project(BODIES[0], words=("--stipula-update",)).proposals
    run = project(BODIES[-1], words=("--stipula-update",))
    assert (run.proposals, run.outcomes) == (None, {"passed": 1})
    assert "every value was as stipula.lock.json promises: nothing to propose" in run.text


def test_a_value_that_is_no_json_is_shown_as_it_shows_itself_and_a_secret_is_not(project):
    run = project(
        'c.value("route:GET /orders#200", {"id": {1}, "total": float("nan")})',
        'c.value("route:GET /orders#200", {"id": "sk-abcdefghijklmnop"})',
        words=("--stipula-update",),
    )
    assert run.proposals[0]["values"] == [{"id": "***"}, {"id": "{1}", "total": "NaN"}]


def test_without_a_lock_the_run_says_so_and_ends_as_its_tests_do(pytester, run_pytest):
    pytester.makepyfile("def test_it():\n    pass\n")
    result = run_pytest("--stipula-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["no stipula.lock.json at *"])


ITEM = {"$ref": "#/$defs/item"}
SHAPE = {"properties": {"items": {"type": "array", "items": ITEM}}, "$defs": {"item": {"enum": ["a"]}}}


@pytest.mark.parametrize(
    ("shape", "value", "expected"),
    [
        ({"type": "string"}, None, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, 1.5, {"type": ["string", "null", "number"]}),
        ({"const": 1}, 2, {"enum": [1, 2]}),
        (SHAPE, {"items": ["a", "b"]}, {**SHAPE, "$defs": {"item": {"enum": ["a", "b"]}}}),
        ({"minimum": 3}, 1, None),
        ({"allOf": [{"type": "string"}]}, 1, None),
        (False, 1, None),
    ],
)
def test_a_shape_is_widened_where_a_plain_edit_does_it(shape, value, expected):
    assert widened(shape, [value]) == expected


def test_widening_leaves_the_shape_that_it_was_given():
    shape = {"type": "string"}
    widened(shape, [1])
    assert shape == {"type": "string"}
