import base64
import hashlib
import itertools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.errors import Problem
from stipula.wire.sse import KEEPALIVE, Frame, FrameReader, FrameTooLarge, FrameUnwritable, LineTooLong, NotUtf8, encode

CASES = json.loads((Path(__file__).parents[1] / "data/security/sse-frames.json").read_text(encoding="utf-8"))
FEW_BYTES = 4096


def pieces(stream: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *cuts, len(stream)]
    return [stream[start:end] for start, end in itertools.pairwise(edges)]


def read(chunks: list[bytes], reader: FrameReader) -> tuple[list[Frame], str]:
    """The frames, and the code of the break that ended them, if any."""
    frames: list[Frame] = []
    try:
        for chunk in chunks:
            frames += reader.feed(chunk)
        frames += reader.close()
    except Problem as broken:
        return frames, broken.code
    return frames, ""


def ways_to_cut(case: dict, stream: bytes) -> list[list[bytes]]:
    cuts = case.get("cuts", [])
    given_cuts = list(range(cuts, len(stream), cuts)) if isinstance(cuts, int) else cuts
    chance = random.Random(case["id"])
    at_random = [sorted(chance.choices(range(len(stream) + 1), k=5)) for _ in range(20)]
    each_byte = [list(range(1, len(stream)))] if len(stream) < FEW_BYTES else []
    return [pieces(stream, way) for way in [[], given_cuts, *each_byte, *at_random]]


def told(frames: list[Frame]) -> list[dict]:
    """The events as the corpus writes them: the id in force, the default name, long data by its digest."""
    events, last_id = [], ""
    for frame in frames:
        if frame.comment is not None:
            continue
        last_id = frame.id if frame.id is not None else last_id
        event = {"event": frame.event or "message", "data": frame.data, "id": last_id}
        if len(frame.data) > FEW_BYTES:
            digest = hashlib.sha256(event.pop("data").encode()).hexdigest()
            event |= {"data_len": len(frame.data), "data_sha256": digest}
        events.append(event)
    return events


def expected(case: dict) -> list[dict]:
    return [
        {key: value for key, value in event.items() if key != "times"}
        for event in case["expect"]["events"]
        for _ in range(event.get("times", 1))
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_corpus_reads_as_it_says_under_every_cut(case: dict):
    stream = b"".join(base64.b64decode(part["b64"]) * part["times"] for part in case["parts"])
    for chunks in ways_to_cut(case, stream):
        reader = FrameReader(is_lenient=True)
        frames, broken = read(chunks, reader)
        assert (told(frames), broken) == (expected(case), "")
        assert (reader.retry_ms, reader.last_event_id) == (case["expect"]["retry"], case["expect"]["last_id"])


PARTS = [
    b"data: a", b"data:b", b"data", b"data: \xc3\xa9\xf0\x9f\x98\x80", b"event: go", b"event", b"id: 7", b"id: x\0",
    b"retry: 20", b"retry: +3", b": keepalive", b":", b"other: 1", b"\xef\xbb\xbf", b"\xff", b"\xe2\x82", b" ",
    b"data: 123456789012345678901234567890",
]  # fmt: skip
ENDS = [b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r\r", b""]
STREAMS = st.lists(st.one_of(st.sampled_from(PARTS), st.sampled_from(ENDS)), max_size=24).map(b"".join)


@given(stream=STREAMS, is_lenient=st.booleans(), data=st.data())
def test_any_cut_gives_the_same_frames_and_the_same_break(*, stream: bytes, is_lenient: bool, data: st.DataObject):
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=6).map(sorted))
    whole, in_pieces, in_bytes = (
        read(pieces(stream, way), FrameReader(max_frame_bytes=48, max_line_bytes=30, is_lenient=is_lenient))
        for way in ([], cuts, list(range(1, len(stream))))
    )
    assert whole == in_pieces == in_bytes


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))
LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"))
EVENTS = st.builds(
    Frame,
    data=TEXT,
    event=LINE,
    id=st.none() | LINE.filter(lambda text: "\0" not in text),
    retry_ms=st.none() | st.integers(0, 10**15 - 1),
)
FRAMES = EVENTS | st.builds(Frame, comment=LINE)


