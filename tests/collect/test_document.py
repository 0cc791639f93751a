"""Documents from outside: one value whatever they are written in, or one line that says what is wrong and where."""

from pathlib import Path

import pytest

from stipula.collect.document import MAX_BYTES, NotADocument, Unreadable, parsed, read_file


def test_yaml_is_read_as_its_version_1_2_reads_it():
    text = b"""
country: no
day: 2024-01-01
mask: 0x10
old_octal: 012
octal: 0o17
grouped: 1_000
half: .5
big: 1e3
gone: ~
empty:
off: off
yes: true
200: ok
"""
    assert parsed(text, "a.yaml") == {
        "country": "no",
        "day": "2024-01-01",
        "mask": 16,
        "old_octal": 12,
        "octal": 15,
        "grouped": "1_000",
        "half": 0.5,
        "big": 1000.0,
        "gone": None,
        "empty": None,
        "off": "off",
        "yes": True,
        "200": "ok",
    }


def test_what_a_mapping_merges_counts_less_than_what_it_says():
    assert parsed(b"a: &a {x: 1, y: 1}\nb: {<<: *a, y: 2}", "a.yaml") == {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 2}}


def test_a_mark_of_byte_order_is_no_part_of_a_document():
    assert parsed(b'\xef\xbb\xbf{"a": 1}', "a.json") == {"a": 1}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"a": 1,\n "a": 2}', 'x:2: not JSON: the name "a" stands twice in one object'),
        (b'{"a":\n\n NaN}', "x:3: not JSON: NaN is no JSON value"),
        (b'{"a": 1e999}', "x:1: not JSON: the number 1e999 is too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "x:1: an integer of thousands of digits"),
        (b'{"a": "\\ud800"}', "x:1: half a surrogate pair in a string"),
        (b"a: 1\nb: 2\na: 3", "x:3: neither JSON nor YAML: the key 'a' stands twice"),
        (b"a: 1\n? [b]\n: 2", "x:2: neither JSON nor YAML: a key that is no string"),
        (b"a: !!timestamp 2020-01-01", "x:1: neither JSON nor YAML: timestamp is no type of JSON"),
        (b"a: !!python/name:os.system x", "could not determine a constructor"),
        (b"- a\n---\n- b", "x:2: neither JSON nor YAML: but found another document"),
        (b"ok\ncaf\xe9", "x:2: not UTF-8"),
        (b"a: &a {b: *a}", "found unconstructable recursive node"),
        (b"[" * 100_000, "x:1: "),
        (b"- " * 150, "x:1: nested deeper than 100 levels"),
        (b"x" * (MAX_BYTES + 1), "x:1: longer than 32 MiB"),
    ],
    ids=range(15),
)
def test_what_is_no_document_is_named_with_its_line(content: bytes, told: str):
    with pytest.raises(NotADocument) as caught:
        parsed(content, "x")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_aliases_that_multiply_are_counted_as_a_reader_walks_them():
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)]
    with pytest.raises(NotADocument, match="more than 2000000 values, with its aliases written out"):
        parsed("\n".join(lines).encode(), "bomb.yaml")


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(Unreadable, match=r"cannot read gone\.yaml: No such file"):
        read_file(tmp_path / "gone.yaml", "gone.yaml")
