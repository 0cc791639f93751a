import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

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

GEMINI = dialects.by_name("gemini")
USER = {"role": "user", "parts": [{"text": "hi"}]}


def read(contents: Any = None, **members):
    return GEMINI.read_ask(json.dumps({"contents": [USER] if contents is None else contents} | members).encode())


@pytest.mark.parametrize(
    "body", [b"{}", b'{"contents":[]}', b'{"contents":"hi"}', b'{"contents":[{}],"toolConfig":{},"tool_config":{}}']
)
def test_the_edge_refuses_what_the_dialect_forbids(body):
    with pytest.raises(DialectEdge) as refused:
        GEMINI.read_ask(body)
    assert refused.value.status == 400


def test_both_spellings_of_names_are_read():
    parts = [
        {"inline_data": {"mime_type": "image/png", "data": "AA"}},
        {"function_response": {"name": "f", "response": {}}},
    ]
    ask = read(
        [{"role": "user", "parts": parts}],
        system_instruction={"parts": [{"text": "s"}]},
        generation_config={"max_output_tokens": 5, "thinking_config": {"include_thoughts": True}},
        tool_config={"function_calling_config": {"mode": "ANY", "allowed_function_names": ["f"]}},
    )
    assert [turn.role for turn in ask.turns] == ["system", "tool", "user"]
    assert ask.sampling.max_tokens == 5
    assert ask.reasoning == ReasoningWish(show=True)
    assert ask.tool_choice == ToolChoice(mode="one", names=("f",))


def test_parallel_calls_without_ids_find_their_results_in_order():
    call = {"functionCall": {"name": "f", "args": {}}}
    answers = [{"functionResponse": {"name": "f", "response": {"n": n}}} for n in (1, 2)]
    ask = read([USER, {"role": "model", "parts": [call, call]}, {"role": "user", "parts": answers}])
    calls = [part.call_id for part in ask.turns[1].parts if isinstance(part, ToolCall)]
    results = [part.call_id for part in ask.turns[2].parts if isinstance(part, ToolResult)]
    assert calls == results
    assert len(set(calls)) == 2


@pytest.mark.clause("RT-030")
@pytest.mark.parametrize("parts", [{}, {"parts": []}, {"parts": [None]}, {"parts": [{"text": "hm", "thought": True}]}])
@pytest.mark.parametrize("role", ["user", "model"])
def test_a_turn_that_carries_nothing_is_left_out_and_told(role, parts):
    body = json.dumps({"contents": [USER, {"role": role} | parts, USER]}, indent=1).encode()
    losses = []
    sent = json.loads(GEMINI.write_ask(GEMINI.read_ask(body), losses))
    assert sent["contents"] == [USER, USER]
    assert [(loss.at, loss.what) for loss in losses] == [("/contents/1", "turn")]


def test_the_callers_bytes_go_out_as_they_came():
    body = b'{ "contents":[{"parts":[{"text":"caf\\u00e9"}, {"executableCode":{"code":"1"}}]}], "odd":1.0}'
    assert GEMINI.write_ask(GEMINI.read_ask(body), []) == body


# ---------------------------------------------------------------- the vocabulary, there and back

