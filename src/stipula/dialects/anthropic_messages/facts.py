"""What the messages dialect spells how. Source: the vendor's API reference, seen 2026-10."""

from typing import Final

from stipula.dialects.ir import Json, Stop, Usage
from stipula.dialects.strict_json import as_count, as_object

NAME: Final = "anthropic_messages"

DEFAULT_MAX_TOKENS: Final = 4096
"""The dialect wants a limit; where the caller named none, this is it, and it is told."""
MIN_BUDGET: Final = 1024
"""The smallest thinking budget that the vendor takes."""

AT: Final = {
    "temperature": "/temperature",
    "top_p": "/top_p",
    "top_k": "/top_k",
    "max_tokens": "/max_tokens",
    "stop": "/stop_sequences",
    "tools": "/tools",
    "tool_choice": "/tool_choice",
    "parallel_tool_calls": "/tool_choice/disable_parallel_tool_use",
    "reasoning": "/thinking",
    "output": "/output_config/format",
    "user": "/metadata/user_id",
}
WITHOUT_A_PLACE: Final = (
    "frequency_penalty",
    "presence_penalty",
    "seed",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "metadata",
    "service_tier",
    "verbosity",
    "cache_key",
)
"""Words of the vocabulary that this dialect has no member for."""

STOPS: Final[dict[str, Stop]] = {
    "end_turn": "end",
    "stop_sequence": "stop_string",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_call",
    "refusal": "refusal",
    "pause_turn": "pause",
}
STOP_REASONS: Final[dict[Stop, str]] = {
    "end": "end_turn",
    "stop_string": "stop_sequence",
    "length": "max_tokens",
    "tool_call": "tool_use",
    "refusal": "refusal",
    "pause": "pause_turn",
    "error": "end_turn",
    "other": "end_turn",
}
WON_BY_A_CALL: Final = frozenset[Stop | None]({"end", "stop_string", "other"})
"""A tool call wins over these stop words; a cut call stays cut, a refusal a refusal."""

TYPES: Final = {"insufficient_quota": "billing_error", "server_error": "api_error"}
KINDS: Final = {
    "billing_error": "insufficient_quota",
    "api_error": "api_error",
    "overloaded_error": "overloaded_error",
    "timeout_error": "timeout_error",
    "rate_limit_error": "rate_limit_error",
    "permission_error": "permission_error",
    "not_found_error": "not_found_error",
    "request_too_large": "request_too_large",
    "authentication_error": "authentication_error",
    "invalid_request_error": "invalid_request_error",
}
KINDS_OF_STATUS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def read_stop(word: str | None, *, called: bool) -> Stop | None:
    """Why the answer ended; a call wins over the upstream's word, none at all stays none."""
    if word is None:
        return None
    stop = STOPS.get(word, "other")
    return "tool_call" if called and stop in WON_BY_A_CALL else stop


def read_usage(raw: object) -> Usage:
    """The bill in a usage member: what went in is told in three parts that exclude each other."""
    members = as_object(raw)
    cached = as_count(members.get("cache_read_input_tokens"))
    written = as_count(members.get("cache_creation_input_tokens"))
    return Usage(
        tokens_in=as_count(members.get("input_tokens")) + cached + written,
        tokens_out=as_count(members.get("output_tokens")),
        cached=cached,
        cache_write=written,
        reasoning=as_count(as_object(members.get("output_tokens_details")).get("thinking_tokens")),
    )


def write_usage(usage: Usage) -> Json:
    """The bill as a usage member."""
    return {
        "input_tokens": max(0, usage.tokens_in - usage.cached - usage.cache_write),
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.tokens_out,
    }
