"""The stream as it is read: outcomes keep the contract, a lost line is found again, a stop is an ending."""

import asyncio

import pytest

from stipula.chat.guard import document
from stipula.dialects.ir import Closed, Failed, Stopped, TextDelta, ThoughtDelta
from stipula.errors import Problem
from stipula.wire.sse import KEEPALIVE

OPENED_AND_CUT = [TextDelta(text="Par")]


class Unavailable(Problem):
    code, status = "TST001", 503
    hint = "no usable key for main"


SCRIPTS = {
    "whole": ([ThoughtDelta(text="Hm. "), TextDelta(text="Paris"), Stopped(stop="end")], "complete"),
    "nothing said": ([Stopped(stop="end")], "complete"),
    "tags": ([TextDelta(text="<think>Hm.</think>Par"), TextDelta(text="is"), Stopped(stop="end")], "complete"),
    "cut": (OPENED_AND_CUT, "error"),
    "the model failed midway": ([TextDelta(text="Par"), Failed(message="overloaded")], "error"),
    "refused before the first word": ([Unavailable()], "error"),
    "a bug of ours": ([TextDelta(text="Par"), RuntimeError("secret detail")], "error"),
}


def of(service, name):
    steps, ending = SCRIPTS[name]
    service.models.script = [*steps, *_closed(steps)]
    return ending


def _closed(steps):
    return [Closed()] if isinstance(steps[-1], Stopped) else []


@pytest.mark.anyio
@pytest.mark.clause("RS-031")
@pytest.mark.clause("RS-038")
@pytest.mark.parametrize("mode", ["instant", "think"])
@pytest.mark.parametrize("name", SCRIPTS)
async def test_every_outcome_keeps_order_laws_and_shapes(service, name, mode):
    ending = of(service, name)
    answered = await service.chat(thinking_mode=mode)
    assert (answered.status, answered.names[0], answered.names[-1]) == (200, "metadata", ending)
    guard = service.guard.stream(answered.events[0][1]["request_id"])
    assert [
        decision.violations for decision in (guard.check(*event) for event in answered.events) if decision.violations
    ] == []
    assert list(guard.close().violations) == []
    assert "secret detail" not in answered.body.decode()


@pytest.mark.anyio
@pytest.mark.clause("RS-043")
async def test_one_request_id_runs_through_the_stream_and_its_header(service):
    answered = await service.chat()
    ids = {payload["request_id"] for _, payload in answered.events}
    assert ids == {answered.headers["x-request-id"]}


@pytest.mark.anyio
async def test_frames_are_numbered_from_one(service):
    answered = await service.chat()
    assert [frame.id for frame in answered.frames] == [str(number) for number in range(1, len(answered.frames) + 1)]


@pytest.mark.anyio
@pytest.mark.clause("RS-040")
async def test_silence_is_filled_with_the_contracts_comment(service):
    go_on = asyncio.Event()
    service.models.script = [go_on, *SCRIPTS["whole"][0], *_closed(SCRIPTS["whole"][0])]
    call = service.call("POST", "/chat/stream", {"message": "hi", "model": "m"})
    async with asyncio.TaskGroup() as group:
        group.create_task(call.whole())
        await call.until(lambda answered: b"metadata" in answered.body)
        while not service.clock.waits:  # noqa: ASYNC110 - the clock is moved once somebody waits for it
            await asyncio.sleep(0)
        service.clock.pass_(15.0)
        await call.until(lambda answered: KEEPALIVE in answered.body)
        go_on.set()
    assert call.answered.names[-1] == "complete"


@pytest.mark.anyio
async def test_a_lost_line_stops_nothing_and_the_rest_is_there_when_one_comes_back(service):
    go_on = asyncio.Event()
    service.models.script = [
        TextDelta(text="Par"),
        go_on,
        TextDelta(text="is"),
        Stopped(stop="end"),
        *_closed([Stopped(stop="end")]),
    ]
    call = service.call("POST", "/chat/stream", {"message": "hi", "model": "m", "thinking_mode": "instant"})
    async with asyncio.TaskGroup() as group:
        group.create_task(call.whole())
        first = await call.until(lambda answered: b"Par" in answered.body)
        request_id = first.headers["x-request-id"]
        seen = first.frames[-1].id
        call.leave()
    go_on.set()
    rest = await service.ask("GET", f"/chat/stream/{request_id}", last_event_id=seen)
    assert [payload["content"] for name, payload in rest.events if name == "chunk"] == ["is"]
    assert rest.last["response"] == "Paris"
    again = await service.ask("GET", f"/chat/stream/{request_id}")
    assert again.names == ["metadata", "chunk", "chunk", "complete"]


