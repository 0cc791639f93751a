"""Every command shows an example in its help, and the example runs."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from stipula.cli.main import stipula

LONG = {
    "stipula serve": "it serves until it is told to stop: tests/gateway start it",
    "stipula model fetch": "it downloads 98 MB: tests/gateway fetch the model",
}


def every_command(group: click.Group, path: str) -> dict[str, click.Command]:
    """All commands that do something, by what one types."""
    found: dict[str, click.Command] = {}
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            typed = f"{path} {name}"
            found |= every_command(command, typed) if isinstance(command, click.Group) else {typed: command}
    return found


STATUSES = {"stipula model status": {3}}
"""No model stands in the scratch folder, and that is what the status says."""


COMMANDS = every_command(stipula, "stipula")


def examples(typed: str, command: click.Command) -> list[str]:
    """The examples of a command's help, one line each."""
    with click.Context(command, info_name=typed) as context:
        _, _, told = command.get_help(context).partition("Example")
    return re.findall(r"^\s+(stipula .*)$", told, re.MULTILINE)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with all that the examples name."""
    events = {
        "events": {"done": {"type": "object"}},
        "order": {"initial": "s", "final": ["e"], "states": {"s": {"done": "e"}, "e": {}}},
    }
    (tmp_path / "events.json").write_text(json.dumps(events))
    (tmp_path / "stipula.toml").write_text('[[collect]]\nfrom = "events"\nfile = "events.json"\npath = "/x"\n')
    (tmp_path / "stipula-server.toml").write_text('[server]\nlisten = "127.0.0.1:0"\n')
    for name in ("old.json", "new.json"):
        (tmp_path / name).write_text('{"type": "string"}')
    pair = {
        "id": "1",
        "lhs": {"type": "string"},
        "rhs": True,
        "kind": "schema",
        "direction": "request",
        "old": {},
        "new": {},
    }
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair) + "\n")
    run("stipula freeze", tmp_path)
    return tmp_path


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, STIPULA_CACHE_DIR=str(folder / "cache"))
    words = [str(Path(sys.executable).parent / "stipula"), *shlex.split(line)[1:]]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("typed", COMMANDS)
def test_a_command_shows_an_example_of_itself(typed: str):
    assert [line for line in examples(typed, COMMANDS[typed]) if not line.startswith(typed)] == []
    assert examples(typed, COMMANDS[typed]) != []


@pytest.mark.parametrize("typed", sorted(COMMANDS.keys() - LONG.keys()))
def test_the_examples_of_a_command_run(typed: str, project: Path):
    for line in examples(typed, COMMANDS[typed]):
        done = run(line, project)
        assert done.returncode in STATUSES.get(typed, {0, 1}), f"{line}: {done.stderr}"
