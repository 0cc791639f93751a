"""The key pool under a given clock: every transition, and the laws that hold over any run of them."""

from collections.abc import Set as AbstractSet

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from stipula.gateway import keys
from stipula.gateway.keys import HARD_REST_S, Lease, Pool, Resting, Rules

RULES = Rules(consecutive_internal_errors=2, seconds=120)


def pool(count: int = 2) -> Pool:
    return keys.pool_of([f"key-{number}" for number in range(count)])


def used(pool: Pool, outcome: keys.Outcome, now: float, *, wait_s: float | None = None) -> Pool:
    """The pool after one use of the key that is picked."""
    pool, lease = keys.pick(pool, now)
    assert isinstance(lease, Lease)
    return keys.after(pool, lease, outcome, now, RULES, wait_s=wait_s)


def lent(pool: Pool, now: float, **more: AbstractSet[int]) -> tuple[Pool, Lease]:
    """The pool and the lease that is given."""
    pool, lease = keys.pick(pool, now, **more)
    assert isinstance(lease, Lease)
    return pool, lease


def rest(pool: Pool) -> float:
    """When the first key's rest ends; 0 without one."""
    return pool.keys[0].until or 0.0


def states(pool: Pool, now: float) -> list[str]:
    return [key.state(now) for key in pool.keys]


def test_an_id_is_eight_hex_digits_of_a_hash_and_not_the_key():
    assert keys.key_id("sk-secret") == "746b4ad1"


def test_the_first_key_in_order_is_picked_while_all_are_idle():
    _, lease = lent(pool(3), 0)
    assert lease == Lease(0, 1)


def test_the_least_busy_key_is_picked():
    busy, _ = lent(pool(3), 0)
    busy, second = lent(busy, 0)
    busy, third = lent(busy, 0)
    assert (second.index, third.index) == (1, 2)
    _, fourth = lent(busy, 0)
    assert fourth.index == 0


def test_a_key_that_this_request_has_tried_is_not_picked_again():
    _, lease = lent(pool(2), 0, tried={0})
    assert lease.index == 1


def test_no_key_and_no_cause_is_named_for_an_empty_pool():
    assert keys.pick(pool(0), 0)[1] == Resting(None)


# ---------------------------------------------------------------- causes


@pytest.mark.parametrize("cause", ["auth", "billing"])
def test_a_refused_credential_rests_for_half_an_hour(cause):
    after = used(pool(), cause, 100)
    assert (after.keys[0].cause, after.keys[0].until) == (cause, 100 + HARD_REST_S)
    assert states(after, 100) == ["resting", "usable"]


def test_a_retry_after_is_taken_exactly_fractions_too():
    assert used(pool(), "rate_limit", 100, wait_s=2.75).keys[0].until == 102.75


def test_limits_without_a_named_wait_double_until_an_answer_comes():
    state, waits, now = pool(1), [], 0.0
    for _ in range(8):
        state = used(state, "rate_limit", now)
        waits.append(rest(state) - now)
        now = rest(state)
    assert waits == [15, 30, 60, 120, 240, 480, 600, 600]
    state = used(state, "ok", now)
    assert rest(used(state, "rate_limit", now)) - now == 15


@pytest.mark.clause("RT-050")
def test_two_internal_errors_in_a_row_rest_the_key_for_120_seconds():
    once = used(pool(1), "internal", 10)
    assert (once.keys[0].strikes, states(once, 10)) == (1, ["usable"])
    twice = used(once, "internal", 11)
    assert (twice.keys[0].cause, twice.keys[0].until, states(twice, 11)) == ("internal", 131, ["resting"])


def test_an_answer_between_two_internal_errors_begins_the_count_anew():
    state = used(used(used(pool(1), "internal", 0), "ok", 1), "internal", 2)
    assert (state.keys[0].strikes, states(state, 2)) == (1, ["usable"])


def test_the_callers_own_faults_count_for_nothing():
    state = pool(1)
    for now in range(20):
        state = used(state, "neutral", now)
    assert state.keys == pool(1).keys


def test_a_full_upstream_rests_a_key_only_for_the_time_it_names():
    assert states(used(pool(1), "capacity", 0), 0) == ["usable"]
    assert used(pool(1), "capacity", 0, wait_s=4).keys[0].until == 4


# ---------------------------------------------------------------- rests


def test_a_short_rest_never_shortens_a_long_one():
    state, first = lent(pool(1), 0)
    state, second = lent(state, 0)
    state = keys.after(state, first, "auth", 1, RULES)
    state = keys.after(state, second, "rate_limit", 2, RULES, wait_s=5)
    assert (state.keys[0].cause, state.keys[0].until) == ("auth", 1 + HARD_REST_S)


@pytest.mark.clause("RT-050")
def test_the_last_usable_key_is_still_served_one_request_at_a_time():
    state = used(used(pool(1), "internal", 0), "internal", 0)
    assert states(state, 1) == ["resting"]
    state, lease = lent(state, 1)
    assert lease.kind == "last_resort"
    assert keys.pick(state, 1)[1] == Resting(119, "internal")
    state = keys.after(state, lease, "ok", 2, RULES)
    assert (states(state, 2), lent(state, 2)[1].kind) == (["resting"], "last_resort")


