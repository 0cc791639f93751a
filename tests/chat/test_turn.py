"""A turn told as events: every mode and every ending keeps the order and the laws."""

import itertools
from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stipula.chat.events import Emitter
from stipula.chat.guard import ChatGuard
from stipula.chat.thinking import mode_of
from stipula.chat.turn import Plan, Telling
from stipula.dialects.ir import (
    Closed,
    Delta,
    Failed,
    ForeignDelta,
    Opened,
    RefusalDelta,
    Stopped,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)

GUARD = ChatGuard()
END = [Stopped(stop="end"), Closed()]


def text(*pieces: str) -> list[Delta]:
    return [TextDelta(text=piece) for piece in pieces]


def thought(*pieces: str) -> list[Delta]:
    return [ThoughtDelta(text=piece) for piece in pieces]


@pytest.fixture
def tell(make_service: Any):
    def run(
        deltas: Iterable[Delta], mode: str = "think", clock: Any = None, language: str = "en"
    ) -> tuple[Telling, list]:
        """The events of a turn in which every delta takes a quarter of a second; the guard finds nothing in them."""
        clock = clock or make_service().clock
        asked = mode_of(mode)
        assert asked is not None
        plan = Plan(model="m", mode=asked, category="code", language=language, max_tokens=100)
        telling = Telling(plan, Emitter(UUID(int=1 << 80)), clock)
        events = list(telling.begin())
        for delta in deltas:
            clock.pass_(0.25)
            events += telling.hear(delta)
        events += telling.finish()
        guard = GUARD.stream("x")
        found = [one for event in events for one in guard.check(event.event, event.payload).violations]
        assert [*found, *guard.close().violations] == []
        return telling, [(event.event, event.payload) for event in events]

    return run


def names(events: list) -> list[str]:
    return [name for name, _ in events]


@pytest.mark.clause("RS-031")
def test_metadata_comes_first_and_states_the_mode_that_runs(tell):
    _, events = tell([*text("Paris"), *END], mode="deep-think")
    assert events[0] == (
        "metadata",
        {
            "model": "m", "context": "casual", "deep_thinking": True, "thinking_mode": "think",
            "stream_backend": "starlette", "stream_contract_version": "v2", "web_search": False, "streaming": True,
            "timestamp": "2026-11-30T10:00:00.000Z", "request_id": "000000000001",
        },
    )  # fmt: skip


@pytest.mark.clause("RS-036")
@pytest.mark.clause("RS-041")
def test_complete_joins_the_chunks_and_counts_them(tell):
    _, events = tell([*text("Pa", "", "ris", "."), *END], mode="instant")
    chunks = [payload for name, payload in events if name == "chunk"]
    assert [(one["content"], one["chunk_index"]) for one in chunks] == [("Pa", 1), ("ris", 2), (".", 3)]
    assert names(events) == ["metadata", "chunk", "chunk", "chunk", "complete"]
    assert events[-1][1]["response"] == "Paris."
    assert events[-1][1]["total_chunks"] == 3


@pytest.mark.clause("RS-034")
@pytest.mark.clause("RS-035")
def test_reasoning_streams_in_its_block_and_is_told_again_in_complete(tell):
    _, events = tell([*thought("First.", "\n\nSecond", " it is."), *text("Paris"), *END])
    assert names(events) == [
        "metadata", "thinking_start", "thinking", "thinking", "thinking", "thinking_end", "chunk", "complete",
    ]  # fmt: skip
    steps = [payload for name, payload in events if name == "thinking"]
    assert [(one["step"], one["step_index"], one["is_reasoning_chunk"], one["category"]) for one in steps] == [
        ("First.", 0, True, "code"), ("\n\nSecond", 1, True, "code"), (" it is.", 2, True, "code"),
    ]  # fmt: skip
    end, whole = events[5][1], events[-1][1]
    assert end["steps"] == whole["thinking_steps"] == ["First.", "Second it is."]
    assert end["summary"] == whole["thinking_summary"] == "Thought for 1.0 s."
    assert end["duration_ms"] == whole["thinking_duration_ms"] == 1000


def test_reasoning_in_tags_is_reasoning_too(tell):
    _, events = tell([*text("<th", "ink>Hm", "m.</think>", "Pa", "ris"), *END])
    assert [(name, payload.get("step") or payload.get("content")) for name, payload in events[2:-1]] == [
        ("thinking", "Hm"), ("thinking", "m."), ("thinking_end", None), ("chunk", "Pa"), ("chunk", "ris"),
    ]  # fmt: skip


def test_a_mode_that_thinks_shows_its_block_even_where_the_model_does_not_reason(tell):
    _, events = tell([*text("Paris"), *END])
    assert names(events) == ["metadata", "thinking_start", "thinking_end", "chunk", "complete"]
    assert events[2][1]["summary"] == "Answered without thinking aloud."


def test_instant_shows_no_reasoning_and_keeps_it(tell):
    telling, events = tell([*thought("Hm."), *text("<think>Hmm.</think>", "Paris"), *END], mode="instant")
    assert names(events) == ["metadata", "chunk", "complete"]
    assert events[-1][1]["thinking_steps"] == []
    assert telling.thought == "Hm.Hmm."


