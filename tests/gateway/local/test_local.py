"""The packaged model, really: through the gateway, with the official client."""

import asyncio
import os
import signal

import pytest

from stipula.gateway.local import upstream as local
from stipula.gateway.local.upstream import Local
from stipula.gateway.upstream import Sessions, UpstreamBusy

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("local model")]
BRIEFLY = {"role": "system", "content": "Answer the question briefly and correctly."}
FRANCE = [BRIEFLY, {"role": "user", "content": "What is the capital of France?"}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 20}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
CONFIG = "[[gateway.upstreams]]\nname = 'local'\ndialect = 'local'\n"


@pytest.fixture
async def gateway(start, real_weights):
    return await start(config=CONFIG)


async def test_it_knows_the_capital_of_france_streamed(gateway):
    stream = await gateway.sdk.chat.completions.create(
        model="smollm2-135m", messages=FRANCE, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    said = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert "Paris" in "".join(said)
    assert len(said) > 3
    assert chunks[-1].usage.completion_tokens >= len(said)


async def test_it_calls_the_tool_it_is_told_to_call(gateway):
    answer = await gateway.sdk.chat.completions.create(
        model="smollm2-135m",
        messages=[{"role": "user", "content": "What is the weather in Oslo?"}],
        tools=[WEATHER],
        tool_choice={"type": "function", "function": {"name": "weather"}},
        max_tokens=60,
    )
    (call,) = answer.choices[0].message.tool_calls
    assert (call.function.name, "Oslo" in call.function.arguments) == ("weather", True)
    assert answer.choices[0].finish_reason == "tool_calls"


async def test_it_calls_a_tool_in_a_stream(gateway):
    async with gateway.sdk.chat.completions.stream(
        model="smollm2-135m",
        messages=[{"role": "user", "content": "What is the weather in Oslo?"}],
        tools=[WEATHER],
        tool_choice="required",
        max_tokens=60,
    ) as stream:
        answer = await stream.get_final_completion()
    assert [call.function.name for call in answer.choices[0].message.tool_calls] == ["weather"]


async def test_it_keeps_to_a_schema(gateway):
    schema = {"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}}, "required": ["city"]}
    shape = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}}
    answer = await gateway.sdk.chat.completions.create(
        model="smollm2-135m", messages=FRANCE, response_format=shape, max_tokens=40
    )
    assert "Paris" in answer.choices[0].message.content


async def test_the_loop_is_free_while_it_thinks(gateway):
    body = {"model": "smollm2-135m", "messages": FRANCE, "max_tokens": 200}
    async with asyncio.TaskGroup() as group:
        thinking = group.create_task(gateway.post(body))
        waits = []
        clock = asyncio.get_running_loop().time
        while not thinking.done():
            before = clock()
            assert (await gateway.get("/health")).status == 200
            waits.append(clock() - before)
    assert thinking.result().status == 200
    assert sorted(waits)[len(waits) // 2] < 0.25


async def test_a_crash_is_a_clear_503_and_the_next_question_starts_it_again(gateway):
    supervisor = gateway.gateway.posts["local"].upstream._supervisor
    long = {"model": "smollm2-135m", "messages": FRANCE, "max_tokens": 4000, "ignore_eos": True}
    assert (await gateway.post({"model": "smollm2-135m", "messages": FRANCE})).status == 200
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(gateway.post(long))
        while gateway.gateway.posts["local"].upstream._slots._value == local.SLOTS:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        os.kill(supervisor._process.pid, signal.SIGKILL)
    got = asked.result()
    assert (got.status, got.body["error"]["code"]) == (503, "upstream_unavailable")
    assert "its process ended by signal 9; the next question starts it again" in got.body["error"]["message"]
    assert "Paris" in (await gateway.post({"model": "smollm2-135m", "messages": FRANCE})).raw.decode()


async def test_a_caller_who_leaves_gives_the_slot_back(gateway):
    upstream = gateway.gateway.posts["local"].upstream
    body = {"model": "smollm2-135m", "messages": FRANCE, "max_tokens": 4000, "ignore_eos": True, "stream": True}
    answer = await gateway.http.post(f"{gateway.url}/v1/chat/completions", json=body)
    await answer.content.readany()
    assert upstream._slots._value == local.SLOTS - 1
    answer.close()
    async with asyncio.timeout(5):
        while upstream._slots._value < local.SLOTS:  # noqa: ASYNC110 - a semaphore that is full tells nobody
            await asyncio.sleep(0.001)


# ---------------------------------------------------------------- without the real weights


@pytest.fixture
async def made(tmp_path, little):
    """A local upstream in an empty folder."""
    async with Sessions() as sessions:
        one = Local(little, tmp_path / "models", sessions, lambda: "id")
        yield one
        await one.close()


async def ask(one):
    return await one.send(b'{"messages":[]}', None, model="m", stream=False)


async def test_without_weights_it_is_not_ready_and_says_what_to_do(made):
    assert made.readiness() == (False, "not fetched; `stipula model fetch` does that")
    with pytest.raises(UpstreamBusy, match="not fetched"):
        await ask(made)


async def test_without_its_runtime_it_says_what_to_install(made, monkeypatch):
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    ready, note = made.readiness()
    assert (ready, "pip install 'stipula[local]'" in note) == (False, True)


async def test_a_broken_file_is_named_when_it_is_asked(made, tmp_path, little):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / little.file).write_bytes(b"WEIGHTS " * 1000)
    with pytest.raises(UpstreamBusy, match="is broken: its sha256"):
        await ask(made)


async def test_a_file_that_the_runtime_cannot_load_is_a_plain_fault(made, tmp_path, little):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / little.file).write_bytes(b"weights " * 1000)
    with pytest.raises(UpstreamBusy, match="could not be loaded"):
        await ask(made)


async def test_progress_of_the_download_is_told_and_a_failure_kept(made, monkeypatch):
    notes = []

    async def fetched(progress):
        progress(500, 92_000_000)
        notes.append(made.readiness()[1])
        return "the index does not answer"

    monkeypatch.setattr(local, "fetched", fetched)
    await made.prepare()
    assert (notes, made.readiness()) == (["being fetched: 0 of 92 MB"], (False, "the index does not answer"))


async def test_more_questions_than_may_wait_are_refused_at_once(made, tmp_path, little, monkeypatch):
    monkeypatch.setattr(local, "MAX_WAITING", 0)
    with pytest.raises(UpstreamBusy, match="wait already") as refused:
        await ask(made)
    assert refused.value.wait_s == 1.0
