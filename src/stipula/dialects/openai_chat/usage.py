"""The bill of a chat answer: its totals include what the details name."""

from typing import Any

from stipula.dialects.ir import Json, Usage
from stipula.dialects.strict_json import as_count, as_object


def read_usage(raw: Any) -> Usage | None:  # noqa: ANN401 - JSON of any shape
    """The bill in a usage member; None where it is absent or null."""
    members = as_object(raw)
    if not members:
        return None
    into = as_object(members.get("prompt_tokens_details"))
    out_of = as_object(members.get("completion_tokens_details"))
    return Usage(
        tokens_in=as_count(members.get("prompt_tokens")),
        tokens_out=as_count(members.get("completion_tokens")),
        cached=as_count(into.get("cached_tokens")),
        cache_write=as_count(into.get("cache_write_tokens")),
        reasoning=as_count(out_of.get("reasoning_tokens")),
    )


def write_usage(usage: Usage) -> Json:
    """The bill as a usage member."""
    into = {"cached_tokens": usage.cached, "audio_tokens": 0}
    if usage.cache_write:
        into["cache_write_tokens"] = usage.cache_write
    return {
        "prompt_tokens": usage.tokens_in,
        "completion_tokens": usage.tokens_out,
        "total_tokens": usage.tokens_in + usage.tokens_out,
        "prompt_tokens_details": into,
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning, "audio_tokens": 0},
    }
