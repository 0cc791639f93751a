"""`stipula check-config FILE`: read a server's configuration and name every fault in it."""

import os
from pathlib import Path

import click

from stipula.cli.main import tell
from stipula.errors import EXIT_USAGE


@click.command("check-config", epilog="Example:\n\n  stipula check-config stipula-server.toml")
@click.argument("file", type=click.Path(path_type=Path))
def check_config(file: Path) -> int:
    """Read a server's configuration FILE and name each fault with its line; nothing is started."""
    from stipula.settings import Misconfigured, load  # noqa: PLC0415 - loaded when it is called

    try:
        settings = load(file, os.environ)
    except Misconfigured as why:
        for line in why.lines:
            tell(line)
        return EXIT_USAGE
    named = ", ".join(upstream.name for upstream in settings.gateway.upstreams)
    click.echo(f"{file}: fine; it listens at {settings.server.listen} and asks {named}")
    return 0
