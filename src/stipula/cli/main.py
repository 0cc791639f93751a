"""The commands by name, and the one place where a fault becomes a line and an exit code.

A command is loaded when it is called; `stipula --version` and `stipula --help` load none.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Final, cast

import click

from stipula import __version__
from stipula.errors import EXIT_FINE, EXIT_INTERNAL, EXIT_UNAVAILABLE, EXIT_USAGE, Problem

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    # name: where it stands, and its line in the list
    "init": ("stipula.cli.init:init", "Write a first stipula.toml."),
    "freeze": ("stipula.cli.freeze:freeze", "Collect the contract and write the lock."),
    "check": ("stipula.cli.check:check", "Collect the contract and hold it against the lock."),
    "contain": ("stipula.cli.contain:contain", "Ask whether one schema lies within another."),
    "diff": ("stipula.cli.diff:diff", "Say what changed between two documents, and what it breaks."),
    "rules": ("stipula.cli.rules:rules", "List what a diff can say."),
    "rule": ("stipula.cli.rules:rule", "Show the page of one rule."),
    "serve": ("stipula.cli.serve:serve", "Serve the gateway and the chat."),
    "model": ("stipula.cli.model:model", "Fetch the local model, or say where it is."),
    "check-config": ("stipula.cli.check_config:check_config", "Read a server's configuration and name its faults."),
}
EXIT_INTERRUPTED: Final = 130


class ReaderLeft(Exception):  # noqa: N818 - no fault, a fact
    """Whoever read our output wants no more of it."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads one when it is called."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. Click would turn a reader who left into exit code 1, which here means findings."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as why:
            raise ReaderLeft from why

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click names it
        """All names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click names it
        """The command of this name, loaded."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click names it
        """The list of commands, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stipula", message="%(prog)s %(version)s")
def stipula() -> None:
    """Keep the wires of an LLM application honest.

    Stipula writes down every shape that crosses a boundary, freezes it, and says what a change breaks.
    """


def run(words: Sequence[str]) -> int:
    """Run one command and give its exit code. Whatever goes wrong is told in one line on standard error."""
    try:
        return _ended(words)
    except (ReaderLeft, BrokenPipeError):
        # the reader of our output has left; what is still buffered must not complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_UNAVAILABLE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as why:  # noqa: BLE001 - the last line of defence: no traceback reaches a user
        return _told(why)


def _ended(words: Sequence[str]) -> int:
    try:
        code: object = stipula.main(args=list(words), prog_name="stipula", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        return EXIT_INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as why:
        click.echo(why.format_message(), err=True)
        return EXIT_USAGE
    except click.ClickException as why:
        command = why.ctx.command_path if isinstance(why, click.UsageError) and why.ctx else "stipula"
        tell(f"{command}: {why.format_message()} (see {command} --help)")
        return EXIT_USAGE
    except Problem as problem:
        report(problem)
        return problem.exit_code
    return code if isinstance(code, int) else EXIT_FINE


def report(problem: Problem) -> None:
    """One line for a problem, with its code."""
    tell(f"stipula: {problem.code} {problem}")
    _trace(problem)


def tell(line: str) -> None:
    """One line on standard error, whatever the text holds."""
    print(" ".join(line.split()), file=sys.stderr)


def _told(why: Exception) -> int:
    tell(f"stipula: internal error: {type(why).__name__}: {str(why)[:200]} (STIPULA_DEBUG=1 shows where)")
    _trace(why)
    return EXIT_INTERNAL


def _trace(why: BaseException) -> None:
    if os.environ.get("STIPULA_DEBUG") == "1":
        traceback.print_exception(why)
