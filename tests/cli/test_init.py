import pytest

from stipula.cli.init import EXAMPLES
from stipula.collect.project import read


def test_documents_that_stand_there_are_entered(project):
    (project.root / "stipula.toml").unlink()
    (project.root / "openapi.json").write_text("{}")
    done = project.stipula("init")
    assert (done.returncode, done.stdout) == (0, "wrote stipula.toml with 2 sources\nnext: `stipula freeze`\n")
    text = (project.root / "stipula.toml").read_text()
    assert [one.label for one in read(text, file=project.root / "stipula.toml").collect] == [
        "openapi openapi.json",
        "events events.json",
    ]


def test_an_empty_folder_gets_a_file_that_shows_what_one_could_collect(tmp_path, project):
    folder = tmp_path / "empty"
    folder.mkdir()
    assert "next: name something to collect" in project.stipula("init", "empty").stdout
    assert 'from = "mcp"' in (folder / "stipula.toml").read_text()


def test_the_examples_are_valid_once_uncommented(tmp_path):
    uncommented = "".join(line.removeprefix("# ") + "\n" for line in EXAMPLES.splitlines())
    assert [one.source for one in read(uncommented, file=tmp_path / "stipula.toml").collect] == [
        "declared",
        "openapi",
        "events",
        "mcp",
    ]


def test_a_file_that_is_there_is_kept_without_force(project):
    before = (project.root / "stipula.toml").read_text()
    done = project.stipula("init")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "CLI104" in done.stderr
    assert (project.root / "stipula.toml").read_text() == before
    assert project.stipula("init", "--force").returncode == 0


@pytest.mark.parametrize("words", [["nowhere"], ["stipula.toml"]])
def test_a_folder_that_is_none_is_wrong_usage(project, words):
    assert project.stipula("init", *words).returncode == 2
