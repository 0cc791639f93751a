"""The composition root: settings in, a running application out. It picks, names and hands over; it decides nothing."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from secrets import token_hex

from stipula.dialects import by_name
from stipula.enforce.policy import Policy
from stipula.gateway.app import GatewayApp
from stipula.gateway.attempts import Post
from stipula.gateway.cache import Cache
from stipula.gateway.clients import Clients
from stipula.gateway.config import IN_PROCESS, ClientKey, UpstreamSettings
from stipula.gateway.doors import Doors, is_loopback
from stipula.gateway.echo import Echo
from stipula.gateway.front import App, Front
from stipula.gateway.keyring import Keyring
from stipula.gateway.keys import Rules
from stipula.gateway.local.upstream import Local
from stipula.gateway.local.weights import SMOLLM2, Progress, cache_folder
from stipula.gateway.metrics import Metrics
from stipula.gateway.relay import Gateway
from stipula.gateway.upstream import HttpUpstream, Sessions, Upstream
from stipula.gateway.ways import WAYS
from stipula.settings import Settings
from stipula.storage import sqlite

NEVER = Rules(consecutive_internal_errors=2**31)
"""What runs on this machine has no account that errors could cost."""


def application(settings: Settings, progress: Progress | None = None) -> App:
    """The whole server as one ASGI application. progress: of the model's download, if there is one."""
    sessions, clock = Sessions(), steady_clock()
    upstreams = {one.name: upstream_of(one, sessions, clock) for one in settings.gateway.upstreams}
    relay = gateway(settings, upstreams, clock)
    server = settings.server
    app = GatewayApp(
        relay,
        clients=Clients(settings.gateway.client_keys),
        admins=Clients([ClientKey(key=key) for key in server.admin_keys]),
        is_admin_closed=not server.admin_keys and not is_loopback(server.host),
        max_body_bytes=settings.gateway.max_body_bytes,
    )
    doors = Doors(server.host, frozenset(server.hosts))
    is_chat_open = is_loopback(server.host) and find_spec("starlette") is not None
    store = sqlite.open(settings.storage.url) if is_chat_open else None
    return Front(
        doors,
        app,
        None if store is None else chat(relay, store, settings, doors),
        beside=[partial(one.prepare, progress) for one in upstreams.values() if isinstance(one, Local)],
        on_stop=[sessions.close, relay.close, *([store.close] if store else [])],
    )


def gateway(settings: Settings, upstreams: Mapping[str, Upstream], clock: Callable[[], float]) -> Gateway:
    """The gateway of these settings."""
    told, rest = settings.gateway.cache, settings.gateway.quarantine
    rules = Rules(rest.consecutive_internal_errors, rest.seconds)
    posts = {
        one.name: Post(
            settings=one,
            dialect=by_name("openai_chat" if one.dialect in IN_PROCESS else one.dialect),
            ring=Keyring(one.keys, NEVER if one.dialect in IN_PROCESS else rules, clock),
            upstream=upstreams[one.name],
        )
        for one in settings.gateway.upstreams
    }
    cache = Cache(ttl_s=told.ttl_s, max_entries=told.max_entries, max_bytes=told.max_bytes)
    return Gateway(
        posts,
        Metrics(),
        clock,
        cache=cache if told.enabled else None,
        max_attempts=settings.gateway.max_attempts,
    )


def upstream_of(one: UpstreamSettings, sessions: Sessions, clock: Callable[[], float]) -> Upstream:
    """The way to one upstream."""
    match one.dialect:
        case "echo":
            return Echo(_new_id, clock, asyncio.sleep)
        case "local":
            return Local(SMOLLM2, cache_folder(os.environ), sessions, _new_id)
        case _:
            return HttpUpstream(one.name, one.base_url, WAYS[one.dialect], sessions, connect_s=one.connect_s)


def chat(relay: Gateway, store: sqlite.SqliteStore, settings: Settings, doors: Doors) -> App:
    """The chat, with the gateway in process; its libraries are loaded here, since a gateway alone needs none."""
    from stipula.chat.app import ChatStore, chat_app  # noqa: PLC0415
    from stipula.chat.clock import SystemClock  # noqa: PLC0415
    from stipula.chat.guard import ChatGuard  # noqa: PLC0415

    kept = ChatStore(records=store.records if settings.storage.conversations else None, journal=store.journal)
    guard = ChatGuard(Policy(mode=settings.chat.guard))
    return chat_app(relay, kept, guard, SystemClock(), settings.chat, doors=doors)


def _new_id() -> str:
    return token_hex(12)


def steady_clock() -> Callable[[], float]:
    """Seconds since 1970 that never go back, whatever is done to the machine's clock."""
    begun, at = time.time(), time.monotonic()
    return lambda: begun + time.monotonic() - at
