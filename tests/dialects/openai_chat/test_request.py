import json
from pathlib import Path

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

CHAT = dialects.by_name("openai_chat")
TAIL_CASES = json.loads((Path(__file__).parents[2] / "data/request-tail-cases.json").read_text())


def read(members):
    return CHAT.read_ask(json.dumps(members).encode())


# ---------------------------------------------------------------- the edge


@pytest.mark.parametrize(
    ("members", "param"),
    [
        ({"model": "m"}, "messages"),
        ({"model": "m", "messages": "hi"}, "messages"),
        ({"model": "m", "messages": []}, "messages"),
        ({"model": 7, "messages": [{}]}, "model"),
        ({"model": "m", "messages": [{}], "stream": "yes"}, "stream"),
        ({"model": "m", "messages": [{}], "stream_options": []}, "stream_options"),
    ],
)
def test_the_edge_refuses_what_cannot_be_routed(members, param):
    with pytest.raises(DialectEdge) as refused:
        read(members)
    assert (refused.value.status, refused.value.param) == (400, param)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda child: st.lists(child, max_size=3) | st.dictionaries(st.text(max_size=8), child, max_size=3),
    max_leaves=6,
)
MEMBERS = st.sampled_from(
    [
        "model",
        "stream",
        "stream_options",
        "tools",
        "functions",
        "tool_choice",
        "function_call",
        "response_format",
        "stop",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "n",
        "reasoning_effort",
        "logit_bias",
        "metadata",
        "user",
        "store",
    ]
)
MESSAGE = st.dictionaries(
    st.sampled_from(
        ["content", "name", "tool_calls", "function_call", "refusal", "reasoning_content", "reasoning_details"]
    ),
    JSON | st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url", "file", "input_audio"])})),
    max_size=4,
).flatmap(
    lambda message: st.sampled_from(["user", "assistant", "tool", "function", "system", 7, None]).map(
        lambda role: message | {"role": role}
    )
)
BODIES = st.builds(
    lambda members, messages: members | {"messages": messages},
    st.dictionaries(MEMBERS, JSON, max_size=5),
    JSON | st.lists(MESSAGE | JSON, max_size=4),
)


@given(BODIES | JSON)
def test_any_json_is_an_ask_or_a_400_and_goes_out_as_it_came(value):
    body = json.dumps(value).encode()
    try:
        ask = CHAT.read_ask(body)
    except DialectEdge:
        return
    sent = json.loads(CHAT.write_ask(ask, []))
    added: dict[str, object] = {"model": ask.model}
    if ask.stream:
        added["stream_options"] = (value.get("stream_options") or {}) | {"include_usage": True}
    assert sent == value | added


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_a_400(body):
    with pytest.raises(DialectEdge) as refused:
        CHAT.read_ask(body)
    assert refused.value.status == 400


@given(BODIES)
def test_any_json_can_be_spelled_anew_for_a_stranger_with_its_losses_told(value):
    try:
        ask = CHAT.read_ask(json.dumps(value).encode())
    except DialectEdge:
        return
    losses = []
    sent = json.loads(CHAT.write_ask(replace(ask, dialect="elsewhere"), losses))
    assert sent.keys() >= {"model", "messages"}
    assert len(losses) >= len(ask.extra or {})


# ---------------------------------------------------------------- the same dialect in and out


@pytest.mark.clause("RT-010")
@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c["id"]) for c in TAIL_CASES if c["surface"] == "chat" and c["expect"]["forwarded"]]
)
def test_a_forwarded_history_is_not_touched(case):
    body = json.dumps(case["body"]).encode()
    assert json.loads(CHAT.write_ask(CHAT.read_ask(body), []))["messages"] == case["body"]["messages"]


def test_only_the_model_changes_in_the_callers_bytes():
    body = b'{ "messages" : [{"role":"user","content":"caf\\u00e9 1.0"}],"temperature":1.00, "model":"alias","x":1e2 }'
    ask = replace(CHAT.read_ask(body), model="upstream-1")
    assert CHAT.write_ask(ask, []) == body.replace(b'"alias"', b'"upstream-1"')


def test_a_stream_is_asked_for_its_usage_and_keeps_its_other_options():
    body = b'{"model":"m","stream":true,"stream_options":{ "include_obfuscation":false },"messages":[{"role":"user"}]}'
    sent = CHAT.write_ask(CHAT.read_ask(body), [])
    assert sent == body.replace(b'{ "inc', b'{"include_usage":true, "inc')


def test_a_caller_who_asks_for_usage_sends_his_own_bytes():
    body = b'{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user"}]}'
    assert CHAT.write_ask(CHAT.read_ask(body), []) == body


# ---------------------------------------------------------------- the vocabulary, there and back

