"""Signatures of reasoning that travel through clients of another dialect, and come back to the vendor that made them.

A signature carries its origin in front, since a foreign one is useless to every other vendor. With a call it travels in
the call's id, the one thing that every client sends back; ids of all dialects allow letters, digits, `_` and `-`.
"""

from base64 import b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import Final

_MARK: Final = "__sig_"


_ORIGINS: Final = frozenset({"openai_chat", "openai_responses", "anthropic_messages", "gemini"})


def marked(signature: str, origin: str) -> str:
    """The signature with its origin in front; as it is where the origin is the caller's own dialect ("")."""
    return f"{origin}:{signature}" if origin else signature


def unmarked(text: str) -> tuple[str, str]:
    """The signature and its origin, "" where none stands in front."""
    origin, colon, signature = text.partition(":")
    return (signature, origin) if colon and origin in _ORIGINS else (text, "")


def sealed(call_id: str, signature: str | None) -> str:
    """The id with the (marked) signature in it; the id itself where there is none."""
    if signature is None:
        return call_id
    return f"{call_id}{_MARK}{urlsafe_b64encode(signature.encode()).decode().rstrip('=')}"


def unsealed(call_id: str) -> tuple[str, str | None]:
    """The id as the vendor made it, and the (marked) signature that travelled in it."""
    if _MARK not in call_id:
        return call_id, None
    bare, _, text = call_id.rpartition(_MARK)
    try:
        return bare, b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
    except (NotBase64, ValueError):
        return call_id, None
