"""Whole answers kept for the same tenant and the same ask, in memory. Off unless the configuration says otherwise.

Kept are answers that ended by themselves or at a stop string or limit, without a tool call, whole or streamed alike;
never a fault, a cut stream, or what the vocabulary has no word for. A stream and a whole answer share an entry.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from stipula.dialects.ir import (
    Ask,
    Closed,
    Delta,
    Opened,
    Part,
    Reply,
    Stopped,
    Text,
    TextDelta,
    Thought,
    ThoughtDelta,
    Usage,
    UsageDelta,
)

_KEPT_STOPS: Final = frozenset({"end", "stop_string", "length"})
_encode: Final = msgspec.json.Encoder(order="sorted").encode


def key_of(tenant: str, ask: Ask) -> bytes:
    """The fingerprint of a tenant's ask; whether it streams, and the spelling of its bytes, do not count."""
    bare = replace(ask, body=b"", stream=False, include_usage=False, at={})
    return hashlib.sha256(_encode((tenant, bare))).digest()


def is_kept(reply: Reply) -> bool:
    """Whether an answer may stand for the next one."""
    is_text = bool(reply.parts) and all(isinstance(part, Text | Thought) for part in reply.parts)
    is_more = bool(reply.others) or any("/" in name for name in reply.extra or ())  # a member inside the answer
    return is_text and not is_more and reply.stop in _KEPT_STOPS


class _Entry(Struct, frozen=True):
    reply: Reply
    size: int
    ends: float


class Cache:
    """Entries by fingerprint, bounded in number, bytes and age; the least lately used go first. now: any clock, s."""

    def __init__(self, *, ttl_s: float, max_entries: int, max_bytes: int) -> None:
        self._ttl_s = ttl_s
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._bytes = 0

    def get(self, key: bytes, now: float) -> Reply | None:
        """The answer, if there is one that is young enough."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.ends <= now:
            self._drop(key)
            return None
        self._entries.move_to_end(key)
        return entry.reply

    def put(self, key: bytes, reply: Reply, now: float) -> None:
        """Keep an answer, if it is of the kind that is kept and has room at all."""
        if not is_kept(reply):
            return
        size = len(_encode(reply))
        if size > self._max_bytes:
            return
        self._drop(key)
        self._entries[key] = _Entry(reply, size, now + self._ttl_s)
        self._bytes += size
        while self._bytes > self._max_bytes or len(self._entries) > self._max_entries:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: bytes) -> None:
        entry = self._entries.pop(key, None)
        self._bytes -= entry.size if entry else 0


class Gatherer:
    """The deltas of a stream, put together to a reply. What it cannot put together makes it give up."""

    def __init__(self) -> None:
        self._opened: Opened | None = None
        self._stopped: Stopped | None = None
        self._usage: Usage | None = None
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._is_closed = False
        self._is_given_up = False

    def add(self, deltas: Iterable[Delta]) -> None:
        """More of the answer."""
        for delta in deltas:
            match delta:
                case Opened():
                    self._opened = delta
                case TextDelta(candidate=0):
                    self._texts.append(delta.text)
                case ThoughtDelta(candidate=0, signature=None, redacted=False):
                    self._thoughts.append(delta.text)
                case Stopped(candidate=0):
                    self._stopped = delta
                case UsageDelta():
                    self._usage = delta.usage
                case Closed():
                    self._is_closed = True
                case _:
                    self._is_given_up = True

    def reply(self) -> Reply | None:
        """The reply, if the stream ended whole and held nothing but text and thought."""
        if self._is_given_up or not self._is_closed or self._opened is None or self._stopped is None:
            return None
        parts: list[Part] = [Thought(text="".join(self._thoughts))] if self._thoughts else []
        parts += [Text(text="".join(self._texts))] if self._texts else []
        return Reply(
            reply_id=self._opened.reply_id,
            model=self._opened.model,
            created=self._opened.created,
            parts=tuple(parts),
            stop=self._stopped.stop,
            stop_raw=self._stopped.stop_raw,
            stop_string=self._stopped.stop_string,
            usage=self._usage,
        )


def replay(reply: Reply) -> Iterator[Delta]:
    """A kept answer as a stream."""
    yield Opened(reply_id=reply.reply_id, model=reply.model, created=reply.created)
    for part in reply.parts:
        match part:
            case Text():
                yield TextDelta(text=part.text)
            case Thought():
                yield ThoughtDelta(text=part.text)
            case _:
                pass
    yield Stopped(stop=reply.stop or "end", stop_raw=reply.stop_raw, stop_string=reply.stop_string)
    if reply.usage is not None:
        yield UsageDelta(usage=reply.usage)
    yield Closed()
