import json
from pathlib import Path

import pytest

from stipula import dialects
from stipula.dialects.anthropic_messages.grammar import DOCUMENT, event_of
from stipula.dialects.ir import (
    Ask,
    Closed,
    Failed,
    ForeignDelta,
    Opened,
    RefusalDelta,
    Stopped,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from stipula.wire.grammar import Grammar
from stipula.wire.sse import Frame, FrameReader

MESSAGES = dialects.by_name("anthropic_messages")
GRAMMAR = Grammar.from_document(DOCUMENT)
STREAMS = {
    path.stem: path.read_bytes() for path in (Path(__file__).parents[1] / "data/anthropic_messages").glob("*.sse")
}
CUT = Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete")


def deltas_of(*pieces):
    frames, reader = FrameReader(), MESSAGES.reader()
    out = [delta for piece in pieces for frame in frames.feed(piece) for delta in reader(frame)]
    out += [delta for frame in frames.close() for delta in reader(frame)]
    return [*out, *reader.close()]


def bill(tokens_out, tokens_in=1320):
    return Usage(tokens_in=tokens_in, tokens_out=tokens_out, cached=1000, cache_write=300)


OPENED = Opened(reply_id="msg_01A", model="claude-x", created=0, usage=bill(1), dialect="anthropic_messages")
EXPECTED = {
    "text": [
        OPENED,
        TextDelta(text="Then "),
        TextDelta(text="solder it – 🌤."),
        Stopped(stop="end", stop_raw="end_turn"),
        UsageDelta(usage=bill(15)),
        Closed(),
    ],
    "thinking_and_calls": [
        OPENED,
        ThoughtDelta(text="Two depots."),
        ThoughtDelta(signature="EqQB+/="),
        ThoughtDelta(text="Zm9v", redacted=True),
        TextDelta(text="Looking."),
        ToolCallDelta(index=0, call_id="toolu_1", name="stock"),
        ToolCallDelta(index=0, arguments='{"depot": "no'),
        ToolCallDelta(index=0, arguments='rth"}'),
        ToolCallDelta(index=1, call_id="toolu_2", name="now"),
        ToolCallDelta(index=1, arguments="{}"),
        Stopped(stop="tool_call", stop_raw="tool_use"),
        UsageDelta(usage=bill(15)),
        Closed(),
    ],
    "stop_string": [
        OPENED,
        TextDelta(text="One"),
        Stopped(stop="stop_string", stop_raw="stop_sequence", stop_string="END"),
        UsageDelta(usage=bill(15, 1321)),
        Closed(),
    ],
    "overloaded": [OPENED, TextDelta(text="Partial"), Failed(message="Overloaded", kind="overloaded_error")],
    "cut": [OPENED, TextDelta(text="Once upon"), CUT],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_stream_is_read_as_it_was_meant(name):
    assert deltas_of(STREAMS[name]) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_where_the_network_cuts_a_stream_never_matters(name):
    stream = STREAMS[name]
    for at in range(len(stream)):
        assert deltas_of(stream[:at], stream[at:]) == EXPECTED[name]


@pytest.mark.parametrize("name", ["text", "thinking_and_calls"])
def test_a_stream_that_ends_early_is_a_failure(name):
    stream = STREAMS[name]
    for at in range(len(stream)):
        read = deltas_of(stream[:at])
        assert read[-1] == CUT or any(isinstance(delta, Stopped) for delta in read)


# ---------------------------------------------------------------- writing

START = Opened(reply_id="r", model="m", created=0, dialect="openai_chat")


def frames_of(*deltas, losses=None):
    writer = MESSAGES.writer(Ask(model="m", turns=(), stream=True), losses)
    return [frame for delta in deltas for frame in writer(delta)]


def names_of(frames):
    return [event_of(frame)[0] for frame in frames]


def test_a_lone_call_opens_no_empty_text_block():
    frames = frames_of(
        START,
        ToolCallDelta(index=0, call_id="call_f1", name="save", arguments='{"path":1}'),
        Stopped(stop="tool_call"),
        UsageDelta(usage=Usage(tokens_in=25, tokens_out=11, cached=5)),
        Closed(),
    )
    assert names_of(frames) == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert json.loads(frames[1].data)["content_block"] == {
        "type": "tool_use",
        "id": "call_f1",
        "name": "save",
        "input": {},
    }
    assert json.loads(frames[4].data) == {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {
            "input_tokens": 20,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 5,
            "output_tokens": 11,
        },
    }


@pytest.mark.parametrize(
    "deltas",
    [
        [START, TextDelta(text="a"), ThoughtDelta(text="b"), TextDelta(text="c"), Stopped(stop="end"), Closed()],
        [START, Closed()],
        [Closed()],
        [TextDelta(text="a"), Failed(message="f")],
        [Failed(message="f")],
        [START, ThoughtDelta(text="t"), ThoughtDelta(signature="s"), ThoughtDelta(text="x", redacted=True), Closed()],
        [START, *(ToolCallDelta(index=i, call_id="c", name="n", arguments="{}") for i in range(3)), Closed()],
    ],
)
def test_what_the_writer_sends_is_a_stream_of_the_grammar(deltas):
    frames = frames_of(*deltas)
    assert GRAMMAR.accepts(names_of(frames))
    starts = [json.loads(frame.data)["index"] for frame in frames if frame.event == "content_block_start"]
    assert starts == list(range(len(starts)))
    assert all(json.loads(frame.data)["type"] == frame.event for frame in frames)


def test_the_signature_is_the_last_of_its_block_and_names_its_origin():
    frames = frames_of(START, ThoughtDelta(text="t"), ThoughtDelta(signature="s"), Closed())
    pieces = [json.loads(frame.data)["delta"] for frame in frames if frame.event == "content_block_delta"]
    assert pieces[-1] == {"type": "signature_delta", "signature": "openai_chat:s"}


def test_interleaved_calls_end_in_an_error_and_lose_nothing_silently():
    frames = frames_of(
        START,
        ToolCallDelta(index=0, call_id="a", name="f", arguments="{"),
        ToolCallDelta(index=1, call_id="b", name="g", arguments="{"),
        ToolCallDelta(index=0, arguments="}"),
    )
    assert frames[-1].event == "error"


def test_an_end_that_nobody_named_is_not_invented():
    frames = frames_of(START, TextDelta(text="x"), Closed())
    assert json.loads(frames[-2].data)["delta"]["stop_reason"] is None


def test_a_refusal_in_words_is_told_as_one():
    frames = frames_of(START, RefusalDelta(text="No."), Stopped(stop="end"), Closed())
    assert json.loads(frames[-2].data)["delta"]["stop_reason"] == "refusal"


def test_what_has_no_place_is_told():
    losses = []
    frames_of(START, ForeignDelta(dialect="x", what="logprobs", raw=1), TextDelta(text="y", candidate=1), losses=losses)
    assert [loss.what for loss in losses] == ["logprobs", "candidate"]


def test_unknown_events_and_blocks_do_not_stop_a_reader():
    reader = MESSAGES.reader()
    assert list(reader(Frame(event="new_event", data='{"type":"new_event"}'))) == []
    block = {"type": "server_tool_use", "id": "s", "name": "web_search"}
    (told,) = reader(Frame(data=json.dumps({"type": "content_block_start", "index": 0, "content_block": block})))
    assert told == ForeignDelta(dialect="anthropic_messages", what="server_tool_use", raw=block)
