"""Failing over, and what it does to keys: only before the first byte, each cause for what it is."""

import asyncio

import pytest

pytestmark = pytest.mark.anyio
HELLO = [{"role": "user", "content": "hi"}]
BODY = {"model": "m", "messages": HELLO}
TWO = 'keys = ["env:KEY_1", "env:KEY_2"]'


def by_key(speech, **answers):
    """Answers by the key that asks."""
    return lambda call: answers[call.key.replace("-", "_")]


def keys_used(upstream):
    return [call.key for call in upstream.calls]


async def standing(gateway):
    rows = (await gateway.get("/admin/keys")).body["upstreams"][0]["keys"]
    return [(row["state"], row["cause"], row["strikes"]) for row in rows]


@pytest.mark.parametrize(
    ("status", "more", "state"),
    [
        (401, {}, ("resting", "auth", 0)),
        (403, {}, ("resting", "auth", 0)),
        (402, {}, ("resting", "billing", 0)),
        (429, {"code": "insufficient_quota"}, ("resting", "billing", 0)),
        (429, {}, ("resting", "rate_limit", 0)),
        (500, {}, ("usable", None, 1)),
        (503, {}, ("usable", None, 0)),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_key_that_fails_is_blamed_for_its_cause_and_the_next_one_answers(
    start, upstream, speech, status, more, state, stream
):
    gateway = await start(keys=TWO)
    good = speech.stream() if stream else speech.whole()
    upstream.say(by_key(speech, key_1=speech.fault(status, **more), key_2=good))
    got = await gateway.post(BODY | {"stream": stream})
    assert (got.status, keys_used(upstream)) == (200, ["key-1", "key-2"])
    assert await standing(gateway) == [state, ("usable", None, 0)]


async def test_the_callers_own_fault_is_not_tried_again_and_blames_nobody(start, upstream, speech):
    gateway = await start(keys=TWO)
    upstream.say(speech.fault(400, "temperature must be at most 1"))
    got = await gateway.post(BODY)
    assert (got.status, keys_used(upstream)) == (400, ["key-1"])
    assert await standing(gateway) == [("usable", None, 0)] * 2


@pytest.mark.clause("RT-050")
async def test_two_internal_errors_in_a_row_quarantine_the_last_usable_key_which_stays_servable(
    start, upstream, speech
):
    gateway = await start()
    upstream.say(speech.fault(500), speech.fault(500), speech.whole())
    assert [(await gateway.post(BODY)).status for _ in range(2)] == [500, 500]
    assert await standing(gateway) == [("resting", "internal", 2)]
    assert (await gateway.post(BODY)).status == 200
    assert await standing(gateway) == [("resting", "internal", 0)]
    gateway.clock.now += 120
    assert await standing(gateway) == [("half_open", "internal", 0)]


@pytest.mark.clause("RT-050")
async def test_a_refused_tail_never_costs_a_key(start, upstream):
    gateway = await start()
    for _ in range(3):
        await gateway.post({"model": "m", "messages": [{"role": "assistant", "content": "x"}]})
    assert (await standing(gateway), upstream.calls) == ([("usable", None, 0)], [])


async def test_a_retry_after_goes_to_the_caller_and_is_kept_exactly(start, upstream, speech):
    gateway = await start()
    upstream.say(speech.fault(429, headers={"retry-after": "7.5"}), speech.whole())
    got = await gateway.post(BODY)
    assert (got.status, got.headers["retry-after"]) == (429, "7.5")
    gateway.clock.now += 7.25
    early = await gateway.post(BODY)
    assert (early.status, early.headers["retry-after"], len(upstream.calls)) == (429, "0.25", 1)
    gateway.clock.now += 0.25
    assert ((await gateway.post(BODY)).status, len(upstream.calls)) == (200, 2)


async def test_when_every_key_is_limited_the_soonest_wait_is_told_and_no_retry_wanted(start, upstream, speech):
    gateway = await start(keys=TWO)
    waits = {"key_1": "20", "key_2": "4"}
    upstream.say(by_key(speech, **{k: speech.fault(429, headers={"retry-after": v}) for k, v in waits.items()}))
    got = await gateway.post(BODY)
    assert (got.status, got.headers["retry-after"], got.headers["x-should-retry"]) == (429, "4", "false")


async def test_an_empty_pool_is_told_as_such(start, upstream):
    gateway = await start(keys="keys = []")
    got = await gateway.post(BODY)
    assert (got.status, got.body["error"]["code"], upstream.calls) == (503, "no_key", [])
    assert "`keys` in the configuration is empty" in got.body["error"]["message"]


@pytest.mark.parametrize("before", ["close", "hang"])
async def test_an_upstream_that_gives_no_head_is_left_for_the_next(start, upstream, speech, before):
    second = f"""
[[gateway.upstreams]]
name = "second"
dialect = "openai_chat"
base_url = "{upstream.url}/v1"
models = {{ "m" = "up-2" }}
"""
    gateway = await start(
        config=f"""
[[gateway.upstreams]]
name = "main"
dialect = "openai_chat"
base_url = "{upstream.url}/v1"
models = {{ "m" = "up-1" }}
whole_s = 0.2
{second}"""
    )
    upstream.say(lambda call: speech.Answer(before=before) if call.body["model"] == "up-1" else speech.whole())
    got = await gateway.post(BODY)
    assert (got.status, [call.body["model"] for call in upstream.calls]) == (200, ["up-1", "up-2"])


async def test_an_upstream_that_hangs_before_its_head_is_a_504_and_is_let_go(start, upstream, speech):
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
    upstream.say(speech.Answer(before="hang"))
    got = await gateway.post(BODY | {"stream": True})
    assert (got.status, got.headers["content-type"]) == (504, "application/json")
    assert got.body["error"]["code"] == "upstream_timeout"
    async with asyncio.timeout(5):
        await upstream.calls[0].gone.wait()


async def test_an_upstream_that_refuses_connections_is_a_502_without_its_address(start):
    gateway = await start(
        config="""
[[gateway.upstreams]]
name = "main"
dialect = "openai_chat"
base_url = "http://127.0.0.1:1/v1"
models = { "m" = "up-1" }
"""
    )
    got = await gateway.post(BODY)
    assert (got.status, got.body["error"]["code"]) == (502, "upstream_unreachable")
    assert "127.0.0.1" not in got.body["error"]["message"]


@pytest.mark.parametrize("body", [b"<html>busy</html>", b'{"choices": 5}', b"", b"\xff\xfe"])
async def test_an_answer_that_is_no_answer_is_left_for_the_next_key(start, upstream, speech, body):
    gateway = await start(keys=TWO)
    upstream.say(by_key(speech, key_1=speech.Answer(body=body), key_2=speech.whole()))
    got = await gateway.post(BODY)
    assert (got.status, keys_used(upstream)) == (200, ["key-1", "key-2"])
    assert (await standing(gateway))[0] == ("usable", None, 1)


async def test_a_stream_whose_first_frame_is_an_error_is_left_for_the_next_key(start, upstream, speech):
    gateway = await start(keys=TWO)
    broken = speech.Answer(frames=[{"error": {"message": "overloaded", "type": "server_error"}}])
    upstream.say(by_key(speech, key_1=broken, key_2=speech.stream()))
    got = await gateway.post(BODY | {"stream": True})
    assert (got.status, got.data[-1], keys_used(upstream)) == (200, "[DONE]", ["key-1", "key-2"])


async def test_after_the_first_byte_nobody_else_is_asked(start, upstream, speech):
    gateway = await start(keys=TWO)
    upstream.say(
        by_key(speech, key_1=speech.Answer(frames=speech.frames("Once")[:2], then="cut"), key_2=speech.stream())
    )
    got = await gateway.post(BODY | {"stream": True})
    assert (got.status, keys_used(upstream)) == (200, ["key-1"])
    assert got.data[-2]["error"]["code"] == "upstream_incomplete"
    assert (await standing(gateway))[0] == ("usable", None, 1)


async def test_a_redirect_is_not_followed(start, upstream, speech):
    gateway = await start()
    upstream.say(speech.Answer(status=307, body={}, headers={"location": f"{upstream.url}/elsewhere"}))
    assert ((await gateway.post(BODY)).status, len(upstream.calls)) == (502, 1)


async def test_a_key_in_an_upstreams_words_is_not_passed_on(start, upstream, speech):
    gateway = await start()
    upstream.say(speech.fault(401, "Incorrect API key provided: sk-abcdefgh1234567890. See the docs."))
    got = await gateway.post(BODY)
    assert got.body["error"]["message"] == "Incorrect API key provided: *** See the docs."


async def test_one_request_tries_no_more_than_it_may(start, upstream, speech):
    names = [f"env:KEY_{number}" for number in range(9)]
    environ = {f"KEY_{number}": f"key-{number}" for number in range(9)}
    gateway = await start(keys=f"keys = {names}", environ=environ)
    upstream.say(speech.fault(500))
    assert ((await gateway.post(BODY)).status, len(upstream.calls)) == (500, 6)
