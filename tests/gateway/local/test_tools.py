"""Tool calls with a model whose template knows none."""

import json
from typing import Any

import jsonschema
import pytest

from stipula.gateway.local import tools

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": "weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "time"}},
]
ASK: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": TOOLS, "stream": True}


def planned(**more):
    return tools.plan(json.dumps(ASK | more).encode())


def schema(plan):
    return json.loads(plan.body)["response_format"]["json_schema"]["schema"]


def test_without_tools_a_request_stays_as_it_is():
    ask = {name: value for name, value in ASK.items() if name != "tools"}
    assert json.loads(tools.plan(json.dumps(ask).encode()).body) == ask


def test_a_choice_of_none_takes_the_tools_away():
    plan = planned(tool_choice="none")
    assert (plan.is_call, "tools" in json.loads(plan.body)) == (False, False)


@pytest.mark.parametrize(
    ("choice", "fits", "does_not"),
    [
        ("required", {"tool": "weather", "arguments": {"city": "Oslo"}}, {"answer": "hello"}),
        ("auto", {"answer": "hello"}, {"tool": "weather", "arguments": {}}),
        ("required", {"tool": "time", "arguments": {}}, {"tool": "nobody", "arguments": {}}),
        ({"type": "function", "function": {"name": "weather"}}, {"city": "Oslo"}, {"tool": "weather"}),
    ],
)
def test_the_answer_is_held_to_a_call_or_a_text_as_the_choice_says(choice, fits, does_not):
    validator: Any = jsonschema.Draft202012Validator(schema(planned(tool_choice=choice)))
    assert validator.is_valid(fits) is True
    assert validator.is_valid(does_not) is False


def test_the_tools_are_told_in_the_system_text_that_there_is():
    ask = ASK | {"messages": [{"role": "system", "content": "Be brief."}, *ASK["messages"]]}
    messages = json.loads(tools.plan(json.dumps(ask).encode()).body)["messages"]
    assert messages[0]["content"].startswith("Be brief.\n\n")
    assert all(name in messages[0]["content"] for name in ("weather", "time"))
    assert len(messages) == 2


def test_calls_and_results_of_the_history_become_text():
    call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
    history = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "content": "12"}]
    messages = json.loads(tools.plan(json.dumps({"messages": history}).encode()).body)["messages"]
    assert messages == [
        {"role": "assistant", "content": '{"tool": "weather", "arguments": {"city":"Oslo"}}'},
        {"role": "user", "content": "Result of the tool: 12"},
    ]


@pytest.mark.parametrize(
    ("choice", "said", "content", "call"),
    [
        ("auto", '{"answer": "hello"}', "hello", None),
        ("auto", '{"tool": "weather", "arguments": {"city" : "Oslo"}}', None, ("weather", '{"city" : "Oslo"}')),
        ({"function": {"name": "weather"}}, '{"city" : "Oslo"}', None, ("weather", '{"city" : "Oslo"}')),
        ("required", '{"tool": "weather", "argu', '{"tool": "weather", "argu', None),
        ("auto", "null", "null", None),
        ("auto", '{"tool": 5}', '{"tool": 5}', None),
        ("auto", '{"answer": {}}', '{"answer": {}}', None),
    ],
)
def test_what_the_model_wrote_is_read_back_to_the_letter(choice, said, content, call):
    body = {"id": "r", "choices": [{"index": 0, "message": {"content": said}, "finish_reason": "stop"}]}
    (choice,) = tools.answer(planned(tool_choice=choice), json.dumps(body).encode(), "call_1")["choices"]
    calls = [(one["function"]["name"], one["function"]["arguments"]) for one in choice["message"].get("tool_calls", ())]
    assert (choice["message"]["content"], calls) == (content, [call] if call else [])
    assert choice["finish_reason"] == ("tool_calls" if call else "stop")
