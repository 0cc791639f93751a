"""What every room's tests share: one event loop backend, and whether the long suites run whole."""

import os

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def is_full_run() -> bool:
    """`./dev test --full`: long suites (fuzz, kill, soak) run at their whole length."""
    return os.environ.get("STIPULA_TEST_FULL") == "1"
