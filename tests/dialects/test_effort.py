import pytest

from stipula.dialects.effort import budget_of, effort_of
from stipula.dialects.ir import ReasoningWish


@pytest.mark.parametrize("effort", ["low", "medium", "high"])
def test_a_word_comes_back_from_its_budget(effort):
    assert effort_of(ReasoningWish(budget_tokens=budget_of(ReasoningWish(effort=effort)))) == effort


def test_a_wish_that_names_no_amount_gets_none():
    assert (effort_of(ReasoningWish(enabled=True)), budget_of(ReasoningWish(enabled=True))) == (None, None)


def test_no_thinking_is_said_in_both():
    assert (effort_of(ReasoningWish(enabled=False)), budget_of(ReasoningWish(enabled=False))) == ("none", 0)
    assert budget_of(ReasoningWish(effort="none")) == 0
