"""`stipula check`: what is there now, held against what was promised."""

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec import UNSET

from stipula.cli import at_project
from stipula.contract.model import Json
from stipula.diff.finding import LEVELS, Finding, Level, counts, is_at_least, verdict
from stipula.diff.judge import Judging, judge_contracts
from stipula.diff.waivers import Waived, waive
from stipula.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNAVAILABLE

MAX_VALUE: Final = 160


@click.command(epilog="Example:\n\n  stipula check --fail-on breaking --format json")
@at_project.PROJECT_OPTION
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    default="note",
    help="The least level that makes the exit code 1. Default: any difference does.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to report.")
def check(config: Path | None, fail_on: Level, form: str) -> int:
    """Collect the contract and hold it against the lock.

    Ends with 0 if nothing differs, 1 if something does, 2 for a wrong configuration, 3 if the lock cannot be read or
    something cannot be collected.
    """
    project = at_project.opened(config)
    promised = at_project.frozen(project)
    present = at_project.collected(project)
    if present is None:
        return EXIT_UNAVAILABLE
    today = dt.datetime.now(tz=dt.UTC).date()
    findings, waived = waive(
        judge_contracts(promised, present, Judging(today=today, tells_spelling=True)), project.waiver, today
    )
    if form == "json":
        click.echo(_json(len(present.surfaces), findings, waived))
    else:
        click.echo(_text(len(present.surfaces), findings, waived, project.lock))
    return EXIT_FINDINGS if any(is_at_least(one.level, fail_on) for one in findings) else EXIT_FINE


def _json(surfaces: int, findings: list[Finding], waived: list[Waived]) -> str:
    document: dict[str, Any] = {
        "surfaces": surfaces,
        "verdict": verdict(findings),
        "findings": [_listed(one) for one in findings],
        "counts": counts(findings),
    }
    if waived:
        document["waived"] = [
            {"finding": _listed(one.finding), "owner": one.owner, "reason": one.reason, "expires": str(one.expires)}
            for one in waived
        ]
    return json.dumps(document, indent=2, ensure_ascii=False)


def _listed(finding: Finding) -> dict[str, Any]:
    return msgspec.to_builtins(finding) | {"consumers": msgspec.to_builtins(finding.consumers)}


# ---------------------------------------------------------------- for a person


def _text(surfaces: int, findings: list[Finding], waived: list[Waived], lock: str) -> str:
    held = f"{surfaces} surface{'' if surfaces == 1 else 's'} held against {lock}"
    lines = [line for one in findings for line in _finding(one)]
    lines += [f"waived    {_place(one.finding)}: by {one.owner} until {one.expires}: {one.reason}" for one in waived]
    if not findings:
        return "\n".join([*lines, f"{held}: nothing differs"])
    tally = ", ".join(f"{count} {level}" for level, count in counts(findings).items() if count)
    advice = f"To accept: `stipula freeze`, then commit {lock}. To keep the promise: bring back what the lock says."
    return "\n".join([*lines, f"{held}: {tally}", advice])


def _finding(finding: Finding) -> Iterable[str]:
    yield f"{finding.level:<9} {_place(finding)}: {finding.message} [{finding.rule}, {finding.fingerprint}]"
    if finding.old is not UNSET:
        yield f"          was {_value(finding.old)}"
    if finding.new is not UNSET:
        yield f"          now {_value(finding.new)}"
    for reader in finding.consumers:
        yield f"          read at {reader.file}:{reader.line} ({reader.verdict})"


def _place(finding: Finding) -> str:
    return f"{finding.surface} {finding.pointer}".rstrip()


def _value(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=True)  # a text may hold what would play with a terminal
    return text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "…"
