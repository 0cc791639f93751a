"""The plugin that pytest finds by itself: the fixture `stipula_contract`, and proposals where a promise was not held.

It is part of every run of whoever has Stipula installed, so nothing is loaded here that an idle run would pay for.
"""

import json
import os
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from stipula.pytest_plugin.held import LockedContract, Record

RECORDS: Final = pytest.StashKey[list[dict[str, Any]]]()
"""What was asserted and not promised, as plain JSON; filled under --stipula-update only."""
SUMMARY: Final = pytest.StashKey[str]()
WORKER_OUTPUT: Final = "stipula"
"""How a worker of pytest-xdist hands its records to the run that started it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the ini key."""
    group = parser.getgroup("stipula", "values held against stipula.lock.json")
    group.addoption("--stipula-lock", metavar="PATH", help="The lock. Default: found from rootdir upwards.")
    group.addoption(
        "--stipula-update",
        action="store_true",
        help="Write what was asserted and is not promised to stipula.proposals.json, beside the lock.",
    )
    parser.addini("stipula_lock", "The lock, relative to the file that says so.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """An empty list for what this run will see."""
    config.stash[RECORDS] = []


@pytest.fixture(scope="session")
def stipula_contract(pytestconfig: pytest.Config) -> "LockedContract":
    """The project's lock, to hold values, streams and tool lists against; read once a run."""
    from stipula.errors import Problem  # noqa: PLC0415 - see the head of this file
    from stipula.pytest_plugin.held import LockedContract  # noqa: PLC0415
    from stipula.pytest_plugin.lock import locate, opened  # noqa: PLC0415

    try:
        path = locate(pytestconfig)
        return LockedContract(opened(path), path.name, _recorder(pytestconfig))
    except Problem as why:
        told = str(why)
    return pytest.fail(told, pytrace=False)  # not from within: the report would tell of both


def _recorder(config: pytest.Config) -> "Record | None":
    if not config.getoption("stipula_update"):
        return None

    def record(found: dict[str, Any]) -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        config.stash[RECORDS].append({"test": test, **found})

    return record


# ---------------------------------------------------------------- the end of a run


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - a worker of pytest-xdist, which may not be installed
    """Take over what a worker has recorded; one that crashed has nothing to tell."""
    told = getattr(node, "workeroutput", {}).get(WORKER_OUTPUT)
    if told:
        node.config.stash[RECORDS].extend(json.loads(told))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the records to the run that started this worker, or write them down."""
    config = session.config
    if not config.getoption("stipula_update"):
        return
    output: dict[str, str] | None = getattr(config, "workeroutput", None)
    if output is not None:
        output[WORKER_OUTPUT] = json.dumps(config.stash[RECORDS])
        return
    from stipula.errors import Problem  # noqa: PLC0415 - see the head of this file
    from stipula.pytest_plugin.lock import locate  # noqa: PLC0415
    from stipula.pytest_plugin.proposals import written  # noqa: PLC0415

    try:
        config.stash[SUMMARY] = written(config.stash[RECORDS], locate(config))
    except Problem as why:
        config.stash[SUMMARY] = str(why)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:  # noqa: ANN401 - its class is private
    """Say where the proposals are."""
    summary = config.stash.get(SUMMARY, "")
    if summary:
        terminalreporter.section("stipula")
        terminalreporter.write_line(summary)