@given(frames=st.lists(FRAMES), cut=st.integers(0))
def test_what_was_written_reads_as_it_was(frames: list[Frame], cut: int):
    stream = b"".join(map(encode, frames))
    where = cut % (len(stream) + 1)
    reader = FrameReader()
    assert reader.feed(stream[:where]) + reader.feed(stream[where:]) + reader.close() == frames
    assert reader.is_between_frames


@given(stream=st.binary())
def test_no_bytes_make_the_lenient_reader_raise(stream: bytes):
    assert read([stream], FrameReader(is_lenient=True))[1] == ""


@pytest.mark.clause("RS-040")
def test_the_keepalive_is_one_comment_and_no_event():
    assert FrameReader().feed(KEEPALIVE) == [Frame(comment="keepalive")]
    assert encode(Frame(comment="keepalive")) == KEEPALIVE == b": keepalive\n\n"


def test_fields_are_written_in_their_order_with_a_line_for_each_line_of_data():
    frame = Frame(data='{"a":1}\n2', event="chunk", id="4", retry_ms=1500)
    assert encode(frame) == b'id: 4\nevent: chunk\nretry: 1500\ndata: {"a":1}\ndata: 2\n\n'


@pytest.mark.parametrize(
    "frame",
    [
        Frame(data="a\rb"),
        Frame(event="a\nb", data="x"),
        Frame(id="a\0", data="x"),
        Frame(id="a\n", data="x"),
        Frame(retry_ms=-1),
        Frame(retry_ms=10**15),
        Frame(comment="a\rb"),
        Frame(comment="a", event="b"),
        Frame(data="\ud800"),
    ],
    ids=repr,
)
def test_what_no_stream_can_carry_is_refused(frame: Frame):
    with pytest.raises(FrameUnwritable):
        encode(frame)


def test_an_id_without_data_is_told_with_the_next_event():
    reader = FrameReader()
    assert reader.feed(b"id: 5\nretry: 9\n\n") == []
    assert reader.last_event_id == "5"
    assert reader.feed(b"data: a\n\ndata: b\n\n") == [Frame(data="a", id="5", retry_ms=9), Frame(data="b")]


@pytest.mark.parametrize("value", ["٣", "²", "9" * 16, "9" * 10_000, ""])
def test_a_retry_that_is_no_sane_number_is_ignored(value: str):
    reader = FrameReader()
    assert reader.feed(f"retry: {value}\ndata: a\n\n".encode()) == [Frame(data="a")]
    assert reader.retry_ms is None


def test_frames_before_a_break_are_given_and_then_the_break_is_raised_again_and_again():
    reader = FrameReader()
    assert reader.feed(b"data: good\n\ndata: \xff\n\ndata: lost\n\n") == [Frame(data="good")]
    with pytest.raises(NotUtf8, match="line 3 of the event stream is not UTF-8"):
        reader.feed(b"data: more\n\n")
    with pytest.raises(NotUtf8):
        reader.close()


def test_bad_bytes_in_a_field_that_is_ignored_break_the_stream_too():
    with pytest.raises(NotUtf8):
        FrameReader().feed(b"other: \xff\n")


def test_a_line_is_bounded_even_while_it_has_not_ended():
    reader = FrameReader(max_frame_bytes=100, max_line_bytes=10)
    assert reader.feed(b"0123456789") == []
    with pytest.raises(LineTooLong, match="longer than 10 bytes"):
        reader.feed(b"a")


def test_the_data_of_one_frame_is_bounded_and_the_next_frame_starts_from_nothing():
    reader = FrameReader(max_frame_bytes=24)
    assert len(reader.feed(b"data: 789\ndata: 789\n\n" * 3)) == 3
    with pytest.raises(FrameTooLarge, match="more than 24 bytes"):
        reader.feed(b"data: 789\ndata: 789\ndata: 789\n")


def test_a_reader_in_the_middle_of_a_frame_says_so():
    reader = FrameReader()
    assert reader.is_between_frames
    reader.feed(b"event: complete\n")
    assert not reader.is_between_frames
    reader.feed(b"data: {}\n\n")
    assert reader.is_between_frames
