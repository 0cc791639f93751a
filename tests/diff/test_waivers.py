import datetime as dt

import msgspec
import pytest

from stipula.diff.change import Change
from stipula.diff.finding import judge
from stipula.diff.waivers import Waiver, waive

TODAY = dt.date(2026, 12, 1)
FOUND = judge(
    [Change(surface="tool:a", pointer="/shapes/input/type", rule="type-changed", layer="interface", old="a", new="b")]
)
WAIVER = Waiver(
    fingerprint=FOUND[0].fingerprint,
    rule="type-changed",
    surface="tool:a",
    pointer="/shapes/input/type",
    reason="the only reader is ours",
    owner="kim",
    expires=TODAY,
)


def test_a_waived_finding_does_not_count_through_the_last_day():
    counted, waived = waive(FOUND, [WAIVER], TODAY)
    assert counted == []
    assert [(one.finding, one.owner, one.reason) for one in waived] == [(FOUND[0], "kim", "the only reader is ours")]


def test_an_expired_waiver_is_a_finding_and_the_waived_one_counts_again():
    counted, waived = waive(FOUND, [WAIVER], TODAY + dt.timedelta(days=1))
    assert [(one.rule, one.level) for one in counted] == [("type-changed", "breaking"), ("waiver-expired", "warning")]
    assert waived == []


@pytest.mark.parametrize("other", [{"fingerprint": "0" * 16}, {"rule": "x"}, {"surface": "tool:b"}, {"pointer": ""}])
def test_a_waiver_that_fits_in_part_waives_nothing_and_is_stale(other):
    counted, waived = waive(FOUND, [msgspec.structs.replace(WAIVER, **other)], TODAY)
    assert [one.rule for one in counted] == ["type-changed", "waiver-stale"]
    assert waived == []
