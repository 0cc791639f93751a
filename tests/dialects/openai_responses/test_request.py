import json
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
    Refusal,
    Sampling,
    Text,
    Thought,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
)
from stipula.dialects.tail import judge

RESPONSES = dialects.by_name("openai_responses")
CHAT = dialects.by_name("openai_chat")


def read(given: object = "hi", **members):
    return RESPONSES.read_ask(json.dumps({"model": "m", "input": given} | members).encode())


@pytest.mark.parametrize(
    ("members", "param"),
    [({"input": None}, "input"), ({"input": 7}, "input"), ({"model": 7}, "model"), ({"stream": "yes"}, "stream")],
)
def test_the_edge_refuses_what_the_dialect_forbids(members, param):
    with pytest.raises(DialectEdge) as refused:
        read(**members)
    assert (refused.value.status, refused.value.param) == (400, param)


@pytest.mark.clause("RT-032")
def test_an_empty_content_array_stays_empty_and_gets_the_empty_user_400():
    ask = read([{"type": "message", "role": "user", "content": []}])
    assert ask.turns[0].parts == ()
    broken = judge(ask)
    assert broken is not None
    assert broken.rule == "empty_user"


REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}
CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "42"}
WORDS_OF = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Calling."}]}


def kinds_of(turn):
    return [type(part).__name__ for part in turn.parts]


def test_reasoning_words_and_calls_of_one_answer_are_one_turn():
    ask = read([{"role": "user", "content": "go"}, REASONING, WORDS_OF, CALL, CALL | {"call_id": "d"}, OUTPUT])
    assert [turn.role for turn in ask.turns] == ["user", "assistant", "tool"]
    assert kinds_of(ask.turns[1]) == ["Thought", "Text", "ToolCall", "ToolCall"]


def test_reasoning_that_belongs_to_no_turn_is_told_elsewhere():
    ask = read([{"role": "user", "content": "go"}, REASONING, {"type": "web_search_call", "id": "w"}])
    assert ask.dropped == ("/input/2", "/input/1")
    losses = []
    CHAT.write_ask(ask, losses)
    assert sorted(loss.at for loss in losses) == ["/input/1", "/input/2"]


def test_a_call_of_another_kind_keeps_its_free_text():
    ask = read([{"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls -l"}, OUTPUT])
    (call,) = ask.turns[0].parts
    assert isinstance(call, ToolCall)
    assert (call.kind, call.arguments) == ("custom", "ls -l")


@pytest.mark.parametrize(("content", "text"), [(7, "7"), ({"type": "text"}, '{"type":"text"}'), (["hi"], "hi")])
def test_content_of_another_kind_reads_as_its_text(content, text):
    (part,) = read([{"role": "user", "content": content}]).turns[0].parts
    assert isinstance(part, Text)
    assert part.text == text


def test_only_the_model_changes_and_what_is_ours_never_goes_out():
    body = b'{"store":true, "input" : "hi", "odd":[1.0,{"store":1}],"model":"alias"}'
    sent = RESPONSES.write_ask(replace(RESPONSES.read_ask(body), model="up"), [])
    assert sent == b'{"input":"hi","odd":[1.0,{"store":1}],"model":"up"}'
    whole = body.replace(b'"store":true, ', b"")
    assert RESPONSES.write_ask(RESPONSES.read_ask(whole), []) == whole


def test_a_resolved_chain_is_written_from_its_turns():
    body = b'{"model":"m","input":"and now?","previous_response_id":"resp_1","temperature":0.5}'
    ask = RESPONSES.read_ask(body)
    assert ask.previous_reply_id == "resp_1"
    stored = Turn(role="user", parts=(Text(text="first"),), plain=True)
    sent = json.loads(RESPONSES.write_ask(replace(ask, turns=(stored, *ask.turns)), []))
    assert sent == {
        "model": "m",
        "input": [
            {"type": "message", "role": "user", "content": "first"},
            {"type": "message", "role": "user", "content": "and now?"},
        ],
        "temperature": 0.5,
    }


