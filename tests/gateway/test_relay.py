"""The whole way of a request, walked by the official client, unchanged but for its address."""

import json

import pytest
from openai import APIStatusError

from stipula.dialects.ir import Ask, Closed, Text, TextDelta, Turn, UsageDelta
from stipula.gateway.relay import TailRefused

pytestmark = pytest.mark.anyio
HELLO = [{"role": "user", "content": "Say hello."}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def call(number: int, city: str) -> dict:
    arguments = json.dumps({"city": city})
    return {"id": f"call_{number}", "type": "function", "function": {"name": "weather", "arguments": arguments}}


async def test_a_whole_answer_reaches_the_official_client(gateway, upstream):
    answer = await gateway.sdk.chat.completions.create(model="m", messages=HELLO)
    assert answer.choices[0].message.content == "All good."
    assert answer.usage.total_tokens == 10
    assert upstream.calls[0].body == {"model": "up-1", "messages": HELLO}


async def test_a_streamed_answer_reaches_the_official_client_piece_by_piece(gateway, upstream, speech):
    upstream.say(speech.stream("All ", "good", "."))
    stream = await gateway.sdk.chat.completions.create(model="m", messages=HELLO, stream=True)
    said = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices[0].delta.content]
    assert said == ["All ", "good", "."]


async def test_the_bytes_of_an_answer_in_the_same_dialect_are_the_upstreams_own(gateway, upstream, speech):
    odd = json.dumps(
        {"x_unknown": 1.50, "choices": [{"index": 0, "message": {"content": "é"}, "finish_reason": "stop"}]}
    )
    upstream.say(speech.Answer(body=odd.encode()))
    assert (await gateway.post({"model": "m", "messages": HELLO})).raw == odd.encode()


async def test_the_frames_of_a_stream_in_the_same_dialect_are_the_upstreams_own(gateway, upstream, speech):
    frame = (
        b'data: {"x_unknown": 1.50,  "choices":[{"index":0,"delta":{"content":"\xc3\xa9"},"finish_reason":null}]}\n\n'
    )
    end = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    upstream.say(speech.Answer(frames=[frame, end]))
    assert (await gateway.post({"model": "m", "messages": HELLO, "stream": True})).raw == frame + end


async def test_unknown_members_of_a_request_reach_the_upstream(gateway, upstream):
    await gateway.post({"model": "m", "messages": HELLO, "x_vendor": {"deep": [1]}, "logit_bias": {"5": 1}})
    assert upstream.calls[0].body["x_vendor"] == {"deep": [1]}


async def test_the_usage_frame_is_asked_for_and_withheld_from_a_caller_who_did_not_ask(gateway, upstream, speech):
    upstream.say(speech.stream())
    got = await gateway.post({"model": "m", "messages": HELLO, "stream": True})
    assert upstream.calls[0].body["stream_options"] == {"include_usage": True}
    assert [chunk for chunk in got.data if chunk != "[DONE]" and chunk.get("usage")] == []


async def test_the_usage_frame_goes_to_a_caller_who_asked(gateway, upstream, speech):
    upstream.say(speech.stream())
    options = {"include_usage": True}
    stream = await gateway.sdk.chat.completions.create(model="m", messages=HELLO, stream=True, stream_options=options)
    assert [chunk.usage.total_tokens async for chunk in stream if chunk.usage] == [10]


async def test_parallel_tool_calls_come_back_whole(gateway, upstream, speech):
    upstream.say(speech.whole(text=None, tool_calls=[call(1, "Oslo"), call(2, "Bergen")]))
    answer = await gateway.sdk.chat.completions.create(model="m", messages=HELLO, tools=[WEATHER])
    calls = [(one.id, json.loads(one.function.arguments)) for one in answer.choices[0].message.tool_calls]
    assert calls == [("call_1", {"city": "Oslo"}), ("call_2", {"city": "Bergen"})]


