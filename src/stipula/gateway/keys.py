"""Which credential of an upstream is used next, and what an answer does to it. Pure: state in, state out, time given.

A key rests for a cause and until a moment; a rest is only ever made longer. After it the key is half open: one request
at a time tries it, in its place in the order. Where every key rests, the one whose rest ends first is still served as a
last resort, one request at a time and shown as resting all the same; but never inside a wait that the upstream itself
has named (Retry-After), since asking again would be to ignore it.
"""

import hashlib
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

Cause = Literal["auth", "billing", "rate_limit", "capacity", "internal"]
State = Literal["usable", "resting", "half_open", "probing"]
Outcome = Literal["ok", "auth", "billing", "rate_limit", "capacity", "internal", "neutral"]
"""What came of one use. `neutral`: the caller's own fault or departure, which says nothing about the key."""
LeaseKind = Literal["usual", "probe", "last_resort"]

HARD_REST_S: Final = 1800.0
"""A refused credential and an empty account are not cured by waiting a little."""
FIRST_RATE_REST_S: Final = 15.0
MAX_RATE_REST_S: Final = 600.0
"""Rests after a 429 that names no wait: they double from the first to the longest."""


class Rules(Struct, frozen=True):
    """`[gateway.quarantine]`: how many internal errors in a row rest a key, and how long."""

    consecutive_internal_errors: int = 2
    seconds: float = 120.0


class Key(Struct, frozen=True):
    """One credential's standing. until: seconds on the given clock, None if it never rested or proved itself since.

    is_told: the upstream named the end of this rest. strikes: internal errors in a row. limits: 429s in a row.
    probe: the number of the lease that tries it.
    """

    id: str
    cause: Cause | None = None
    until: float | None = None
    is_told: bool = False
    strikes: int = 0
    limits: int = 0
    in_flight: int = 0
    probe: int | None = None

    def state(self, now: float) -> State:
        """How it stands at this moment."""
        if self.until is None:
            return "usable"
        if now < self.until:
            return "resting"
        return "half_open" if self.probe is None else "probing"


class Pool(Struct, frozen=True):
    """The keys of one upstream, in the order of the file. leases: how many were given; last_resort: the one now out."""

    keys: tuple[Key, ...]
    leases: int = 0
    last_resort: int | None = None


class Lease(Struct, frozen=True):
    """One use of one key. index: its place in the pool. number: which lease of the pool this is."""

    index: int
    number: int
    kind: LeaseKind = "usual"


class Resting(Struct, frozen=True):
    """No key can be used now. wait_s: until the first may be, None where the pool is empty or nothing is known."""

    wait_s: float | None
    cause: Cause | None = None


def key_id(credential: str) -> str:
    """What a key is called where it may be seen: 8 hex digits of its hash."""
    return hashlib.sha256(credential.encode()).hexdigest()[:8]


def pool_of(credentials: Sequence[str]) -> Pool:
    """A fresh pool."""
    return Pool(tuple(Key(key_id(credential)) for credential in credentials))


def pick(pool: Pool, now: float, *, tried: AbstractSet[int] = frozenset()) -> tuple[Pool, Lease | Resting]:
    """The least busy usable key, ties in order, that this request has not tried; else a last resort, else none.

    A request that has tried a key is given no last resort: its fault stands for all of them.
    """
    states = [key.state(now) for key in pool.keys]
    free = [i for i, state in enumerate(states) if i not in tried and state in ("usable", "half_open")]
    if free:
        index = min(free, key=lambda i: (pool.keys[i].in_flight, i))
        return _lent(pool, index, "usual" if states[index] == "usable" else "probe")
    resting = [i for i, state in enumerate(states) if state == "resting" and not pool.keys[i].is_told]
    if resting and not tried and pool.last_resort is None and "probing" not in states:
        return _lent(pool, min(resting, key=lambda i: (pool.keys[i].until or 0.0, i)), "last_resort")
    return pool, _resting(pool, now)


def _resting(pool: Pool, now: float) -> Resting:
    ends = [(key.until, index) for index, key in enumerate(pool.keys) if key.until is not None and now < key.until]
    if len(ends) < len(pool.keys) or not ends:
        return Resting(None)
    until, index = min(ends)
    return Resting(until - now, pool.keys[index].cause)


def _lent(pool: Pool, index: int, kind: LeaseKind) -> tuple[Pool, Lease]:
    number = pool.leases + 1
    key = pool.keys[index]
    key = replace(key, in_flight=key.in_flight + 1, probe=number if kind == "probe" else key.probe)
    pool = _put(pool, index, key)
    last_resort = number if kind == "last_resort" else pool.last_resort
    return replace(pool, leases=number, last_resort=last_resort), Lease(index, number, kind)


def opened(pool: Pool, lease: Lease, now: float) -> Pool:
    """The pool once the lease's first byte is there: a probe that got so far has proved its key."""
    key = pool.keys[lease.index]
    return _put(pool, lease.index, _proved(key, now)) if key.probe == lease.number else pool


def after(pool: Pool, lease: Lease, outcome: Outcome, now: float, rules: Rules, *, wait_s: float | None = None) -> Pool:
    """The pool when a use has ended. wait_s: the upstream's Retry-After, taken exactly."""
    key = pool.keys[lease.index]
    is_probe = key.probe == lease.number
    if is_probe and outcome == "ok":
        key = _proved(key, now)
    key = replace(key, in_flight=key.in_flight - 1, probe=None if is_probe else key.probe)
    pool = _put(pool, lease.index, _judged(key, outcome, now, rules, wait_s))
    return replace(pool, last_resort=None) if pool.last_resort == lease.number else pool


def _proved(key: Key, now: float) -> Key:
    """The key after a probe that was answered, unless somebody's answer has sent it to rest again meanwhile."""
    is_over = key.until is not None and key.until <= now
    return replace(key, until=None, cause=None, is_told=False, probe=None) if is_over else replace(key, probe=None)


def _judged(key: Key, outcome: Outcome, now: float, rules: Rules, wait_s: float | None) -> Key:
    match outcome:
        case "neutral":
            return key
        case "ok":
            return replace(key, strikes=0, limits=0)
        case "auth" | "billing":
            return _rested(key, outcome, now + HARD_REST_S)
        case "capacity":
            return key if wait_s is None else _rested(key, outcome, now + wait_s, is_told=True)
        case "rate_limit":
            limited = replace(key, limits=key.limits + 1)
            guess_s = min(MAX_RATE_REST_S, FIRST_RATE_REST_S * 2 ** min(key.limits, 16))
            return _rested(limited, outcome, now + (guess_s if wait_s is None else wait_s), is_told=wait_s is not None)
        case "internal":
            struck = replace(key, strikes=key.strikes + 1)
            is_enough = struck.strikes >= rules.consecutive_internal_errors
            return _rested(struck, outcome, now + rules.seconds) if is_enough else struck


def _rested(key: Key, cause: Cause, until: float, *, is_told: bool = False) -> Key:
    """The key at rest; a rest that would end before the present one changes nothing."""
    if key.until is not None and key.until >= until:
        return key
    return replace(key, cause=cause, until=until, is_told=is_told)


def _put(pool: Pool, index: int, key: Key) -> Pool:
    return replace(pool, keys=(*pool.keys[:index], key, *pool.keys[index + 1 :]))
