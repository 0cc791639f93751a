"""A fact about two contracts, before anybody judges it."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from stipula.contract.model import Json

Layer = Literal["interface", "behaviour", "routing", "wire"]


class Change(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One difference. pointer: into the surface, as the lock shows it; "" is the surface itself.

    rule: what happened, in words. old, new: the values at the pointer; unset where there was, or is, none.
    """

    surface: str
    pointer: str
    rule: str
    layer: Layer
    old: Json | UnsetType = UNSET
    new: Json | UnsetType = UNSET
