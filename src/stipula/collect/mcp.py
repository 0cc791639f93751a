"""The tool list of an MCP server: a program on pipes, an address, or a server object of the project's own code.

Each profile is asked in each era of the protocol that the server speaks; the eras must define each tool alike.
"""

import logging
import os
import re
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import anyio

from stipula.collect.environment import resolved, secrets
from stipula.collect.loading import CodeBroke, cause_of, named, project_code
from stipula.collect.mcp_problems import ErasDiffer, NoEra, NoMcpPackage, NoServer, NoServerName, ProfilesOfUrl
from stipula.collect.project import CollectEntry, ProfileEntry
from stipula.contract import toollist
from stipula.contract.canonical import canonical, required_sorted
from stipula.contract.model import Contract, Json
from stipula.contract.schema import pointer
from stipula.errors import Problem

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

    from stipula.collect.mcp_eras import Line, View

ONE_ERA_ONLY: Final = frozenset({"execution"})
"""Members of a tool that only one revision has: 2025-11-25 knows `execution`, 2026-07-28 has moved it."""


def collect(entry: CollectEntry, root: Path) -> Contract:
    """The tools of every profile, one surface each, and for each profile what its eras state beside them."""
    if find_spec("mcp") is None:
        raise NoMcpPackage
    if entry.url and entry.profiles:
        raise ProfilesOfUrl(server=entry.label)
    profiles = entry.profiles or {"": ProfileEntry()}
    parts: list[Contract] = []
    server = entry.name
    for name, profile in profiles.items():
        shown = f"{entry.label} (profile {name})" if name else entry.label
        with _quiet_library():
            found = _Asking(entry, profile, root, shown).eras()
        server = server or _name_of(found, shown)
        parts.append(_contract(server, name, found, shown))
    return Contract(
        surfaces=tuple(one for part in parts for one in part.surfaces),
        profiles=tuple(one for part in parts for one in part.profiles),
    )


def _contract(server: str, profile: str, found: "Mapping[str, View]", shown: str) -> Contract:
    views = list(found.values())
    for view in views[1:]:
        _check_alike(views[0], view, shown)
    tools = views[-1].tools  # the newest era's
    eras = [toollist.era(view.era, view.protocol, view.tools, view.facts) for view in views]
    return Contract(
        surfaces=tuple(toollist.tool_surface(server, tool, profile) for tool in tools),
        profiles=(toollist.profile(server, profile, tools, eras),),
    )


def _name_of(found: "Mapping[str, View]", shown: str) -> str:
    """What the server calls itself, without what has a meaning in ids."""
    for view in found.values():
        if name := re.sub(r"[\s/#]+", "-", str(view.stamp.get("name", ""))).strip("-"):
            return name
    raise NoServerName(server=shown)


# ---------------------------------------------------------------- two eras, one definition


def _check_alike(old: "View", new: "View", shown: str) -> None:
    """Raise ErasDiffer at the first place where the lists differ; the order of tools and of `required` is free."""
    lists: list[dict[str, Json]] = [{str(tool["name"]): _form(tool) for tool in view.tools} for view in (old, new)]
    for place, was, now in _differences([], lists[0], lists[1]):
        what = f"tool {place[0]!r}"
        raise ErasDiffer(
            server=shown,
            what=what,
            legacy=old.protocol,
            modern=new.protocol,
            pointer=pointer(*place[1:]) or "/",
            old=_clipped(was),
            new=_clipped(now),
        )


def _form(tool: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in tool.items() if key not in ONE_ERA_ONLY and value is not None}
    return cast("dict[str, Any]", required_sorted(kept))


_MISSING: Final = object()
MAX_SHOWN: Final = 60


def _differences(place: list[str], old: Json, new: Json) -> Generator[tuple[list[str], Json, Json]]:
    if isinstance(old, dict) and isinstance(new, dict):
        before, after = cast("dict[str, Json]", old), cast("dict[str, Json]", new)
        for key in sorted(before.keys() | after.keys()):
            yield from _differences([*place, key], before.get(key, _MISSING), after.get(key, _MISSING))
    elif old is _MISSING or new is _MISSING or canonical(old) != canonical(new):
        yield place, old, new


def _clipped(value: Json) -> str:
    text = "nothing" if value is _MISSING else canonical(value).decode()
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


# ---------------------------------------------------------------- the ways to a server


class _Asking:
    """One profile of a server, asked."""

    def __init__(self, entry: CollectEntry, profile: ProfileEntry, root: Path, shown: str) -> None:
        self._entry, self._profile, self._root, self._shown = entry, profile, root, shown
        asked = entry.env | profile.env
        self._env = resolved(asked, os.environ, shown)
        self._headers = resolved(entry.headers, os.environ, shown)
        self._secrets = secrets(asked | entry.headers, os.environ)

    def eras(self) -> "dict[str, View]":
        """What the server shows in each era that it speaks; at least one."""
        if not self._entry.server:
            return anyio.run(self._asked)
        with _environment(self._env), project_code(self._root):
            return anyio.run(self._asked)

    async def _asked(self) -> "dict[str, View]":
        from stipula.collect.mcp_eras import LEGACY, MODERN, views  # noqa: PLC0415 - half a second, for who asks

        found, declined = await views(self._line, server=self._shown, timeout_s=self._entry.timeout_s)
        if not found:
            raise NoEra(server=self._shown, legacy=declined[LEGACY], modern=declined[MODERN])
        return found

    def _line(self) -> "Line":
        from stipula.collect.mcp_http import Endpoint  # noqa: PLC0415 - as above
        from stipula.collect.mcp_stdio import Child  # noqa: PLC0415 - as above

        entry = self._entry
        if entry.server:
            return _Object(entry.server, self._profile.args, self._root)
        if entry.url:
            return Endpoint(
                entry.url, self._headers, server=self._shown, timeout_s=entry.timeout_s, secrets=self._secrets
            )
        command = (*entry.command, *self._profile.args)
        return Child(command, self._env, self._root, server=self._shown, secrets=self._secrets)


class _Object:
    """A server object in this process, made anew for each era."""

    def __init__(self, target: str, args: tuple[str, ...], root: Path) -> None:
        self.fault: Problem | None = None
        self.doing = ""
        self.last_words = ""
        self._server = _made(target, args, root)

    @asynccontextmanager
    async def connected(self) -> "AsyncGenerator[TransportStreams]":
        """The streams that a client session takes."""
        from mcp.client._memory import InMemoryTransport  # noqa: PLC0415 - as above

        async with InMemoryTransport(self._server) as streams:
            yield streams


def _made(target: str, args: tuple[str, ...], root: Path) -> Any:  # noqa: ANN401 - one of two classes of the library
    from mcp.server import Server  # noqa: PLC0415 - as above
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415 - as above

    found = named(target, root)
    if callable(found) and not isinstance(found, Server | MCPServer):
        try:
            found = found(*args)
        except Problem:
            raise
        except (Exception, SystemExit) as why:
            raise CodeBroke(target=target, cause=cause_of(why)) from why
    if not isinstance(found, Server | MCPServer):
        raise NoServer(target=target, seen=f"of type {type(found).__name__}")
    return cast("Any", found)


@contextmanager
def _environment(values: Mapping[str, str]) -> Generator[None]:
    """These values in the environment of this process, and afterwards what was there."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _quiet_library() -> Generator[None]:
    """Nothing of what the SDK logs reaches the terminal: what matters in it is told as a problem."""
    loggers = [logging.getLogger(name) for name in ("mcp", "client", "httpx2", "asyncio")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
