"""The keys of one upstream at work: the pure rules of `keys.py` with their clock, their secrets and their state."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from stipula.gateway import keys
from stipula.gateway.keys import Key, Outcome, Resting, Rules
from stipula.redact import Secret


class Keyring:
    """One upstream's pool.

    credentials None: one nameless key, and nothing is sent. clock: seconds since 1970 that never go back.
    """

    def __init__(self, credentials: Sequence[Secret] | None, rules: Rules, clock: Callable[[], float]) -> None:
        self._secrets: Sequence[Secret | None] = (None,) if credentials is None else credentials
        self._pool = keys.pool_of([secret.reveal() if secret else "" for secret in self._secrets])
        self._rules = rules
        self._clock = clock

    def take(self, tried: AbstractSet[int]) -> "Use | Resting":
        """A key to use now that this request has not tried, or why there is none."""
        self._pool, lease = keys.pick(self._pool, self._clock(), tried=tried)
        if isinstance(lease, Resting):
            return lease
        return Use(self, lease, self._secrets[lease.index])

    def standing(self) -> tuple[tuple[Key, keys.State], ...]:
        """Every key and how it stands now."""
        now = self._clock()
        return tuple((key, key.state(now)) for key in self._pool.keys)

    def opened(self, lease: keys.Lease) -> None:
        """The first byte of an answer is there."""
        if lease.kind == "probe":
            self._pool = keys.opened(self._pool, lease, self._clock())

    def settle(self, lease: keys.Lease, outcome: Outcome, wait_s: float | None) -> None:
        """A use has ended."""
        self._pool = keys.after(self._pool, lease, outcome, self._clock(), self._rules, wait_s=wait_s)


class Use:
    """One use of one key. Settled once; what comes later is not heard."""

    __slots__ = ("_is_settled", "_lease", "_ring", "secret")

    def __init__(self, ring: Keyring, lease: keys.Lease, secret: Secret | None) -> None:
        self._ring = ring
        self._lease = lease
        self._is_settled = False
        self.secret = secret

    @property
    def index(self) -> int:
        """The key's place in the pool."""
        return self._lease.index

    def opened(self) -> None:
        """The first byte is there."""
        self._ring.opened(self._lease)

    def settle(self, outcome: Outcome, wait_s: float | None = None) -> None:
        """It has ended, and how."""
        if not self._is_settled:
            self._is_settled = True
            self._ring.settle(self._lease, outcome, wait_s)
