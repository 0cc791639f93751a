"""What the chat dialect spells how. Source: the vendor's API reference, seen 2026-10, and what servers really send."""

from collections.abc import Callable
from typing import Final

from stipula.dialects.ir import Stop
from stipula.dialects.strict_json import is_bool, is_number, is_object, is_text, is_whole

NAME: Final = "openai_chat"

Row = tuple[str, Callable[[object], bool]]
"""A word of the vocabulary, and whether a value is of its type; one of another type stays as it is, in `extra`."""

SAMPLING: Final[dict[str, Row]] = {
    "temperature": ("temperature", is_number),
    "top_p": ("top_p", is_number),
    "frequency_penalty": ("frequency_penalty", is_number),
    "presence_penalty": ("presence_penalty", is_number),
    "seed": ("seed", is_whole),
    "max_completion_tokens": ("max_tokens", is_whole),
    "n": ("candidates", is_whole),
    "logit_bias": ("logit_bias", is_object),
    "logprobs": ("logprobs", is_bool),
    "top_logprobs": ("top_logprobs", is_whole),
}
ASK: Final[dict[str, Row]] = {
    "parallel_tool_calls": ("parallel_tool_calls", is_bool),
    "metadata": ("metadata", is_object),
    "user": ("user", is_text),
    "service_tier": ("service_tier", is_text),
    "verbosity": ("verbosity", is_text),
    "prompt_cache_key": ("cache_key", is_text),
    "safety_identifier": ("safety_id", is_text),
}
AT: Final = {word: f"/{name}" for name, (word, _) in (SAMPLING | ASK).items()} | {
    "stop": "/stop",
    "tools": "/tools",
    "tool_choice": "/tool_choice",
    "output": "/response_format",
    "reasoning": "/reasoning_effort",
}

STOPS: Final[dict[str, Stop]] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "tool_call",
    "function_call": "tool_call",
    "content_filter": "refusal",
    # words that servers of this dialect borrow from their model's home
    "eos": "end",
    "end_turn": "end",
    "stop_sequence": "stop_string",
    "max_tokens": "length",
    "tool_use": "tool_call",
    "error": "error",
}
FINISH: Final[dict[Stop, str]] = {
    "end": "stop",
    "stop_string": "stop",
    "length": "length",
    "tool_call": "tool_calls",
    "refusal": "content_filter",
    "error": "stop",
    "pause": "stop",
    "other": "stop",
}
WON_BY_A_CALL: Final = frozenset[Stop | None]({"end", "stop_string", "other", None})
"""A tool call wins over these stop words; a cut call stays cut, a refusal a refusal."""

TYPES: Final = {
    "overloaded_error": "server_error",
    "timeout_error": "server_error",
    "request_too_large": "invalid_request_error",
}
"""Kinds of errors that this dialect has another word for."""
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