# ---------------------------------------------------------------- the vocabulary, there and back

WORDS = st.text(max_size=10)
IDS = st.from_regex(r"[A-Za-z0-9]{1,10}", fullmatch=True)
MAYBE = st.none()
OBJECTS = st.dictionaries(WORDS, st.integers() | WORDS | st.none(), max_size=2)
TEXT = st.builds(Text, text=WORDS)
MEDIA = st.one_of(
    st.builds(
        Media, kind=st.just("image"), mime=st.just("image/png"), data=st.just("AAAA"), detail=MAYBE | st.just("low")
    ),
    st.builds(Media, kind=st.sampled_from(["image", "document"]), file_id=IDS),
    st.builds(Media, kind=st.just("document"), url=st.just("https://example.org/a.pdf"), name=MAYBE | WORDS),
    st.builds(Media, kind=st.just("audio"), mime=st.just("audio/mp3"), data=st.just("AAAA")),
)
UNKNOWN = st.just(Foreign(dialect="openai_responses", raw={"type": "input_hologram"}, is_content=True))


def plain(role):
    return st.builds(lambda text: Turn(role=role, parts=(Text(text=text),), plain=True), WORDS)


def listed(role, parts):
    return st.lists(parts, max_size=3).map(lambda chosen: Turn(role=role, parts=tuple(chosen)))


