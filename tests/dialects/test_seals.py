import re

from hypothesis import given
from hypothesis import strategies as st

from stipula.dialects.seals import marked, sealed, unmarked, unsealed

IDS = st.from_regex(r"[A-Za-z0-9-]{1,20}", fullmatch=True)


@given(IDS, st.none() | st.text())
def test_a_signature_survives_the_trip_through_an_id(call_id, signature):
    carried = sealed(call_id, signature)
    assert unsealed(carried) == (call_id, signature)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", carried)


@given(st.text(), st.sampled_from(["gemini", "anthropic_messages"]))
def test_a_signature_knows_its_origin(signature, origin):
    assert unmarked(marked(signature, origin)) == (signature, origin)


def test_a_signature_of_the_callers_own_dialect_is_not_marked():
    assert unmarked(marked("morse:sig", "")) == ("morse:sig", "")


def test_an_id_that_only_looks_sealed_stays_as_it_is():
    assert unsealed("call__sig_!") == ("call__sig_!", None)
    assert unsealed("call_1") == ("call_1", None)
