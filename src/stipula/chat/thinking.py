"""The modes of thinking, as a table: what a client may call them, which one runs, and what running it changes.

Modes that are not built yet run as the nearest one that is; `metadata.thinking_mode` states the one that ran.
"""

from typing import Final

from msgspec import Struct

from stipula.chat.events import ModeName
from stipula.dialects.ir import ReasoningWish

DEFAULT: Final = "auto"


class Mode(Struct, frozen=True, kw_only=True):
    """One mode. runs_as: the mode that does its work. shows_thinking: its streams have a reasoning block.

    max_tokens: the limit of an answer, reasoning included, where the request names none.
    """

    name: ModeName
    runs_as: ModeName
    spellings: tuple[str, ...] = ()
    shows_thinking: bool = True
    wish: ReasoningWish | None = ReasoningWish(enabled=True, show=True)
    max_tokens: int = 4096


MODES: Final = (
    # instant wishes nothing: many models refuse a request that mentions reasoning at all
    Mode(name="instant", runs_as="instant", shows_thinking=False, wish=None, max_tokens=2000),
    Mode(name="think", runs_as="think", spellings=("thinking",)),
    Mode(name="deep-think", runs_as="think", spellings=("deep", "deep_think"), max_tokens=8192),
    Mode(name="multi-thinking", runs_as="think", spellings=("multi_thinking",)),
    Mode(name="auto", runs_as="think"),
)
_BY_NAME: Final = {name: mode for mode in MODES for name in (mode.name, *mode.spellings)}
KNOWN: Final = tuple(mode.name for mode in MODES)


def mode_of(name: str) -> Mode | None:
    """The mode that runs for this name; None where no mode has it."""
    asked = _BY_NAME.get(name)
    return None if asked is None else _BY_NAME[asked.runs_as]


# ---------------------------------------------------------------- what a block says of itself

_WORDS: Final = {
    "en": ("Thought for {seconds} s.", "Answered without thinking aloud."),
    "es": ("Pensó durante {seconds} s.", "Respondió sin pensar en voz alta."),
    "vi": ("Đã suy nghĩ trong {seconds} giây.", "Trả lời mà không trình bày suy nghĩ."),
}


def summary(language: str, *, duration_ms: int, has_thought: bool) -> str:
    """One sentence for a person: how long the model thought."""
    thought, silent = _WORDS.get(language, _WORDS["en"])
    return thought.format(seconds=f"{duration_ms / 1000:.1f}") if has_thought else silent


def steps_of(thought: str) -> list[str]:
    """The reasoning in steps: its paragraphs."""
    return [step for step in (part.strip() for part in thought.split("\n\n")) if step]
