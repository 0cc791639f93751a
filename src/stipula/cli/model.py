"""`stipula model`: the model that runs on this machine."""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

import click

from stipula.errors import EXIT_UNAVAILABLE


@click.group()
def model() -> None:
    """The model that runs on this machine: fetch it, or see how it stands."""


@model.command(epilog="Example:\n\n  stipula model fetch")
def fetch() -> int:
    """Download the model's file and put it in place; nothing is done where it is there already."""
    from stipula.gateway.local import weights  # noqa: PLC0415 - loaded when it is called

    with bar("fetching the model") as progress:
        path = weights.fetch(weights.SMOLLM2, weights.cache_folder(os.environ), progress)
    click.echo(f"{weights.SMOLLM2.name} ({weights.SMOLLM2.licence_name}) stands at {path}")
    return 0


@model.command(epilog="Example:\n\n  stipula model status")
def status() -> int:
    """Say where the model's file is, and whether it is whole."""
    from stipula.gateway.local import weights  # noqa: PLC0415 - loaded when it is called

    folder = weights.cache_folder(os.environ)
    try:
        path = weights.check(weights.SMOLLM2, folder)
    except (weights.ModelMissing, weights.ModelBroken) as why:
        click.echo(str(why))
        return EXIT_UNAVAILABLE
    click.echo(f"{weights.SMOLLM2.name} ({weights.SMOLLM2.licence_name}) stands at {path}, {path.stat().st_size} bytes")
    return 0


@contextmanager
def bar(words: str) -> Generator[Callable[[int, int], None]]:
    """A progress bar on standard error where that is a terminal; it shows itself with the first progress."""
    if not sys.stderr.isatty():
        yield lambda done, total: None  # noqa: ARG005 - nobody looks
        return
    from rich.console import Console  # noqa: PLC0415 - only who draws pays
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    drawn = Progress(*columns, console=Console(stderr=True), transient=True)
    task = drawn.add_task(words, total=None)

    def show(done: int, total: int) -> None:
        drawn.start()
        drawn.update(task, completed=done, total=total)
        if done >= total:
            drawn.stop()

    try:
        yield show
    finally:
        drawn.stop()