WORDS = st.text(max_size=12)
IDS = st.from_regex(r"[A-Za-z0-9-]{1,12}", fullmatch=True)
MAYBE = st.none()
BASE64 = st.sampled_from(["iVBORw0KGgo=", "AAAA"])
OBJECTS = st.dictionaries(WORDS, JSON, max_size=2)
USER_PART = st.one_of(
    st.builds(Text, text=WORDS),
    st.builds(Media, kind=st.just("image"), mime=st.just("image/webp"), data=BASE64, detail=MAYBE | st.just("low")),
    st.builds(Media, kind=st.just("image"), url=st.just("https://example.org/a.png")),
    st.builds(Media, kind=st.just("audio"), mime=st.sampled_from(["audio/wav", "audio/mp3"]), data=BASE64),
    st.builds(Media, kind=st.just("document"), mime=st.just("application/pdf"), data=BASE64, name=MAYBE | WORDS),
    st.builds(Media, kind=st.just("document"), file_id=IDS),
    st.builds(lambda raw: Foreign(dialect="openai_chat", raw={"type": "hologram", "x": raw}, is_content=True), JSON),
)
THOUGHTS = st.one_of(
    st.just([]),
    st.builds(lambda text: [Thought(text=text)], WORDS),
    st.lists(
        st.builds(Thought, text=WORDS, signature=IDS) | st.builds(Thought, text=WORDS, redacted=st.just(True)),
        max_size=3,
    ),
)
CALLS = st.lists(
    st.builds(ToolCall, call_id=IDS, name=IDS, arguments=WORDS, signature=MAYBE | WORDS)
    | st.builds(ToolCall, call_id=IDS, name=IDS, arguments=WORDS, kind=st.just("custom")),
    max_size=3,
)
PLAIN = st.builds(lambda text: ((Text(text=text),), {"plain": True}), WORDS)
ABSENT = st.just(((), {"absent": True}))


def turns_of(role, listed):
    return st.builds(
        lambda content, name: Turn(role=role, parts=content[0], name=name, **content[1]),
        PLAIN | ABSENT | st.lists(listed, max_size=3).map(lambda parts: (tuple(parts), {})),
        MAYBE | WORDS,
    )


ASSISTANT = st.builds(
    lambda thoughts, content, refusal, calls: Turn(
        role="assistant",
        parts=(*thoughts, *content[0], *((Refusal(text=refusal),) if refusal and content[1] else ()), *calls),
        **content[1],
    ),
    THOUGHTS,
    PLAIN
    | ABSENT
    | st.lists(st.builds(Text, text=WORDS) | st.builds(Refusal, text=WORDS), max_size=2).map(lambda p: (tuple(p), {})),
    MAYBE | st.text(min_size=1, max_size=6),
    CALLS,
)
TOOL = st.builds(
    lambda call_id, text: Turn(role="tool", parts=(ToolResult(call_id=call_id, parts=(Text(text=text),), plain=True),)),
    IDS,
    WORDS,
) | st.builds(
    lambda call_id, texts: Turn(role="tool", parts=(ToolResult(call_id=call_id, parts=tuple(map(as_text, texts))),)),
    IDS,
    st.lists(WORDS, min_size=1, max_size=2),
)
FUNCTION = st.builds(
    lambda name, text: Turn(
        role="tool", parts=(ToolResult(call_id="", name=name, parts=(Text(text=text),), plain=True, legacy=True),)
    ),
    IDS,
    WORDS,
)


def as_text(text):
    return Text(text=text)


