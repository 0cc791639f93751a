"""Signatures that travel in the id of a tool call, through clients that drop every member they do not know.

A vendor's seal of its reasoning must come back unchanged with the call, and a call's id is the one thing that every
client sends back. Ids of all dialects allow letters, digits, `_` and `-`.
"""

from base64 import b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import Final

_MARK: Final = "__sig_"


def sealed(call_id: str, signature: str | None) -> str:
    """The id with the signature in it; the id itself where there is none."""
    if signature is None:
        return call_id
    return f"{call_id}{_MARK}{urlsafe_b64encode(signature.encode()).decode().rstrip('=')}"


def unsealed(call_id: str) -> tuple[str, str | None]:
    """The id as the vendor made it, and the signature that travelled in it."""
    if _MARK not in call_id:
        return call_id, None
    bare, _, text = call_id.rpartition(_MARK)
    try:
        return bare, b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
    except (NotBase64, ValueError):
        return call_id, None
