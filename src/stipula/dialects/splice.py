"""Edits of a JSON object in its own bytes: what is not edited stays as it came, to the byte.

The body was read strictly before (`strict_json`), so it is one valid object in which every name stands once.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw

_NAME: Final = re.compile(rb'[\s,]*"[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*', re.DOTALL)
_GAP: Final = re.compile(rb"[\s,]*")
_members: Final = msgspec.json.Decoder(dict[str, Raw])
_items: Final = msgspec.json.Decoder(list[Raw])


def with_members(body: bytes, values: Mapping[str, Any]) -> bytes:
    """The object with these members set: replaced where they stand, else added in front of all others."""
    written = {name: msgspec.json.encode(value) for name, value in values.items()}
    out: list[bytes] = []
    done = 0
    for name, (start, end) in _spans(body).items():
        if name in written:
            out += (body[done:start], written.pop(name))
            done = end
    out.append(body[done:])
    return _put_first(b"".join(out), written)


def without_members(body: bytes, names: frozenset[str]) -> bytes:
    """The object without these members; bytes of the others, and their order, stay."""
    kept = _members.decode(body)
    if not names & kept.keys():
        return body
    pairs = (msgspec.json.encode(name) + b":" + bytes(raw) for name, raw in kept.items() if name not in names)
    return b"{" + b",".join(pairs) + b"}"


def member(body: bytes, name: str) -> bytes | None:
    """The bytes of one member's value; None where there is none."""
    raw = _members.decode(body).get(name)
    return None if raw is None else bytes(raw)


def without_items(array: bytes, indices: frozenset[int]) -> bytes:
    """The JSON array without the items at these indices; the bytes of the others stay."""
    return b"[" + b",".join(bytes(raw) for i, raw in enumerate(_items.decode(array)) if i not in indices) + b"]"


def _put_first(body: bytes, written: Mapping[str, bytes]) -> bytes:
    if not written:
        return body
    added = b",".join(msgspec.json.encode(name) + b":" + value for name, value in written.items())
    start = body.index(b"{") + 1
    is_empty = body[start:].lstrip()[:1] == b"}"
    return body[:start] + added + (b"" if is_empty else b",") + body[start:]


def _spans(body: bytes) -> dict[str, tuple[int, int]]:
    """Where each member's value begins and ends. msgspec finds the ends at C speed, we only walk the names."""
    spans: dict[str, tuple[int, int]] = {}
    at = body.index(b"{") + 1
    for name, raw in _members.decode(body).items():
        start = _after_name(body, at)
        at = start + memoryview(raw).nbytes
        spans[name] = (start, at)
    return spans


def _after_name(body: bytes, at: int) -> int:
    match = _NAME.match(body, at)
    assert match is not None, "the body was read as a JSON object before"
    return match.end()
