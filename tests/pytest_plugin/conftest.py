"""A project with a lock, and pytest run in it as its people run it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stipula.contract import lockfile
from stipula.contract.declare import Contract

ORDER = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "total": {"type": "number"}},
    "required": ["id", "total"],
    "additionalProperties": False,
}
EVENTS = {
    "token": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "done": {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]},
}
STATES = {"initial": "s", "final": ["e"], "states": {"s": {"token": "s", "done": "e"}, "e": {}}}
TOOL: dict[str, Any] = {
    "name": "now",
    "description": "The time.",
    "inputSchema": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]},
}


@pytest.fixture(scope="session")
def lock() -> bytes:
    contract = Contract()
    contract.route("GET", "/orders", {200: ORDER, 404: {"type": "object", "required": ["error"]}})
    contract.stream(
        "/answer",
        EVENTS,
        order=STATES,
        laws=[{"id": "count", "kind": "counted", "event": "token", "at": "done#/total"}],
    )
    contract.mcp("time", [TOOL, {**TOOL, "name": "then"}])
    contract.mcp("time", [TOOL], profile="small")
    return lockfile.write(contract.build())


class Ran:
    """What a run of pytest said and did in the project."""

    def __init__(self, folder: Path, result: pytest.RunResult) -> None:
        self.outcomes = result.parseoutcomes()
        self.text = result.stdout.str() + result.stderr.str()
        path = folder / "stipula.proposals.json"
        self.proposals = json.loads(path.read_text())["proposals"] if path.exists() else None

    def report(self, number: int) -> list[str]:
        """The lines of the error that ended the test of this number."""
        told = self.text.partition(f"_ test_{number} _")[2].partition("\n____")[0]
        return [line.removeprefix("E").strip() for line in told.splitlines() if line.startswith("E ")]


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run_pytest(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs pytest in its own process with our plugin and no other, but for those it is told."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*words: str) -> pytest.RunResult:
        return pytester.run(
            sys.executable, "-m", "pytest", "-p", "stipula.pytest_plugin", "-p", "no:cacheprovider", *words
        )

    return run


@pytest.fixture
def project(pytester: pytest.Pytester, run_pytest: Run, lock: bytes) -> Callable[..., Ran]:
    """A function that runs pytest over the bodies of test functions; each is handed the fixture as `c`."""
    (pytester.path / "stipula.lock.json").write_bytes(lock)
    (pytester.path / "conftest.py").write_text(
        "import pytest\n\n@pytest.fixture\ndef c(stipula_contract):\n    return stipula_contract\n"
    )

    def run(*bodies: str, words: tuple[str, ...] = ()) -> Ran:
        tests = "\n\n".join(f"def test_{at}(c):\n    {body}" for at, body in enumerate(bodies))
        (pytester.path / "test_it.py").write_text(f"TOOL = {TOOL!r}\n\n{tests}\n")
        return Ran(pytester.path, run_pytest(*words))

    return run
