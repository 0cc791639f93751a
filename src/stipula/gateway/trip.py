"""One request's own facts on its way: who asks, how it is called, and how long others kept it waiting."""

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter

from stipula.gateway.clients import Client


class Trip:
    """One request. Waiting for an upstream is not our time, so it is taken out of the overhead."""

    __slots__ = ("_started", "_waited", "client", "request_id")

    def __init__(self, client: Client, request_id: str = "", started: float | None = None) -> None:
        self.client = client
        self.request_id = request_id
        self._started = perf_counter() if started is None else started
        self._waited = 0.0

    @contextmanager
    def waiting(self) -> Generator[None]:
        """The time inside is an upstream's."""
        began = perf_counter()
        try:
            yield
        finally:
            self._waited += perf_counter() - began

    def elapsed_ms(self) -> float:
        """Since the request came."""
        return (perf_counter() - self._started) * 1000

    def overhead_ms(self) -> float:
        """Since the request came, without what upstreams took."""
        return (perf_counter() - self._started - self._waited) * 1000
