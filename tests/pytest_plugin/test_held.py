"""Values, streams and tool lists held against a lock: what passes, and what the report of a failure says."""

pytest_plugins = ["pytester"]
NAME = "stipula.pytest_plugin.held.ContractBroken: "

WHOLE = '[("token", {"text": "a"}), ("done", {"total": 1})]'
RAW = r"""b': hello\r\n\r\nevent: token\r\ndata: {"text": "\xc4\x8d"}\r\n\r\nevent: done\ndata: {"total": 1}\n\n'"""
HELD = [
    'c.value("route:GET /orders#200", {"id": "a", "total": 1.5})',
    'c.value("route:GET /orders#404", {"error": "gone"})',
    'c.value("mcp:time#now", {"zone": "UTC"}, outcome="input")',
    f'c.stream("/answer", {WHOLE})',
    f'c.stream("/answer", {RAW})',
    'c.tools("time", [{**TOOL, "name": "then"}, TOOL])',
    'c.tools("time", {"tools": [TOOL]}, profile="small")',
]


def test_what_is_as_promised_passes(project):
    run = project(*HELD)
    assert run.outcomes == {"passed": len(HELD)}
    assert run.proposals is None


BROKEN = {
    'c.value("route:GET /orders#200", {"id": 7, "sum": 1})': [
        "route:GET /orders#200 is not what stipula.lock.json promises",
        "/id: wanted type string, saw 7",
        "/sum: wanted no field of this name, saw 1",
        "/total: wanted the field 'total', saw nothing",
    ],
    'c.value("route:GET /orders#404", {})': [
        "route:GET /orders#404 (failure) is not what stipula.lock.json promises",
        "/error: wanted the field 'error', saw nothing",
    ],
    'c.stream("/answer", [("token", {"text": None}), ("done", {"total": 2}), ("token", {"text": ""})])': [
        "stream:/answer is not what stipula.lock.json promises",
        "event 1, token, /text: wanted type string, saw null",
        "event 2, done, count, /total: wanted 1, saw 2",
        "event 3, token: wanted nothing more, saw token in state e",
    ],
    r"""c.stream("/answer", b'event: token\ndata: [DONE]\n\nevent: token')""": [
        "stream:/answer is not what stipula.lock.json promises",
        'event 1, token: wanted type object, saw "[DONE]"',
        "event 2, the end: wanted done | token, saw the end of the stream in state s",
        "/: wanted a blank line, saw a frame that is cut off",
    ],
    'c.tools("time", [{**TOOL, "description": "Now."}])': [
        "mcp:time is not what stipula.lock.json promises",
        'now, text-changed, /texts/description: wanted "The time.", saw "Now."',
        "then, surface-removed: wanted an object with input, saw nothing",
    ],
}


def test_what_is_not_as_promised_is_told_by_surface_place_wanted_and_seen(project):
    run = project(*BROKEN)
    assert run.outcomes == {"failed": len(BROKEN)}
    told = [run.report(number) for number in range(len(BROKEN))]
    assert told == [[NAME + first, *rest] for first, *rest in BROKEN.values()]
    assert "held.py:" not in run.text  # a report ends at the line of the test


UNKNOWN = {
    'c.value("route:GET /order#200", {})': "no surface 'route:GET /order#200'; it holds route:GET /orders#200, ",
    'c.value("route:GET /orders#200", {}, "input")': "no outcome 'route:GET /orders#200 input'; it holds success",
    'c.stream("/answers", [])': "no stream '/answers'; it holds /answer",
    'c.stream("/answer", [], form="short")': "no form '/answer short'; it holds none",
    'c.tools("clock", [])': "no tool list 'mcp:clock'; it holds mcp:time, mcp:time/small",
}


def test_a_name_that_the_lock_does_not_hold_is_told_beside_those_that_it_holds(project):
    run = project(*UNKNOWN)
    assert run.outcomes == {"failed": len(UNKNOWN)}
    told = ["".join(run.report(number)).partition("stipula.lock.json holds ")[2] for number in range(len(UNKNOWN))]
    assert [one.startswith(wanted) for one, wanted in zip(told, UNKNOWN.values(), strict=True)] == [True] * len(UNKNOWN)
