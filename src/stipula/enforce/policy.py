"""How strictly a surface is held to its contract while the application runs."""

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

Mode = Literal["observe", "enforce", "off"]


class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One surface's policy. sample: the share of answers or streams that are looked at, 0 to 1."""

    mode: Mode = "observe"
    sample: Annotated[float, Meta(ge=0, le=1)] = 1.0

    def takes(self, draw: Callable[[], float]) -> bool:
        """Whether the next answer or stream is looked at. draw: a fresh number from 0 up to, not including, 1.

        A stream is looked at whole or not at all, since its laws need every event.
        """
        if self.mode == "off":
            return False
        return self.sample >= 1 or draw() < self.sample


class Policies(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy for each surface that is named, and one for all others."""

    default: Policy = Policy()
    surfaces: dict[str, Policy] = field(default_factory=dict[str, Policy])

    def of(self, surface: str) -> Policy:
        """The policy of a surface; an event without one of its own has that of its stream (`stream:/path`)."""
        own = self.surfaces.get(surface) or self.surfaces.get(surface.partition("#")[0])
        return own or self.default
