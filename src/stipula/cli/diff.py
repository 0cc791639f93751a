"""`stipula diff`: what changed between two documents, what it breaks, and a value that shows it."""

from pathlib import Path
from typing import Any

import click

from stipula.cli import batch
from stipula.cli.documents import KINDS, Options, compared
from stipula.cli.positions import spots_of
from stipula.collect import document
from stipula.diff.finding import LEVELS, Level, is_at_least
from stipula.diff.reports import FORMS, written
from stipula.diff.reports import json as json_report
from stipula.errors import EXIT_FINDINGS, EXIT_FINE


@click.command(
    epilog="Example:\n\n  stipula diff old.json new.json --kind schema --direction response\n\n"
    "  stipula diff --batch pairs.jsonl"
)
@click.argument("old", required=False, type=click.Path(path_type=Path))
@click.argument("new", required=False, type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(KINDS), help="What the documents are. Default: as they look.")
@click.option(
    "--direction",
    type=click.Choice(["request", "response", "event", "both"]),
    default="both",
    help="Which way values of a schema travel: sent by callers, or by us. Default: both.",
)
@click.option("--content", type=click.Choice(["lenient", "strict"]), default="lenient", help="How silence is read.")
@click.option("--tier", type=click.Choice(["wire", "wire-strict", "types"]), default="wire", help="Who reads.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", help="How to report.")
@click.option("--fail-on", type=click.Choice(LEVELS), default="warning", help="The least level that ends with 1.")
@click.option("--batch", "batch_file", type=click.Path(path_type=Path), help="JSON lines of {id, kind, old, new}.")
@click.option("--budget", type=click.FloatRange(min=0.001), default=2.0, help="Seconds for one pair of shapes.")
def diff(
    old: Path | None,
    new: Path | None,
    batch_file: Path | None,
    form: str,
    fail_on: Level,
    **given: Any,  # noqa: ANN401 - the options of a comparison, as `Options` names them
) -> int:
    """Compare two documents: JSON Schemas, OpenAPI documents, MCP tool lists, events documents or locks.

    Ends with 0 if no finding is as grave as --fail-on, 1 if one is; a batch ends with 0 if every line was answered.
    """
    options = Options(**given)
    if batch_file is not None:
        batch.answer_all(batch_file, lambda question: _of_line(question, options))
        return EXIT_FINE
    if old is None or new is None:
        raise click.UsageError("two documents are wanted, or --batch FILE")
    before, after = (document.read_file(file, str(file)) for file in (old, new))
    findings = compared(before, after, options)
    spots = spots_of(findings, (old, new), (before, after))
    click.echo(written(form, findings, f"{old} → {new}", spots))
    return EXIT_FINDINGS if any(is_at_least(one.level, fail_on) for one in findings) else EXIT_FINE


def _of_line(question: batch.Question, options: Options) -> batch.Answer:
    old, new = batch.wanted(question, "old", "new")
    return json_report.document(compared(old, new, options.of_line(question)))