WORDS = st.text(max_size=10)
IDS = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,9}", fullmatch=True)
MAYBE = st.none()
OBJECTS = st.dictionaries(WORDS, st.integers() | WORDS | st.none(), max_size=2)
TEXT = st.builds(Text, text=WORDS)
MEDIA = st.one_of(
    st.builds(Media, kind=st.just("image"), mime=st.just("image/png"), data=st.just("AAAA"), name=MAYBE | WORDS),
    st.builds(Media, kind=st.just("audio"), mime=st.just("audio/wav"), data=st.just("AAAA")),
    st.builds(Media, kind=st.just("document"), mime=st.just("application/pdf"), url=st.just("gs://b/a.pdf")),
)
UNKNOWN = st.just(Foreign(dialect="gemini", raw={"executableCode": {"code": "1"}}, is_content=True))
CALL = st.builds(
    ToolCall,
    call_id=IDS,
    name=IDS,
    arguments=OBJECTS.map(lambda value: msgspec.json.encode(value).decode()),
    signature=MAYBE | IDS,
)
THOUGHT = st.builds(Thought, text=st.text(min_size=1, max_size=5), signature=MAYBE | IDS) | st.builds(
    Thought, text=st.just(""), signature=IDS
)
RESULT = st.builds(
    lambda call_id, name, told: ToolResult(call_id=call_id, name=name, **told),
    IDS,
    IDS,
    st.builds(
        lambda value: {"value": value}, st.dictionaries(st.sampled_from(["rows", "n"]), st.integers(), max_size=2)
    )
    | st.builds(lambda text, bad: {"parts": (Text(text=text),), "plain": True, "is_error": bad}, IDS, st.booleans()),
)


def listed(role, parts, last=None):
    some = st.lists(parts, min_size=1, max_size=2)
    ending = st.just(()) if last is None else last.map(lambda part: (part,))
    return st.builds(lambda chosen, end: Turn(role=role, parts=(*chosen, *end)), some, ending)


