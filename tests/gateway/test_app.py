"""The HTTP edge: paths, methods, bodies, credentials, and what every answer says of itself."""

import asyncio
import re

import pytest

pytestmark = pytest.mark.anyio
HELLO = [{"role": "user", "content": "hi"}]
BODY = {"model": "m", "messages": HELLO}


async def test_every_answer_has_a_request_id_and_says_what_we_cost(gateway, speech, upstream):
    upstream.say(speech.whole(), speech.stream())
    answers = [
        await gateway.post(BODY),
        await gateway.post(BODY | {"stream": True}),
        await gateway.post({"model": "m", "messages": []}),
        await gateway.post(BODY, path="/v1/nothing"),
        await gateway.get("/v1/models"),
        await gateway.get("/health", host="evil.example"),
    ]
    for got in answers:
        assert re.fullmatch(r"req_[0-9a-f]{24}", got.headers["x-request-id"])
        assert float(got.headers["x-stipula-overhead-ms"]) >= 0
    assert len({got.headers["x-request-id"] for got in answers}) == len(answers)


async def test_the_request_id_stands_in_every_error_body(gateway):
    got = await gateway.post({"model": "nobody", "messages": HELLO})
    assert got.body["request_id"] == got.headers["x-request-id"]


async def test_the_overhead_leaves_out_the_wait_for_the_upstream(gateway, upstream, speech):
    got = await gateway.post({"model": "echo-t1-f300", "messages": HELLO})
    assert float(got.headers["x-stipula-overhead-ms"]) < 250


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/nothing", "GET", 404),
        ("/v1/nothing", "POST", 404),
        ("/v1/chat/completions", "GET", 405),
        ("/v1/chat/completions", "PUT", 405),
        ("/v1/models", "POST", 405),
        ("/health", "DELETE", 405),
    ],
)
async def test_a_wrong_path_or_method_is_told_in_the_surfaces_envelope(gateway, path, method, status):
    async with gateway.http.request(method, gateway.url + path) as answer:
        body = await answer.json()
    assert answer.status == status
    assert set(body) == {"error", "request_id"}
    assert body["error"]["type"] in ("not_found_error", "invalid_request_error")
    assert ("allow" in answer.headers) == (status == 405)


@pytest.mark.parametrize(
    ("data", "headers", "status"),
    [
        (b"{", {}, 400),
        (b"", {}, 400),
        (b"[]", {}, 400),
        (b'{"model":"m","model":"m","messages":[]}', {}, 400),
        (b'{"messages":[{"role":"user","content":NaN}]}', {}, 400),
        (b'{"messages":"\xff"}', {}, 400),
        (b"{}", {"content_type": "text/plain"}, 415),
        (b"{}", {"content_encoding": "gzip"}, 415),
    ],
)
async def test_a_body_that_cannot_be_read_one_way_only_is_refused(gateway, upstream, data, headers, status):
    got = await gateway.post(data, **headers)
    assert (got.status, got.body["error"]["type"], upstream.calls) == (status, "invalid_request_error", [])
    assert (await gateway.counters())['stipula_rejections_total{rule="edge"}'] == 1


@pytest.mark.parametrize("is_chunked", [False, True])
async def test_a_body_beyond_the_bound_is_refused_however_it_is_sent(start, upstream, is_chunked):
    gateway = await start(max_body_bytes=1000)

    async def pieces():
        for _ in range(20):
            yield b" " * 100

    got = await gateway.http.post(
        f"{gateway.url}/v1/chat/completions",
        data=pieces() if is_chunked else b" " * 2000,
        headers={"content-type": "application/json"},
    )
    assert (got.status, (await got.json())["error"]["type"], upstream.calls) == (413, "invalid_request_error", [])
    got.close()


async def test_a_body_in_many_pieces_is_read_whole(gateway, upstream):
    async def pieces():
        yield b'{"model":"m","messages":[{"role":"user",'
        yield b'"content":"hi"}]}'

    async with gateway.http.post(
        f"{gateway.url}/v1/chat/completions", data=pieces(), headers={"content-type": "application/json"}
    ) as answer:
        assert answer.status == 200
    assert upstream.calls[0].body["messages"] == HELLO


async def test_a_caller_who_leaves_inside_his_body_is_forgotten(gateway, upstream):
    address, port = re.findall(r"//(.*):(\d+)", gateway.url)[0]
    _, writer = await asyncio.open_connection(address, int(port))
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 999\r\n\r\n{")
    await writer.drain()
    writer.transport.abort()
    assert (await gateway.get("/health")).status == 200
    assert upstream.calls == []


# ---------------------------------------------------------------- credentials

CLIENTS = """
[gateway]
client_keys = ["env:CLIENT_A", { key = "env:CLIENT_B", name = "b", models = ["gpt-*"] }]
"""


@pytest.mark.parametrize(
    "headers", [{"authorization": "Bearer team-a"}, {"x_api_key": "team-a"}, {"x_goog_api_key": "team-a"}]
)
async def test_a_client_key_is_accepted_where_its_vendors_client_puts_it(start, headers):
    gateway = await start(CLIENTS)
    assert (await gateway.post(BODY, **headers)).status == 200


async def test_a_client_key_is_accepted_in_the_query(start):
    gateway = await start(CLIENTS)
    assert (await gateway.post(BODY, path="/v1/chat/completions?key=team-a")).status == 200


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer team-x"}, {"authorization": "Basic team-a"}])
async def test_without_a_client_key_nobody_is_let_in(start, upstream, headers):
    gateway = await start(CLIENTS)
    got = await gateway.post(BODY, **headers)
    assert (got.status, got.body["error"]["type"]) == (401, "authentication_error")
    assert got.body["error"]["code"] == "invalid_api_key"
    assert "team-x" not in got.raw.decode()
    assert (await gateway.get("/v1/models")).status == 401
    assert upstream.calls == []


async def test_a_client_key_reaches_its_own_models_only(start):
    gateway = await start(CLIENTS)
    statuses = [
        (await gateway.post(BODY | {"model": model}, authorization="Bearer team-b")).status for model in ("gpt-4", "m")
    ]
    assert statuses == [200, 403]


async def test_a_fault_without_a_name_is_a_500_without_its_words(gateway, monkeypatch, caplog):
    async def broken(*_):
        raise KeyError("secret detail")

    monkeypatch.setattr(gateway.gateway, "answer", broken)
    got = await gateway.post(BODY)
    assert (got.status, "secret detail" in got.raw.decode()) == (500, False)
    assert "a request ended in a fault without a name" in caplog.text
