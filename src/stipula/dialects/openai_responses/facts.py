"""What the Responses dialect spells how. Source: the vendor's API reference, seen 2026-10."""

from collections.abc import Callable
from typing import Final

from stipula.dialects.ir import Json, Stop, Usage
from stipula.dialects.strict_json import as_count, as_object, is_bool, is_number, is_object, is_text, is_whole

NAME: Final = "openai_responses"

Row = tuple[str, Callable[[object], bool]]

SAMPLING: Final[dict[str, Row]] = {
    "temperature": ("temperature", is_number),
    "top_p": ("top_p", is_number),
    "max_output_tokens": ("max_tokens", is_whole),
    "top_logprobs": ("top_logprobs", is_whole),
}
ASK: Final[dict[str, Row]] = {
    "parallel_tool_calls": ("parallel_tool_calls", is_bool),
    "metadata": ("metadata", is_object),
    "user": ("user", is_text),
    "service_tier": ("service_tier", is_text),
    "prompt_cache_key": ("cache_key", is_text),
    "safety_identifier": ("safety_id", is_text),
}
OURS: Final[dict[str, Row]] = {
    "store": ("store", is_bool),
    "previous_response_id": ("previous_reply_id", is_text),
}
"""State that the gateway keeps; never forwarded."""

AT: Final = {word: f"/{name}" for name, (word, _) in (SAMPLING | ASK | OURS).items()} | {
    "tools": "/tools",
    "tool_choice": "/tool_choice",
    "output": "/text/format",
    "verbosity": "/text/verbosity",
    "reasoning": "/reasoning",
}
WITHOUT_A_PLACE: Final = (
    "stop",
    "frequency_penalty",
    "presence_penalty",
    "seed",
    "logit_bias",
    "logprobs",
    "top_k",
)
"""Words of the vocabulary that this dialect has no member for."""
OF_THE_SYSTEM_FIELD: Final = frozenset({"/instructions", "/system", "/systemInstruction", "/system_instruction"})
"""Where dialects with one field for the system's words have it; here that is `instructions`."""

INCOMPLETE: Final[dict[Stop, str]] = {"length": "max_output_tokens", "refusal": "content_filter"}
STOPS: Final[dict[str, Stop]] = {"max_output_tokens": "length", "max_tokens": "length", "content_filter": "refusal"}

KINDS_OF_STATUS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "server_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
TYPES: Final = {
    "overloaded_error": "server_error",
    "timeout_error": "server_error",
    "request_too_large": "invalid_request_error",
}
CODES: Final = {
    "rate_limit_error": "rate_limit_exceeded",
    "insufficient_quota": "rate_limit_exceeded",
    "invalid_request_error": "invalid_prompt",
}
"""A failed answer's code, from a list that the vendor has closed; everything else is its `server_error`."""


def read_usage(raw: object) -> Usage | None:
    """The bill in a usage member; None where it is absent or null."""
    members = as_object(raw)
    if not members:
        return None
    into, out_of = as_object(members.get("input_tokens_details")), as_object(members.get("output_tokens_details"))
    return Usage(
        tokens_in=as_count(members.get("input_tokens")),
        tokens_out=as_count(members.get("output_tokens")),
        cached=as_count(into.get("cached_tokens")),
        cache_write=as_count(into.get("cache_write_tokens")),
        reasoning=as_count(out_of.get("reasoning_tokens")),
    )


def write_usage(usage: Usage) -> Json:
    """The bill as a usage member."""
    into = {"cached_tokens": usage.cached} | ({"cache_write_tokens": usage.cache_write} if usage.cache_write else {})
    return {
        "input_tokens": usage.tokens_in,
        "input_tokens_details": into,
        "output_tokens": usage.tokens_out,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.tokens_in + usage.tokens_out,
    }
