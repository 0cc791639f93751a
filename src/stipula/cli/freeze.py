"""`stipula freeze`: what is there now becomes what was promised."""

from pathlib import Path

import click
import msgspec

from stipula.cli import at_project
from stipula.cli.main import report
from stipula.contract import lockfile
from stipula.contract.model import Contract
from stipula.diff.finding import counts
from stipula.diff.judge import Judging, judge_contracts
from stipula.errors import EXIT_FINE, EXIT_UNAVAILABLE, Problem


@click.command(epilog="Example:\n\n  stipula freeze")
@at_project.PROJECT_OPTION
def freeze(config: Path | None) -> int:
    """Collect the contract and write the lock.

    Commit the lock: it is what `stipula check` holds later states against. Nothing is written where an entry cannot be
    collected.
    """
    project = at_project.opened(config)
    contract = at_project.collected(project)
    if contract is None:
        return EXIT_UNAVAILABLE
    before = _before(project)
    at_project.write(project, lockfile.write(_with_consumers(contract, before)))
    click.echo(f"froze {_surfaces(len(contract.surfaces))} in {project.lock}{_changes(before, contract)}")
    return EXIT_FINE


def _before(project: at_project.Project) -> Contract | None:
    """The lock that is replaced. One that cannot be read is replaced too, for that is its remedy."""
    try:
        return at_project.frozen(project)
    except at_project.NoLock:
        return None
    except Problem as problem:
        report(problem)
        return None


def _with_consumers(contract: Contract, before: Contract | None) -> Contract:
    """Confirmed consumer lists live in the lock alone: they are carried over."""
    known = {one.id: one.consumers for one in before.surfaces} if before else {}
    surfaces = tuple(
        msgspec.structs.replace(one, consumers=known[one.id]) if known.get(one.id) else one for one in contract.surfaces
    )
    return msgspec.structs.replace(contract, surfaces=surfaces)


def _changes(before: Contract | None, after: Contract) -> str:
    if before is None:
        return ""
    tally = {
        level: count
        for level, count in counts(judge_contracts(before, after, Judging(tells_spelling=True))).items()
        if count
    }
    return f": {', '.join(f'{count} {level}' for level, count in tally.items())}" if tally else ": nothing changed"


def _surfaces(count: int) -> str:
    return f"{count} surface{'' if count == 1 else 's'}"
