from collections.abc import Callable

import pytest

from stipula.enforce.policy import Policy
from stipula.enforce.stream import PASS, StreamGuard
from stipula.wire.grammar import Violation

OBSERVE, ENFORCE, OFF = Policy(), Policy(mode="enforce"), Policy(mode="off")
Make = Callable[..., StreamGuard]

GOOD = [("open", {}), ("part", {"text": "a"}), ("part", {"text": "b"}), ("end", {"text": "ab"})]
ENDING = ("error", {"text": "the answer broke its contract"})
BROKEN = {
    "a shape": [("open", {}), ("part", {"text": 5})],
    "the order": [("open", {}), ("open", {})],
    "a law": [*GOOD[:3], ("end", {"text": "a"})],
}
LAWS = {"a shape": "shape", "the order": "order", "a law": "T"}


def sent(guard: StreamGuard, stream: list) -> list:
    """What a reader gets when the sender does as its guard decides."""
    frames = []
    for event in stream:
        decision = guard.check(*event)
        if decision.action == "refuse":
            return frames + [decision.instead] * (decision.instead is not None)
        frames.append(event)
    last = guard.close()
    return frames + [last.instead] * (last.instead is not None)


@pytest.mark.parametrize("policy", [OBSERVE, ENFORCE, OFF], ids=lambda policy: policy.mode)
def test_a_whole_stream_goes_out_as_it_is(guard_of: Make, told: list, policy: Policy):
    assert sent(guard_of(policy), GOOD) == GOOD
    assert told == []


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_event_ends_an_enforced_stream_with_its_error(guard_of: Make, told: list, what: str):
    stream = BROKEN[what]
    assert sent(guard_of(ENFORCE), [*stream, ("part", {"text": "more"})]) == [*stream[:-1], ENDING]
    assert told == [(f"stream:/talk#{stream[-1][0]}", LAWS[what], "refuse")]


@pytest.mark.parametrize("what", BROKEN)
def test_an_observed_stream_goes_out_broken_and_the_break_is_told(guard_of: Make, told: list, what: str):
    guard, stream = guard_of(OBSERVE), BROKEN[what]
    assert [guard.check(*event).action for event in stream] == ["pass"] * (len(stream) - 1) + ["report"]
    assert told == [(f"stream:/talk#{stream[-1][0]}", LAWS[what], "report")]


def test_a_decision_says_what_is_wrong(guard_of: Make):
    guard = guard_of(OBSERVE)
    guard.check("open", {})
    decision = guard.check("part", {"text": 5})
    assert (decision.surface, decision.instead) == ("stream:/talk#part", None)
    assert decision.violations == (Violation(2, "part", "/text", "shape", "type string", "5"),)


def test_nothing_follows_a_refusal_and_nothing_more_is_counted(guard_of: Make, told: list):
    guard = guard_of(ENFORCE)
    guard.check("part", {})
    later = guard.check("part", {"text": "x"})
    assert (later.action, later.violations, later.instead) == ("refuse", (), None)
    assert guard.close() is PASS
    assert {action for *_, action in told} == {"refuse"}


def test_an_event_after_the_end_is_refused_without_a_second_ending(guard_of: Make):
    guard = guard_of(ENFORCE)
    assert sent(guard, GOOD) == GOOD
    late = guard.check("part", {"text": "x"})
    assert (late.action, late.instead) == ("refuse", None)


def test_a_stream_that_stops_without_its_end_is_ended_with_the_error(guard_of: Make, told: list):
    assert sent(guard_of(ENFORCE), GOOD[:2]) == [*GOOD[:2], ENDING]
    assert sent(guard_of(OBSERVE), GOOD[:2]) == GOOD[:2]
    assert told == [("stream:/talk", "order", "refuse"), ("stream:/talk", "order", "report")]


def test_an_ending_that_breaks_its_own_shape_is_sent_and_told(guard_of: Make, told: list):
    guard = guard_of(ENFORCE, payload={"txt": 1})
    assert guard.check("end", {}).instead == ("error", {"txt": 1})
    assert told[-1] == ("stream:/talk#error", "shape", "report")


def test_a_form_may_be_admitted_in_the_middle(guard_of: Make, told: list):
    guard = guard_of(ENFORCE)
    guard.check("open", {})
    guard.admit("reopened")
    assert guard.check("open", {}) is PASS
    assert told == []


def test_off_looks_at_nothing_and_draws_nothing(guard_of: Make, told: list):
    guard = guard_of(OFF, draws=[])
    guard.admit("reopened")
    assert guard.check("nonsense", object()) is guard.close() is PASS
    assert told == []


def test_a_stream_is_sampled_whole(guard_of: Make, told: list):
    half = Policy(mode="enforce", sample=0.5)
    assert guard_of(half, draws=[0.5]).check("nonsense", {}) is PASS
    assert guard_of(half, draws=[0.49]).check("end", {"text": ""}).action == "refuse"
    assert told == [("stream:/talk#end", "order", "refuse")]