async def test_parallel_tool_calls_come_back_streamed(gateway, upstream, speech):
    pieces = [
        {"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"city":'}},
        {"index": 0, "function": {"arguments": '"Oslo"}'}},
        {
            "index": 1,
            "id": "call_2",
            "type": "function",
            "function": {"name": "weather", "arguments": '{"city":"Bergen"}'},
        },
    ]
    frames = [speech.chunk({"tool_calls": [piece]}) for piece in pieces]
    upstream.say(speech.Answer(frames=[*frames, speech.chunk({}, "tool_calls"), speech.DONE]))
    async with gateway.sdk.chat.completions.stream(model="m", messages=HELLO, tools=[WEATHER]) as stream:
        answer = await stream.get_final_completion()
    calls = [(one.id, one.function.arguments) for one in answer.choices[0].message.tool_calls]
    assert calls == [("call_1", '{"city":"Oslo"}'), ("call_2", '{"city":"Bergen"}')]


async def test_tool_results_are_forwarded_to_the_byte(gateway, upstream):
    result = {"role": "tool", "tool_call_id": "call_1", "content": "12\u00a0°C"}
    history = [*HELLO, {"role": "assistant", "content": None, "tool_calls": [call(1, "Oslo")]}, result]
    await gateway.sdk.chat.completions.create(model="m", messages=history, tools=[WEATHER])
    assert upstream.calls[0].body["messages"] == history


async def test_structured_output_passes_both_ways(gateway, upstream, speech):
    upstream.say(speech.whole('{"city": "Oslo"}'))
    shape = {"type": "json_schema", "json_schema": {"name": "place", "strict": True, "schema": {"type": "object"}}}
    answer = await gateway.sdk.chat.completions.create(model="m", messages=HELLO, response_format=shape)
    assert json.loads(answer.choices[0].message.content) == {"city": "Oslo"}
    assert upstream.calls[0].body["response_format"] == shape


async def test_an_upstreams_refusal_reaches_the_client_as_its_own_kind(gateway, upstream, speech):
    upstream.say(speech.fault(400, "max_tokens is too large", type="invalid_request_error", param="max_tokens"))
    with pytest.raises(APIStatusError) as refused:
        await gateway.sdk.chat.completions.create(model="m", messages=HELLO)
    assert (refused.value.status_code, refused.value.param) == (400, "max_tokens")
    assert "max_tokens is too large" in refused.value.message


async def test_an_unknown_model_is_a_404_that_names_it(gateway):
    got = await gateway.post({"model": "nobody", "messages": HELLO})
    assert (got.status, got.body["error"]["code"]) == (404, "model_not_found")
    assert "'nobody'" in got.body["error"]["message"]


async def test_a_glob_sends_the_name_as_it_was_asked(gateway, upstream):
    await gateway.post({"model": "gpt-9", "messages": HELLO})
    assert upstream.calls[0].body["model"] == "gpt-9"


async def test_a_callers_credential_never_reaches_the_upstream(gateway, upstream):
    await gateway.post({"model": "m", "messages": HELLO}, authorization="Bearer mine", x_api_key="mine")
    assert upstream.calls[0].key == "key-1"
    assert "mine" not in str(upstream.calls[0].headers)


async def test_without_keys_no_credential_is_sent(start, upstream):
    gateway = await start(keys="")
    await gateway.post({"model": "m", "messages": HELLO})
    assert "authorization" not in upstream.calls[0].headers


# ---------------------------------------------------------------- the tail stands before everything else

ASSISTANT_TAIL = [*HELLO, {"role": "assistant", "content": "Hel"}]
EMPTY_USER = [{"role": "user", "content": " \n"}]
TAILS = [
    pytest.param(ASSISTANT_TAIL, "assistant_tail", id="assistant"),
    pytest.param(EMPTY_USER, "empty_user", id="empty user"),
    pytest.param([*EMPTY_USER, ASSISTANT_TAIL[1]], "assistant_tail", id="both"),
]


@pytest.mark.clause("RT-021")
@pytest.mark.clause("RT-022")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("messages", "rule"), TAILS)
async def test_a_refused_tail_moves_its_own_counter_and_nothing_else(start, upstream, messages, rule, stream):
    gateway = await start("[gateway.cache]\nenabled = true", keys='keys = ["env:KEY_1", "env:KEY_2"]')
    before = await gateway.counters()
    got = await gateway.post({"model": "m", "messages": messages, "stream": stream})
    after = await gateway.counters()
    assert (got.status, got.headers["content-type"]) == (400, "application/json")
    assert got.body["error"]["type"] == "invalid_request_error"
    assert got.body["error"]["param"] == "messages"
    own = f'stipula_rejections_total{{rule="{rule}"}}'
    assert {name for name in after if after[name] != before.get(name)} == {own}
    assert after[own] == before[own] + 1
    assert upstream.calls == []


@pytest.mark.clause("RT-023")
@pytest.mark.parametrize("model", ["m", "echo", "gpt-4", "nobody"])
async def test_the_tail_is_judged_before_the_upstream_is_chosen(gateway, model):
    got = await gateway.post({"model": model, "messages": ASSISTANT_TAIL, "stream": True})
    message = "The conversation must end with a user message or a tool result."
    assert (got.status, got.body["error"]["message"]) == (400, message)


