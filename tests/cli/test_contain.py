import json

import pytest
from click.testing import CliRunner

from stipula.cli.contain import contain
from stipula.errors import Problem


def run(*words):
    result = CliRunner().invoke(contain, [str(word) for word in words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, [json.loads(line) for line in result.output.splitlines()]


def answers(tmp_path, *lines):
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    code, told = run("--batch", file)
    assert code == 0
    return [{key: value for key, value in one.items() if key != "ms"} for one in told]


def test_two_files_are_answered_with_a_witness(tmp_path):
    (tmp_path / "a.json").write_text('{"type": ["integer", "null"]}')
    (tmp_path / "b.yaml").write_text("type: integer\n")
    code, [answer] = run(tmp_path / "a.json", tmp_path / "b.yaml")
    assert (code, answer["contained"], answer["witness"]) == (1, False, None)
    code, [answer] = run(tmp_path / "b.yaml", tmp_path / "a.json")
    assert (code, answer["contained"], "witness" in answer) == (0, True, False)


def test_a_batch_answers_every_line_in_order(tmp_path):
    assert answers(
        tmp_path,
        {"id": 1, "lhs": True, "rhs": False, "unknown": 1},
        {"id": "two", "lhs": {"type": "null"}, "rhs": True},
        {"id": 3, "lhs": {"items": [{"type": "null"}]}, "rhs": {"prefixItems": [{"type": "null"}]},
         "lhs_draft": "draft-07"},
    ) == [
        {"id": 1, "contained": False, "witness": None},
        {"id": "two", "contained": True},
        {"id": 3, "contained": True},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"id": 7}',
        '{"id": 7, "lhs": {"minimum": NaN}, "rhs": true}',
        '{"id": 7, "lhs": {"type": "nonsense"}, "rhs": true}',
        '{"id": 7, "lhs": true, "rhs": true, "lhs_draft": "draft-99"}',
        '{"id": 7, "rhs": true, "lhs": ' + '{"not":' * 10_000 + "true" + "}" * 10_001,
    ],
    ids=lambda line: line[:60],
)
def test_a_bad_line_is_answered_with_its_error(tmp_path, line):
    [bad, good] = answers(tmp_path, line, {"id": 8, "lhs": True, "rhs": True})
    assert sorted(bad) == ["error", "id"]
    assert bad["id"] == (7 if '"id"' in line else None)
    assert good == {"id": 8, "contained": True}


def test_a_batch_that_is_not_there_is_a_problem():
    with pytest.raises(Problem, match="cannot read"):
        run("--batch", "/nowhere/pairs.jsonl")
