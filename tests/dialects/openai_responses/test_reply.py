import json

import pytest

from stipula import dialects
from stipula.dialects.dialect import UpstreamUnreadable
from stipula.dialects.ir import Ask, Failed, Reply, Sampling, Text, Thought, Tool, ToolCall, Turn

RESPONSES = dialects.by_name("openai_responses")
MESSAGES = dialects.by_name("anthropic_messages")


def test_an_answer_repeats_what_was_asked():
    ask = Ask(
        model="m",
        turns=(Turn(role="system", parts=(Text(text="Be brief."),), at="/instructions"),),
        tools=(Tool(name="f", parameters={"type": "object"}, strict=True),),
        sampling=Sampling(temperature=0.5, max_tokens=9),
        previous_reply_id="resp_0",
        dialect="openai_responses",
    )
    reply = Reply(reply_id="r", model="m", created=7, parts=(Text(text="x"),), stop="end", dialect="openai_chat")
    answer = json.loads(RESPONSES.write_reply(reply, [], ask))
    assert (answer["id"], answer["object"], answer["status"], answer["completed_at"]) == (
        "resp_r",
        "response",
        "completed",
        7,
    )
    assert (answer["instructions"], answer["temperature"], answer["max_output_tokens"]) == ("Be brief.", 0.5, 9)
    assert answer["previous_response_id"] == "resp_0"
    assert answer["tools"] == [{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": True}]


def test_a_failed_answer_is_the_upstreams_fault():
    body = {"status": "failed", "error": {"code": "server_error", "message": "boom"}, "output": []}
    with pytest.raises(UpstreamUnreadable, match="boom"):
        RESPONSES.read_reply(json.dumps(body).encode())


def test_signed_thinking_survives_the_way_through_a_responses_client():
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "EqQB+/="},
        {"type": "redacted_thinking", "data": "Zm9v"},
        {"type": "text", "text": "Calling."},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
    ]
    reply = MESSAGES.read_reply(json.dumps({"id": "x", "content": content, "stop_reason": "tool_use"}).encode())
    output = json.loads(RESPONSES.write_reply(reply, []))["output"]
    result = {"type": "function_call_output", "call_id": output[-1]["call_id"], "output": "2"}
    again = {"model": "m", "input": [{"role": "user", "content": "go"}, *output, result]}
    sent = json.loads(MESSAGES.write_ask(RESPONSES.read_ask(json.dumps(again).encode()), []))
    assert sent["messages"][1]["content"] == content


def test_the_vendors_own_reasoning_comes_back_to_it_through_a_messages_client():
    item = {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "gA=",
    }
    call = {"id": "fc", "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    reply = RESPONSES.read_reply(json.dumps({"status": "completed", "output": [item, call]}).encode())
    assert [type(part) for part in reply.parts] == [Thought, ToolCall]
    content = json.loads(MESSAGES.write_reply(reply, []))["content"]
    again = {"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": content}]}
    sent = json.loads(RESPONSES.write_ask(MESSAGES.read_ask(json.dumps(again).encode()), []))
    assert sent["input"][0] == item


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (429, {"error": {"message": "m", "code": "insufficient_quota"}}, ("insufficient_quota", "insufficient_quota")),
        (404, {"error": {"message": "m", "code": "model_not_found"}}, ("not_found_error", "model_not_found")),
    ],
)
def test_an_upstreams_error_is_read(status, body, expected):
    kind, code = expected
    failed = Failed(message="m", kind=kind, code=code, status=status)
    assert RESPONSES.read_error(status, json.dumps(body).encode()) == failed