ITEMS = st.builds(
    lambda texts, cipher: (*texts, replace(texts[-1], signature=f"rs.{cipher}")),
    st.lists(st.builds(Thought, text=WORDS.filter(bool)), min_size=1, max_size=2),
    IDS,
)
CALL_PART = st.builds(ToolCall, call_id=IDS, name=IDS, arguments=WORDS) | st.builds(
    ToolCall, call_id=IDS, name=IDS, arguments=WORDS, kind=st.just("custom")
)
CALLS = st.lists(CALL_PART, max_size=2)
ANSWER = st.builds(
    lambda thoughts, words, calls: Turn(role="assistant", parts=(*thoughts, *words, *calls)),
    st.just(()) | ITEMS,
    st.lists(TEXT | st.builds(Refusal, text=WORDS), min_size=1, max_size=2),
    CALLS,
) | st.builds(
    lambda thoughts, calls: Turn(role="assistant", parts=(*thoughts, *calls), absent=True),
    st.just(()) | ITEMS,
    st.lists(CALL_PART, min_size=1, max_size=2),
)
RESULT = st.builds(
    lambda call_id, content: [Turn(role="tool", parts=(ToolResult(call_id=call_id, **content),))],
    IDS,
    st.builds(lambda text: {"parts": (Text(text=text),), "plain": True}, WORDS)
    | st.lists(TEXT | MEDIA, min_size=1, max_size=2).map(lambda parts: {"parts": tuple(parts)}),
)
QUESTION = plain("user") | listed("user", TEXT | MEDIA | UNKNOWN) | plain("developer") | listed("system", TEXT)
EXCHANGE = st.builds(lambda answer, question: [answer, question], ANSWER, QUESTION)
TURNS = st.builds(
    lambda instructions, chunks: (*instructions, *(turn for chunk in chunks for turn in chunk)),
    st.lists(
        st.builds(lambda t: Turn(role="system", parts=(Text(text=t),), plain=True, at="/instructions"), WORDS),
        max_size=1,
    ),
    st.lists(EXCHANGE | RESULT, min_size=1, max_size=3),
)
ASKS = st.builds(
    Ask,
    model=WORDS,
    turns=TURNS,
    include_usage=st.just(True),
    tools=st.lists(
        st.builds(Tool, name=IDS, description=MAYBE | WORDS, parameters=MAYBE | OBJECTS, strict=MAYBE | st.booleans()),
        max_size=2,
    ).map(tuple),
    tool_choice=MAYBE
    | st.builds(ToolChoice, mode=st.sampled_from(["auto", "any", "none"]))
    | st.just(ToolChoice(mode="one", names=("f",)))
    | st.just(ToolChoice(mode="auto", names=("f", "g"))),
    parallel_tool_calls=MAYBE | st.booleans(),
    sampling=st.builds(
        Sampling,
        temperature=MAYBE | st.floats(0, 2),
        top_p=MAYBE | st.floats(0, 1),
        max_tokens=MAYBE | st.integers(1, 9),
        top_logprobs=MAYBE | st.integers(0, 5),
    ),
    reasoning=MAYBE
    | st.just(ReasoningWish(effort="low", enabled=True))
    | st.just(ReasoningWish(summary="auto", show=True)),
    output=MAYBE
    | st.builds(OutputShape, kind=st.sampled_from(["text", "json"]))
    | st.builds(OutputShape, kind=st.just("schema"), name=IDS, schema=OBJECTS, strict=MAYBE | st.booleans()),
    verbosity=MAYBE | st.just("low"),
    metadata=MAYBE | OBJECTS,
    user=MAYBE | WORDS,
    cache_key=MAYBE | WORDS,
    dialect=st.just("openai_responses"),
    extra=MAYBE | st.just({"truncation": "auto", "include": ["x"]}),
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
    assert bare(RESPONSES.read_ask(RESPONSES.write_ask(ask, losses))) == bare(ask)
    assert losses == []


# ---------------------------------------------------------------- from other dialects


def written(*turns, dialect="openai_chat", **words):
    losses = []
    stated: dict[str, Any] = {"turns": turns or (Turn(role="user", parts=(Text(text="go"),)),)} | words
    ask = Ask(model="m", dialect=dialect, **stated)
    return json.loads(RESPONSES.write_ask(ask, losses)), [(loss.at, loss.what) for loss in losses]


def test_an_unsaid_strictness_stays_off():
    sent, _ = written(tools=(Tool(name="f"), Tool(name="g", strict=True)))
    assert [tool["strict"] for tool in sent["tools"]] == [False, True]


def test_a_system_field_becomes_the_instructions_and_system_turns_stay_in_place():
    field = Turn(role="system", parts=(Text(text="a"), Text(text="b")), at="/system")
    turn = Turn(role="system", parts=(Text(text="c"),), at="/messages/0")
    sent, losses = written(field, turn)
    assert (sent["instructions"], losses) == ("a\n\nb", [])
    assert sent["input"] == [{"type": "message", "role": "system", "content": [{"type": "input_text", "text": "c"}]}]


def test_what_responses_cannot_say_is_told():
    result = ToolResult(call_id="c", parts=(Text(text="1"),), is_error=True, at="/r")
    thought = Thought(text="t", signature="s", origin="gemini", at="/t")
    call = ToolCall(call_id="c", name="f", arguments="{}", signature="s", origin="gemini", at="/c")
    _, losses = written(
        Turn(role="user", parts=(Text(text="x", extra={"cache_control": {}}, at="/p"),), name="bob", at="/m"),
        Turn(role="assistant", parts=(thought, call)),
        Turn(role="tool", parts=(result,)),
        sampling=Sampling(stop=("END",), seed=3, top_k=4, frequency_penalty=0.5, candidates=2, logit_bias={"1": 1}),
        reasoning=ReasoningWish(budget_tokens=2000),
        tools=(Tool(name="search", hosted=True, at="/tools/0", extra={"raw": {}}),),
        extra={"modalities": ["audio"]},
    )
    assert {what for _, what in losses} == {
        "cache_control",
        "name",
        "reasoning",
        "signature",
        "is_error",
        "stop",
        "seed",
        "top_k",
        "frequency_penalty",
        "candidates",
        "logit_bias",
        "reasoning budget in tokens",
        "tool search",
        "modalities",
    }
