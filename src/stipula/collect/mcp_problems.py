"""What goes wrong with an MCP server, each said in one line: what was seen, and what to do."""

import json
import signal
from collections.abc import Iterable
from typing import Final

from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem
from stipula.redact import MASK, redact

MAX_SHOWN: Final = 120
MIN_SECRET: Final = 4
"""Shorter values than this are no secrets, and masking them would make a message unreadable."""


class CannotStart(Problem):
    """The program of a server cannot be started."""

    code, exit_code = "COL401", EXIT_UNAVAILABLE
    hint = "{server}: cannot start {program!r}: {why}; the command of the entry is run in the project's folder"


class ServerEnded(Problem):
    """A server ended before it was asked to."""

    code, exit_code = "COL402", EXIT_UNAVAILABLE
    hint = "{server} {how} {doing}{stderr}; run its command by hand to see more"


class Noise(Problem):
    """A server wrote to stdout what is no message of the protocol."""

    code, exit_code = "COL403", EXIT_UNAVAILABLE
    hint = "{server} printed on stdout what is no JSON-RPC message: {line}; stdout belongs to the protocol, use stderr"


class BadMessage(Problem):
    """A server sent JSON that is no message of JSON-RPC."""

    code, exit_code = "COL404", EXIT_UNAVAILABLE
    hint = "{server} sent JSON that is no JSON-RPC 2.0 message ({why}): {line}"


class TooMuch(Problem):
    """A server sent more than is read."""

    code, exit_code = "COL405", EXIT_UNAVAILABLE
    hint = "{server} sent more than {limit} {unit}; a tool list that large is of no use to a client"


class SlowStart(Problem):
    """A server did not answer the first request in time."""

    code, exit_code = "COL406", EXIT_UNAVAILABLE
    hint = "{server} did not answer {method} within {timeout_s:g} s{stderr}; raise timeout_s if it needs longer"


class SlowList(Problem):
    """A server did not list what it offers in time."""

    code, exit_code = "COL407", EXIT_UNAVAILABLE
    hint = "{server} did not finish {method} within {timeout_s:g} s ({pages} pages came){stderr}; raise timeout_s"


class EndlessPages(Problem):
    """A list has no end."""

    code, exit_code = "COL408", EXIT_UNAVAILABLE
    hint = "{server}: {method} does not end: {why}; a last page has no nextCursor"


class BadAnswer(Problem):
    """An answer is not what its revision of the protocol says."""

    code, exit_code = "COL410", EXIT_UNAVAILABLE
    hint = "{server} answered {method} with what revision {protocol} does not allow: {why}"


class Refused(Problem):
    """A server answered with an error."""

    code, exit_code = "COL411", EXIT_UNAVAILABLE
    hint = "{server} answered {method} with error {number}: {message}"


class NoEra(Problem):
    """A server speaks no revision of the protocol that we speak."""

    code, exit_code = "COL412", EXIT_UNAVAILABLE
    hint = "{server} speaks neither era of MCP: initialize: {legacy}; server/discover: {modern}"


class ErasDiffer(Problem):
    """A server defines a tool differently in its two protocol eras."""

    code, exit_code = "COL413", EXIT_UNAVAILABLE
    hint = "{server}: {what} differs between revisions {legacy} and {modern} at {pointer}: {old} and {new}; make it one"


class NoServerName(Problem):
    """A server does not say its name, and the entry does not either."""

    code, exit_code = "COL414", EXIT_USAGE
    hint = "{server} does not say its name; give the entry a `name`, surfaces are called mcp:NAME#TOOL"


class ToolTwice(Problem):
    """A server lists two tools of one name."""

    code, exit_code = "COL415", EXIT_UNAVAILABLE
    hint = "{server} lists the tool {tool!r} twice; a client cannot tell them apart"


class NoServer(Problem):
    """A name that should be an MCP server is something else."""

    code, exit_code = "COL416", EXIT_UNAVAILABLE
    hint = "{target} is {seen}; wanted a Server or MCPServer of the mcp package, or a function that returns one"


class Unreachable(Problem):
    """Nobody answers at the address of a server."""

    code, exit_code = "COL417", EXIT_UNAVAILABLE
    hint = "cannot reach {server}: {why}"


class NoMcpPackage(Problem):
    """The library that speaks the protocol is not installed."""

    code, exit_code = "COL418", EXIT_UNAVAILABLE
    hint = "MCP servers are collected with the mcp package, which is not installed: pip install 'stipula[mcp]'"


class ProfilesOfUrl(Problem):
    """Profiles are asked for of a server that we do not start."""

    code, exit_code = "COL419", EXIT_USAGE
    hint = "{server} is not started by us, so it has no profiles; make an entry for each address"


def shown(text: str | bytes, secrets: Iterable[str] = ()) -> str:
    """A piece of what a server wrote, fit for a line on a terminal: no secret, no control character, clipped."""
    plain = text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else text
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= MIN_SECRET:
            plain = plain.replace(secret, MASK)
    plain = redact(plain[: 64 * MAX_SHOWN].strip())
    clipped = plain if len(plain) <= MAX_SHOWN else plain[:MAX_SHOWN] + "…"
    return json.dumps(clipped, ensure_ascii=False) if clipped.isprintable() else ascii(clipped)


def how_ended(status: int | None) -> str:
    """The words for the exit status of a process, as subprocess gives it; None for one that still runs."""
    if status is None:
        return "closed its stdout, still running,"
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
