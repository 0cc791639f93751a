"""What one dialect says and another cannot: written down, never dropped silently."""

from msgspec import Struct


class Loss(Struct, frozen=True):
    """at: JSON Pointer into the request as it came. what: the member lost. to: the dialect that has no place for it."""

    at: str
    what: str
    to: str


Losses = list[Loss]
"""A writer appends; the caller reads."""
