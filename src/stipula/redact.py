"""The one list of secret shapes: what errors, logs and answers never show.

Vendors' messages repeat keys ("Incorrect API key provided: sk-…"), and so do stack traces and URLs.
"""

import re
from typing import Final

MASK: Final = "***"

SHAPES: Final = (
    # name, pattern; group `keep`, where there is one, stays in front of the mask
    ("openai, anthropic and the like", r"\b(?:sk|pk|rk)-[A-Za-z0-9_\-*.]{6,}"),
    ("google", r"\bAIza[A-Za-z0-9_\-]{20,}"),
    ("groq, xai, perplexity, replicate", r"\b(?:gsk_|xai-|pplx-|r8_)[A-Za-z0-9_\-]{8,}"),
    ("hugging face, github, gitlab", r"\b(?:hf_|gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_\-]{8,}"),
    ("slack", r"\bxox[abprs]-[A-Za-z0-9\-]{8,}"),
    ("aws", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("backblaze", r"\bK00[0-9][A-Za-z0-9/+]{27}\b"),
    ("json web token", r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"),
    ("private key", r"-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^-]{0,8192}(?:-----END [A-Z ]{0,32}PRIVATE KEY-----)?"),
    ("authorization header", r"(?i)(?P<keep>\b(?:bearer|basic)\s)\s*[A-Za-z0-9_\-.~+/=]{8,}"),
    ("credential of a url", r"(?P<keep>\b[a-z][a-z0-9+.\-]{0,16}://)[^\s/@:]{1,256}:[^\s/@]{1,256}(?=@)"),
    ("named value", r"(?i)(?P<keep>\b(?:api[_-]?key|x-goog-api-key|secret|token|password|key)=)[^\s&\"']{6,}"),
)
"""Every run of characters is bounded or ends at a character it excludes, so the text's length bounds the time."""

_SHAPES: Final = tuple(re.compile(pattern) for _, pattern in SHAPES)


def redact(text: str) -> str:
    """The text with everything that has the shape of a secret replaced by `***`."""
    for shape in _SHAPES:
        text = shape.sub(_masked, text)
    return text


def _masked(match: re.Match[str]) -> str:
    return (match.groupdict().get("keep") or "") + MASK


class Secret:
    """A value that does not show itself: neither printed, nor logged, nor encoded by accident."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value, where it is needed: in a request's header, in a comparison."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)
