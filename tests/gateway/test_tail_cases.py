"""The recorded cases of the request-tail contract on the chat surface, sent to a running gateway, streaming and not."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.anyio
FILE = Path(__file__).parents[1] / "data" / "request-tail-cases.json"
DECIDED = ("seed", "later", "design")
CASES = [
    case
    for case in json.loads(FILE.read_text(encoding="utf-8"))
    if case["surface"] == "chat" and case["basis"] in DECIDED
]
RULES = {
    "The conversation must end with a user message or a tool result.": "assistant_tail",
    "The last user message has empty content.": "empty_user",
}


def told(case, got, upstream, moved):
    """What the gateway did with a case, in the words of the case."""
    error = got.body["error"] if got.status != 200 else {}
    return {
        "forwarded": len(upstream.calls) == 1,
        "status": got.status,
        "error_type": error.get("type"),
        "param": error.get("param"),
        "message": error.get("message"),
    }, moved


def wanted(case):
    expect = case["expect"]
    names = ("forwarded", "status", "error_type", "param", "message")
    rule = RULES.get(expect["message"], "edge")
    moved = None if expect["forwarded"] else {f'stipula_rejections_total{{rule="{rule}"}}': 1.0}
    return {name: expect.get(name) for name in names}, moved


@pytest.mark.clause("RT-024")
@pytest.mark.clause("RT-022")
@pytest.mark.parametrize("stream", [False, True])
async def test_every_decided_case_is_forwarded_or_refused_as_it_says(start, upstream, speech, stream):
    gateway = await start("[gateway.cache]\nenabled = true", models='{ "*" = "*" }')
    different = []
    for case in CASES:
        upstream.calls.clear()
        upstream.say(speech.stream() if stream else speech.whole())
        before = await gateway.counters()
        got = await gateway.post({**case["body"], "stream": stream}, authorization=f"Bearer {case['id']}")
        after = await gateway.counters()
        moved = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
        saw = told(case, got, upstream, None if case["expect"]["forwarded"] else moved)
        if saw != wanted(case) and "message" not in case.get("unpinned", ()):
            different.append((case["id"], saw, wanted(case)))
    assert different == []
    assert len(CASES) > 40


@pytest.mark.clause("RT-010")
async def test_an_orphan_tool_result_reaches_the_upstream_as_it_came(gateway, upstream):
    orphan = {"role": "tool", "tool_call_id": "call_nobody", "content": "12"}
    messages = [{"role": "user", "content": "hi"}, orphan, {"role": "assistant", "content": "ok"}, orphan]
    assert (await gateway.post({"model": "m", "messages": messages})).status == 200
    assert upstream.calls[0].body["messages"] == messages
