import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stipula import dialects
from stipula.dialects.dialect import DialectEdge
from stipula.dialects.ir import Ask, Foreign, Media, Text, Thought, ToolCall, ToolResult, Turn
from stipula.dialects.tail import ASSISTANT_TAIL, EMPTY_USER, judge

CASES = json.loads((Path(__file__).parents[1] / "data/request-tail-cases.json").read_text())
SURFACES = {
    "chat": "openai_chat",
    "messages": "anthropic_messages",
    "responses": "openai_responses",
    "gemini": "gemini",
}
DECIDING = ("seed", "later", "design", "snapshot", "edge")


def verdict(surface, body):
    try:
        ask = dialects.by_name(SURFACES[surface]).read_ask(json.dumps(body).encode())
    except DialectEdge as edge:
        return "edge", edge.status
    broken = judge(ask)
    return (None, 200) if broken is None else (broken.message, 400)


def cases():
    """The cases that a dialect and the rules decide alone; the gateway resolves a chain before them."""
    chosen = (case for case in CASES if case["surface"] in SURFACES and case["basis"] in DECIDING)
    return [pytest.param(c, id=c["id"]) for c in chosen if "given" not in c and "previous_response_id" not in c["body"]]


@pytest.mark.clause("RT-001")
@pytest.mark.clause("RT-002")
@pytest.mark.clause("RT-004")
@pytest.mark.clause("RT-007")
@pytest.mark.clause("RT-008")
@pytest.mark.clause("RT-035")
@pytest.mark.parametrize("case", cases())
@pytest.mark.parametrize("stream", [False, True])
def test_each_case_is_judged_as_the_contract_says(case, stream):
    expected = case["expect"]
    message, status = verdict(case["surface"], case["body"] | {"stream": stream})
    assert status == expected["status"]
    if "message" not in case.get("unpinned", ()):
        assert message == expected["message"]


