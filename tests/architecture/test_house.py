"""The house as a newcomer meets it: names, sizes, the map."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_file_holds_one_idea(path: Path):
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 420, f"{lines} lines: does it hold two ideas?"
    assert path.stem not in {"utils", "util", "helpers", "common", "manager", "misc"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_function_fits_on_a_screen(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    spans = {node.name: (node.end_lineno or node.lineno) - node.lineno + 1 for node in functions}
    long = [f"{name}: {span}" for name, span in spans.items() if span > 60]
    assert long == []


def test_the_map_is_short_and_names_every_room():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = sorted(path.parent.name for path in (ROOT / "src/stipula").glob("*/__init__.py"))
    assert page.count("\n") <= 60
    assert [room for room in rooms if f"`{room}/`" not in page] == []


def test_every_room_holds_a_file():
    empty = [
        room.name
        for room in (ROOT / "src/stipula").iterdir()
        if room.is_dir() and room.name != "__pycache__" and not any(room.rglob("*.*"))
    ]
    assert empty == []
