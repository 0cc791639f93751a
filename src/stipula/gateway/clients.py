"""Who asks: the credentials that callers may show, and what each may ask for."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qs

from msgspec import Struct

from stipula.errors import Problem
from stipula.gateway.config import ClientKey
from stipula.gateway.keys import key_id
from stipula.gateway.routing import matches

_BEARER: Final = "bearer "
_HEADERS: Final = (b"x-api-key", b"x-goog-api-key")


class Unauthenticated(Problem):
    """No credential where one is wanted, or one that nobody has."""

    code, status = "GTW001", 401
    hint = "{seen}; wanted: a client key as Bearer token, x-api-key, x-goog-api-key or ?key="


class ModelForbidden(Problem):
    """A caller's key does not reach this model."""

    code, status = "GTW002", 403
    hint = "this client key may not ask for the model {model!r}"


class Client(Struct, frozen=True):
    """A caller. tenant: what keeps its cached answers apart from others'. models: names or globs; empty = all."""

    tenant: str = ""
    models: tuple[str, ...] = ()

    def check(self, model: str) -> None:
        """`ModelForbidden` unless the model is one of its own."""
        if self.models and not any(matches(pattern, model) for pattern in self.models):
            raise ModelForbidden(model=model)


class Clients:
    """The callers of the configuration. Keys are kept as hashes; every one is compared, in constant time."""

    def __init__(self, client_keys: Sequence[ClientKey]) -> None:
        self._known = [
            (_digest(client.key.reveal()), Client(client.name or key_id(client.key.reveal()), client.models))
            for client in client_keys
        ]

    def admit(self, credential: str | None) -> Client:
        """The caller with this credential. Where none is configured everybody is let in, apart by what they show."""
        if not self._known:
            return Client() if credential is None else Client(f"anonymous-{key_id(credential)}")
        if credential is None:
            raise Unauthenticated(seen="no credential")
        digest = _digest(credential)
        found = [client for known, client in self._known if hmac.compare_digest(known, digest)]
        if not found:
            raise Unauthenticated(seen="a credential that nobody has")
        return found[0]


def _digest(credential: str) -> bytes:
    return hashlib.sha256(credential.encode("utf-8", "surrogateescape")).digest()


def credential_in(headers: Mapping[bytes, bytes], query: bytes) -> str | None:
    """The credential that a request shows, wherever its vendor's client puts it."""
    authorization = headers.get(b"authorization", b"").decode("latin-1")
    if authorization[: len(_BEARER)].lower() == _BEARER:
        return authorization[len(_BEARER) :].strip() or None
    for name in _HEADERS:
        if value := headers.get(name):
            return value.decode("latin-1").strip() or None
    if b"key=" in query:
        values = parse_qs(query.decode("latin-1")).get("key")
        return values[0] if values else None
    return None
