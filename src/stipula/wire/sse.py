"""Server-sent events as bytes and frames: the layer below events. No input or output here."""

from msgspec import Struct


class Frame(Struct, frozen=True, kw_only=True):
    """One dispatched event, or one comment. data: lines joined by LF. event "": the wire named none.

    comment: set, and everything else empty, for a comment line.
    """

    data: str = ""
    event: str = ""
    id: str | None = None
    retry_ms: int | None = None
    comment: str | None = None
