"""What can be looked at: the model list, health, readiness, counters, the keys' standing."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from stipula.errors import Problem
from stipula.gateway.clients import Clients
from stipula.gateway.config import IN_PROCESS
from stipula.gateway.keys import Key, State
from stipula.gateway.relay import Gateway, ModelUnknown

_MODELS = "/v1/models"


class AdminClosed(Problem):
    """Beyond loopback nobody sees the inside without a key of his own."""

    code, status = "GTW005", 403
    hint = "this page needs [server] admin_keys in the configuration, since the server listens beyond loopback"


class Shown(Struct, frozen=True):
    """body: bytes of the counters' page, or what becomes JSON."""

    body: Any
    status: int = 200


View = Callable[[str | None], Shown]
"""A page, given the credential that was shown."""


class Views:
    """Pages by path. is_admin_closed: nobody may see the inside, for want of a key to ask for."""

    def __init__(self, gateway: Gateway, admins: Clients, *, is_admin_closed: bool) -> None:
        self._gateway = gateway
        self._admins = admins
        self._is_admin_closed = is_admin_closed
        self._pages: dict[str, View] = {
            _MODELS: self._models,
            "/health": lambda _: Shown({"status": "ok"}),
            "/ready": self._ready,
            "/metrics": self._metrics,
            "/admin/keys": self._keys,
        }

    def find(self, path: str) -> View | None:
        """The page at a path."""
        if path.startswith(f"{_MODELS}/") and len(path) > len(_MODELS) + 1:
            return partial(self._model, unquote(path[len(_MODELS) + 1 :]))
        return self._pages.get(path)

    def _models(self, _: str | None) -> Shown:
        rows = [_model_row(row.name, row.upstream) for row in self._gateway.models()]
        return Shown({"object": "list", "data": rows})

    def _model(self, name: str, _: str | None) -> Shown:
        upstream = self._gateway.knows(name)
        if upstream is None:
            raise ModelUnknown(model=name)
        return Shown(_model_row(name, upstream))

    def _ready(self, _: str | None) -> Shown:
        """Ready is who can answer something: one upstream that is able is enough."""
        standing = {name: post.upstream.readiness()[0] for name, post in self._gateway.posts.items()}
        is_ready = any(standing.values())
        return Shown({"status": "ready" if is_ready else "not ready", "upstreams": standing}, 200 if is_ready else 503)

    def _metrics(self, credential: str | None) -> Shown:
        self._admit(credential)
        return Shown(self._gateway.metrics.page())

    def _keys(self, credential: str | None) -> Shown:
        self._admit(credential)
        rows = [
            {"name": name, "keys": [_key_row(key, state) for key, state in post.ring.standing()]}
            for name, post in self._gateway.posts.items()
            if post.settings.dialect not in IN_PROCESS
        ]
        return Shown({"upstreams": rows})

    def _admit(self, credential: str | None) -> None:
        if self._is_admin_closed:
            raise AdminClosed
        self._admins.admit(credential)


def _model_row(name: str, upstream: str) -> dict[str, Any]:
    # when a model was made is known to its vendor only
    return {"id": name, "object": "model", "created": 0, "owned_by": upstream}


def _key_row(key: Key, state: State) -> dict[str, Any]:
    until = None if key.until is None else datetime.fromtimestamp(key.until, UTC).isoformat(timespec="milliseconds")
    return {"id": key.id, "state": state, "cause": key.cause, "until": until, "strikes": key.strikes}
