"""Streams that end badly, callers who leave, readers who are slow: everybody gets a right ending, nothing leaks."""

import asyncio
import gc
import json
import re

import aiohttp
import pytest
from openai import APIError

from stipula.dialects.ir import Ask, Text, Turn
from stipula.gateway import relay

pytestmark = pytest.mark.anyio
ASK = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}


def texts(got):
    return [
        chunk["choices"][0]["delta"].get("content")
        for chunk in got.data
        if isinstance(chunk, dict) and "choices" in chunk
    ]


async def test_a_cut_stream_ends_in_an_error_frame_and_no_invented_stop(gateway, upstream, speech):
    upstream.say(speech.Answer(frames=speech.frames("Once", " upon")[:3], then="cut"))
    got = await gateway.post(ASK)
    assert texts(got) == ["", "Once", " upon"]
    assert got.data[-2]["error"] == {
        "message": "The upstream's stream ended before the answer did.",
        "type": "api_error",
        "code": "upstream_incomplete",
    }
    assert '"finish_reason": "stop"' not in got.raw.decode()


async def test_the_official_client_raises_at_a_cut_stream(gateway, upstream, speech):
    upstream.say(speech.Answer(frames=speech.frames("Once")[:2], then="cut"))
    stream = await gateway.sdk.chat.completions.create(**ASK)
    with pytest.raises(APIError, match="ended before the answer did"):
        _ = [chunk async for chunk in stream]


async def test_a_stream_that_ended_without_its_mark_gets_the_mark_alone(gateway, upstream, speech):
    upstream.say(speech.Answer(frames=speech.frames("Once")[:-1]))
    got = await gateway.post(ASK)
    assert (texts(got), got.data[-1], got.raw.count(b"[DONE]")) == (["", "Once", None], "[DONE]", 1)
    assert "error" not in got.raw.decode()


async def test_nothing_follows_the_terminal_mark(gateway, upstream, speech):
    upstream.say(speech.Answer(frames=[*speech.frames("Once"), speech.chunk({"content": "more"}), speech.DONE]))
    got = await gateway.post(ASK)
    assert (got.data[-1], got.raw.count(b"[DONE]"), b"more" in got.raw) == ("[DONE]", 1, False)


async def test_an_upstreams_error_in_the_middle_goes_on_and_ends_the_stream(gateway, upstream, speech):
    error = {"error": {"message": "overloaded", "type": "server_error"}}
    upstream.say(speech.Answer(frames=[*speech.frames("Once")[:2], error, speech.chunk({"content": "more"})]))
    got = await gateway.post(ASK)
    assert got.data[-1] == error
    assert b"more" not in got.raw


@pytest.mark.parametrize("garbage", [b"data: {nonsense\n\n", b"data: \xff\xfe\n\n", b"data: " + b"x" * (9 * 2**20)])
async def test_garbage_in_the_middle_ends_in_an_error_frame(gateway, upstream, speech, garbage):
    upstream.say(speech.Answer(frames=[*speech.frames("Once")[:2], garbage, *speech.frames("more")]))
    got = await gateway.post(ASK)
    assert got.data[-2]["error"]["code"] == "upstream_unreadable"
    assert got.data[-1] == "[DONE]"


async def test_a_stream_that_hangs_in_the_middle_ends_in_a_timeout_and_is_let_go(start, upstream, speech):
    gateway = await start(
        config=f"""
[[gateway.upstreams]]
name = "main"
dialect = "openai_chat"
base_url = "{upstream.url}/v1"
models = {{ "m" = "up-1" }}
idle_s = 0.2
"""
    )
    upstream.say(speech.Answer(frames=[*speech.frames("Once")[:2], b'data: {"cho'], then="hang"))
    got = await gateway.post(ASK)
    assert got.data[-2]["error"]["code"] == "upstream_timeout"
    async with asyncio.timeout(5):
        await upstream.calls[0].gone.wait()


async def test_a_stream_that_hangs_before_its_first_frame_is_a_504_and_is_let_go(start, upstream, speech):
    gateway = await start(
        config=f"""
[[gateway.upstreams]]
name = "main"
dialect = "openai_chat"
base_url = "{upstream.url}/v1"
models = {{ "m" = "up-1" }}
first_byte_s = 0.2
"""
    )
    upstream.say(speech.Answer(frames=[b": not yet\n\n"], then="hang"))
    assert (await gateway.post(ASK)).status == 504
    async with asyncio.timeout(5):
        await upstream.calls[0].gone.wait()


async def test_a_silent_stream_is_kept_alive_by_comments(gateway, upstream, speech, monkeypatch):
    monkeypatch.setattr(relay, "KEEPALIVE_S", 0.05)
    upstream.say(speech.Answer(frames=speech.frames("Once")[:2], then="hang"))
    async with gateway.http.post(f"{gateway.url}/v1/chat/completions", json=ASK) as answer:
        async with asyncio.timeout(5):
            said = b""
            while b": keepalive\n\n" not in said:
                said += await answer.content.readany()


