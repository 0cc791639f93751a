"""Pages made from the code each time the documentation is built: every problem, every command. Never committed."""

import importlib
import pkgutil
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import stipula as package
from stipula.cli.main import stipula as cli
from stipula.errors import Problem


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the generated pages to what mkdocs found in `docs/`."""
    for path, text in (("reference/problems.md", problems()), ("reference/commands.md", commands())):
        files.append(File.generated(config, path, content=text))
    return files


def problems() -> str:
    """One row a problem: code, exit code, HTTP status, what it says."""
    rows = [
        f"| {kind.code} | {kind.exit_code} | {kind.status} | {one_line(kind.__doc__)} | {cell(kind.hint)} |"
        for kind in sorted(every_problem(), key=lambda kind: kind.code)
    ]
    head = [
        "# Problems",
        "",
        "Each message says what was seen, what was wanted and what to do; the code is stable.",
        "",
    ]
    table = ["| code | exit | HTTP | when | text |", "|---|---|---|---|---|", *rows]
    return "\n".join([*head, *table, ""])


def every_problem() -> set[type[Problem]]:
    """All subclasses of Problem in the package."""
    for module in pkgutil.walk_packages(package.__path__, "stipula."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: set[type[Problem]] = set()
    waiting: list[type[Problem]] = [Problem]
    while waiting:
        children = waiting.pop().__subclasses__()
        waiting.extend(children)
        found.update(children)
    return found


def commands() -> str:
    """Every command with its help, as the terminal shows it."""
    pages = ["# Commands", ""]
    with click.Context(cli, info_name="stipula") as context:
        for name in cli.list_commands(context):
            command = cli.get_command(context, name)
            if command is not None:
                pages += section(f"stipula {name}", command, context)
    return "\n".join(pages)


def section(name: str, command: click.Command, parent: click.Context) -> list[str]:
    """A command's heading and help, and those of its own commands."""
    with click.Context(command, info_name=name.rsplit(" ", 1)[-1], parent=parent) as context:
        lines = [f"## `{name}`", "", "```text", command.get_help(context), "```", ""]
        children: dict[str, Any] = command.commands if isinstance(command, click.Group) else {}
        for child_name, child in sorted(children.items()):
            lines += section(f"{name} {child_name}", child, context)
    return lines


def one_line(text: str | None) -> str:
    """The first line of a docstring, as a table's cell."""
    return cell((text or "").strip().splitlines()[0] if text else "")


def cell(text: str) -> str:
    """Text that a table's cell can hold."""
    return text.replace("|", "\\|").replace("\n", " ").replace("{", "‹").replace("}", "›")
