"""The pages' own commands, typed as they stand, say what the pages say."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"[\w.-]+\.\w+")


def follow(page: Path, folder: Path) -> list[str]:
    """Write the page's files, type its commands; what did not come out as shown."""
    surprises: list[str] = []
    for language, title, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if title and FILE_NAME.fullmatch(title):
            (folder / title).write_text(text, encoding="utf-8")
        elif language == "console":
            surprises += [
                surprise
                for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
                for surprise in type_in(step, folder)
            ]
    return surprises


def type_in(step: str, folder: Path) -> list[str]:
    """Run one command; the lines that were promised and did not come."""
    command, *promised = step.strip().splitlines()
    status = next((int(line.removeprefix("exit status: ")) for line in promised if line.startswith("exit status: ")), 0)
    environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", COLUMNS="200")
    done = subprocess.run(
        shlex.split(command), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    seen = done.stdout + done.stderr
    missing = [line for line in promised if line not in seen and not line.startswith("exit status: ")]
    if done.returncode != status:
        missing.append(f"exit status {status}, not {done.returncode}")
    return [f"{command}: {line} | seen: {seen}" for line in missing]


@pytest.mark.parametrize("example", ["third-party-mcp", "fastapi-app"])
def test_an_example_does_what_its_page_says(example: str, tmp_path: Path):
    folder = tmp_path / example
    shutil.copytree(ROOT / "examples" / example, folder)
    assert follow(folder / "README.md", folder) == []


@pytest.mark.parametrize(
    "page", ["tutorials/first-contract.md", "how-to/freeze-an-mcp-server.md", "how-to/assert-in-pytest.md"]
)
def test_a_page_does_what_it_says(page: str, tmp_path: Path):
    assert follow(ROOT / "docs" / page, tmp_path) == []
