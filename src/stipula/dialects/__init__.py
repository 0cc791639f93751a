"""How each vendor spells a request, an answer and a stream. `by_name` gives a dialect; each is loaded on first use."""

from functools import cache
from importlib import import_module
from typing import Final, cast

from stipula.dialects.dialect import Dialect, DialectUnknown

NAMES: Final = ("openai_chat", "anthropic_messages", "openai_responses", "gemini")


@cache
def by_name(name: str) -> Dialect:
    """The dialect of this name; `DialectUnknown` where there is none."""
    if name not in NAMES:
        raise DialectUnknown(name=name, known=", ".join(NAMES))
    return cast("Dialect", import_module(f"stipula.dialects.{name}").DIALECT)
