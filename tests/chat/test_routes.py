"""The routes of the conversations and of health: their exact shapes and codes."""

import pytest

from stipula.chat.contract import CONTRACT
from stipula.contract.verdict import compile_shape

SURFACES = {surface.id: surface for surface in CONTRACT.build().surfaces}
ONE = "/conversations/{id}"


def breaks(route, answered):
    """What an answer has against the shape that the contract gives its route and status."""
    (shape,) = SURFACES[f"route:{route}#{answered.status}"].shapes.values()
    return compile_shape(shape).violations(answered.json())


async def filled(service):
    answered = await service.chat()
    return answered.headers["x-conversation-id"]


@pytest.mark.anyio
@pytest.mark.clause("RS-050")
async def test_the_list_holds_conversations_and_their_count(service):
    await filled(service)
    answered = await service.ask("GET", "/conversations")
    assert (answered.status, set(answered.json()), answered.json()["count"]) == (200, {"conversations", "count"}, 1)
    assert breaks("GET /conversations", answered) == []


@pytest.mark.anyio
@pytest.mark.clause("RS-051")
async def test_one_conversation_comes_whole_and_an_unknown_one_is_404(service):
    whole = await service.ask("GET", f"/conversations/{await filled(service)}")
    assert [message["content"] for message in whole.json()["messages"]] == ["Capital of France?", "Paris."]
    assert breaks(f"GET {ONE}", whole) == []
    missing = await service.ask("GET", "/conversations/none")
    assert (missing.status, set(missing.json())) == (404, {"error"})


@pytest.mark.anyio
@pytest.mark.clause("RS-052")
@pytest.mark.parametrize(
    ("method", "tail", "route"), [("DELETE", "", f"DELETE {ONE}"), ("POST", "/archive", f"POST {ONE}/archive")]
)
async def test_what_is_deleted_or_archived_leaves_the_list_with_a_message(service, method, tail, route):
    answered = await service.ask(method, f"/conversations/{await filled(service)}{tail}")
    assert (answered.status, set(answered.json())) == (200, {"message"})
    assert breaks(route, answered) == []
    assert (await service.ask("GET", "/conversations")).json()["count"] == 0


@pytest.mark.anyio
@pytest.mark.clause("RS-053")
async def test_a_new_conversation_comes_as_it_stands(service):
    answered = await service.ask("POST", "/conversations/new", {"model": "m"})
    assert (answered.status, answered.json()["title"]) == (200, "New Chat")
    assert breaks("POST /conversations/new", answered) == []


@pytest.mark.anyio
@pytest.mark.clause("RS-054")
async def test_a_switch_answers_the_conversation(service):
    kept = await filled(service)
    answered = await service.ask("POST", f"/conversations/{kept}/switch")
    assert (answered.status, answered.json()["conversation"]["_id"]) == (200, kept)
    assert breaks(f"POST {ONE}/switch", answered) == []


@pytest.mark.anyio
@pytest.mark.clause("RS-055")
async def test_the_six_routes_have_no_success_and_later_ones_do(service):
    kept = await filled(service)
    old = [("GET", "/conversations"), ("GET", f"/conversations/{kept}"), ("POST", f"/conversations/{kept}/switch")]
    old += [
        ("POST", "/conversations/new"),
        ("POST", f"/conversations/{kept}/archive"),
        ("DELETE", f"/conversations/{kept}"),
    ]
    found = [(await service.ask(method, path, {} if path.endswith("new") else None)).json() for method, path in old]
    assert ["success" in told for told in found] == [False] * 6
    kept = await filled(service)
    renamed = await service.ask("PATCH", f"/conversations/{kept}", {"title": "Paris"})
    searched = await service.ask("GET", "/conversations/search?q=paris")
    assert [renamed.json()["success"], searched.json()["success"], searched.json()["count"]] == [True, True, 1]


@pytest.mark.anyio
@pytest.mark.clause("RS-050")
@pytest.mark.clause("RS-064")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/conversations"), ("GET", "/conversations/x"), ("DELETE", "/conversations/x"),
        ("POST", "/conversations/x/archive"),
        ("POST", "/conversations/new"), ("POST", "/conversations/x/switch"), ("GET", "/conversations/search?q=a"),
    ],
)  # fmt: skip
async def test_where_nothing_is_kept_the_routes_say_503(make_service, method, path):
    service = make_service()
    service.keeps = False
    async with service:
        answered = await service.ask(method, path, {} if method == "POST" else None)
        assert (answered.status, set(answered.json())) == (503, {"error"})


@pytest.mark.anyio
async def test_where_nothing_is_kept_a_turn_is_answered_all_the_same(make_service):
    service = make_service()
    service.keeps = False
    async with service:
        assert (await service.chat()).names[-1] == "complete"


@pytest.mark.anyio
@pytest.mark.clause("RS-062")
async def test_health_says_ok_with_200_or_503(make_service):
    service = make_service()
    async with service:
        well = await service.ask("GET", "/api/health/databases")
    service.keeps = False
    async with service:
        unwell = await service.ask("GET", "/api/health/databases")
    assert [(well.status, well.json()["ok"]), (unwell.status, unwell.json()["ok"])] == [(200, True), (503, False)]
    assert breaks("GET /api/health/databases", well) == breaks("GET /api/health/databases", unwell) == []


@pytest.mark.anyio
@pytest.mark.parametrize(
    "headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"sec_fetch_site": "cross-site"}]
)
async def test_a_foreign_page_is_refused(service, headers):
    answered = await service.ask("POST", "/conversations/new", {}, **headers)
    assert answered.status in {400, 403, 421}


@pytest.mark.anyio
async def test_the_page_comes_with_a_policy_that_runs_no_inline_script(service):
    answered = await service.ask("GET", "/")
    policy = answered.headers["content-security-policy"]
    assert answered.status == 200
    assert "script-src 'self'" in policy
    assert "unsafe-inline" not in policy
    unchanged = await service.ask("GET", "/", if_none_match=answered.headers["etag"])
    assert (unchanged.status, unchanged.body) == (304, b"")
