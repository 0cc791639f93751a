"""What every room's tests share: one event loop backend, and whether the long suites run whole."""

import os

import pytest
from hypothesis import settings

IS_FULL_RUN = os.environ.get("STIPULA_TEST_FULL") == "1"

# No deadline: the suite judges by no clock. The ordinary run draws the same examples each time, the full run new ones.
settings.register_profile("ordinary", deadline=None, derandomize=True)
settings.register_profile("full", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("full" if IS_FULL_RUN else "ordinary")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def is_full_run() -> bool:
    """`./dev test --full`: long suites (fuzz, kill, soak) run at their whole length."""
    return IS_FULL_RUN