TURN = st.one_of(
    turns_of("user", USER_PART),
    turns_of("system", st.builds(Text, text=WORDS)),
    turns_of("developer", st.builds(Text, text=WORDS)),
    ASSISTANT,
    TOOL,
    FUNCTION,
)
FLOATS = st.floats(min_value=-2, max_value=2)
ASKS = st.builds(
    Ask,
    model=WORDS,
    turns=st.lists(TURN, min_size=1, max_size=4).map(tuple),
    tools=st.lists(
        st.builds(Tool, name=IDS, description=MAYBE | WORDS, parameters=MAYBE | OBJECTS, strict=MAYBE | st.booleans()),
        max_size=2,
    ).map(tuple),
    tool_choice=MAYBE
    | st.builds(ToolChoice, mode=st.sampled_from(["auto", "any", "none"]))
    | st.builds(lambda name: ToolChoice(mode="one", names=(name,)), IDS)
    | st.builds(lambda names: ToolChoice(mode="any", names=tuple(names)), st.lists(IDS, min_size=1, max_size=2)),
    parallel_tool_calls=MAYBE | st.booleans(),
    sampling=st.builds(
        Sampling,
        temperature=MAYBE | FLOATS,
        top_p=MAYBE | FLOATS,
        presence_penalty=MAYBE | FLOATS,
        frequency_penalty=MAYBE | FLOATS,
        seed=MAYBE | st.integers(),
        stop=st.lists(WORDS, max_size=2).map(tuple),
        max_tokens=MAYBE | st.integers(),
        candidates=MAYBE | st.integers(1, 3),
        logit_bias=MAYBE | OBJECTS,
        logprobs=MAYBE | st.booleans(),
        top_logprobs=MAYBE | st.integers(0, 5),
    ),
    reasoning=MAYBE
    | st.builds(
        lambda word: ReasoningWish(effort=word, enabled=word != "none"), st.sampled_from(["none", "low", "high"])
    ),
    output=MAYBE
    | st.builds(OutputShape, kind=st.sampled_from(["text", "json"]))
    | st.builds(
        OutputShape,
        kind=st.just("schema"),
        name=WORDS.filter(bool),
        description=MAYBE | WORDS,
        schema=OBJECTS,
        strict=MAYBE | st.booleans(),
    ),
    metadata=MAYBE | OBJECTS,
    user=MAYBE | WORDS,
    service_tier=MAYBE | WORDS,
    cache_key=MAYBE | WORDS,
    dialect=st.just("openai_chat"),
    extra=MAYBE | st.just({"store": True, "web_search_options": {}}),
)


def bare(ask):
    """The ask without where its pieces stood and the bytes it came as."""

    def without_places(value):
        if isinstance(value, dict):
            return {name: without_places(item) for name, item in value.items() if name not in ("at", "body")}
        return [without_places(item) for item in value] if isinstance(value, list) else value

    return without_places(json.loads(msgspec.json.encode(ask)))


@given(ASKS)
def test_an_ask_that_is_written_reads_as_it_was(ask):
    losses = []
    assert bare(CHAT.read_ask(CHAT.write_ask(ask, losses))) == bare(ask)
    assert losses == []


# ---------------------------------------------------------------- from other dialects


def written(*turns, **words):
    losses = []
    ask = Ask(model="m", turns=turns, dialect="elsewhere", **words)
    return json.loads(CHAT.write_ask(ask, losses)), [(loss.at, loss.what) for loss in losses]


def test_several_results_become_one_message_each_and_pictures_move_behind_them():
    picture = Media(kind="image", mime="image/png", data="AA", at="/messages/2/content/0/content/1")
    results = Turn(
        role="tool",
        parts=(
            ToolResult(call_id="a", parts=(Text(text="12"), picture)),
            ToolResult(call_id="b", parts=(), is_error=True, at="/messages/2/content/1"),
        ),
    )
    sent, losses = written(results, Turn(role="user", parts=(Text(text="and?"),)))
    assert sent["messages"] == [
        {"role": "tool", "tool_call_id": "a", "content": "12"},
        {"role": "tool", "tool_call_id": "b", "content": ""},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
                {"type": "text", "text": "and?"},
            ],
        },
    ]
    assert losses == [(picture.at, "place in a tool result"), ("/messages/2/content/1/is_error", "is_error")]


def test_what_chat_cannot_say_is_told():
    sent, losses = written(
        Turn(role="user", parts=(Text(text="hi", extra={"cache_control": {}}, at="/messages/0/content/0"),)),
        Turn(role="assistant", parts=(Thought(text="hm", signature="s", at="/messages/1/content/0"), Text(text="x"))),
        Turn(role="user", parts=(Media(kind="document", url="https://example.org/a.pdf", at="/d"), Text(text="y"))),
        sampling=Sampling(top_k=4),
        reasoning=ReasoningWish(budget_tokens=3000),
        tools=(Tool(name="web_search", hosted=True, at="/tools/0", extra={"raw": {}}),),
        dropped=("/messages/9",),
        extra={"generationConfig/topA": 1},
        at={"top_k": "/top_k", "reasoning": "/thinking"},
    )
    assert sent["reasoning_effort"] == "medium"
    assert sorted(losses) == sorted(
        [
            ("/messages/9", "turn"),
            ("/messages/0/content/0/cache_control", "cache_control"),
            ("/messages/1/content/0", "reasoning"),
            ("/d", "document by url"),
            ("/thinking", "reasoning budget in tokens"),
            ("/top_k", "top_k"),
            ("/tools/0", "tool web_search"),
            ("/generationConfig/topA", "topA"),
        ]
    )


def test_one_stop_word_stays_a_list():
    sent, _ = written(Turn(role="user", parts=(Text(text="hi"),)), sampling=Sampling(stop=("END",), max_tokens=3))
    assert (sent["stop"], sent["max_completion_tokens"]) == (["END"], 3)
