"""The two rules on a request's tail, the only ones and the only place: every surface's ask passes here.

A: the last turn that is not the system's must be one that a model can answer: a user's, or a tool's result.
B: the newest user turn, wherever it stands, must hold more than white space.
A is asked first. Both stand on measurements of upstreams, not on taste: an assistant tail comes back as an internal
error that costs the account, an empty user turn is answered against the system prompt as if that were the question.
"""

from typing import Final, Literal

from msgspec import Struct

from stipula.dialects.ir import Ask, Foreign, Part, Text, Thought, Turn, is_blank

ASSISTANT_TAIL: Final = "The conversation must end with a user message or a tool result."
EMPTY_USER: Final = "The last user message has empty content."

_OF_THE_SYSTEM: Final = frozenset({"system", "developer"})
_ANSWERABLE: Final = frozenset({"user", "tool"})


class TailBreak(Struct, frozen=True):
    """Which rule a request breaks. It is answered with 400 `invalid_request_error`, this message and param."""

    rule: Literal["assistant_tail", "empty_user"]
    message: str
    param: str = "messages"


_A: Final = TailBreak("assistant_tail", ASSISTANT_TAIL)
_B: Final = TailBreak("empty_user", EMPTY_USER)


def judge(ask: Ask) -> TailBreak | None:
    """The rule that the ask's tail breaks, the assistant's before the user's; None where it may go on."""
    last = next((turn for turn in reversed(ask.turns) if turn.role not in _OF_THE_SYSTEM), None)
    if last is None or last.role not in _ANSWERABLE:
        return _A
    newest = next((turn for turn in reversed(ask.turns) if turn.role == "user"), None)
    if newest is not None and is_empty(newest):
        return _B
    return None


def is_empty(turn: Turn) -> bool:
    """Whether nothing in the turn is content: no text but white space, and no other part."""
    return not any(_is_content(part) for part in turn.parts)


def _is_content(part: Part) -> bool:
    match part:
        case Text(text=text):
            return not is_blank(text)
        case Foreign(is_content=is_content):
            return is_content
        case Thought():
            return False
        case _:
            return True
