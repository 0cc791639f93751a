import json

import pytest

from stipula import dialects
from stipula.dialects.ir import Failed, Reply, Usage

GEMINI = dialects.by_name("gemini")
CHAT = dialects.by_name("openai_chat")
MESSAGES = dialects.by_name("anthropic_messages")


def read(**members):
    return GEMINI.read_reply(json.dumps(members).encode())


def test_a_candidate_whose_budget_went_to_thinking_keeps_its_choice():
    usage = {"promptTokenCount": 9, "thoughtsTokenCount": 64, "totalTokenCount": 73}
    reply = read(candidates=[{"finishReason": "MAX_TOKENS", "index": 0}], usageMetadata=usage, responseId="g")
    chat = json.loads(CHAT.write_reply(reply, []))
    (choice,) = chat["choices"]
    assert (choice["index"], choice["finish_reason"], choice["message"]["content"]) == (0, "length", None)
    assert (chat["usage"]["completion_tokens"], chat["usage"]["total_tokens"]) == (64, 73)
    assert chat["usage"]["completion_tokens_details"]["reasoning_tokens"] == 64


def test_a_blocked_prompt_is_a_refusal():
    reply = read(promptFeedback={"blockReason": "SAFETY"})
    assert (reply.parts, reply.stop, reply.stop_raw) == ((), "refusal", "SAFETY")
    assert json.loads(CHAT.write_reply(reply, []))["choices"][0]["finish_reason"] == "content_filter"


@pytest.mark.parametrize("client", [CHAT, MESSAGES])
def test_a_calls_signature_survives_the_way_through_clients_of_other_dialects(client):
    call = {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "CiQB+/=="}
    reply = read(candidates=[{"content": {"parts": [call]}, "finishReason": "STOP"}], responseId="g")
    answer = json.loads(client.write_reply(reply, []))
    if client is CHAT:
        turn = answer["choices"][0]["message"]
        again = {"model": "m", "messages": [turn]}
    else:
        again = {"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": answer["content"]}]}
    sent = json.loads(GEMINI.write_ask(client.read_ask(json.dumps(again).encode()), []))
    assert sent["contents"][0]["parts"] == [call]


def test_signed_thinking_survives_the_way_through_a_gemini_client():
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "EqQB+/="},
        {"type": "redacted_thinking", "data": "Zm9v"},
        {"type": "text", "text": "Calling."},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
    ]
    reply = MESSAGES.read_reply(json.dumps({"id": "x", "content": content, "stop_reason": "tool_use"}).encode())
    turn = json.loads(GEMINI.write_reply(reply, []))["candidates"][0]["content"]
    sent = json.loads(MESSAGES.write_ask(GEMINI.read_ask(json.dumps({"contents": [turn]}).encode()), []))
    assert sent["messages"][0]["content"] == content


def test_thoughts_stand_beside_the_candidates_in_the_bill():
    usage = Usage(tokens_in=10, tokens_out=7, cached=4, reasoning=5)
    reply = Reply(reply_id="r", model="m", created=0, parts=(), stop="end", usage=usage, dialect="openai_chat")
    told = json.loads(GEMINI.write_reply(reply, []))["usageMetadata"]
    assert told == {
        "promptTokenCount": 10,
        "candidatesTokenCount": 2,
        "totalTokenCount": 17,
        "cachedContentTokenCount": 4,
        "thoughtsTokenCount": 5,
    }


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED"}, "rate_limit_error"),
        (
            400,
            {"message": "m", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]},
            "authentication_error",
        ),
        (503, {"message": "m"}, "overloaded_error"),
    ],
)
@pytest.mark.parametrize("is_listed", [False, True])
def test_an_upstreams_error_is_read(status, error, kind, is_listed):
    body = json.dumps([{"error": error}] if is_listed else {"error": error}).encode()
    failed = GEMINI.read_error(status, body)
    assert isinstance(failed, Failed)
    assert (failed.message, failed.kind, failed.status) == ("m", kind, status)


def test_an_error_wears_the_envelope_of_the_dialect():
    told = GEMINI.write_error(
        status=400, message="no", kind="invalid_request_error", param="x", code=None, request_id="q"
    )
    assert json.loads(told) == {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}
