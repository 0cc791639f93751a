"""`stipula contain`: whether every value that one schema accepts is accepted by the other, too."""

import json
import time
from pathlib import Path
from typing import Any

import click

from stipula.cli import batch
from stipula.collect import document
from stipula.diff.containment import Contained, Containment, NotContained, Undecided, contains
from stipula.errors import EXIT_FINDINGS, EXIT_FINE


@click.command(epilog="Example:\n\n  stipula contain old.json new.json\n\n  stipula contain --batch pairs.jsonl")
@click.argument("lhs", required=False, type=click.Path(path_type=Path))
@click.argument("rhs", required=False, type=click.Path(path_type=Path))
@click.option("--batch", "batch_file", type=click.Path(path_type=Path), help="JSON lines of {id, lhs, rhs}; - reads.")
@click.option("--lhs-draft", help="The dialect of LHS, as draft-07 or openapi-3.0. Default: its $schema, else 2020-12.")
@click.option("--rhs-draft", help="The dialect of RHS.")
@click.option("--budget", type=click.FloatRange(min=0.001), default=2.0, help="Seconds for one pair. Default: 2.")
def contain(
    lhs: Path | None,
    rhs: Path | None,
    batch_file: Path | None,
    lhs_draft: str | None,
    rhs_draft: str | None,
    budget: float,
) -> int:
    """Say whether RHS accepts everything that LHS accepts; schemas are read as they are written.

    Answers {"id", "contained", "ms"}: true; false with a "witness" that LHS accepts and RHS refuses; or null with the
    "reason". Ends with 0 if contained, 1 if not or undecided; a batch ends with 0 if every line was answered.
    """
    if batch_file is not None:
        if lhs is not None:
            raise click.UsageError("give either --batch or two schemas, not both")
        batch.answer_all(batch_file, lambda question: _of_line(question, budget))
        return EXIT_FINE
    if lhs is None or rhs is None:
        raise click.UsageError("two schemas are wanted, or --batch FILE")
    start = time.perf_counter()
    left, right = (document.read_file(file, str(file)) for file in (lhs, rhs))
    answer = contains(left, right, lhs_draft=lhs_draft, rhs_draft=rhs_draft, budget_s=budget)
    ms = round((time.perf_counter() - start) * 1000, 3)
    click.echo(json.dumps({"id": f"{lhs} in {rhs}", **told(answer), "ms": ms}))
    return EXIT_FINE if isinstance(answer, Contained) else EXIT_FINDINGS


def told(answer: Containment) -> dict[str, Any]:
    """The answer as JSON members. A missing witness is none; null is a witness."""
    match answer:
        case Contained():
            return {"contained": True}
        case NotContained(witness=witness):
            return {"contained": False, "witness": witness}
        case Undecided(reason=reason):
            return {"contained": None, "reason": reason}


def _of_line(question: batch.Question, budget: float) -> batch.Answer:
    left, right = batch.wanted(question, "lhs", "rhs")
    lhs_draft, rhs_draft = question.get("lhs_draft"), question.get("rhs_draft")
    return told(contains(left, right, lhs_draft=lhs_draft, rhs_draft=rhs_draft, budget_s=budget))
