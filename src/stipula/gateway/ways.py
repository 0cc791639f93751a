"""How an upstream of each dialect is reached over HTTP: the path below its base URL, and where the credential goes.

Sources: each vendor's API reference, seen 2026-11. A path may hold `{model}`; streams may have one of their own.
"""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

from msgspec import Struct

Headers = Mapping[str, str]


class Way(Struct, frozen=True, kw_only=True):
    """path: below the base URL. stream_path: where streams are asked for elsewhere. bearing: a credential's headers."""

    path: str
    bearing: Callable[[str], Headers]
    stream_path: str = ""
    headers: Headers = {}

    def url(self, base: str, model: str, *, stream: bool) -> str:
        """The address of one request."""
        path = self.stream_path if stream and self.stream_path else self.path
        return base.rstrip("/") + (path.format(model=quote(model, safe="")) if "{" in path else path)


def _bearer(credential: str) -> Headers:
    return {"authorization": f"Bearer {credential}"}


WAYS: Final = {
    "openai_chat": Way(path="/chat/completions", bearing=_bearer),
    "openai_responses": Way(path="/responses", bearing=_bearer),
    "anthropic_messages": Way(
        path="/v1/messages",
        bearing=lambda credential: {"x-api-key": credential},
        headers={"anthropic-version": "2023-06-01"},
    ),
    "gemini": Way(
        path="/v1beta/models/{model}:generateContent",
        stream_path="/v1beta/models/{model}:streamGenerateContent?alt=sse",
        bearing=lambda credential: {"x-goog-api-key": credential},
    ),
}
