from hypothesis import given
from hypothesis import strategies as st

from stipula.diff.renames import renames

A, B = b"a", b"b"


def test_a_change_of_case_counts_before_the_same_form_elsewhere():
    assert renames({"user_id": A, "x": A}, {"userId": A, "y": A}) == {"user_id": "userId", "x": "y"}


def test_a_form_that_came_twice_or_went_twice_is_no_rename():
    assert renames({"a": A}, {"b": A, "c": A}) == {}
    assert renames({"a": A, "b": A}, {"c": A}) == {}


def test_another_form_is_no_rename_even_if_spelt_alike():
    assert renames({"user_id": A}, {"userId": B}) == {}


@given(
    st.dictionaries(st.text(max_size=3), st.sampled_from([A, B])),
    st.dictionaries(st.text(max_size=3), st.sampled_from([A, B])),
)
def test_no_name_is_used_twice_and_each_pair_has_one_form(gone, come):
    found = renames(gone, come)
    assert len(set(found.values())) == len(found)
    assert all(gone[old] == come[new] for old, new in found.items())
