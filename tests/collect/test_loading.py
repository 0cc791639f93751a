"""Code of a project: found from its root, heard on stderr, and named where it breaks."""

import sys

import pytest

from stipula.collect.loading import BadTarget, ImportBroke, NoSuchName, named, project_code


def test_a_module_is_found_in_the_root_and_in_its_src_and_the_path_is_put_back(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "loading_one.py").write_text("class A:\n    b = 1")
    (tmp_path / "src" / "loading_two.py").write_text("B = 2")
    before = list(sys.path)
    with project_code(tmp_path):
        assert (named("loading_one:A.b", tmp_path), named("loading_two:B", tmp_path)) == (1, 2)
    assert sys.path == before


def test_what_code_prints_stays_out_of_the_report(tmp_path, capsys):
    (tmp_path / "loading_loud.py").write_text("print('hello')\nX = 1")
    with project_code(tmp_path):
        named("loading_loud:X", tmp_path)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


def test_a_module_of_another_project_with_the_same_name_is_not_taken_for_it(tmp_path):
    found = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "loading_same.py").write_text(f"X = {folder!r}")
        with project_code(tmp_path / folder):
            found.append(named("loading_same:X", tmp_path / folder))
    assert found == ["a", "b"]


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("x = 1\nraise ValueError('no table\\nmore')", "ValueError: no table (loading_bad0.py:2)"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all' (loading_bad1.py:1)"),
        ("def (", "SyntaxError: invalid syntax (loading_bad2.py:1)"),
        ("raise SystemExit", "SystemExit (loading_bad3.py:1)"),
        ("raise KeyError('sk-abcdef1234567890')", "KeyError: '***' (loading_bad4.py:1)"),
    ],
)
def test_a_module_that_breaks_is_one_line_with_its_cause(tmp_path, code, cause, request):
    name = f"loading_bad{request.node.callspec.indices['cause']}"
    (tmp_path / f"{name}.py").write_text(code)
    with project_code(tmp_path), pytest.raises(ImportBroke) as caught:
        named(f"{name}:X", tmp_path)
    assert str(caught.value) == f"cannot import {name} from {tmp_path}: {cause}"


def test_a_name_that_is_not_there_is_told_with_those_that_are(tmp_path):
    (tmp_path / "loading_names.py").write_text("ONE = 1\ntwo = 2\n_three = 3")
    with project_code(tmp_path), pytest.raises(NoSuchName, match="has no 'X'; it has ONE, two"):
        named("loading_names:X", tmp_path)


@pytest.mark.parametrize("target", ["", "a", ":b", "a:", "a b:c", "a:b-c", "../a:b"])
def test_a_target_that_is_no_name_is_refused(tmp_path, target):
    with pytest.raises(BadTarget):
        named(target, tmp_path)
