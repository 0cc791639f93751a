"""The upstreams there are without a configuration file: those of this machine, and vendors whose key is at hand."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from stipula.gateway.config import DIALECTS, UpstreamSettings
from stipula.gateway.routing import AS_ASKED
from stipula.redact import Secret

_ROWS = "upstreams.toml"


def here() -> tuple[UpstreamSettings, ...]:
    """The upstreams that need nothing from outside."""
    return (UpstreamSettings(name="local", dialect="local"), UpstreamSettings(name="echo", dialect="echo"))


def vendors(environ: Mapping[str, str]) -> tuple[UpstreamSettings, ...]:
    """An upstream for each vendor whose key stands in the environment."""
    return tuple(
        UpstreamSettings(
            name=row["name"],
            dialect=row["dialect"],
            base_url=row["base_url"],
            keys=(Secret(environ[row["env"]]),),
            models=dict.fromkeys(row["models"], AS_ASKED),
        )
        for row in rows()
        if environ.get(row["env"]) and row["dialect"] in DIALECTS
    )


def rows() -> list[dict[str, Any]]:
    """The table, as it stands in `upstreams.toml`."""
    return tomllib.loads(files("stipula.gateway").joinpath(_ROWS).read_text(encoding="utf-8"))["vendor"]