def test_reasoning_after_the_answer_has_begun_has_no_place_in_the_stream_and_is_kept(tell):
    telling, events = tell([*text("Pa"), *thought("late"), *text("ris"), *END])
    assert names(events) == ["metadata", "thinking_start", "thinking_end", "chunk", "chunk", "complete"]
    assert telling.thought == "late"


def test_an_answer_of_reasoning_alone_is_empty_and_whole(tell):
    _, events = tell([*text("<think>on and on"), *END])
    assert names(events)[-2:] == ["thinking_end", "complete"]
    assert events[-1][1]["response"] == ""


@pytest.mark.clause("RS-038")
@pytest.mark.parametrize("before", [[], thought("Hm"), text("Pa"), [*thought("Hm"), *text("Pa")]])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ([Failed(message="quota"), *text("more"), Closed()], "quota"),
        ([Stopped(stop="error"), Closed()], "The model ended with a fault."),
        ([Stopped(stop="end")], "The answer was cut off before its end."),
        ([], "The answer was cut off before its end."),
        ([Failed(message="")], "the turn failed"),
    ],
)
@pytest.mark.parametrize("mode", ["instant", "think"])
def test_a_fault_is_one_error_event_and_nothing_follows(tell, mode: str, before: list, fault: list, said: str):
    _, events = tell([*before, *fault], mode=mode)
    assert names(events).count("error") == 1
    assert events[-1] == ("error", {"error": said, "request_id": "000000000001"})


@pytest.mark.parametrize("stop", ["end", "length", "stop_string", "refusal", "tool_call", "pause", "other"])
def test_every_other_stop_is_a_whole_answer(tell, stop: Any):
    _, events = tell([*text("Paris"), Stopped(stop=stop), Closed()])
    assert names(events)[-1] == "complete"


def test_a_refusal_is_answered_in_its_own_words(tell):
    _, events = tell([RefusalDelta(text="I will not."), *END], mode="instant")
    assert events[-1][1]["response"] == "I will not."


@pytest.mark.clause("RS-037")
def test_times_are_seconds_with_three_decimals(tell, make_service):
    clock = make_service().clock
    clock.pass_(0.00049)
    _, events = tell([Opened(reply_id="r", model="m", created=0), *text("a", "b"), *END], clock=clock)
    assert events[-1][1]["elapsed_time"] == 1.25
    assert events[-1][1]["time_to_first_chunk"] == 0.5
    _, silent = tell([*END], mode="instant")
    assert "time_to_first_chunk" not in silent[-1][1]


@pytest.mark.parametrize(
    ("deltas", "tokens"),
    [
        ([UsageDelta(usage=Usage(tokens_out=1)), UsageDelta(usage=Usage(tokens_out=9))], 9),
        ([], 3),
    ],
)
def test_tokens_are_the_models_own_count_or_an_estimate(tell, deltas: list, tokens: int):
    _, events = tell([*thought("four"), *text("Paris"), *deltas, *END])
    assert events[-1][1]["tokens"] == tokens


def test_half_a_character_becomes_a_mark_and_breaks_nothing(tell):
    _, events = tell([*text("a\ud83d", "\ude00b", "c\ud83d\ude00"), *END], mode="instant")
    assert events[-1][1]["response"] == "a\ufffd\ufffdbc😀"


DELTAS = st.one_of(
    st.text(max_size=5).map(lambda one: TextDelta(text=one)),
    st.sampled_from(["<think>", "</think>", "a</think>b", "<thi"]).map(lambda one: TextDelta(text=one)),
    st.text(max_size=5).map(lambda one: ThoughtDelta(text=one)),
    st.sampled_from([
        ThoughtDelta(text="x", redacted=True), RefusalDelta(text="no"), ToolCallDelta(index=0, name="f"),
        ForeignDelta(dialect="d", what="w", raw={}), UsageDelta(usage=Usage(tokens_out=3)), Stopped(stop="end"),
        Closed(), Failed(message="gone"), Stopped(stop="error"),
    ]),
)  # fmt: skip


@given(deltas=st.lists(DELTAS, max_size=12), mode=st.sampled_from(["instant", "think", "auto"]))
@settings(max_examples=150, deadline=None)
def test_whatever_a_model_sends_the_stream_keeps_its_contract(deltas: list[Delta], mode: str):
    asked = mode_of(mode)
    assert asked is not None
    ticks = itertools.count()

    class Clock:
        def now(self) -> Any:
            from datetime import UTC, datetime  # noqa: PLC0415

            return datetime(2026, 1, 1, tzinfo=UTC)

        def monotonic(self) -> float:
            return next(ticks) / 8

    telling = Telling(Plan(model="m", mode=asked, max_tokens=9), Emitter(UUID(int=1 << 80)), Clock())  # type: ignore[arg-type]
    events = [*telling.begin(), *(one for delta in deltas for one in telling.hear(delta)), *telling.finish()]
    guard = GUARD.stream("x")
    assert [one for event in events for one in guard.check(event.event, event.payload).violations] == []
    assert guard.close().violations == ()
    assert [event.is_terminal for event in events] == [False] * (len(events) - 1) + [True]
