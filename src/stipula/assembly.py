"""The composition root: settings in, a running application out. It picks, names and hands over; it decides nothing."""

import asyncio
import os
import time
from collections.abc import Callable
from secrets import token_hex

from stipula.dialects import by_name
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
from stipula.gateway.local.weights import SMOLLM2, cache_folder
from stipula.gateway.metrics import Metrics
from stipula.gateway.relay import Gateway
from stipula.gateway.upstream import PATHS, HttpUpstream, Sessions, Upstream
from stipula.settings import Settings


def steady_clock() -> Callable[[], float]:
    """Seconds since 1970 that never go back, whatever is done to the machine's clock."""
    begun, at = time.time(), time.monotonic()
    return lambda: begun + time.monotonic() - at


def gateway(settings: Settings, sessions: Sessions, clock: Callable[[], float]) -> Gateway:
    """The gateway of these settings."""
    told, rest = settings.gateway.cache, settings.gateway.quarantine
    rules = Rules(rest.consecutive_internal_errors, rest.seconds)
    posts = {
        one.name: Post(
            settings=one,
            dialect=by_name("openai_chat" if one.dialect in IN_PROCESS else one.dialect),
            ring=Keyring(one.keys, NEVER if one.dialect in IN_PROCESS else rules, clock),
            upstream=_upstream(one, sessions, clock),
        )
        for one in settings.gateway.upstreams
    }
    return Gateway(
        posts,
        Metrics(),
        clock,
        cache=Cache(ttl_s=told.ttl_s, max_entries=told.max_entries, max_bytes=told.max_bytes) if told.enabled else None,
        max_attempts=settings.gateway.max_attempts,
    )


NEVER = Rules(consecutive_internal_errors=2**31)
"""What runs on this machine has no account that errors could cost."""


def _upstream(one: UpstreamSettings, sessions: Sessions, clock: Callable[[], float]) -> Upstream:
    if one.dialect == "echo":
        return Echo(lambda: token_hex(12), clock, asyncio.sleep)
    if one.dialect == "local":
        return Local(SMOLLM2, cache_folder(os.environ), sessions, lambda: token_hex(12))
    return HttpUpstream(one.name, one.base_url.rstrip("/") + PATHS[one.dialect], sessions, connect_s=one.connect_s)


def application(settings: Settings) -> App:
    """The whole server as one ASGI application."""
    sessions, clock = Sessions(), steady_clock()
    relay = gateway(settings, sessions, clock)
    server = settings.server
    app = GatewayApp(
        relay,
        clients=Clients(settings.gateway.client_keys),
        admins=Clients([ClientKey(key=key) for key in server.admin_keys]),
        is_admin_closed=not server.admin_keys and not is_loopback(server.host),
        max_body_bytes=settings.gateway.max_body_bytes,
    )
    doors = Doors(server.host, frozenset(server.hosts))
    return Front(doors, app, None, on_stop=(sessions.close, relay.close))
