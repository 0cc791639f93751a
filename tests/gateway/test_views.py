"""What can be looked at."""

import pytest

pytestmark = pytest.mark.anyio


async def test_the_model_list_is_the_dialects_own(gateway):
    rows = await gateway.sdk.models.list()
    assert [(row.id, row.owned_by) for row in rows.data] == [("m", "main"), ("echo", "echo")]


async def test_a_model_is_shown_whether_by_name_or_through_a_glob(gateway):
    assert [(await gateway.sdk.models.retrieve(name)).owned_by for name in ("m", "gpt-4")] == ["main", "main"]


async def test_a_model_with_a_slash_in_its_name_is_found(start):
    gateway = await start(models='{ "house/*" = "*" }')
    assert (await gateway.get("/v1/models/house/x")).body["id"] == "house/x"
    assert (await gateway.get("/v1/models/house%2Fx")).body["id"] == "house/x"


async def test_a_model_that_nobody_has_is_a_404(gateway):
    got = await gateway.get("/v1/models/nobody")
    assert (got.status, got.body["error"]["code"]) == (404, "model_not_found")


async def test_health_and_readiness_are_told_apart(gateway, monkeypatch):
    assert (await gateway.get("/health")).body == {"status": "ok"}
    assert (await gateway.get("/ready")).body == {"status": "ready", "upstreams": {"main": True, "echo": True}}
    for post in gateway.gateway.posts.values():
        monkeypatch.setattr(post.upstream, "readiness", lambda: (False, ""), raising=True)
    assert ((await gateway.get("/ready")).status, (await gateway.get("/health")).status) == (503, 200)


async def test_the_counters_have_the_names_that_operators_were_told(gateway):
    await gateway.post({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
    await gateway.post({"model": "echo", "messages": [{"role": "user", "content": "hi"}], "stream": True})
    found = await gateway.counters()
    assert found == {
        'stipula_route_selections_total{upstream="main"}': 1,
        'stipula_route_selections_total{upstream="echo"}': 1,
        'stipula_key_acquisitions_total{upstream="main"}': 1,
        'stipula_key_acquisitions_total{upstream="echo"}': 1,
        'stipula_upstream_requests_total{status="200",upstream="main"}': 1,
        'stipula_upstream_requests_total{status="200",upstream="echo"}': 1,
        'stipula_streams_opened_total{upstream="echo"}': 1,
        'stipula_rejections_total{rule="assistant_tail"}': 0,
        'stipula_rejections_total{rule="empty_user"}': 0,
        'stipula_rejections_total{rule="edge"}': 0,
        'stipula_tokens_total{direction="in",upstream="main"}': 7,
        'stipula_tokens_total{direction="out",upstream="main"}': 3,
        'stipula_tokens_total{direction="in",upstream="echo"}': 1,
        'stipula_tokens_total{direction="out",upstream="echo"}': 1,
    }


async def test_the_keys_are_shown_without_themselves(start):
    gateway = await start(keys='keys = ["env:KEY_1", "env:KEY_2"]')
    got = await gateway.get("/admin/keys")
    fresh = {"state": "usable", "cause": None, "until": None, "strikes": 0}
    keys = [{"id": name} | fresh for name in ("be297454", "7c36b0a9")]
    assert got.body == {"upstreams": [{"name": "main", "keys": keys}]}
    assert "key-1" not in got.raw.decode()


async def test_until_is_a_moment_in_utc(gateway, upstream, speech):
    upstream.say(speech.fault(401))
    await gateway.post({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
    row = (await gateway.get("/admin/keys")).body["upstreams"][0]["keys"][0]
    assert (row["cause"], row["until"]) == ("auth", "2027-01-15T08:30:00.000+00:00")


@pytest.mark.parametrize("path", ["/metrics", "/admin/keys"])
async def test_the_inside_is_shown_to_admins_only_where_there_are_some(start, path):
    gateway = await start('[server]\nadmin_keys = ["env:ADMIN"]', environ={"ADMIN": "root"})
    assert (await gateway.get(path)).status == 401
    assert (await gateway.get(path, authorization="Bearer root")).status == 200


@pytest.mark.parametrize("path", ["/metrics", "/admin/keys"])
async def test_beyond_loopback_the_inside_is_closed_without_admins(start, path):
    gateway = await start(is_admin_closed=True)
    assert (await gateway.get(path)).status == 403
    assert (await gateway.get("/health")).status == 200
