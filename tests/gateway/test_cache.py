"""The exact-match cache: what is kept, for whom, how long, how much."""

import pytest

from stipula.dialects import by_name
from stipula.dialects.ir import (
    Closed,
    Failed,
    ForeignDelta,
    Opened,
    Reply,
    Stop,
    Stopped,
    Text,
    TextDelta,
    Thought,
    ToolCall,
    Usage,
    UsageDelta,
)
from stipula.gateway.cache import Cache, Gatherer, is_kept, key_of, replay

CHAT = by_name("openai_chat")


def reply(text="yes", stop: Stop | None = "end", **more):
    return Reply(reply_id="r", model="m", created=1, parts=(Text(text=text),), stop=stop, **more)


def key(body, tenant="a"):
    return key_of(tenant, CHAT.read_ask(body))


BODY = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0}'


def test_the_spelling_of_a_body_and_whether_it_streams_do_not_count():
    other = b'{ "stream":true, "temperature":0, "messages":[{"content":"hi","role":"user"}],"model":"m" }'
    assert key(BODY) == key(other)


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace(b'"m"', b'"n"'),
        BODY.replace(b"hi", b"ho"),
        BODY.replace(b":0", b":1"),
        BODY.replace(b'"temperature"', b'"x_unknown"'),
        BODY.replace(b"hi", b"hi "),
    ],
)
def test_everything_else_counts(body):
    assert key(body) != key(BODY)


def test_a_tenant_has_keys_of_its_own():
    assert key(BODY, "a") != key(BODY, "b")


@pytest.mark.parametrize(
    ("one", "kept"),
    [
        (reply(), True),
        (reply(stop="length"), True),
        (reply(stop="stop_string"), True),
        (reply(stop="tool_call"), False),
        (reply(stop="refusal"), False),
        (reply(stop=None), False),
        (reply(extra={"choices/0/logprobs": {}}), False),
        (reply(extra={"service_tier": "x"}), True),
        (Reply(reply_id="r", model="m", created=1, parts=(), stop="end"), False),
        (
            Reply(
                reply_id="r", model="m", created=1, parts=(ToolCall(call_id="c", name="n", arguments=""),), stop="end"
            ),
            False,
        ),
    ],
)
def test_only_whole_answers_of_text_are_kept(one, kept):
    assert is_kept(one) is kept


def cache(**bounds):
    return Cache(**{"ttl_s": 10, "max_entries": 2, "max_bytes": 10_000} | bounds)


def test_an_entry_is_gone_when_its_time_is_over():
    kept = cache()
    kept.put(b"k", reply(), 0)
    assert (kept.get(b"k", 9.9), kept.get(b"k", 10), kept.get(b"k", 0)) == (reply(), None, None)


def test_the_least_lately_used_entry_goes_first():
    kept = cache()
    for name in (b"1", b"2"):
        kept.put(name, reply(), 0)
    kept.get(b"1", 0)
    kept.put(b"3", reply(), 0)
    assert [kept.get(name, 0) is not None for name in (b"1", b"2", b"3")] == [True, False, True]


def test_the_bytes_are_bounded_and_what_is_too_large_is_not_kept():
    kept = cache(max_bytes=1000, max_entries=100)
    for number in range(20):
        kept.put(b"%d" % number, reply("x" * 200), 0)
    assert kept._bytes <= 1000
    kept.put(b"large", reply("x" * 2000), 0)
    assert kept.get(b"large", 0) is None


def test_a_kept_answer_streamed_and_gathered_again_is_the_same():
    answer = Reply(
        reply_id="r",
        model="m",
        created=1,
        parts=(Thought(text="hm"), Text(text="yes")),
        stop="stop_string",
        stop_raw="stop",
        stop_string="END",
        usage=Usage(tokens_in=1, tokens_out=2),
    )
    gatherer = Gatherer()
    gatherer.add(replay(answer))
    assert gatherer.reply() == answer


@pytest.mark.parametrize(
    "deltas",
    [
        [Opened(reply_id="r", model="m", created=1), TextDelta(text="x"), Failed(message="cut")],
        [Opened(reply_id="r", model="m", created=1), TextDelta(text="x"), Closed()],
        [Opened(reply_id="r", model="m", created=1), TextDelta(text="x"), Stopped(stop="end")],
        [Opened(reply_id="r", model="m", created=1), TextDelta(text="x", candidate=1), Stopped(stop="end"), Closed()],
        [
            Opened(reply_id="r", model="m", created=1),
            ForeignDelta(dialect="d", what="logprobs", raw={}),
            UsageDelta(usage=Usage()),
            Stopped(stop="end"),
            Closed(),
        ],
    ],
)
def test_a_stream_that_did_not_end_whole_or_holds_more_than_text_gives_no_answer(deltas):
    gatherer = Gatherer()
    gatherer.add(deltas)
    assert gatherer.reply() is None
