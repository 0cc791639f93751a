import re
import shlex
import subprocess
import sys

import click
import pytest

from stipula import __version__
from stipula.cli import main
from stipula.errors import Problem

OURS = ("init", "freeze", "check")


@click.command()
@click.argument("how")
def failing(how: str) -> None:
    match how:
        case "problem":
            raise Problem(what="two\nlines")
        case "bug":
            raise ZeroDivisionError("secret\nsecond line")
        case "interrupt":
            raise KeyboardInterrupt
        case _:
            raise click.Abort


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("problem", 3, "stipula: GEN000 two lines\n"),
        ("bug", 4, "stipula: internal error: ZeroDivisionError: secret second line (STIPULA_DEBUG=1 shows where)\n"),
        ("interrupt", 130, "\n"),  # the line on which ^C was shown ends
        ("abort", 130, ""),
    ],
)
def test_whatever_goes_wrong_is_one_line_and_an_exit_code(monkeypatch, capsys, how, code, said):
    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: failing)
    monkeypatch.delenv("STIPULA_DEBUG", raising=False)
    assert main.run(["failing", how]) == code
    assert capsys.readouterr().err == said


def test_the_traceback_shows_only_when_asked_for(monkeypatch, capsys):
    monkeypatch.setattr(main.LazyGroup, "get_command", lambda *_: failing)
    monkeypatch.setenv("STIPULA_DEBUG", "1")
    main.run(["failing", "bug"])
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--version"], ["-h"], ["--help"]])
def test_help_and_version_end_well(capsys, words):
    assert main.run(words) == 0
    assert capsys.readouterr().err == ""


def test_without_a_word_the_help_is_shown_and_the_usage_is_wrong(capsys):
    assert main.run([]) == 2
    assert "Commands:" in capsys.readouterr().err


def test_every_command_of_the_table_is_listed(capsys):
    main.run(["--help"])
    listed = capsys.readouterr().out
    assert [name for name in main.COMMANDS if f"\n  {name} " not in listed] == []


def loaded_by(*words: str) -> set[str]:
    program = (
        f"import sys; sys.argv = ['stipula', *{list(words)!r}]; from stipula.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\nprint(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


HEAVY = {
    "jsonschema_rs",
    "rich",
    "yaml",
    "aiohttp",
    "uvicorn",
    "starlette",
    "mcp",
    "asyncio",
    "msgspec",
    "pydantic",
    "xllamacpp",
}


@pytest.mark.parametrize("words", [["--version"], ["--help"]])
def test_version_and_help_load_nothing_heavy(words):
    assert loaded_by(*words) & HEAVY == set()


def test_the_version_is_that_of_the_package():
    done = subprocess.run([sys.executable, "-m", "stipula", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"stipula {__version__}\n"


def test_a_command_loads_no_drawing_and_no_server(frozen):
    program = "import sys; from stipula.cli.main import run; run(['check']); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=frozen.root, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & (HEAVY - {"jsonschema_rs", "msgspec", "yaml"}) == set()


@pytest.mark.parametrize("name", OURS)
def test_the_example_in_the_help_of_a_command_runs(frozen, name):
    page = frozen.stipula(name, "--help").stdout
    example = re.search(r"Example:\n\n  stipula (.*)\n", page)
    assert example
    assert frozen.stipula(*shlex.split(example[1])).returncode == 0
