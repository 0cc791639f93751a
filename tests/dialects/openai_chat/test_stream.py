import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from stipula.wire.sse import Frame, FrameReader

CHAT = dialects.by_name("openai_chat")
STREAMS = {path.stem: path.read_bytes() for path in (Path(__file__).parents[1] / "data/openai_chat").glob("*.sse")}


def deltas_of(*pieces):
    frames, reader = FrameReader(), CHAT.reader()
    out = [delta for piece in pieces for frame in frames.feed(piece) for delta in reader(frame)]
    out += [delta for frame in frames.close() for delta in reader(frame)]
    return [*out, *reader.close()]


def opened(reply_id="chatcmpl-9fQ2", model="gpt-4.1-mini", created=1790000000):
    return Opened(reply_id=reply_id, model=model, created=created, dialect="openai_chat")


EXPECTED = {
    "text": [
        opened(),
        TextDelta(text="Oslo – 21 °C"),
        TextDelta(text=" 🌤, calm"),
        Stopped(stop="end", stop_raw="stop"),
        UsageDelta(usage=Usage(tokens_in=19, tokens_out=7, cached=16)),
        Closed(),
    ],
    "parallel_calls": [
        opened(),
        ToolCallDelta(index=0, call_id="call_a1", name="stock_level"),
        ToolCallDelta(index=0, arguments='{"depot":'),
        ToolCallDelta(index=0, arguments='"north"}'),
        ToolCallDelta(index=1, call_id="call_b2", name="stock_level"),
        ToolCallDelta(index=1, arguments='{"depot": "s\\u00fcd"}'),
        Stopped(stop="tool_call", stop_raw="tool_calls"),
        Closed(),
    ],
    "reasoning": [
        opened(model="r1-small"),
        ThoughtDelta(text="The user wants"),
        ThoughtDelta(text=" a sum."),
        TextDelta(text="4"),
        Stopped(stop="end", stop_raw="stop"),
        UsageDelta(usage=Usage(tokens_in=9, tokens_out=12, reasoning=10)),
        Closed(),
    ],
    "router": [
        opened("gen-1", "vendor/model:free"),
        ThoughtDelta(text="Short."),
        ThoughtDelta(signature="c2ln"),
        TextDelta(text="Done."),
        Stopped(stop="end", stop_raw="stop"),
        Closed(),
    ],
    "local_call": [
        opened("", "local", 0),
        ToolCallDelta(index=0, call_id="k1", name="glob", arguments='{"pattern":"*.csv"}'),
        ToolCallDelta(index=1, call_id="k2", name="glob", arguments='{"pattern":"*.md"}'),
        Stopped(stop="tool_call", stop_raw="stop"),
        Closed(),
    ],
    "error_midway": [
        opened(),
        TextDelta(text="Once"),
        Failed(
            message="The server had an error while processing your request.", kind="server_error", code=None, status=502
        ),
    ],
    "cut": [
        opened(),
        TextDelta(text="Once upon"),
        Failed(message="The upstream's stream ended before the answer did.", code="upstream_incomplete"),
    ],
    "no_mark": [opened(), TextDelta(text="Yes."), Stopped(stop="length", stop_raw="length"), Closed()],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_stream_is_read_as_it_was_meant(name):
    assert deltas_of(STREAMS[name]) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_where_the_network_cuts_a_stream_never_matters(name):
    stream = STREAMS[name]
    for at in range(len(stream)):
        assert deltas_of(stream[:at], stream[at:]) == EXPECTED[name]
    assert deltas_of(*(stream[i : i + 1] for i in range(len(stream)))) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_stream_that_ends_early_never_ends_well(name):
    """A cut never becomes an invented stop: what was promised by no terminal word is reported as a failure."""
    whole = EXPECTED[name]
    for at in range(len(STREAMS[name])):
        read = deltas_of(STREAMS[name][:at])
        is_told = any(isinstance(delta, Stopped | Closed) for delta in read[:-1]) or isinstance(whole[-1], Failed)
        assert isinstance(read[-1], Failed) or is_told or read == whole
        assert sum(isinstance(delta, Closed | Failed) for delta in read) == 1


def one_frame(payload):
    return CHAT.reader()(Frame(data=payload if isinstance(payload, str) else json.dumps(payload)))


def choice(**delta):
    return {"choices": [{"delta": delta}]}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (choice(role="assistant"), []),
        ({"choices": [], "prompt_filter_results": []}, []),
        (choice(refusal="No."), [RefusalDelta(text="No.")]),
        (choice(content=[{"type": "text", "text": "a"}]), [TextDelta(text="a")]),
        (choice(audio={"data": "AA"}), [ForeignDelta(dialect="openai_chat", what="audio", raw={"data": "AA"})]),
        (
            choice(function_call={"name": "f", "arguments": "{}"}),
            [ToolCallDelta(index=0, name="f", arguments="{}")],
        ),
        ({"choices": [{"index": 1, "delta": {"content": "b"}}]}, [TextDelta(text="b", candidate=1)]),
    ],
)
def test_what_servers_really_send_is_read(payload, expected):
    first, *rest = one_frame(payload)
    assert isinstance(first, Opened)
    assert rest == expected


