"""`stipula init`: a first stipula.toml, with what is plainly there already filled in."""

import json
from pathlib import Path
from typing import Final

import click

from stipula.collect.project import CONFIG_NAME
from stipula.errors import EXIT_FINE, EXIT_UNAVAILABLE, EXIT_USAGE, Problem

OPENAPI_NAMES: Final = ("openapi.json", "openapi.yaml", "openapi.yml", "swagger.json")
EVENTS_PATTERN: Final = "*events.json"

HEAD: Final = """\
# What Stipula collects. `stipula freeze` writes it down, `stipula check` holds it. Paths start at this folder.
"""
EXAMPLES: Final = """
# [[collect]]
# from = "declared"              # a contract written in Python
# contract = "my_package.contract:CONTRACT"

# [[collect]]
# from = "openapi"               # a document (file, url), or the application itself
# app = "my_package.main:app"

# [[collect]]
# from = "events"                # a stream: {"events", "order", "laws", "keepalive"}
# file = "chat-events.json"
# path = "/chat/stream"

# [[collect]]
# from = "mcp"                   # an MCP server: command, url, or server = "module:factory"
# name = "time"
# command = ["python", "-m", "mcp_server_time"]
"""


class ConfigExists(Problem):
    """A stipula.toml is there already."""

    code, exit_code = "CLI104", EXIT_USAGE
    hint = "{file} exists already; edit it, or write it anew with --force"


class UnwritableConfig(Problem):
    """The project's file cannot be written."""

    code, exit_code = "CLI105", EXIT_UNAVAILABLE
    hint = "cannot write {file}: {why}"


@click.command(epilog="Example:\n\n  stipula init --force")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), default=Path())
@click.option("--force", is_flag=True, help="Replace a stipula.toml that is there.")
def init(folder: Path, *, force: bool) -> int:
    """Write a first stipula.toml into FOLDER (default: here).

    OpenAPI documents and event files that stand there are entered; the other sources are shown as comments.
    """
    path = folder / CONFIG_NAME
    if path.exists() and not force:
        raise ConfigExists(file=path)
    entries = found(folder)
    try:
        path.write_text(HEAD + "".join(entries) + EXAMPLES, encoding="utf-8")
    except OSError as why:
        raise UnwritableConfig(file=path, why=why.strerror) from None
    click.echo(f"wrote {path} with {len(entries)} source{'' if len(entries) == 1 else 's'}")
    click.echo("next: `stipula freeze`" if entries else "next: name something to collect in it, then `stipula freeze`")
    return EXIT_FINE


def found(folder: Path) -> list[str]:
    """The entries of documents that stand in a folder, as TOML."""
    documents = [name for name in OPENAPI_NAMES if (folder / name).is_file()]
    events = sorted(path.name for path in folder.glob(EVENTS_PATTERN) if path.is_file())
    return [_entry("openapi", name) for name in documents] + [_entry("events", name) for name in events]


def _entry(source: str, name: str) -> str:
    return f'\n[[collect]]\nfrom = "{source}"\nfile = {json.dumps(name)}\n'
