"""A small project, and the program run in it as a person runs it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CHUNK = {
    "type": "object",
    "properties": {"content": {"type": "string"}, "chunk_index": {"type": "integer"}},
    "required": ["content"],
}
EVENTS: dict[str, Any] = {
    "events": {"chunk": CHUNK, "complete": {"type": "object", "description": "The end."}},
    "order": {
        "initial": "open",
        "final": ["done"],
        "states": {"open": {"chunk": "open", "complete": "done"}, "done": {}},
    },
    "laws": [],
    "keepalive": ": keepalive",
}
CONFIG = '[[collect]]\nfrom = "events"\nfile = "events.json"\npath = "/chat/stream"\n'
Run = Callable[..., subprocess.CompletedProcess[str]]


class SmallProject:
    """A folder with a stipula.toml and an events document."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "stipula.toml").write_text(CONFIG)
        self.set_events(EVENTS)

    def set_events(self, document: dict[str, Any]) -> None:
        (self.root / "events.json").write_text(json.dumps(document))

    def edit(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change a copy of the events, and write it."""
        document = json.loads(json.dumps(EVENTS))
        change(document)
        self.set_events(document)

    def drop_complete(self) -> None:
        """The stream without its last event."""

        def drop(document: dict[str, Any]) -> None:
            del document["events"]["complete"]
            document["order"] = {"initial": "open", "final": ["open"], "states": {"open": {"chunk": "open"}}}

        self.edit(drop)

    def stipula(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "stipula", *words],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environ},
        )

    def check(self, *words: str) -> tuple[int, dict[str, Any]]:
        done = self.stipula("check", "--format", "json", *words)
        return done.returncode, json.loads(done.stdout)


@pytest.fixture
def project(tmp_path) -> SmallProject:
    return SmallProject(tmp_path)


@pytest.fixture
def frozen(project) -> SmallProject:
    assert project.stipula("freeze").returncode == 0
    return project
