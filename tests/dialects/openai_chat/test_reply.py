import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula import dialects
from stipula.dialects.dialect import UpstreamUnreadable
from stipula.dialects.ir import Candidate, Failed, Media, Refusal, Reply, Text, Thought, ToolCall, Usage

CHAT = dialects.by_name("openai_chat")


def reply_of(message, finish="stop", **top):
    body = {
        "id": "r-1",
        "created": 3,
        "model": "up",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    return CHAT.read_reply(json.dumps(body | top).encode())


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


@pytest.mark.parametrize(
    ("word", "with_call", "stop"),
    [
        ("stop", False, "end"),
        ("stop", True, "tool_call"),
        ("tool_calls", True, "tool_call"),
        ("stop_sequence", True, "tool_call"),
        ("length", True, "length"),
        ("content_filter", True, "refusal"),
        ("anything", False, "other"),
        ("anything", True, "tool_call"),
        (None, True, None),
    ],
)
def test_a_tool_call_wins_over_the_word_but_not_over_a_cut(word, with_call, stop):
    reply = reply_of({"role": "assistant", "content": "x"} | ({"tool_calls": [CALL]} if with_call else {}), word)
    assert (reply.stop, reply.stop_raw) == (stop, word)


def test_an_answer_is_read_whole():
    reply = reply_of(
        {"role": "assistant", "content": "", "reasoning_content": "hm", "refusal": None, "tool_calls": [CALL]},
        "tool_calls",
        usage={"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": None},
        system_fingerprint="fp",
    )
    thought, call = reply.parts
    assert isinstance(thought, Thought)
    assert isinstance(call, ToolCall)
    assert call.arguments == '{"a": 1}'
    assert reply.usage == Usage(tokens_in=5, tokens_out=2)
    assert reply.extra == {"system_fingerprint": "fp"}


def test_an_answer_for_a_chat_caller_is_the_upstreams_own_bytes():
    body = b'{ "id":"x", "choices" : [{"message":{"content":"hi"}}], "odd": 1.50 }'
    assert CHAT.write_reply(CHAT.read_reply(body), []) == body


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"choices":null}', b'{"a":"\xff"}', b"[" * 9000])
def test_bytes_that_are_no_answer_are_the_upstreams_fault(body):
    with pytest.raises(UpstreamUnreadable) as fault:
        CHAT.read_reply(body)
    assert fault.value.status == 502


WORDS = st.text(max_size=8)
PARTS = st.builds(
    lambda thought, text, refusal, calls: (*thought, *text, *refusal, *calls),
    st.just(()) | st.builds(lambda t: (Thought(text=t),), WORDS),
    st.just(()) | st.builds(lambda t: (Text(text=t),), st.text(min_size=1)),
    st.just(()) | st.builds(lambda t: (Refusal(text=t),), st.text(min_size=1)),
    st.lists(st.builds(ToolCall, call_id=st.just("c"), name=WORDS, arguments=WORDS), max_size=2).map(tuple),
)
CANDIDATES = st.builds(
    lambda parts, stop: Candidate(
        parts=parts, stop="tool_call" if stop == "end" and any(isinstance(p, ToolCall) for p in parts) else stop
    ),
    PARTS,
    st.sampled_from([None, "end", "length", "refusal"]),
)
USAGE = st.builds(Usage, tokens_in=st.integers(0, 9), tokens_out=st.integers(0, 9), cached=st.integers(0, 9))


@given(st.lists(CANDIDATES, min_size=1, max_size=3), st.none() | USAGE, WORDS)
def test_an_answer_that_is_written_reads_as_it_was(candidates, usage, name):
    first, *others = candidates
    reply = Reply(
        reply_id=name, model=name, created=7, parts=first.parts, stop=first.stop, usage=usage, others=tuple(others)
    )
    losses = []
    read = CHAT.read_reply(CHAT.write_reply(reply, losses))
    assert losses == []
    assert (read.reply_id, read.model, read.created, read.usage) == (name, name, 7, usage)
    assert [bare(one) for one in (read, *read.others)] == [bare(one) for one in candidates]


def bare(one):
    facts = [(type(part).__name__, getattr(part, "text", None) or getattr(part, "arguments", "")) for part in one.parts]
    return facts, one.stop


def test_pieces_of_one_answer_are_joined_with_nothing_between():
    told = []
    reply = Reply(
        reply_id="r", model="m", created=0, parts=(Text(text="a"), Text(text="b"), Media(kind="audio", at="/x"))
    )
    message = json.loads(CHAT.write_reply(reply, told))["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "ab", "refusal": None}
    assert [(loss.at, loss.what) for loss in told] == [("/x", "media")]


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (
            429,
            {"error": {"message": "slow", "type": "requests"}},
            Failed(message="slow", kind="rate_limit_error", status=429),
        ),
        (
            429,
            {"error": {"message": "no money", "code": "insufficient_quota"}},
            Failed(message="no money", kind="insufficient_quota", code="insufficient_quota", status=429),
        ),
        (400, {"error": "bare words"}, Failed(message="bare words", kind="invalid_request_error", status=400)),
        (503, None, Failed(message="the upstream answered 503 without a message", kind="overloaded_error", status=503)),
    ],
)
def test_an_upstreams_error_is_read_whatever_it_is(status, body, expected):
    assert CHAT.read_error(status, b"<html>" if body is None else json.dumps(body).encode()) == expected


def test_an_error_has_only_what_is_known():
    told = CHAT.write_error(
        status=400, message="no", kind="invalid_request_error", param="messages", code=None, request_id="r"
    )
    assert json.loads(told) == {
        "error": {"message": "no", "type": "invalid_request_error", "param": "messages"},
        "request_id": "r",
    }
