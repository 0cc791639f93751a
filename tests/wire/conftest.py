"""What the stream tests share: the chat's document and the reference that it was written from."""

import json
from pathlib import Path
from typing import Any

import pytest

import stipula

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def reference() -> dict[str, Any]:
    return json.loads((DATA / "sse-events.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def chat_v2() -> dict[str, Any]:
    path = Path(stipula.__path__[0]) / "chat" / "contract" / "chat_v2.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def sse_cases() -> list[dict[str, Any]]:
    return json.loads((DATA / "security" / "sse-frames.json").read_text(encoding="utf-8"))