@pytest.mark.clause("RT-021")
async def test_an_empty_pool_never_answers_before_the_tail(start):
    gateway = await start(keys="keys = []")
    got = await gateway.post({"model": "m", "messages": EMPTY_USER})
    assert (got.status, got.body["error"]["message"]) == (400, "The last user message has empty content.")


async def test_an_edge_of_the_dialect_is_counted_as_such(gateway, upstream):
    got = await gateway.post({"model": "m", "messages": "hello"})
    assert (got.status, got.body["error"]["param"]) == (400, "messages")
    assert (await gateway.counters())['stipula_rejections_total{rule="edge"}'] == 1
    assert upstream.calls == []


@pytest.mark.clause("RT-020")
async def test_an_ask_made_in_process_passes_the_same_block(gateway):
    ask = Ask(model="echo", turns=(Turn(role="assistant", parts=(Text(text="Hel"),), plain=True),))
    with pytest.raises(TailRefused):
        await gateway.gateway.complete(ask)
    with pytest.raises(TailRefused):
        await anext(gateway.gateway.stream(ask))


# ---------------------------------------------------------------- in process


async def test_a_stream_in_process_gives_deltas(gateway):
    ask = Ask(model="echo", turns=(Turn(role="user", parts=(Text(text="one two"),), plain=True),))
    deltas = [delta async for delta in gateway.gateway.stream(ask)]
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["one", " two"]
    assert [delta.usage.tokens_out for delta in deltas if isinstance(delta, UsageDelta)] == [2]
    assert isinstance(deltas[-1], Closed)


async def test_a_whole_answer_in_process_is_a_reply(gateway):
    ask = Ask(model="echo", turns=(Turn(role="user", parts=(Text(text="one two"),), plain=True),))
    reply = await gateway.gateway.complete(ask)
    assert [part.text for part in reply.parts] == ["one two"]


async def test_the_model_list_names_what_can_be_asked_by_name(gateway):
    rows = [(row.name, row.upstream, row.ready) for row in gateway.gateway.models()]
    assert rows == [("m", "main", True), ("echo", "echo", True)]


# ---------------------------------------------------------------- cache

CACHE = "[gateway.cache]\nenabled = true"


async def test_the_same_ask_of_the_same_tenant_is_answered_from_the_cache(start, upstream):
    gateway = await start(CACHE)
    first = await gateway.post({"model": "m", "messages": HELLO}, authorization="Bearer a")
    second = await gateway.post({"messages": HELLO, "model": "m"}, authorization="Bearer a")
    assert (len(upstream.calls), second.body) == (1, first.body)
    assert second.headers["x-stipula-cache"] == "hit"


async def test_another_tenant_never_gets_a_cached_answer(start, upstream):
    more = f'[gateway]\nclient_keys = ["env:CLIENT_A", "env:CLIENT_B"]\n{CACHE}'
    gateway = await start(more)
    for key in ("team-a", "team-b", "team-a"):
        await gateway.post({"model": "m", "messages": HELLO}, authorization=f"Bearer {key}")
    assert len(upstream.calls) == 2


async def test_a_stream_and_a_whole_answer_share_an_entry(start, upstream, speech):
    gateway = await start(CACHE)
    upstream.say(speech.stream("All ", "good."))
    await gateway.post({"model": "m", "messages": HELLO, "stream": True})
    whole = await gateway.post({"model": "m", "messages": HELLO})
    streamed = await gateway.post({"model": "m", "messages": HELLO, "stream": True})
    assert whole.body["choices"][0]["message"]["content"] == "All good."
    said = [chunk["choices"][0]["delta"].get("content", "") for chunk in streamed.data[:-1]]
    assert ("".join(said), streamed.data[-1], len(upstream.calls)) == ("All good.", "[DONE]", 1)


@pytest.mark.parametrize("kind", ["error", "cut", "tool call"])
async def test_errors_cut_streams_and_tool_calls_are_not_cached(start, upstream, speech, kind):
    gateway = await start(CACHE)
    answers = {
        "error": speech.fault(400),
        "cut": speech.Answer(frames=speech.frames("All")[:2], then="cut"),
        "tool call": speech.whole(text=None, tool_calls=[call(1, "Oslo")]),
    }
    upstream.say(answers[kind])
    for _ in range(2):
        await gateway.post({"model": "m", "messages": HELLO, "stream": kind == "cut"})
    assert len(upstream.calls) == 2