@pytest.mark.parametrize("payload", ["{", "nothing", '{"error":"boom"}', '{"error":{"message":"boom"}}'])
def test_a_frame_that_is_no_answer_ends_the_stream(payload):
    reader = CHAT.reader()
    (failed,) = reader(Frame(data=payload))
    assert isinstance(failed, Failed)
    assert list(reader(Frame(data='{"choices":[{"delta":{"content":"x"}}]}'))) == []
    assert list(reader.close()) == []


@given(st.lists(st.text(max_size=30) | st.recursive(st.none() | st.text(), st.lists).map(json.dumps), max_size=4))
def test_no_frame_makes_a_reader_raise(payloads):
    reader = CHAT.reader()
    for payload in payloads:
        list(reader(Frame(data=payload)))
    list(reader.close())


def test_a_new_id_at_the_same_index_is_a_new_call():
    reader = CHAT.reader()

    def piece(call_id, arguments):
        function = {"name": "f", "arguments": arguments}
        deltas = reader(Frame(data=json.dumps(choice(tool_calls=[{"index": 0, "id": call_id, "function": function}]))))
        return [(d.index, d.call_id, d.arguments) for d in deltas if isinstance(d, ToolCallDelta)]

    assert piece("a", "1") == [(0, "a", "1")]
    assert piece("a", "2") == [(0, None, "2")]
    assert piece("b", "3") == [(1, "b", "3")]


# ---------------------------------------------------------------- writing


def frames_of(deltas, *, include_usage=False, losses=None):
    writer = CHAT.writer(Ask(model="m", turns=(), stream=True, include_usage=include_usage), losses)
    return [frame.data for delta in deltas for frame in writer(delta)]


def shown(data):
    """A chunk without what is the same in all of them."""
    if data == "[DONE]":
        return data
    chunk = json.loads(data)
    assert (chunk["object"], chunk["id"], chunk["model"]) == ("chat.completion.chunk", "r-1", "up")
    if not chunk["choices"]:
        return chunk["usage"]
    (one,) = chunk["choices"]
    return one["delta"], one["finish_reason"]


START = Opened(reply_id="r-1", model="up", created=3, dialect="openai_chat")


def test_the_sequence_is_exact():
    deltas = [
        START,
        ThoughtDelta(text="hm"),
        TextDelta(text='a"b'),
        ToolCallDelta(index=0, call_id="c", name="f"),
        ToolCallDelta(index=0, arguments="{}"),
        Stopped(stop="tool_call"),
        UsageDelta(usage=Usage(tokens_in=2, tokens_out=3, cached=1, reasoning=1)),
        Closed(),
    ]
    assert [shown(data) for data in frames_of(deltas)] == [
        ({"role": "assistant", "content": ""}, None),
        ({"reasoning_content": "hm"}, None),
        ({"content": 'a"b'}, None),
        (
            {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}]},
            None,
        ),
        ({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}, None),
        ({}, "tool_calls"),
        "[DONE]",
    ]


