"""Which requests come in at all: those that name us, and no page of somebody else's. Pure.

A page in a browser on this machine can reach loopback; a name that its owner points at 127.0.0.1 makes that page "same
origin" (DNS rebinding). Such a request says the foreign name in Host, and every cross-site one says Origin.
"""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Doors(Struct, frozen=True):
    """host: where we listen. names: further names that are ours, from `[server] hosts`."""

    host: str = "127.0.0.1"
    names: frozenset[str] = frozenset()

    def refusal(self, headers: Mapping[bytes, bytes]) -> str | None:
        """Why a request is turned away; None where it may come in."""
        return _refusal(self, headers.get(b"host", b""), headers.get(b"origin", b""))

    def judge(self, said: str, origin: str) -> str | None:
        """The same, for the two headers as text."""
        if said and not self._is_ours(name_of(f"//{said}")):
            return f"This server is not called {said[:100]!r}. A name that is its own stands in [server] hosts."
        if origin and not self._is_same(origin, said):
            return f"Pages of {origin[:100]!r} may not ask this server."
        return None

    def _is_ours(self, name: str) -> bool:
        if name in LOOPBACK_NAMES or name == self.host or name in self.names:
            return True
        # An address cannot be rebound; beyond loopback a client may well use it.
        return not is_loopback(self.host) and _is_address(name)

    def _is_same(self, origin: str, said: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return False
        return parts.netloc.lower() == said.lower() or (parts.hostname or "") in self.names


@lru_cache(maxsize=64)
def _refusal(doors: Doors, said: bytes, origin: bytes) -> str | None:
    """Kept, since one client says the same on every request."""
    return doors.judge(said.decode("latin-1"), origin.decode("latin-1"))


def name_of(address: str) -> str:
    """The host of an address, lower case and without its port; "" where there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