async def test_frames_cut_anywhere_by_the_network_arrive_whole(gateway, upstream, speech):
    whole = b"".join(
        frame if isinstance(frame, bytes) else b"data: " + json.dumps(frame, ensure_ascii=False).encode() + b"\n\n"
        for frame in speech.frames("Grüße 🌤", " 天気")
    )
    upstream.say(speech.Answer(frames=[whole[i : i + 1] for i in range(len(whole))]))
    assert texts(await gateway.post(ASK))[:3] == ["", "Grüße 🌤", " 天気"]


async def test_crlf_and_comments_of_an_upstream_are_read(gateway, upstream, speech):
    frame = json.dumps(speech.chunk({"content": "Once"})).encode()
    end = json.dumps(speech.chunk({}, "stop")).encode()
    upstream.say(speech.Answer(frames=[b": keep-alive\r\n\r\ndata:" + frame + b"\r\n\r\ndata:" + end + b"\r\n\r\n"]))
    got = await gateway.post(ASK)
    assert (texts(got), got.data[-1]) == (["Once", None], "[DONE]")


# ---------------------------------------------------------------- callers who leave


@pytest.mark.parametrize("stream", [True, False])
async def test_when_the_caller_leaves_the_upstream_is_cancelled_within_a_quarter_of_a_second(
    gateway, upstream, speech, stream
):
    hanging = speech.Answer(frames=speech.frames("Once")[:2], then="hang")
    upstream.say(hanging if stream else speech.Answer(before="hang"))
    async with aiohttp.ClientSession() as caller:
        ask = asyncio.ensure_future(caller.post(f"{gateway.url}/v1/chat/completions", json=ASK | {"stream": stream}))
        async with asyncio.timeout(5):
            await upstream.called.wait()
            if stream:
                answer = await ask
                await answer.content.readany()
                answer.close()
            else:
                ask.cancel()
        left = asyncio.get_running_loop().time()
        async with asyncio.timeout(5):
            await upstream.calls[0].gone.wait()
        assert asyncio.get_running_loop().time() - left < 0.25


@pytest.mark.parametrize("has_begun", [True, False])
async def test_a_caller_who_leaves_blames_no_key_and_keeps_none(gateway, upstream, speech, has_begun):
    frames = speech.Answer(frames=speech.frames("Once")[:2], then="hang")
    upstream.say(frames if has_begun else speech.Answer(before="hang"))
    ask = asyncio.ensure_future(gateway.http.post(f"{gateway.url}/v1/chat/completions", json=ASK))
    async with asyncio.timeout(5):
        await upstream.called.wait()
        if has_begun:
            answer = await ask
            await answer.content.readany()
            answer.close()
        else:
            ask.cancel()
        await upstream.calls[0].gone.wait()
        ring = gateway.gateway.posts["main"].ring
        while ring.standing()[0][0].in_flight:  # noqa: ASYNC110 - the pool is pure and tells nobody
            await asyncio.sleep(0.001)
    key, state = ring.standing()[0]
    assert (key.strikes, state) == (0, "usable")


async def test_an_ask_in_process_that_is_closed_early_is_cancelled_upstream(gateway, upstream, speech):
    upstream.say(speech.Answer(frames=speech.frames("Once")[:2], then="hang"))
    ask = Ask(model="m", turns=(Turn(role="user", parts=(Text(text="hi"),), plain=True),))
    deltas = gateway.gateway.stream(ask)
    await anext(deltas)
    await deltas.aclose()
    async with asyncio.timeout(5):
        await upstream.calls[0].gone.wait()


async def test_a_slow_reader_stops_the_upstream_and_grows_nothing(gateway, upstream, speech):
    piece = speech.chunk({"content": "x" * 4096})
    upstream.say(speech.Answer(frames=(piece for _ in range(50_000))))  # 200 MB, if anybody kept it
    address, port = re.findall(r"//(.*):(\d+)", gateway.url)[0]
    reader, writer = await asyncio.open_connection(address, int(port), limit=4096)
    body = json.dumps(ASK).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await reader.readexactly(1)
    still, before = 0, -1
    async with asyncio.timeout(30):
        while still < 50:  # until the upstream has been made to wait for a while
            await asyncio.sleep(0.002)
            still = still + 1 if upstream.calls[0].sent == before else 0
            before = upstream.calls[0].sent
    assert before < 32 * 2**20
    writer.transport.abort()
    async with asyncio.timeout(5):
        await upstream.calls[0].gone.wait()
    gc.collect()


async def test_many_streams_at_once_each_get_their_own_words(gateway, upstream, speech):
    upstream.say(lambda call: speech.stream(call.body["messages"][0]["content"], "!"))

    async def one(number):
        got = await gateway.post(ASK | {"messages": [{"role": "user", "content": f"n{number}"}]})
        return texts(got)[1:3] == [f"n{number}", "!"] and got.data[-1] == "[DONE]"

    assert all(await asyncio.gather(*(one(number) for number in range(100))))
    assert gateway.gateway.posts["main"].ring.standing()[0][0].in_flight == 0
