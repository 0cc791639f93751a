"""One store of each backend, under a clock that only a test moves."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stipula.storage import memory, sqlite
from stipula.storage.ports import Store


class Hours:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def hours() -> Hours:
    return Hours()


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path, hours: Hours) -> AsyncIterator[Store]:
    opened = (
        memory.MemoryStore(hours) if request.param == "memory" else sqlite.open(f"sqlite:///{tmp_path}/s.db", now=hours)
    )
    yield opened
    await opened.close()
