import json

import pytest

from stipula import dialects
from stipula.dialects.ir import Ask, Candidate, Failed, Opened, Reply, Stopped, Text, ThoughtDelta, Usage

MESSAGES = dialects.by_name("anthropic_messages")
CHAT = dialects.by_name("openai_chat")


def test_cache_reads_and_writes_are_part_of_what_went_in():
    usage = {
        "input_tokens": 20,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 1000,
        "output_tokens": 15,
    }
    body = {
        "id": "m",
        "model": "c",
        "content": [{"type": "text", "text": "x"}],
        "stop_reason": "end_turn",
        "usage": usage,
    }
    reply = MESSAGES.read_reply(json.dumps(body).encode())
    assert reply.usage == Usage(tokens_in=1320, tokens_out=15, cached=1000, cache_write=300)
    chat = json.loads(CHAT.write_reply(reply, []))["usage"]
    assert (chat["prompt_tokens"], chat["total_tokens"], chat["prompt_tokens_details"]["cached_tokens"]) == (
        1320,
        1335,
        1000,
    )


def test_signed_thinking_survives_the_way_through_a_chat_client():
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "EqQB+/="},
        {"type": "redacted_thinking", "data": "Zm9v"},
        {"type": "text", "text": "Calling."},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
    ]
    reply = MESSAGES.read_reply(json.dumps({"content": content, "stop_reason": "tool_use"}).encode())
    message = json.loads(CHAT.write_reply(reply, []))["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "2"}
    again = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}, message, result]}
    sent = json.loads(MESSAGES.write_ask(CHAT.read_ask(json.dumps(again).encode()), []))
    assert sent["messages"][1]["content"] == content


def test_signed_thinking_survives_a_chat_stream():
    writer = CHAT.writer(Ask(model="m", turns=(), stream=True))
    opened = Opened(reply_id="r", model="m", created=0, dialect="anthropic_messages")
    deltas = [opened, ThoughtDelta(text="t", signature="s"), Stopped(stop="end")]
    read = [d for delta in deltas for frame in writer(delta) for d in CHAT.reader()(frame)]
    assert [d.signature for d in read if isinstance(d, ThoughtDelta) and d.signature] == ["anthropic_messages:s"]


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}, "overloaded_error"),
        (402, {"type": "error", "error": {"type": "billing_error", "message": "m"}}, "insufficient_quota"),
        (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "m"}}, "invalid_request_error"),
        (413, {"error": {"message": "m"}}, "request_too_large"),
    ],
)
def test_an_upstreams_error_is_read(status, body, kind):
    assert MESSAGES.read_error(status, json.dumps(body).encode()) == Failed(message="m", kind=kind, status=status)


def test_an_error_wears_the_envelope_of_the_dialect():
    told = MESSAGES.write_error(
        status=503, message="busy", kind="overloaded_error", param="x", code="y", request_id="req"
    )
    assert json.loads(told) == {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "busy"},
        "request_id": "req",
    }


def test_other_candidates_are_told():
    losses = []
    reply = Reply(
        reply_id="r",
        model="m",
        created=0,
        parts=(Text(text="a"),),
        others=(Candidate(parts=()),),
        dialect="openai_chat",
    )
    MESSAGES.write_reply(reply, losses)
    assert [loss.what for loss in losses] == ["candidate"]
