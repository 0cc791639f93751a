"""The upstream that says the newest user text back."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.gateway import echo

pytestmark = pytest.mark.anyio


def told(text="one two three", model="echo", **more):
    return echo.script(json.dumps({"model": model, "messages": [{"role": "user", "content": text}], **more}).encode())


@given(st.text(max_size=60))
def test_the_words_joined_are_the_text(text):
    assert "".join(told(text).words) == text


def test_the_newest_user_text_is_said_back_one_word_a_delta():
    messages = [{"role": "user", "content": "old"}, {"role": "assistant", "content": "x"}]
    newest = {"role": "user", "content": [{"type": "text", "text": "new "}, {"type": "text", "text": "words"}]}
    script = echo.script(json.dumps({"messages": [*messages, newest]}).encode())
    assert (script.words, script.tokens_in) == (("new", " words"), 4)


def test_the_model_name_sets_tokens_first_delay_and_pace():
    script = told("a b", model="echo-t5-f300-d20")
    assert (script.words, script.first_s, script.pace_s) == ((" a", " b", " a", " b", " a"), 0.3, 0.02)


def test_a_limit_ends_the_answer_early_and_says_so():
    script = told(max_completion_tokens=2)
    assert (script.words, script.finish) == (("one", " two"), "length")


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        ("required", "first"),
        ({"type": "function", "function": {"name": "second"}}, "second"),
        ("auto", None),
        ("none", None),
        (None, None),
    ],
)
def test_a_forced_tool_choice_calls_that_tool_with_no_arguments(choice, name):
    tools = [{"type": "function", "function": {"name": one}} for one in ("first", "second")]
    script = told(tools=tools, tool_choice=choice)
    assert (script.call, script.finish) == (name, "stop" if name is None else "tool_calls")
    message = json.loads(echo.whole(script, "chatcmpl-1", 0))["choices"][0]["message"]
    calls = [call["function"] for call in message.get("tool_calls", ())]
    assert calls == ([] if name is None else [{"name": name, "arguments": "{}"}])


def test_reasoning_comes_first_where_it_is_wanted():
    deltas = list(echo.deltas(told(reasoning_effort="low"), "chatcmpl-1"))
    assert deltas[1] == {"reasoning_content": echo.REASONING}
    assert "reasoning_content" not in str(list(echo.deltas(told(reasoning_effort="none"), "chatcmpl-1")))


async def test_the_official_client_streams_from_it_with_usage_in_words(gateway):
    stream = await gateway.sdk.chat.completions.create(
        model="echo",
        messages=[{"role": "user", "content": "one two three"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = [chunk async for chunk in stream]
    said = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert said == ["one", " two", " three"]
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == (3, 3)


async def test_the_pace_is_kept_between_words():
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    upstream = echo.Echo(lambda: "1", lambda: 0.0, sleep)
    body = json.dumps({"model": "echo-f300-d20", "messages": [{"role": "user", "content": "a b c"}]}).encode()
    exchange = await upstream.send(body, None, model="echo", stream=True)
    while await exchange.piece(1):
        pass
    assert pauses[:5] == [0.0, 0.3, 0.02, 0.02, 0.02]


async def test_a_long_answer_lets_others_have_their_turn(gateway):
    slow = gateway.post({"model": "echo-t20000", "stream": True, "messages": [{"role": "user", "content": "x"}]})
    async with asyncio.TaskGroup() as group:
        long = group.create_task(slow)
        assert (await gateway.get("/health")).status == 200
        assert not long.done()
