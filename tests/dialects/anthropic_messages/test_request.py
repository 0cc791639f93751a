import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stipula import dialects
from stipula.dialects.dialect import DialectEdge
from stipula.dialects.ir import (
    Ask,
    Foreign,
    Media,
    OutputShape,
    ReasoningWish,
    Sampling,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
)

MESSAGES = dialects.by_name("anthropic_messages")
USER = {"role": "user", "content": "hi"}


def read(**members):
    return MESSAGES.read_ask(json.dumps({"model": "m", "max_tokens": 64, "messages": [USER]} | members).encode())


@pytest.mark.parametrize(
    ("members", "param"),
    [
        ({"max_tokens": None}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"messages": []}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"model": ""}, "model"),
        ({"stream": 1}, "stream"),
    ],
)
def test_the_edge_refuses_what_the_dialect_forbids(members, param):
    with pytest.raises(DialectEdge) as refused:
        read(**members)
    assert (refused.value.status, refused.value.param) == (400, param)


def test_one_message_of_results_and_words_is_two_turns():
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "42"}], "is_error": True}
    ask = read(messages=[USER, {"role": "user", "content": [{"type": "text", "text": "and?"}, result]}])
    assert [(turn.role, turn.at) for turn in ask.turns] == [
        ("user", "/messages/0"),
        ("tool", "/messages/1"),
        ("user", "/messages/1"),
    ]
    (read_result,) = ask.turns[1].parts
    assert isinstance(read_result, ToolResult)
    assert (read_result.call_id, read_result.is_error) == ("t", True)


