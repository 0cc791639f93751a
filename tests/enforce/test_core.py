import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.enforce.core import Action, Decision, decide
from stipula.enforce.policy import Mode, Policy
from stipula.wire.grammar import Violation

BREAK = Violation(1, "chunk", "/content", "shape", "a string", "5")


@pytest.mark.parametrize(
    ("mode", "found", "action"),
    [
        ("observe", [], "pass"),
        ("observe", [BREAK], "report"),
        ("enforce", [], "pass"),
        ("enforce", [BREAK], "refuse"),
        ("off", [], "pass"),
        ("off", [BREAK], "pass"),
    ],
)
def test_what_is_whole_passes_and_what_is_broken_meets_the_policy(mode: Mode, found: list, action: Action):
    decision = decide("tool:search", found, Policy(mode=mode))
    assert decision == Decision(action, "tool:search", tuple(found) if action != "pass" else ())


@given(found=st.lists(st.just(BREAK), min_size=1))
def test_no_break_is_lost(found: list):
    assert decide("tool:search", iter(found), Policy()).violations == tuple(found)
