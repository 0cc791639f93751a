import json
from pathlib import Path

import pytest

from stipula import dialects
from stipula.dialects.gemini.grammar import DOCUMENT, event_of
from stipula.dialects.ir import (
    Ask,
    Closed,
    Failed,
    ForeignDelta,
    Opened,
    Stopped,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from stipula.wire.grammar import Grammar
from stipula.wire.sse import Frame, FrameReader

GEMINI = dialects.by_name("gemini")
GRAMMAR = Grammar.from_document(DOCUMENT)
STREAMS = {path.stem: path.read_bytes() for path in (Path(__file__).parents[1] / "data/gemini").glob("*.sse")}
CUT = Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete")


def deltas_of(*pieces):
    frames, reader = FrameReader(), GEMINI.reader()
    out = [delta for piece in pieces for frame in frames.feed(piece) for delta in reader(frame)]
    out += [delta for frame in frames.close() for delta in reader(frame)]
    return [*out, *reader.close()]


def bill(said=0, thought=0, asked=8):
    return UsageDelta(usage=Usage(tokens_in=asked, tokens_out=said + thought, reasoning=thought))


OPENED = Opened(reply_id="g7", model="gemini-x", created=0, dialect="gemini")
EXPECTED = {
    "text": [
        OPENED,
        TextDelta(text="Hei "),
        bill(),
        TextDelta(text="maailma 🌤"),
        bill(),
        Stopped(stop="end", stop_raw="STOP"),
        bill(3),
        Closed(),
    ],
    "thoughts_and_calls": [
        OPENED,
        ThoughtDelta(text="Two depots."),
        bill(),
        ToolCallDelta(
            index=0, call_id="gemini-stock-1-g7", name="stock", arguments='{"depot":"north"}', signature="CiQB+/=="
        ),
        ToolCallDelta(index=1, call_id="gemini-stock-2-g7", name="stock", arguments='{"depot":"south"}'),
        bill(),
        ThoughtDelta(signature="ZZ=="),
        Stopped(stop="tool_call", stop_raw="STOP"),
        bill(5, 9),
        Closed(),
    ],
    "all_thinking": [OPENED, Stopped(stop="length", stop_raw="MAX_TOKENS"), bill(0, 64), Closed()],
    "blocked": [
        Opened(reply_id="", model="gemini-x", created=0, dialect="gemini"),
        Stopped(stop="refusal", stop_raw="SAFETY"),
        bill(asked=4),
        Closed(),
    ],
    "error": [
        OPENED,
        TextDelta(text="Once"),
        bill(),
        Failed(message="The model is overloaded.", kind="overloaded_error", code="UNAVAILABLE"),
    ],
    "cut": [OPENED, TextDelta(text="Once upon"), bill(), CUT],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_stream_is_read_as_it_was_meant(name):
    assert deltas_of(STREAMS[name]) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_where_the_network_cuts_a_stream_never_matters(name):
    stream = STREAMS[name]
    for at in range(len(stream)):
        assert deltas_of(stream[:at], stream[at:]) == EXPECTED[name]


@pytest.mark.parametrize("name", ["text", "thoughts_and_calls"])
def test_a_stream_that_ends_early_is_a_failure(name):
    stream = STREAMS[name]
    for at in range(len(stream)):
        read = deltas_of(stream[:at])
        assert read[-1] == CUT or any(isinstance(delta, Stopped) for delta in read)


# ---------------------------------------------------------------- writing

START = Opened(reply_id="r", model="m", created=5, dialect="openai_chat")


def frames_of(*deltas, losses=None):
    writer = GEMINI.writer(Ask(model="m", turns=(), stream=True), losses)
    return [frame for delta in deltas for frame in writer(delta)]


def told(frame):
    return json.loads(frame.data)


def test_the_last_frame_has_the_reason_and_the_bill_and_there_is_no_end_mark():
    usage = UsageDelta(usage=Usage(tokens_in=8, tokens_out=3))
    frames = frames_of(START, TextDelta(text="Hei"), Stopped(stop="end"), usage, Closed())
    assert [told(frame)["candidates"][0]["content"]["parts"] for frame in frames] == [[{"text": "Hei"}], [{"text": ""}]]
    assert "finishReason" not in told(frames[0])["candidates"][0]
    assert told(frames[1])["candidates"][0]["finishReason"] == "STOP"
    assert told(frames[1])["usageMetadata"] == {
        "promptTokenCount": 8,
        "candidatesTokenCount": 3,
        "totalTokenCount": 11,
    }
    assert all(frame.event == "" and "[DONE]" not in frame.data for frame in frames)


def test_a_call_goes_out_whole_and_in_its_place():
    frames = frames_of(
        START,
        ToolCallDelta(index=0, call_id="c", name="f"),
        ToolCallDelta(index=0, arguments='{"a"'),
        ToolCallDelta(index=0, arguments=": 1}"),
        TextDelta(text="x"),
    )
    parts = [part for frame in frames for part in told(frame)["candidates"][0]["content"]["parts"]]
    assert parts == [{"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}}, {"text": "x"}]


@pytest.mark.parametrize(
    "deltas",
    [
        [START, TextDelta(text="a"), ThoughtDelta(text="b"), Stopped(stop="end"), Closed()],
        [START, Stopped(stop="length"), Closed()],
        [START, TextDelta(text="a"), Failed(message="f")],
        [Failed(message="f")],
        [START, ToolCallDelta(index=0, call_id="c", name="n", arguments="{}"), Stopped(stop="tool_call"), Closed()],
    ],
)
def test_what_the_writer_sends_is_a_stream_of_the_grammar(deltas):
    assert GRAMMAR.accepts(event_of(frame)[0] for frame in frames_of(*deltas))


def test_an_end_that_nobody_named_is_not_invented():
    frames = frames_of(START, TextDelta(text="x"), Closed())
    assert not any("finishReason" in frame.data for frame in frames)


def test_a_failure_wears_the_vendors_envelope():
    (frame,) = frames_of(Failed(message="busy", kind="overloaded_error", status=529))
    assert told(frame) == {"error": {"code": 529, "message": "busy", "status": "UNAVAILABLE"}}


def test_more_of_a_call_that_went_out_ends_in_an_error():
    frames = frames_of(
        START,
        ToolCallDelta(index=0, call_id="a", name="f", arguments="{"),
        ToolCallDelta(index=1, call_id="b", name="g", arguments="{"),
        ToolCallDelta(index=0, arguments="}"),
    )
    assert "error" in told(frames[-1])


def test_what_has_no_place_is_told():
    losses = []
    frames_of(START, ForeignDelta(dialect="x", what="logprobs", raw=1), losses=losses)
    assert [loss.what for loss in losses] == ["logprobs"]


def test_comments_and_end_marks_of_others_do_not_pass():
    ask = Ask(model="m", turns=())
    assert not GEMINI.passes(ask, Frame(comment="keepalive"), [])
    assert not GEMINI.passes(ask, Frame(data="[DONE]"), [])
    assert GEMINI.passes(ask, Frame(data="{}"), [])
