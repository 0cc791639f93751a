"""Servers on real pipes and real sockets, and projects to collect from."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stipula.collect.project import CollectEntry, ProfileEntry

SERVERS = Path(__file__).parent / "servers"


@pytest.fixture
def honest() -> Callable[..., tuple[str, ...]]:
    """The command of an honest server that offers what it is told."""

    def command(**offer: Any) -> tuple[str, ...]:
        return (sys.executable, str(SERVERS / "honest.py"), json.dumps(offer))

    return command


@pytest.fixture
def misbehaving() -> Callable[..., tuple[str, ...]]:
    def command(how: str, *args: str) -> tuple[str, ...]:
        return (sys.executable, str(SERVERS / "misbehaving.py"), how, *args)

    return command


@pytest.fixture
def mcp_entry() -> Callable[..., CollectEntry]:
    def entry(command: tuple[str, ...] = (), **members: Any) -> CollectEntry:
        profiles = {name: ProfileEntry(**told) for name, told in members.pop("profiles", {}).items()}
        options: dict[str, Any] = {"timeout_s": 20.0} | members
        return CollectEntry(source="mcp", command=command, profiles=profiles, **options)

    return entry