A, B, F, E = ASSISTANT_TAIL, EMPTY_USER, None, "edge"
USER = {"role": "user", "content": "List the open tickets."}
CALL = {"id": "call_7", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_7", "content": "42"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


def user(content):
    return {"role": "user", "content": content}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def system(content, role="system"):
    return {"role": role, "content": content}


BLANK = [{"type": "text", "text": " \t\n"}]
CHAT_TABLE = [
    ("ends on user text", [USER], F),
    ("ends on a tool result", [USER, CALLING, RESULT], F),
    ("ends on a legacy function result", [USER, {"role": "function", "name": "lookup", "content": "42"}], F),
    ("user, then systems", [USER, system("be brief"), system("in French")], F),
    ("user, then developer", [USER, system("be brief", "developer")], F),
    ("assistant tail with text", [USER, assistant("Three.")], A),
    ("assistant prefill half sentence", [USER, assistant("Autumn moonlight, and")], A),
    ("assistant tail, empty string", [USER, assistant("")], A),
    ("assistant tail, empty array", [USER, assistant([])], A),
    ("assistant tail, only reasoning", [USER, assistant(None, reasoning_content="hm")], A),
    ("assistant tail, reasoning and text", [USER, assistant("x", reasoning_content="hm")], A),
    ("assistant tail with a pending call", [USER, CALLING], A),
    ("assistant, then system", [USER, assistant("x"), system("s")], A),
    ("assistant, then developer", [USER, assistant("x"), system("s", "developer")], A),
    ("only assistant", [assistant("hello")], A),
    ("only system", [system("You are X.")], A),
    ("newest user empty string", [USER, user("")], B),
    ("newest user empty array", [USER, user([])], B),
    ("newest user white space", [user(" \r\n\t ")], B),
    ("newest user white-space parts", [user(BLANK * 2)], B),
    ("newest user image only", [user([IMAGE])], F),
    ("newest user file only", [user([{"type": "file", "file": {"file_id": "f"}}])], F),
    ("newest user sound only", [user([{"type": "input_audio", "input_audio": {"data": "A", "format": "wav"}}])], F),
    ("newest user image and blank text", [user([*BLANK, IMAGE])], F),
    ("empty user, call, result", [user(""), CALLING, RESULT], B),
    ("user with no parts, call, result", [user([]), CALLING, RESULT], B),
    ("good user, call, empty user, result", [USER, CALLING, user(""), RESULT], B),
    ("user, assistant, user with no parts", [USER, assistant("x"), user([])], B),
    ("one user turn with no parts", [user([])], B),
    ("empty user and assistant tail", [user(""), assistant("x")], A),
    ("empty earlier user, good newest", [user(""), assistant("?"), USER], F),
    ("orphan result tail", [USER, RESULT], F),
    ("orphan result in the middle", [RESULT, USER], F),
    ("call without a result, then user", [USER, CALLING, USER], F),
    ("empty result tail", [USER, CALLING, RESULT | {"content": ""}], F),
    ("user content null", [user(None)], B),
    ("user content absent", [{"role": "user"}], B),
    ("user content a number", [user(7)], B),
    ("user content an object", [user({"type": "text", "text": "hi"})], B),
    ("user content of bare strings", [user(["hi"])], B),
    ("user content of nulls", [user([None])], B),
    ("unknown role at the end", [USER, {"role": "critic", "content": "no"}], A),
    ("empty list", [], E),
]


def text(words):
    return {"type": "text", "text": words}


THINKING = {"type": "thinking", "thinking": "hm", "signature": "s"}
USING = {"type": "tool_use", "id": "toolu_3", "name": "lookup", "input": {}}
RESULTING = {"type": "tool_result", "tool_use_id": "toolu_3", "content": "42"}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
MESSAGES_TABLE = [
    ("ends on user text", [USER], F),
    ("ends on a tool result", [USER, assistant([USING]), user([RESULTING])], F),
    ("assistant tail with text", [USER, assistant("Three.")], A),
    ("assistant prefill half sentence", [USER, assistant("{")], A),
    ("assistant tail, empty string", [USER, assistant("")], A),
    ("assistant tail, no blocks", [USER, assistant([])], F),
    ("assistant tail, only thinking", [USER, assistant([THINKING])], F),
    ("assistant tail, thinking and text", [USER, assistant([THINKING, text("So")])], A),
    ("assistant tail with a pending call", [USER, assistant([USING])], A),
    ("only assistant", [assistant("hello")], A),
    ("newest user empty string", [USER, user("")], B),
    ("newest user no blocks", [USER, user([])], F),
    ("newest user white space", [user(" \n")], B),
    ("newest user white-space block", [user([text(" ")])], B),
    ("newest user image only", [user([PICTURE])], F),
    ("newest user image and blank text", [user([PICTURE, text(" ")])], F),
    ("empty user, call, result", [user(""), assistant([USING]), user([RESULTING])], B),
    ("user with no blocks, call, result", [user([]), assistant([USING]), user([RESULTING])], F),
    ("good user, call, empty user, result", [USER, assistant([USING]), user(""), user([RESULTING])], B),
    ("a result and blank text in one turn", [USER, assistant([USING]), user([RESULTING, text("")])], B),
    ("user, assistant, user with no blocks", [USER, assistant("x"), user([])], A),
    ("one user turn with no blocks", [user([])], A),
    ("empty user and assistant tail", [user(""), assistant("x")], A),
    ("empty earlier user, good newest", [user(""), assistant("?"), USER], F),
    ("orphan result tail", [USER, user([RESULTING])], F),
    ("user content null", [USER, user(None)], F),
    ("user content a number", [USER, user(7)], F),
    ("user content of nulls", [user([None])], A),
    ("empty list", [], E),
]


def item(role, content):
    return {"type": "message", "role": role, "content": content}


def given_text(words):
    return [{"type": "input_text", "text": words}]


ASKED = item("user", given_text("hi"))
CALLED = {"type": "function_call", "call_id": "fc_9", "name": "lookup", "arguments": "{}"}
ANSWERED = {"type": "function_call_output", "call_id": "fc_9", "output": "42"}
RESPONSES_TABLE = [
    ("a string", "hi", F),
    ("an empty string", "", B),
    ("a blank string", " \n", B),
    ("ends on a call's output", [ASKED, CALLED, ANSWERED], F),
    ("an orphan output", [ANSWERED], F),
    ("ends on a pending call", [ASKED, CALLED], A),
    ("assistant tail", [ASKED, item("assistant", [{"type": "output_text", "text": "x"}])], A),
    ("assistant tail, empty array", [ASKED, item("assistant", [])], A),
    ("assistant, then system", [ASKED, item("assistant", "x"), item("system", "s")], A),
    ("user, then system", [ASKED, item("system", "s")], F),
    ("user, then developer", [ASKED, item("developer", "s")], F),
    ("user, then reasoning", [ASKED, {"type": "reasoning", "id": "rs", "summary": []}], F),
    ("only reasoning", [{"type": "reasoning", "id": "rs", "summary": []}], A),
    ("newest user empty array", [ASKED, item("user", [])], B),
    ("newest user empty string", [item("user", "")], B),
    ("newest user blank part", [item("user", given_text(" "))], B),
    ("newest user null", [item("user", None)], B),
    ("newest user a number", [item("user", 7)], F),
    ("newest user bare strings", [item("user", ["hi"])], F),
    ("newest user image only", [item("user", [{"type": "input_image", "image_url": "https://x/y.png"}])], F),
    ("empty user, call, output", [item("user", ""), CALLED, ANSWERED], B),
    ("good user, call, empty user, output", [ASKED, CALLED, item("user", ""), ANSWERED], B),
    ("empty user and assistant tail", [item("user", ""), item("assistant", "x")], A),
    ("empty earlier user, good newest", [item("user", ""), item("assistant", "?"), ASKED], F),
    ("no items", [], A),
    ("no input", None, E),
]


@pytest.mark.clause("RT-031")
@pytest.mark.clause("RT-035")
@pytest.mark.clause("RT-036")
@pytest.mark.parametrize(("items", "outcome"), [pytest.param(*row[1:], id=row[0]) for row in RESPONSES_TABLE])
def test_responses_has_the_outcome_of_the_table(items, outcome):
    assert verdict("responses", {"model": "m", "input": items})[0] == outcome


def content(role, *parts):
    return {"role": role, "parts": list(parts)}


WORD, NO_WORD = {"text": "hi"}, {"text": ""}
PONDERING = {"text": "hm", "thought": True}
CALLING_F = {"functionCall": {"name": "lookup", "args": {}}}
ANSWERING_F = {"functionResponse": {"name": "lookup", "response": {"rows": 42}}}
INLINE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
HI = content("user", WORD)
GEMINI_TABLE = [
    ("ends on user text", [HI], F),
    ("ends on a function's response", [HI, content("model", CALLING_F), content("user", ANSWERING_F)], F),
    ("ends on a response under the function role", [HI, content("function", ANSWERING_F)], F),
    ("model tail with text", [HI, content("model", {"text": "x"})], A),
    ("model tail, an empty text part", [HI, content("model", NO_WORD)], A),
    ("model tail, no parts", [HI, content("model")], F),
    ("model tail, only a thought", [HI, content("model", PONDERING)], F),
    ("model tail, thought and text", [HI, content("model", PONDERING, WORD)], A),
    ("model tail with a pending call", [HI, content("model", CALLING_F)], A),
    ("a call under the user role", [HI, content("user", CALLING_F)], A),
    ("newest user an empty text part", [HI, content("user", NO_WORD)], B),
    ("newest user white space", [content("user", {"text": " \n"}, {"text": "\t"})], B),
    ("newest user no parts", [HI, content("user")], F),
    ("newest user null part", [HI, content("user", None)], F),
    ("newest user image only", [content("user", INLINE)], F),
    ("newest user image and blank text", [content("user", INLINE, NO_WORD)], F),
    (
        "empty user, call, response",
        [content("user", NO_WORD), content("model", CALLING_F), content("user", ANSWERING_F)],
        B,
    ),
    ("no parts, call, response", [content("user"), content("model", CALLING_F), content("user", ANSWERING_F)], F),
    ("a response and blank text in one turn", [HI, content("user", ANSWERING_F, NO_WORD)], B),
    ("user, model, user with no parts", [HI, content("model", WORD), content("user")], A),
    ("one user turn with no parts", [content("user")], A),
    ("empty user and model tail", [content("user", NO_WORD), content("model", WORD)], A),
    ("empty earlier user, good newest", [content("user", NO_WORD), content("model", WORD), HI], F),
    ("an orphan response", [HI, content("user", ANSWERING_F)], F),
    ("no role", [{"parts": [WORD]}], F),
    ("empty list", [], E),
]


@pytest.mark.clause("RT-030")
@pytest.mark.clause("RT-034")
@pytest.mark.clause("RT-035")
@pytest.mark.clause("RT-036")
@pytest.mark.parametrize(("contents", "outcome"), [pytest.param(*row[1:], id=row[0]) for row in GEMINI_TABLE])
def test_gemini_has_the_outcome_of_the_table(contents, outcome):
    assert verdict("gemini", {"contents": contents})[0] == outcome


def rows(table):
    return [pytest.param(*row[1:], id=row[0]) for row in table]


@pytest.mark.clause("RT-003")
@pytest.mark.clause("RT-005")
@pytest.mark.clause("RT-006")
@pytest.mark.clause("RT-009")
@pytest.mark.clause("RT-010")
@pytest.mark.clause("RT-031")
@pytest.mark.parametrize(("messages", "outcome"), rows(CHAT_TABLE))
def test_chat_has_the_outcome_of_the_table(messages, outcome):
    assert verdict("chat", {"model": "m", "messages": messages})[0] == outcome


@pytest.mark.clause("RT-030")
@pytest.mark.clause("RT-033")
@pytest.mark.clause("RT-036")
@pytest.mark.parametrize(("messages", "outcome"), rows(MESSAGES_TABLE))
def test_messages_has_the_outcome_of_the_table(messages, outcome):
    assert verdict("messages", {"model": "m", "max_tokens": 9, "messages": messages})[0] == outcome


# ---------------------------------------------------------------- laws on the ask itself

TEXTS = st.sampled_from(["", " ", "\ufeff", "\u0085", "hello", "\u200b"])
PARTS = st.one_of(
    st.builds(Text, text=TEXTS),
    st.builds(Media, kind=st.just("image"), url=st.just("https://example.org/a.png")),
    st.builds(Foreign, dialect=st.just("x"), raw=st.none(), is_content=st.booleans()),
)
SPOKEN = st.builds(
    Turn, role=st.sampled_from(["user", "assistant", "other"]), parts=st.lists(PARTS, max_size=3).map(tuple)
)
RESULTS = st.builds(Turn, role=st.just("tool"), parts=st.just((ToolResult(call_id="c"),)))
OF_THE_SYSTEM = st.builds(Turn, role=st.sampled_from(["system", "developer"]), parts=st.just((Text(text="s"),)))
HISTORIES = st.lists(SPOKEN | RESULTS | OF_THE_SYSTEM, max_size=6).map(tuple)


def judged(turns):
    return judge(Ask(model="m", turns=tuple(turns)))


@pytest.mark.clause("RT-001")
@given(HISTORIES, st.lists(OF_THE_SYSTEM, max_size=3))
def test_what_the_system_says_last_never_matters(turns, trailing):
    assert judged([*turns, *trailing]) == judged(turns)


@pytest.mark.clause("RT-009")
@given(HISTORIES, TEXTS.filter(lambda text: not text.strip()), st.integers(0, 6))
def test_an_empty_user_turn_before_a_later_user_turn_never_matters(turns, text, place):
    newest = max((i for i, turn in enumerate(turns) if turn.role == "user"), default=-1)
    if newest < 0:
        return
    at = min(place, newest)
    empty = Turn(role="user", parts=(Text(text=text),))
    assert judged([*turns[:at], empty, *turns[at:]]) == judged(turns)


@pytest.mark.clause("RT-008")
@given(HISTORIES)
def test_the_assistant_tail_is_reported_before_the_empty_user(turns):
    unanswered = judged([*turns, Turn(role="user", parts=()), Turn(role="assistant", parts=(Text(text="x"),))])
    assert unanswered is not None
    assert unanswered.rule == "assistant_tail"


@pytest.mark.clause("RT-002")
@given(st.lists(PARTS, max_size=3).map(tuple))
def test_an_assistant_tail_is_refused_whatever_it_holds(parts):
    call = ToolCall(call_id="c", name="n", arguments="{}")
    for content in (parts, (*parts, call), (Thought(text="t"), *parts)):
        broken = judged([Turn(role="user", parts=(Text(text="hi"),)), Turn(role="assistant", parts=content)])
        assert broken is not None
        assert (broken.message, broken.param) == (ASSISTANT_TAIL, "messages")


@given(HISTORIES)
def test_the_stream_switch_and_the_parameters_never_matter(turns):
    ask = Ask(model="m", turns=turns)
    assert judge(replace(ask, stream=True, model="no-such-model")) == judge(ask)
