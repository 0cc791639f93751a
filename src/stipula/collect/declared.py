"""A contract that a project declares in its own code: `module:CONTRACT`."""

from pathlib import Path
from typing import cast

from stipula.collect.loading import CodeBroke, cause_of, named, project_code
from stipula.collect.project import CollectEntry
from stipula.contract import declare
from stipula.contract.model import Contract
from stipula.errors import EXIT_UNAVAILABLE, Problem


class NoContract(Problem):
    """A name that should be a contract is something else."""

    code, exit_code = "COL110", EXIT_UNAVAILABLE
    hint = "{target} is {seen}; wanted a stipula Contract, or a function without arguments that returns one"


def collect(entry: CollectEntry, root: Path) -> Contract:
    """The contract that `module:name` is, or returns."""
    with project_code(root):
        found = named(entry.contract, root)
        if callable(found) and not isinstance(found, type):
            found = _called(found, entry.contract)
        if isinstance(found, declare.Contract):
            return found.build()
    if isinstance(found, Contract):
        return found
    raise NoContract(target=entry.contract, seen=f"of type {type(found).__name__}")


def _called(function: object, target: str) -> object:
    try:
        return cast("object", function())  # pyright: ignore[reportCallIssue] - foreign; a wrong call is told below
    except Problem:
        raise
    except (Exception, SystemExit) as why:
        raise CodeBroke(target=target, cause=cause_of(why)) from why
