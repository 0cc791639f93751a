"""What the generateContent dialect spells how. Source: the vendor's REST reference, seen 2026-10."""

from collections.abc import Callable
from typing import Any, Final

from stipula.dialects.dialect import DialectEdge
from stipula.dialects.ir import Json, Stop, Usage
from stipula.dialects.strict_json import as_count, as_object, is_array, is_bool, is_number, is_object, is_whole

NAME: Final = "gemini"

Row = tuple[str, Callable[[object], bool]]

SAMPLING: Final[dict[str, Row]] = {
    "temperature": ("temperature", is_number),
    "topP": ("top_p", is_number),
    "topK": ("top_k", is_whole),
    "maxOutputTokens": ("max_tokens", is_whole),
    "presencePenalty": ("presence_penalty", is_number),
    "frequencyPenalty": ("frequency_penalty", is_number),
    "seed": ("seed", is_whole),
    "candidateCount": ("candidates", is_whole),
    "responseLogprobs": ("logprobs", is_bool),
    "logprobs": ("top_logprobs", is_whole),
}
AT: Final = {word: f"/generationConfig/{name}" for name, (word, _) in SAMPLING.items()} | {
    "stop": "/generationConfig/stopSequences",
    "output": "/generationConfig/responseMimeType",
    "reasoning": "/generationConfig/thinkingConfig",
    "tools": "/tools",
    "tool_choice": "/toolConfig/functionCallingConfig",
}
WITHOUT_A_PLACE: Final = (
    "logit_bias",
    "metadata",
    "user",
    "service_tier",
    "verbosity",
    "cache_key",
)
"""Words of the vocabulary that this dialect has no member for."""

_REFUSALS: Final = (
    "SAFETY",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "RECITATION",
    "MODEL_ARMOR",
    "ESCALATION",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_OTHER",
    "NO_IMAGE",
)
_BROKEN_CALLS: Final = (
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE",
)
STOPS: Final[dict[str, Stop]] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "CONTINUATION": "pause",
    **dict.fromkeys(_REFUSALS, "refusal"),
    **dict.fromkeys(_BROKEN_CALLS, "error"),
}
FINISH: Final[dict[Stop, str]] = {
    "end": "STOP",
    "stop_string": "STOP",
    "tool_call": "STOP",
    "length": "MAX_TOKENS",
    "refusal": "SAFETY",
    "error": "MALFORMED_FUNCTION_CALL",
    "pause": "OTHER",
    "other": "OTHER",
}
_UNSPECIFIED: Final = "FINISH_REASON_UNSPECIFIED"

STATUSES: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    413: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    402: "RESOURCE_EXHAUSTED",
    429: "RESOURCE_EXHAUSTED",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
    529: "UNAVAILABLE",
}
KINDS: Final = {
    "INVALID_ARGUMENT": "invalid_request_error",
    "FAILED_PRECONDITION": "invalid_request_error",
    "OUT_OF_RANGE": "invalid_request_error",
    "UNAUTHENTICATED": "authentication_error",
    "PERMISSION_DENIED": "permission_error",
    "NOT_FOUND": "not_found_error",
    "RESOURCE_EXHAUSTED": "rate_limit_error",
    "INTERNAL": "server_error",
    "UNAVAILABLE": "overloaded_error",
    "DEADLINE_EXCEEDED": "timeout_error",
}


def camel(members: Json) -> Json:
    """The object with its names in camelCase; the REST surface takes both. One that is there in both counts once."""
    if not any("_" in name for name in members):
        return members
    return {_camel_name(name): value for name, value in members.items() if "_" in name} | {
        name: value for name, value in members.items() if "_" not in name
    }


_FREE: Final = frozenset(
    {"args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema"}
)
"""Members whose insides are the caller's own and not the dialect's."""


def refuse_twins(value: object) -> None:
    """`DialectEdge` where a member is named twice, in both spellings: two readers could read two requests."""
    if is_object(value):
        named = camel(value)
        if len(named) != len(value):
            raise DialectEdge("A member is named twice, in camelCase and in snake_case.")
        for name, inner in named.items():
            if name not in _FREE:
                refuse_twins(inner)
    elif is_array(value):
        for inner in value:
            refuse_twins(inner)


def _camel_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def read_stop(word: str | None, *, called: bool) -> Stop | None:
    """Why the answer ended; a call wins over the plain end, none at all stays none."""
    if word is None or word == _UNSPECIFIED:
        return None
    stop = STOPS.get(word, "other")
    return "tool_call" if called and stop in ("end", "other") else stop


def read_usage(raw: object) -> Usage | None:
    """The bill in a usageMetadata member; thoughts stand beside the candidates, tool prompts beside the prompt."""
    members = camel(as_object(raw)) if is_object(raw) else {}
    if not members:
        return None
    thoughts = as_count(members.get("thoughtsTokenCount"))
    return Usage(
        tokens_in=as_count(members.get("promptTokenCount")) + as_count(members.get("toolUsePromptTokenCount")),
        tokens_out=as_count(members.get("candidatesTokenCount")) + thoughts,
        cached=as_count(members.get("cachedContentTokenCount")),
        reasoning=thoughts,
    )


def write_usage(usage: Usage) -> Json:
    """The bill as a usageMetadata member."""
    told: dict[str, Any] = {
        "promptTokenCount": usage.tokens_in,
        "candidatesTokenCount": max(0, usage.tokens_out - usage.reasoning),
        "totalTokenCount": usage.tokens_in + usage.tokens_out,
    }
    if usage.cached:
        told["cachedContentTokenCount"] = usage.cached
    if usage.reasoning:
        told["thoughtsTokenCount"] = min(usage.reasoning, usage.tokens_out)
    return told


def json_schema_of(schema: Any) -> Any:  # noqa: ANN401 - a schema, or what stands in one
    """The vendor's own schema form as JSON Schema: type names are written small there."""
    if is_object(schema):
        words = {name: json_schema_of(value) for name, value in schema.items()}
        kind = words.get("type")
        return words | {"type": kind.lower()} if isinstance(kind, str) else words
    return [json_schema_of(one) for one in schema] if is_array(schema) else schema
