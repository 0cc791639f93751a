import json
from pathlib import Path

import pytest

from stipula import dialects
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
from stipula.dialects.openai_responses.grammar import DOCUMENT, event_of
from stipula.wire.grammar import Grammar
from stipula.wire.sse import FrameReader

RESPONSES = dialects.by_name("openai_responses")
GRAMMAR = Grammar.from_document(DOCUMENT)
STREAMS = {path.stem: path.read_bytes() for path in (Path(__file__).parents[1] / "data/openai_responses").glob("*.sse")}
CUT = Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete")


def deltas_of(*pieces):
    frames, reader = FrameReader(), RESPONSES.reader()
    out = [delta for piece in pieces for frame in frames.feed(piece) for delta in reader(frame)]
    out += [delta for frame in frames.close() for delta in reader(frame)]
    return [*out, *reader.close()]


OPENED = Opened(reply_id="resp_07", model="gpt-x", created=1790000000, dialect="openai_responses")
BILL = UsageDelta(usage=Usage(tokens_in=22, tokens_out=8, cached=4, reasoning=3))
EXPECTED = {
    "text": [
        OPENED,
        TextDelta(text="21 °C"),
        TextDelta(text=" 🌤"),
        Stopped(stop="end", stop_raw="completed"),
        BILL,
        Closed(),
    ],
    "reasoning_and_calls": [
        OPENED,
        ThoughtDelta(text="Valve three."),
        ThoughtDelta(signature="rs_1.gAAA="),
        ToolCallDelta(index=0, call_id="call_v7", name="open_valve"),
        ToolCallDelta(index=0, arguments='{"n"'),
        ToolCallDelta(index=0, arguments=":3}"),
        ToolCallDelta(index=1, call_id="call_v8", name="open_valve"),
        ToolCallDelta(index=1, arguments='{"n":4}'),
        Stopped(stop="tool_call", stop_raw="completed"),
        BILL,
        Closed(),
    ],
    "cut_off_by_the_limit": [
        OPENED,
        TextDelta(text="Once"),
        Stopped(stop="length", stop_raw="max_output_tokens"),
        BILL,
        Closed(),
    ],
    "failed": [
        OPENED,
        TextDelta(text="Once"),
        Failed(message="slow down", kind="rate_limit_error", code="rate_limit_exceeded", status=0),
    ],
    "error": [Failed(message="boom", kind="server_error", code="server_error")],
    "cut": [OPENED, TextDelta(text="Once upon"), CUT],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_stream_is_read_as_it_was_meant(name):
    assert deltas_of(STREAMS[name]) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_where_the_network_cuts_a_stream_never_matters(name):
    stream = STREAMS[name]
    for at in range(0, len(stream), 3):
        assert deltas_of(stream[:at], stream[at:]) == EXPECTED[name]


@pytest.mark.parametrize("name", ["text", "reasoning_and_calls"])
def test_a_stream_that_ends_early_is_a_failure(name):
    stream = STREAMS[name]
    for at in range(0, len(stream) - 2, 7):
        assert deltas_of(stream[:at])[-1] == CUT


# ---------------------------------------------------------------- writing

START = Opened(reply_id="r", model="m", created=5, dialect="openai_chat")


def frames_of(*deltas, losses=None):
    writer = RESPONSES.writer(Ask(model="m", turns=(), stream=True), losses)
    return [frame for delta in deltas for frame in writer(delta)]


def names_of(frames):
    return [event_of(frame)[0] for frame in frames]


def test_a_call_is_told_in_the_exact_sequence():
    frames = frames_of(
        START,
        ToolCallDelta(index=0, call_id="call_v7", name="open_valve"),
        ToolCallDelta(index=0, arguments='{"n"'),
        ToolCallDelta(index=0, arguments=":3}"),
        Stopped(stop="tool_call"),
        UsageDelta(usage=Usage(tokens_in=22, tokens_out=8)),
        Closed(),
    )
    assert names_of(frames) == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ]
    events = [json.loads(frame.data) for frame in frames]
    assert [event["sequence_number"] for event in events] == list(range(8))
    assert events[2]["item"] == {
        "id": "fc_0_r",
        "call_id": "call_v7",
        "name": "open_valve",
        "status": "in_progress",
        "type": "function_call",
        "arguments": "",
    }
    assert events[5]["item_id"] == "fc_0_r"
    assert events[5]["arguments"] == '{"n":3}'
    assert events[-1]["response"]["output"] == [events[6]["item"]]
    assert events[-1]["response"]["usage"]["total_tokens"] == 30


SIGNED = [ThoughtDelta(text="t"), ThoughtDelta(signature="s")]
REDACTED = ThoughtDelta(text="x", redacted=True)


@pytest.mark.parametrize(
    "deltas",
    [
        [START, TextDelta(text="a"), TextDelta(text="b"), Stopped(stop="end"), Closed()],
        [START, TextDelta(text="a"), RefusalDelta(text="b"), TextDelta(text="c"), Stopped(stop="end"), Closed()],
        [START, *SIGNED, REDACTED, TextDelta(text="c"), Closed()],
        [START, ThoughtDelta(text="t"), Stopped(stop="length"), Closed()],
        [START, *(ToolCallDelta(index=i, call_id="c", name="n", arguments="{}") for i in range(3)), Closed()],
        [START, Closed()],
        [Closed()],
        [TextDelta(text="a"), Failed(message="f")],
        [Failed(message="f")],
        [START, ToolCallDelta(index=0, call_id="c", name="n"), Failed(message="f")],
    ],
)
def test_what_the_writer_sends_is_a_stream_of_the_grammar(deltas):
    frames = frames_of(*deltas)
    assert GRAMMAR.accepts(names_of(frames))
    events = [json.loads(frame.data) for frame in frames]
    assert [event["type"] for event in events] == names_of(frames)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done == events[-1].get("response", {}).get("output", done)


@pytest.mark.parametrize(
    ("stop", "name", "reason"),
    [
        ("end", "response.completed", None),
        ("length", "response.incomplete", "max_output_tokens"),
        ("refusal", "response.incomplete", "content_filter"),
        (None, "response.incomplete", "upstream_incomplete"),
    ],
)
def test_the_terminal_event_says_how_it_ended(stop, name, reason):
    frames = frames_of(START, *([Stopped(stop=stop)] if stop else []), Closed())
    response = json.loads(frames[-1].data)["response"]
    assert frames[-1].event == name
    assert (response["incomplete_details"] or {}).get("reason") == reason


def test_interleaved_calls_end_in_a_failure_and_lose_nothing_silently():
    frames = frames_of(
        START,
        ToolCallDelta(index=0, call_id="a", name="f", arguments="{"),
        ToolCallDelta(index=1, call_id="b", name="g", arguments="{"),
        ToolCallDelta(index=0, arguments="}"),
    )
    assert frames[-1].event == "response.failed"


def test_foreign_signatures_come_back_marked():
    frames = frames_of(START, *SIGNED, REDACTED, Closed())
    ciphers = [item.get("encrypted_content") for item in json.loads(frames[-1].data)["response"]["output"]]
    assert ciphers == ["openai_chat:s", "openai_chat:redacted:x"]


def test_what_has_no_place_is_told():
    losses = []
    frames_of(START, ForeignDelta(dialect="x", what="logprobs", raw=1), TextDelta(text="y", candidate=1), losses=losses)
    assert [loss.what for loss in losses] == ["logprobs", "candidate"]