@pytest.mark.anyio
async def test_a_finished_stream_is_forgotten_after_ten_minutes(service):
    answered = await service.chat()
    request_id = answered.headers["x-request-id"]
    service.clock.pass_(601.0)
    assert (await service.ask("GET", f"/chat/stream/{request_id}")).status == 404


@pytest.mark.anyio
async def test_a_stop_ends_the_stream_with_error_and_keeps_what_was_answered(service):
    service.models.script = [TextDelta(text="Par"), asyncio.Event()]
    call = service.call("POST", "/chat/stream", {"message": "hi", "model": "m"})
    async with asyncio.TaskGroup() as group:
        group.create_task(call.whole())
        begun = await call.until(lambda answered: b"Par" in answered.body)
        stopped = await service.ask("DELETE", f"/chat/stream/{begun.headers['x-request-id']}")
    assert stopped.json()["stopped"] is True
    assert (call.answered.names[-1], call.answered.last["error"]) == ("error", "The answer was stopped.")
    whole = await service.ask("GET", f"/conversations/{begun.headers['x-conversation-id']}")
    answer = whole.json()["messages"][-1]
    assert (answer["content"], answer["metadata"]["status"]) == ("Par", "interrupted")
    assert service.models.closed == 1


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"message": ""}, 400),
        ({"message": "   "}, 400),
        ({}, 400),
        ({"message": 7}, 400),
        ({"message": "x", "thinking_mode": "hard"}, 400),
        ({"message": "x", "temperature": 9}, 400),
        (b"{", 400),
        ({"message": "x", "conversation_id": "none-of-ours"}, 404),
    ],
)
async def test_a_request_that_is_refused_is_one_error_event_under_its_status(service, body, status):
    answered = await service.ask("POST", "/chat/stream", body)
    assert (answered.status, answered.names) == (status, ["error"])
    assert service.models.asks == []


def demanding() -> dict:
    """A contract that asks for more than the service sends."""
    told = document()
    told["events"]["chunk"]["properties"]["content"]["maxLength"] = 1
    return told


@pytest.mark.anyio
async def test_a_broken_event_ends_the_stream_with_error_under_enforce_and_is_counted(make_service):
    async with make_service(guard="enforce", contract=demanding()) as service:
        answered = await service.chat(thinking_mode="instant")
        assert answered.names == ["metadata", "error"]
        assert answered.last["error"].startswith("The stream broke its own contract at chunk/content")
        (count,) = (await service.ask("GET", "/chat/stream/metrics")).json()["guard"]
        assert (count["surface"], count["action"], count["count"]) == ("stream:/chat/stream#chunk", "refuse", 1)


@pytest.mark.anyio
async def test_a_broken_event_is_only_counted_under_observe(make_service):
    async with make_service(guard="observe", contract=demanding()) as service:
        answered = await service.chat(thinking_mode="instant")
        assert answered.names == ["metadata", "chunk", "chunk", "complete"]
        (count,) = (await service.ask("GET", "/chat/stream/metrics")).json()["guard"]
        assert (count["action"], count["count"]) == ("report", 1)


@pytest.mark.anyio
@pytest.mark.clause("RS-061")
async def test_the_whole_answer_has_the_shape_of_the_contract(service):
    answered = await service.ask("POST", "/chat", {"message": "Capital?", "model": "m"})
    told = answered.json()
    wanted = {"success", "response", "model", "context", "deep_thinking", "thinking_process", "tools", "timestamp"}
    assert (answered.status, set(told), told["success"], told["response"]) == (200, wanted, True, "Paris.")


@pytest.mark.anyio
@pytest.mark.clause("RS-061")
async def test_a_whole_answer_that_failed_is_an_error(service):
    of(service, "the model failed midway")
    answered = await service.ask("POST", "/chat", {"message": "Capital?", "model": "m"})
    assert (answered.status, answered.json()) == (500, {"error": "overloaded"})
