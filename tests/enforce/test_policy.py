import msgspec
import pytest

from stipula.enforce.policy import Policies, Policy

OBSERVE, ENFORCE, OFF = Policy(), Policy(mode="enforce"), Policy(mode="off")
POLICIES = Policies(surfaces={"stream:/chat/stream": ENFORCE, "stream:/chat/stream#thinking": OFF, "tool:a": OFF})


@pytest.mark.parametrize(
    ("surface", "policy"),
    [
        ("tool:a", OFF),
        ("tool:b", OBSERVE),
        ("stream:/chat/stream", ENFORCE),
        ("stream:/chat/stream#chunk", ENFORCE),
        ("stream:/chat/stream#thinking", OFF),
        ("stream:/chat#chunk", OBSERVE),
    ],
)
def test_a_surface_has_its_own_policy_or_that_of_its_stream_or_the_default(surface: str, policy: Policy):
    assert POLICIES.of(surface) == policy


@pytest.mark.parametrize(("sample", "draw", "taken"), [(0.0, 0.0, False), (0.25, 0.24, True), (0.25, 0.25, False)])
def test_a_share_is_taken_by_the_draw(sample: float, draw: float, taken: bool):  # noqa: FBT001 - a column of the table
    assert Policy(sample=sample).takes(lambda: draw) is taken


def no_draw() -> float:
    raise AssertionError


def test_the_whole_and_nothing_need_no_draw():
    assert OBSERVE.takes(no_draw)
    assert not OFF.takes(no_draw)


@pytest.mark.parametrize("told", [{"sample": 1.5}, {"sample": -0.1}, {"mode": "loud"}, {"modes": "off"}])
def test_a_policy_that_makes_no_sense_is_refused(told: dict):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(told, Policy)
