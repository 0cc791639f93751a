import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stipula.dialects import strict_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda child: st.lists(child, max_size=4) | st.dictionaries(st.text(), child, max_size=4),
    max_leaves=16,
)
SPELLINGS = st.sampled_from([{}, {"separators": (",", ":")}, {"indent": 2}, {"ensure_ascii": False}])


@given(JSON, SPELLINGS)
def test_what_any_encoder_wrote_is_read_as_it_was(value, spelling):
    assert strict_json.read(json.dumps(value, **spelling).encode()) == value


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'{"x":[{"y":{"a":1,"b":2,"a":3}}]}',
        b' {"a": {"b": 1, "b": 1}} ',
        b'{"a":"\xff"}',
        b'{"a":"\xc0\x80"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\\ud800"}',
        b'{"a":"\\udc00\\ud800"}',
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":1e400}',
        b'\xef\xbb\xbf{"a":1}',
        '{"a":1}'.encode("utf-16"),
        b'{"a":1}{',
        b'{"a":1,}',
        b'{"a":01}',
        b"",
        b"null",
        b"[]",
    ],
)
def test_a_body_that_two_readers_could_read_differently_is_a_400(body):
    with pytest.raises(strict_json.JsonRefused) as refused:
        strict_json.read_object(body)
    assert refused.value.status == 400


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_nesting_has_a_bound_that_is_told(opening, closing):
    def nested(levels):
        return opening * levels + b"1" + closing * levels

    assert strict_json.read(nested(strict_json.MAX_DEPTH)) is not None
    with pytest.raises(strict_json.JsonRefused, match="deeper than 128"):
        strict_json.read(nested(strict_json.MAX_DEPTH + 1))


def test_a_wide_body_and_brackets_in_text_are_not_deep():
    body = json.dumps({"text": "[" * 500 + '"' + "{" * 500, "rows": [[[]]] * 500}).encode()
    assert len(strict_json.read(body)["rows"]) == 500


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\u0d8c1e-+.naN \n', max_size=40).map(str.encode))
@example(b'{"a":' + b"1" * 5000 + b"}")
def test_arbitrary_bytes_are_read_or_refused_and_nothing_else(body):
    with contextlib.suppress(strict_json.JsonRefused):
        assert strict_json.read(body) == json.loads(body)