def test_only_a_caller_who_asked_gets_the_usage_frame():
    deltas = [START, Stopped(stop="end"), UsageDelta(usage=Usage(tokens_in=2, tokens_out=3, cached=1)), Closed()]
    assert shown(frames_of(deltas, include_usage=True)[-2]) == {
        "prompt_tokens": 2,
        "completion_tokens": 3,
        "total_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 1, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
    assert not any('"usage"' in data for data in frames_of(deltas))


def test_a_failure_is_an_error_frame_and_no_invented_stop():
    losses = []
    told = frames_of([START, TextDelta(text="x"), Failed(message="cut", code="upstream_incomplete")], losses=losses)
    assert json.loads(told[-2]) == {"error": {"message": "cut", "type": "api_error", "code": "upstream_incomplete"}}
    assert told[-1] == "[DONE]"
    assert not any('finish_reason":"' in data for data in told)


DELTAS = st.one_of(
    st.builds(TextDelta, text=st.text(min_size=1)),
    st.builds(ThoughtDelta, text=st.text(min_size=1)),
    st.builds(RefusalDelta, text=st.text(min_size=1)),
    st.builds(ToolCallDelta, index=st.just(0), call_id=st.just("c"), name=st.just("f"), arguments=st.text()),
)


@given(st.lists(DELTAS), st.sampled_from(["end", "length", "refusal"]), st.booleans())
def test_what_is_written_reads_as_it_was(pieces, stop, include_usage):
    calls = [piece for piece in pieces if isinstance(piece, ToolCallDelta)]
    later = {id(call): ToolCallDelta(index=0, arguments=call.arguments) for call in calls[1:]}
    pieces = [later.get(id(piece), piece) for piece in pieces]
    stop = "tool_call" if calls and stop == "end" else stop
    deltas = [START, *pieces, Stopped(stop=stop), UsageDelta(usage=Usage(tokens_in=1)), Closed()]
    reader = CHAT.reader()
    read = [delta for data in frames_of(deltas, include_usage=include_usage) for delta in reader(Frame(data=data))]
    assert [delta for delta in read if not isinstance(delta, UsageDelta | Stopped)] == [START, *pieces, Closed()]
    assert [delta.stop for delta in read if isinstance(delta, Stopped)] == [stop]
    assert any(isinstance(delta, UsageDelta) for delta in read) == include_usage


@given(st.lists(st.sampled_from([START, TextDelta(text="x"), Stopped(stop="end"), Closed(), Failed(message="f")])))
def test_nothing_follows_the_end(deltas):
    told = frames_of(deltas)
    assert told.count("[DONE]") == any(isinstance(delta, Closed | Failed) for delta in deltas)
    assert "[DONE]" not in told[:-1]


def test_what_has_no_place_is_told():
    losses = []
    frames_of([START, ForeignDelta(dialect="gemini", what="safetyRatings", raw=[])], losses=losses)
    assert [(loss.what, loss.to) for loss in losses] == [("safetyRatings", "openai_chat")]


def test_a_signature_comes_back_with_the_call():
    told = frames_of([START, ToolCallDelta(index=0, call_id="c", name="f", arguments="{}", signature="a+/=")])
    read = [delta for data in told for delta in CHAT.reader()(Frame(data=data))]
    assert read[-1] == ToolCallDelta(index=0, call_id="c", name="f", arguments="{}", signature="a+/=")


# ---------------------------------------------------------------- the same dialect beside its own bytes


@pytest.mark.parametrize("include_usage", [False, True])
@pytest.mark.parametrize("name", EXPECTED)
def test_frames_of_the_same_dialect_pass_as_they_are_but_for_the_usage_frame(name, include_usage):
    ask = Ask(model="m", turns=(), stream=True, include_usage=include_usage)
    reader = CHAT.reader()
    frames = FrameReader().feed(STREAMS[name])
    held = [frame.data for frame in frames if not CHAT.passes(ask, frame, list(reader(frame)))]
    is_usage_frame_there = name == "text"
    assert len(held) == (is_usage_frame_there and not include_usage)
