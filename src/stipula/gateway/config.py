"""What the gateway can be told in the configuration file. Each struct states its own rules in `faults`.

A fault is a place, as keys below the struct, and a sentence. Who reads the file and finds the line is `settings.py`.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field

from stipula.dialects import NAMES
from stipula.gateway.routing import AS_ASKED, STAR
from stipula.gateway.ways import WAYS
from stipula.redact import Secret

IN_PROCESS: Final = ("local", "echo")
"""Upstreams that are not reached over a network of ours."""
DIALECTS: Final = (*(name for name in NAMES if name in WAYS), *IN_PROCESS)
"""What an upstream may speak: a dialect that can be written, and reached."""
LOCAL_MODELS: Final = {"smollm2-135m": AS_ASKED}
ECHO_MODELS: Final = {"echo": AS_ASKED, "echo-*": AS_ASKED}
MAX_BODY_BYTES: Final = 10 * 1024 * 1024

Fault = tuple[tuple[str | int, ...], str]
Seconds = Annotated[float, Meta(gt=0)]
Count = Annotated[int, Meta(gt=0)]


class ClientKey(Struct, frozen=True, kw_only=True):
    """A credential that callers may show. `"env:NAME"` alone stands for a table with only `key`.

    name: what records call its owner; "" for the first 8 hex digits of its hash. models: names or globs; empty = all.
    """

    shorthand: ClassVar[str] = "key"
    key: Secret
    name: str = ""
    models: tuple[str, ...] = ()


class UpstreamSettings(Struct, frozen=True, kw_only=True):
    """One place that answers asks.

    base_url: as the vendor's own client takes it. keys: None = no credential is sent, empty = an empty pool.
    models: client's name or glob = upstream's name, "*" = as asked.
    first_byte_s, whole_s, idle_s: longest waits for a stream's first byte, for a whole answer, between two pieces.
    """

    name: Annotated[str, Meta(pattern="^[A-Za-z0-9._-]{1,64}$")]
    dialect: str
    base_url: str = ""
    keys: tuple[Secret, ...] | None = None
    models: dict[str, str] = field(default_factory=dict[str, str])
    connect_s: Seconds = 10.0
    first_byte_s: Seconds = 120.0
    whole_s: Seconds = 600.0
    idle_s: Seconds = 120.0

    def faults(self) -> Iterator[Fault]:
        """What no type can say."""
        if self.dialect not in DIALECTS:
            yield ("dialect",), f"no upstream dialect is named {self.dialect!r}; there are {', '.join(DIALECTS)}"
        elif self.dialect in IN_PROCESS:
            yield from (
                ((name,), f"`{name}` has no meaning for the dialect {self.dialect}, which runs in this process")
                for name, value in (("base_url", self.base_url), ("keys", self.keys))
                if value
            )
        elif not _is_base_url(self.base_url):
            yield ("base_url",), f"{self.base_url!r} is no http or https address without query; wanted: https://host/v1"
        if self.dialect in WAYS and not self.models:
            yield ("models",), "no model is named; wanted: a name or a glob, for example { 'gpt-*' = '*' }"
        for asked, theirs in self.models.items():
            yield from (((*("models",), asked), why) for why in _model_faults(asked, theirs))

    @property
    def model_names(self) -> dict[str, str]:
        """The models as written, or those that an upstream in this process has of itself."""
        return self.models or {"local": LOCAL_MODELS, "echo": ECHO_MODELS}.get(self.dialect, {})


def _model_faults(asked: str, theirs: str) -> Iterator[str]:
    if not asked or asked.isspace():
        yield "an empty model name; wanted: a name, or a glob in which * stands for any text"
    if STAR * 2 in asked:
        yield f"the glob {asked!r} has two stars in a row; wanted: one"
    if not theirs or (STAR in theirs and theirs != AS_ASKED):
        yield f'{asked!r} = {theirs!r}: wanted the upstream\'s model name, or "*" for the name as asked'


def _is_base_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    is_plain = not parts.query and not parts.fragment and not any(c.isspace() for c in text)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_plain


class QuarantineSettings(Struct, frozen=True, kw_only=True):
    """When internal errors of an upstream rest the key they came on, and for how long."""

    consecutive_internal_errors: Count = 2
    seconds: Seconds = 120.0


class CacheSettings(Struct, frozen=True, kw_only=True):
    """Whole answers kept for the same tenant and the same ask. Bounded by entries and bytes, the oldest go first."""

    enabled: bool = False
    ttl_s: Seconds = 300.0
    max_entries: Count = 500
    max_bytes: Count = 16 * 1024 * 1024


class GatewaySettings(Struct, frozen=True, kw_only=True):
    """All of `[gateway]`. client_keys empty: any credential or none is accepted, on loopback only."""

    client_keys: tuple[ClientKey, ...] = ()
    upstreams: tuple[UpstreamSettings, ...] = ()
    quarantine: QuarantineSettings = QuarantineSettings()
    cache: CacheSettings = CacheSettings()
    max_body_bytes: Count = MAX_BODY_BYTES
    max_attempts: Count = 6
    """How many upstreams and keys one request may try before its first byte."""

    def faults(self) -> Iterator[Fault]:
        """Names that stand twice."""
        seen: set[str] = set()
        for index, upstream in enumerate(self.upstreams):
            if upstream.name in seen:
                yield ("upstreams", index, "name"), f"two upstreams are named {upstream.name!r}; names are unique"
            seen.add(upstream.name)
        owners: set[str] = set()
        for index, client in enumerate(self.client_keys):
            if client.name and client.name in owners:
                yield ("client_keys", index), f"two client keys are named {client.name!r}; names are unique"
            owners.add(client.name)
