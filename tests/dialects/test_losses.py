import json

from hypothesis import given
from hypothesis import strategies as st

from stipula.dialects.losses import Loss, losses_header

LOSSES = st.lists(
    st.builds(Loss, at=st.text(max_size=60), what=st.text(max_size=30), to=st.just("gemini")), max_size=60
)


def test_losses_are_told_as_compact_json():
    told = losses_header([Loss(at="/seed", what="seed", to="anthropic_messages")])
    assert told == '[{"at":"/seed","what":"seed","to":"anthropic_messages"}]'


@given(LOSSES)
def test_the_header_never_grows_and_says_how_many_it_left_out(losses):
    told = losses_header(losses)
    shown = json.loads(told)
    assert len(told) <= 2048
    assert told.isascii()
    assert told.isprintable()
    if shown and "more" in shown[-1]:
        assert len(shown) - 1 + shown[-1]["more"] == len(losses)
        shown = shown[:-1]
    else:
        assert len(shown) == len(losses)
    assert [(loss["at"], loss["what"]) for loss in shown] == [(loss.at, loss.what) for loss in losses[: len(shown)]]