ASKS = st.builds(
    Ask,
    model=st.just(""),
    turns=st.builds(
        lambda system, turns: (*system, *turns),
        st.lists(listed("system", TEXT), max_size=1),
        st.lists(
            listed("user", TEXT | MEDIA | UNKNOWN)
            | listed("assistant", THOUGHT | TEXT | CALL, TEXT | CALL)
            | listed("tool", RESULT),
            min_size=1,
            max_size=3,
        ),
    ),
    include_usage=st.just(True),
    tools=st.lists(st.builds(Tool, name=IDS, description=MAYBE | WORDS, parameters=MAYBE | OBJECTS), max_size=2).map(
        tuple
    ),
    tool_choice=MAYBE
    | st.builds(ToolChoice, mode=st.sampled_from(["auto", "any", "none"]))
    | st.just(ToolChoice(mode="one", names=("f",)))
    | st.just(ToolChoice(mode="any", names=("f", "g"))),
    sampling=st.builds(
        Sampling,
        temperature=MAYBE | st.floats(0, 2),
        top_p=MAYBE | st.floats(0, 1),
        top_k=MAYBE | st.integers(1, 40),
        max_tokens=MAYBE | st.integers(1, 9),
        seed=MAYBE | st.integers(),
        presence_penalty=MAYBE | st.floats(-1, 1),
        stop=st.lists(WORDS, max_size=2).map(tuple),
        candidates=MAYBE | st.integers(1, 3),
    ),
    reasoning=MAYBE
    | st.builds(
        lambda n, show: ReasoningWish(enabled=True, budget_tokens=n, show=show),
        st.integers(1, 9),
        MAYBE | st.booleans(),
    )
    | st.just(ReasoningWish(enabled=False))
    | st.just(ReasoningWish(enabled=True))
    | st.just(ReasoningWish(enabled=True, effort="low")),
    output=MAYBE
    | st.builds(OutputShape, kind=st.sampled_from(["text", "json"]))
    | st.builds(OutputShape, kind=st.just("schema"), schema=OBJECTS),
    dialect=st.just("gemini"),
    extra=MAYBE | st.just({"safetySettings": [], "generationConfig/speechConfig": {}}),
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
    assert bare(GEMINI.read_ask(GEMINI.write_ask(ask, losses))) == bare(ask)
    assert losses == []


# ---------------------------------------------------------------- from other dialects


def written(*turns, dialect="openai_chat", **words):
    losses = []
    stated: dict[str, Any] = {"turns": turns or (Turn(role="user", parts=(Text(text="go"),)),)} | words
    return json.loads(GEMINI.write_ask(Ask(model="m", dialect=dialect, **stated), losses)), [
        (loss.at, loss.what) for loss in losses
    ]


def test_results_of_parallel_calls_stand_in_one_content_and_have_their_functions_name():
    calls = tuple(ToolCall(call_id=c, name=f"f{c}", arguments="") for c in "ab")
    results = (Turn(role="tool", parts=(ToolResult(call_id=c, parts=(Text(text='{"n": 1}'),)),)) for c in "ab")
    sent, losses = written(Turn(role="assistant", parts=calls), *results)
    assert sent["contents"][1] == {
        "role": "user",
        "parts": [
            {"functionResponse": {"id": "a", "name": "fa", "response": {"n": 1}}},
            {"functionResponse": {"id": "b", "name": "fb", "response": {"n": 1}}},
        ],
    }
    assert losses == []


def test_a_tools_schema_goes_whole_into_the_member_for_json_schema():
    schema = {"$schema": "s", "type": "object", "properties": {"where": {"prefixItems": [{"type": "string"}]}}}
    sent, losses = written(tools=(Tool(name="f", parameters=schema),))
    assert sent["tools"] == [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": schema}]}]
    assert losses == []


def test_the_vendors_own_schema_form_is_read_as_json_schema():
    own = {"type": "OBJECT", "properties": {"type": {"type": "STRING"}}}
    ask = read(tools=[{"functionDeclarations": [{"name": "f", "parameters": own}]}])
    assert ask.tools[0].parameters == {"type": "object", "properties": {"type": {"type": "string"}}}


@pytest.mark.parametrize(
    ("wish", "config"),
    [
        (ReasoningWish(effort="low", enabled=True), {"thinkingBudget": 2048, "includeThoughts": True}),
        (ReasoningWish(enabled=False), {"thinkingBudget": 0, "includeThoughts": False}),
        (ReasoningWish(budget_tokens=99, enabled=True, show=False), {"thinkingBudget": 99, "includeThoughts": False}),
    ],
)
def test_how_much_to_think_is_said_in_tokens(wish, config):
    assert written(reasoning=wish)[0]["generationConfig"]["thinkingConfig"] == config


def test_only_the_vendors_own_signatures_go_back_to_it():
    turn = Turn(
        role="assistant",
        parts=(
            Thought(text="theirs", signature="s", origin="anthropic_messages", at="/t"),
            ToolCall(call_id="a", name="f", arguments="{}", signature="ours", origin="gemini"),
            ToolCall(call_id="b", name="f", arguments="{}", signature="theirs", origin="openai_chat", at="/c"),
        ),
    )
    sent, losses = written(turn)
    first, second = sent["contents"][0]["parts"]
    assert first["thoughtSignature"] == "ours"
    assert "thoughtSignature" not in second
    assert losses == [("/t", "reasoning"), ("/c", "signature")]


def test_what_gemini_cannot_say_is_told():
    _, losses = written(
        Turn(
            role="user",
            parts=(
                Media(kind="image", url="https://example.org/a.png", at="/i"),
                Media(kind="document", file_id="f", at="/d"),
                Text(text="x", citations=({},), extra={"cache_control": {}}, at="/p"),
            ),
            name="bob",
            at="/m",
        ),
        Turn(role="tool", parts=(ToolResult(call_id="ghost", parts=(), at="/r"),)),
        Turn(role="system", parts=(Text(text="late"),), at="/s"),
        sampling=Sampling(logit_bias={"1": 1}),
        user="u",
        service_tier="flex",
        parallel_tool_calls=False,
        tools=(Tool(name="f", strict=True), Tool(name="search", hosted=True, extra={"raw": {}})),
        extra={"modalities": ["audio"]},
    )
    assert {what for _, what in losses} == {
        "image by url",
        "document by file_id",
        "citations",
        "cache_control",
        "name",
        "name of the function",
        "place of a system turn",
        "logit_bias",
        "user",
        "service_tier",
        "parallel_tool_calls",
        "strict",
        "tool search",
        "modalities",
    }
