"""What the model is asked: the conversation so far, the question, the words that stand before both."""

from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol

from msgspec import Struct

from stipula.chat.thinking import Mode
from stipula.dialects.ir import Ask, Delta, Role, Sampling, Text, Turn

LOCAL: Final = "local"
"""The upstream that is the packaged model."""
LOCAL_SYSTEM: Final = "Answer the question briefly and correctly."
"""Said to the packaged model where the person set nothing: it is small, and rambles without."""


class ModelRow(Protocol):
    """One model that can be asked."""

    @property
    def name(self) -> str:
        """What it is asked by."""
        ...

    @property
    def upstream(self) -> str:
        """Which upstream has it."""
        ...

    @property
    def ready(self) -> bool:
        """Whether it can answer now."""
        ...

    @property
    def note(self) -> str:
        """What is missing, or what goes on; "" for nothing."""
        ...


class Models(Protocol):
    """What the chat needs of the gateway."""

    def stream(self, ask: Ask, *, tenant: str = "", request_id: str = "") -> AsyncIterator[Delta]:
        """The answer piece by piece. Raises a Problem before the first piece; after it gives `Failed`."""
        ...

    def models(self) -> Sequence[ModelRow]:
        """Every model, in the order of the configuration."""
        ...


class Line(Struct, frozen=True):
    """One earlier message of the conversation."""

    role: Role
    text: str


class Wishes(Struct, frozen=True, kw_only=True):
    """What the person set for this turn; None where nothing."""

    system: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None


def ask_of(row: ModelRow | None, model: str, lines: Sequence[Line], question: str, mode: Mode, wishes: Wishes) -> Ask:
    """The ask of one turn. row: the model's, None where no upstream is known to have it."""
    is_local = row is not None and row.upstream == LOCAL
    system = wishes.system or (LOCAL_SYSTEM if is_local else None)
    temperature = 0.0 if wishes.temperature is None and is_local and not wishes.system else wishes.temperature
    said = [Line("system", system)] if system else []
    return Ask(
        model=model,
        turns=tuple(
            Turn(role=line.role, parts=(Text(text=line.text),), plain=True)
            for line in (*said, *lines, Line("user", question))
        ),
        stream=True,
        include_usage=True,
        reasoning=mode.wish,
        sampling=Sampling(temperature=temperature, top_p=wishes.top_p, max_tokens=wishes.max_tokens or mode.max_tokens),
    )


def recent(lines: Sequence[Line], *, max_turns: int, max_chars: int) -> list[Line]:
    """The end of a conversation that fits, beginning with a user's line; empty lines are left out."""
    kept: list[Line] = []
    room = max_chars
    for line in reversed([line for line in lines if line.text.strip()][-max_turns:]):
        room -= len(line.text)
        if room < 0:
            break
        kept.append(line)
    while kept and kept[-1].role != "user":
        kept.pop()
    return kept[::-1]