@pytest.mark.clause("RT-030")
@pytest.mark.parametrize(
    "content",
    [
        [],
        None,
        [None],
        7,
        [{"type": "thinking", "thinking": "x", "signature": "s"}],
        [{"type": "redacted_thinking", "data": "x"}],
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_turn_that_carries_nothing_is_left_out_and_told(role, content):
    body = json.dumps(
        {"model": "m", "max_tokens": 1, "messages": [USER, {"role": role, "content": content}, USER]}, indent=1
    )
    ask = MESSAGES.read_ask(body.encode())
    losses = []
    sent = json.loads(MESSAGES.write_ask(ask, losses))
    assert sent["messages"] == [USER, USER]
    assert [(loss.at, loss.what) for loss in losses] == [("/messages/1", "turn")]


def test_a_typed_block_that_we_do_not_know_counts_as_content_and_stays():
    block = {"type": "container_upload", "file_id": "f"}
    body = json.dumps({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": [block]}]}).encode()
    ask = MESSAGES.read_ask(body)
    assert ask.turns[0].parts == (
        Foreign(dialect="anthropic_messages", raw=block, is_content=True, at="/messages/0/content/0"),
    )
    assert MESSAGES.write_ask(ask, []) == body


def test_only_the_model_changes_in_the_callers_bytes():
    body = b'{"max_tokens": 5 , "model":"alias", "beta":{"x":1.0}, "messages":[{"role":"user","content":"caf\\u00e9"}]}'
    assert MESSAGES.write_ask(replace(MESSAGES.read_ask(body), model="up"), []) == body.replace(b'"alias"', b'"up"')


# ---------------------------------------------------------------- the vocabulary, there and back

WORDS = st.text(max_size=10)
IDS = st.from_regex(r"[A-Za-z0-9]{1,10}", fullmatch=True)
MAYBE = st.none()
OBJECTS = st.dictionaries(WORDS, st.integers() | WORDS | st.none(), max_size=2)
MARK = MAYBE | st.just({"cache_control": {"type": "ephemeral"}})
TEXT = st.builds(Text, text=WORDS, extra=MARK)
MEDIA = st.one_of(
    st.builds(Media, kind=st.just("image"), mime=st.just("image/png"), data=st.just("AAAA")),
    st.builds(Media, kind=st.sampled_from(["image", "document"]), url=st.just("https://example.org/a"), extra=MARK),
    st.builds(Media, kind=st.just("document"), file_id=IDS, name=MAYBE | WORDS),
    st.builds(Media, kind=st.just("document"), mime=st.just("text/plain"), text=WORDS, name=MAYBE | WORDS),
)
UNKNOWN = st.just(
    Foreign(dialect="anthropic_messages", raw={"type": "container_upload", "file_id": "f"}, is_content=True)
)
CALL = st.builds(
    ToolCall,
    call_id=IDS,
    name=IDS,
    arguments=OBJECTS.map(lambda value: msgspec.json.encode(value).decode()),
    extra=MARK,
)
THOUGHT = st.builds(Thought, text=WORDS, signature=IDS) | st.builds(Thought, text=WORDS, redacted=st.just(True))
RESULT = st.builds(
    lambda call_id, content, is_error: ToolResult(call_id=call_id, is_error=is_error, **content),
    IDS,
    st.one_of(
        st.builds(lambda text: {"parts": (Text(text=text),), "plain": True}, WORDS),
        st.lists(TEXT | MEDIA, min_size=1, max_size=2).map(lambda parts: {"parts": tuple(parts)}),
        st.just({"parts": ()}),
    ),
    st.booleans(),
)


def plain(role):
    return st.builds(lambda text: Turn(role=role, parts=(Text(text=text),), plain=True), WORDS)


def listed(role, parts):
    return st.lists(parts, min_size=1, max_size=3).map(lambda chosen: Turn(role=role, parts=tuple(chosen)))


SPOKEN = st.one_of(plain("user"), plain("assistant"), listed("user", TEXT | MEDIA | UNKNOWN))
ANSWERS = st.builds(
    lambda turn, last: replace(turn, parts=(*turn.parts, last)), listed("assistant", THOUGHT | TEXT | CALL), TEXT | CALL
)
RESULTS = listed("tool", RESULT)
SYSTEM = plain("system").filter(
    lambda turn: any(str(part.text).strip() for part in turn.parts if isinstance(part, Text))
) | listed("system", TEXT)
ASKS = st.builds(
    Ask,
    model=WORDS.filter(bool),
    turns=st.builds(
        lambda system, turns: (*system, *turns),
        st.lists(SYSTEM, max_size=1),
        st.lists(SPOKEN | ANSWERS | st.builds(lambda r, u: r, RESULTS, SPOKEN), min_size=1, max_size=3),
    ).filter(lambda turns: not any(a.role == "tool" and b.role in ("tool", "user") for a, b in pairwise(turns))),
    tools=st.lists(
        st.builds(
            Tool, name=IDS, description=MAYBE | WORDS, parameters=OBJECTS, strict=MAYBE | st.booleans(), extra=MARK
        ),
        max_size=2,
    ).map(tuple),
    tool_choice=st.builds(ToolChoice, mode=st.sampled_from(["auto", "any", "none"]))
    | st.just(ToolChoice(mode="one", names=("f",))),
    sampling=st.builds(
        Sampling,
        temperature=MAYBE | st.floats(0, 2),
        top_p=MAYBE | st.floats(0, 1),
        top_k=MAYBE | st.integers(0, 9),
        stop=st.lists(WORDS, max_size=2).map(tuple),
        max_tokens=st.integers(0, 9),
    ),
    reasoning=MAYBE
    | st.builds(lambda n: ReasoningWish(enabled=True, budget_tokens=n), st.integers(1024, 2000))
    | st.builds(ReasoningWish, enabled=st.just(True), show=MAYBE | st.booleans(), effort=MAYBE | st.just("low"))
    | st.just(ReasoningWish(enabled=False))
    | st.just(ReasoningWish(effort="max")),
    output=MAYBE | st.builds(OutputShape, kind=st.just("schema"), schema=OBJECTS),
    user=MAYBE | WORDS,
    dialect=st.just("anthropic_messages"),
    extra=MAYBE | st.just({"service_tier": "auto", "metadata": {"x": 1}, "output_config": {"y": 2}}),
)


def bare(ask):
    def without_places(value):
        if isinstance(value, dict):
            return {name: without_places(item) for name, item in value.items() if name not in ("at", "body")}
        return [without_places(item) for item in value] if isinstance(value, list) else value

    return without_places(json.loads(msgspec.json.encode(ask)))


@given(ASKS)
def test_an_ask_that_is_written_reads_as_it_was(ask):
    losses = []
    assert bare(MESSAGES.read_ask(MESSAGES.write_ask(ask, losses))) == bare(ask)
    assert losses == []


# ---------------------------------------------------------------- from other dialects

QUESTION = Turn(role="user", parts=(Text(text="go"),))


def written(*turns, dialect="openai_chat", **words):
    losses = []
    stated: dict[str, Any] = {"sampling": Sampling(max_tokens=9000)} | words
    ask = Ask(model="m", turns=turns or (QUESTION,), dialect=dialect, **stated)
    return json.loads(MESSAGES.write_ask(ask, losses)), [(loss.at, loss.what) for loss in losses]


def test_results_of_parallel_calls_and_the_next_words_are_one_message():
    calls = tuple(ToolCall(call_id=c, name="f", arguments="") for c in ("a", "b.c"))
    results = (Turn(role="tool", parts=(ToolResult(call_id=c, parts=(Text(text=c),)),)) for c in ("a", "b.c"))
    sent, losses = written(
        QUESTION, Turn(role="assistant", parts=(Text(text=""), *calls), plain=True), *results, QUESTION
    )
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    assert sent["messages"][1]["content"] == [
        {"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "tool_use", "id": "b_c", "name": "f", "input": {}},
    ]
    assert sent["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": "a"},
        {"type": "tool_result", "tool_use_id": "b_c", "content": "b.c"},
        {"type": "text", "text": "go"},
    ]
    assert losses == []


def test_a_schema_goes_into_the_output_config_without_its_name():
    shape = OutputShape(kind="schema", name="book", strict=True, schema={"type": "object"})
    assert written(output=shape)[0]["output_config"] == {
        "format": {"type": "json_schema", "schema": {"type": "object"}}
    }


def test_a_missing_limit_is_set_and_told():
    sent, losses = written(sampling=Sampling())
    assert sent["max_tokens"] == 4096
    assert losses == [("/max_tokens", "absent, set to 4096")]


def test_system_turns_join_at_the_top_and_their_place_is_told():
    systems = [Turn(role=role, parts=(Text(text=role),), at=f"/{role}") for role in ("system", "developer")]
    sent, losses = written(systems[0], QUESTION, systems[1])
    assert sent["system"] == "system\n\ndeveloper"
    assert losses == [("/developer", "place of a system turn")]


@pytest.mark.parametrize(
    ("wish", "words", "thinking", "told"),
    [
        (ReasoningWish(effort="low", enabled=True), {}, {"type": "enabled", "budget_tokens": 2048}, []),
        (ReasoningWish(effort="none", enabled=False), {}, {"type": "disabled"}, []),
        (
            ReasoningWish(effort="high"),
            {"sampling": Sampling(max_tokens=2000)},
            {"type": "enabled", "budget_tokens": 1999},
            ["reasoning budget, cut to the token limit"],
        ),
        (
            ReasoningWish(effort="low"),
            {"sampling": Sampling(max_tokens=100)},
            None,
            ["reasoning: the token limit leaves no room"],
        ),
        (
            ReasoningWish(effort="low"),
            {"tools": (Tool(name="f"),), "tool_choice": ToolChoice(mode="any")},
            None,
            ["reasoning: a tool is forced"],
        ),
        (
            ReasoningWish(effort="low"),
            {"sampling": Sampling(max_tokens=9000, temperature=0.5)},
            {"type": "enabled", "budget_tokens": 2048},
            ["temperature beside reasoning"],
        ),
    ],
)
def test_thinking_is_asked_for_only_where_the_vendor_takes_it(wish, words, thinking, told):
    sent, losses = written(reasoning=wish, **words)
    assert sent.get("thinking") == thinking
    assert [what for _, what in losses] == told


def test_thinking_is_not_asked_for_in_a_loop_that_lost_its_signature():
    call, result = ToolCall(call_id="c", name="f", arguments="{}"), ToolResult(call_id="c", parts=(Text(text="1"),))
    signed = Thought(text="t", signature="s", origin="anthropic_messages")
    for thoughts, thinks in [((), False), ((signed,), True)]:
        turns = (QUESTION, Turn(role="assistant", parts=(*thoughts, call)), Turn(role="tool", parts=(result,)))
        sent, _ = written(*turns, reasoning=ReasoningWish(effort="low"))
        assert ("thinking" in sent) == thinks


def test_only_reasoning_that_the_vendor_signed_goes_back_to_it():
    thoughts = (
        Thought(text="ours", signature="s", origin="anthropic_messages"),
        Thought(text="theirs", signature="s", origin="gemini", at="/g"),
        Thought(text="unsigned", at="/u"),
    )
    sent, losses = written(QUESTION, Turn(role="assistant", parts=(*thoughts, Text(text="x"))), QUESTION)
    assert sent["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "ours", "signature": "s"},
        {"type": "text", "text": "x"},
    ]
    assert losses == [("/g", "reasoning"), ("/u", "reasoning")]


def test_what_messages_cannot_say_is_told():
    sampling = Sampling(
        max_tokens=1, temperature=1.5, seed=3, presence_penalty=0.5, candidates=2, logit_bias={"1": 1}, stop=(" ",)
    )
    _, losses = written(
        Turn(role="user", parts=(Media(kind="audio", data="A", at="/a"), Text(text="x")), name="bob", at="/m"),
        sampling=sampling,
        output=OutputShape(kind="json"),
        service_tier="flex",
        extra={"modalities": ["audio"]},
        tool_choice=ToolChoice(mode="any", names=("f", "g")),
        tools=(Tool(name="f"), Tool(name="search", hosted=True, at="/tools/1", extra={"raw": {}})),
    )
    assert {what for _, what in losses} == {
        "audio",
        "name",
        "temperature above 1",
        "seed",
        "presence_penalty",
        "candidates",
        "logit_bias",
        "blank stop string",
        "JSON without a schema",
        "service_tier",
        "modalities",
        "choice among some tools",
        "tool search",
    }