def test_the_last_resort_is_the_key_whose_rest_ends_first():
    state = used(used(used(pool(2), "auth", 0), "internal", 0), "internal", 0)
    assert lent(state, 1)[1].index == 1


def test_a_wait_that_the_upstream_named_is_never_cut_short():
    state = used(pool(1), "rate_limit", 0, wait_s=30)
    assert keys.pick(state, 29.5)[1] == Resting(0.5, "rate_limit")


def test_a_request_that_has_tried_a_key_gets_no_last_resort():
    state = used(used(pool(2), "auth", 0), "internal", 0)
    state = used(state, "internal", 0)
    assert isinstance(keys.pick(state, 1, tried={0})[1], Resting)


# ---------------------------------------------------------------- half open


def test_after_its_rest_a_key_keeps_its_place_and_is_tried_by_one_request():
    state = used(pool(2), "auth", 0)
    later = HARD_REST_S
    assert states(state, later) == ["half_open", "usable"]
    state, probe = lent(state, later)
    assert (probe.index, probe.kind) == (0, "probe")
    assert lent(state, later)[1].index == 1


def test_while_a_key_is_tried_nobody_else_gets_it():
    state, _ = lent(used(pool(1), "auth", 0), HARD_REST_S)
    assert states(state, HARD_REST_S) == ["probing"]
    assert keys.pick(state, HARD_REST_S)[1] == Resting(None)


def test_a_probe_that_is_answered_makes_the_key_usable():
    state, probe = lent(used(pool(1), "auth", 0), HARD_REST_S)
    assert states(keys.after(state, probe, "ok", HARD_REST_S, RULES), HARD_REST_S) == ["usable"]


def test_a_probe_whose_stream_has_begun_lets_others_through():
    state, probe = lent(used(pool(1), "auth", 0), HARD_REST_S)
    state = keys.opened(state, probe, HARD_REST_S)
    assert states(state, HARD_REST_S) == ["usable"]


def test_a_probe_that_fails_once_more_rests_the_key_again():
    state, now = used(used(pool(1), "internal", 0), "internal", 0), 120.0
    state, probe = lent(state, now)
    state = keys.after(state, probe, "internal", now, RULES)
    assert (state.keys[0].until, state.keys[0].strikes) == (240, 3)


def test_a_probe_whose_caller_leaves_is_given_to_the_next_request():
    state, probe = lent(used(pool(1), "auth", 0), HARD_REST_S)
    state = keys.after(state, probe, "neutral", HARD_REST_S, RULES)
    assert lent(state, HARD_REST_S)[1].kind == "probe"


# ---------------------------------------------------------------- laws over any run

OUTCOMES = st.sampled_from(["ok", "auth", "billing", "rate_limit", "capacity", "internal", "neutral"])


class AnyRun(RuleBasedStateMachine):
    """Any interleaving of picks, beginnings, endings and time."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = pool(3)
        self.now = 0.0
        self.out: list[Lease] = []
        self.rests: dict[int, float] = {}

    @rule(tried=st.sets(st.integers(0, 2)))
    def pick(self, tried: set[int]) -> None:
        before = self.pool
        self.pool, lease = keys.pick(before, self.now, tried=tried)
        if isinstance(lease, Resting):
            assert self.pool == before
            return
        assert lease.index not in tried
        state = before.keys[lease.index].state(self.now)
        assert {"usual": "usable", "probe": "half_open", "last_resort": "resting"}[lease.kind] == state
        if lease.kind == "last_resort":
            assert not {"usable", "half_open", "probing"} & {key.state(self.now) for key in before.keys}
            assert not before.keys[lease.index].is_told
        else:
            rivals = [key for i, key in enumerate(before.keys) if i not in tried]
            free = [key.in_flight for key in rivals if key.state(self.now) in ("usable", "half_open")]
            assert before.keys[lease.index].in_flight == min(free)
        self.out.append(lease)

    @precondition(lambda self: self.out)
    @rule(data=st.data(), outcome=OUTCOMES, wait_s=st.none() | st.floats(0, 300))
    def end(self, data: st.DataObject, outcome: keys.Outcome, wait_s: float | None) -> None:
        lease = self.out.pop(data.draw(st.integers(0, len(self.out) - 1)))
        self.pool = keys.after(self.pool, lease, outcome, self.now, RULES, wait_s=wait_s)

    @precondition(lambda self: self.out)
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.pool = keys.opened(self.pool, data.draw(st.sampled_from(self.out)), self.now)

    @rule(seconds=st.floats(0, 2000))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def a_rest_only_grows_while_it_lasts(self) -> None:
        for index, key in enumerate(self.pool.keys):
            until = self.rests.get(index)
            if until is not None and self.now < until:
                assert key.until is not None
                assert key.until >= until
            self.rests[index] = key.until if key.until is not None else -1.0

    @invariant()
    def what_is_out_is_counted(self) -> None:
        out = [sum(lease.index == index for lease in self.out) for index in range(3)]
        assert [key.in_flight for key in self.pool.keys] == out

    @invariant()
    def one_probe_a_key_and_one_last_resort(self) -> None:
        numbers = {lease.number for lease in self.out}
        assert all(key.probe is None or key.probe in numbers for key in self.pool.keys)
        assert sum(lease.kind == "last_resort" for lease in self.out) <= 1
        assert self.pool.last_resort is None or self.pool.last_resort in numbers


TestAnyRun = AnyRun.TestCase
