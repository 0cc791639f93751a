import json

from hypothesis import given
from hypothesis import strategies as st

from stipula.dialects import splice

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda child: st.lists(child, max_size=3) | st.dictionaries(st.text(), child, max_size=3),
    max_leaves=10,
)
BODIES = st.builds(
    lambda members, spelling: json.dumps(members, **spelling).encode(),
    st.dictionaries(st.text(), JSON, max_size=6),
    st.sampled_from([{}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}]),
)


@given(BODIES, st.text(), st.text())
def test_everything_but_the_edited_value_stays_to_the_byte(body, name, value):
    before, after = splice.member(body, name), json.dumps(value, ensure_ascii=False).encode()
    edited = splice.with_members(body, {name: value})
    assert json.loads(edited) == json.loads(body) | {name: value}
    if before is None:
        assert edited.endswith(body[1:])
        return
    cuts = [at for at in range(len(body)) if body[at:].startswith(before)]
    assert edited in [body[:at] + after + body[at + len(before) :] for at in cuts]


def test_a_value_is_replaced_where_it_stands():
    body = b'{ "a" : [1, {"model":"inner"}],\n "model" : "old" , "z":1.50}'
    assert splice.with_members(body, {"model": "new"}) == body.replace(b'"old"', b'"new"')


def test_a_member_that_is_missing_comes_first():
    assert splice.with_members(b'{"a": 1}', {"b": [2]}) == b'{"b":[2],"a": 1}'
    assert splice.with_members(b"{ }", {"b": 2}) == b'{"b":2 }'


@given(BODIES, st.frozensets(st.text(), max_size=2))
def test_members_are_taken_out_and_the_others_keep_their_order(body, names):
    kept = {name: value for name, value in json.loads(body).items() if name not in names}
    assert list(json.loads(splice.without_members(body, names)).items()) == list(kept.items())


def test_items_are_taken_out_of_an_array():
    assert splice.without_items(b'[1, {"a" : 2} ,"x"]', frozenset({0, 2})) == b'[{"a" : 2}]'
