"""How much to think, in words and in tokens: the one table by which dialects of words meet dialects of budgets."""

from typing import Final

from stipula.dialects.ir import ReasoningWish

_BUDGETS: Final = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768, "max": 32768}
_UP_TO: Final = ((2048, "low"), (8192, "medium"))


def effort_of(wish: ReasoningWish) -> str | None:
    """The wish in words; None where it names no amount. A budget becomes the word whose budget it fits in."""
    if wish.effort is not None:
        return wish.effort
    if wish.enabled is False:
        return "none"
    if wish.budget_tokens is None:
        return None
    return next((word for limit, word in _UP_TO if wish.budget_tokens <= limit), "high")


def budget_of(wish: ReasoningWish) -> int | None:
    """The wish in tokens; None where it names no amount, 0 where it asks for none."""
    if wish.budget_tokens is not None:
        return wish.budget_tokens
    if wish.enabled is False or wish.effort == "none":
        return 0
    return None if wish.effort is None else _BUDGETS.get(wish.effort)
