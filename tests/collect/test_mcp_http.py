"""MCP servers behind an address, on a real socket, in both eras; and servers of the project's own code."""

import gzip
import http.server
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from stipula.collect.mcp import collect
from stipula.collect.project import CollectEntry, ProfileEntry
from stipula.errors import Problem

CODE = '''
from mcp.server.mcpserver import MCPServer


def made() -> MCPServer:
    server = MCPServer("clock")

    @server.tool()
    def now(zone: str = "UTC") -> str:
        """The time of day."""
        return zone

    return server
'''


@pytest.fixture
def own_code(tmp_path: Path) -> Path:
    (tmp_path / "clock_server.py").write_text(CODE)
    return tmp_path


def test_a_server_of_the_projects_own_code_is_asked_in_memory(own_code: Path):
    contract = collect(CollectEntry(source="mcp", server="clock_server:made"), own_code)
    assert [one.id for one in contract.surfaces] == ["mcp:clock#now"]


@pytest.fixture
def address() -> Iterator[str]:
    """The same server over streamable HTTP, on a free port of loopback."""
    names: dict[str, Any] = {}
    exec(compile(CODE, "clock", "exec"), names)
    application = names["made"]().streamable_http_app()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, log_level="critical", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            threading.Event().wait(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def test_a_server_behind_an_address_gives_what_it_gives_in_memory(address: str, own_code: Path):
    here = collect(CollectEntry(source="mcp", server="clock_server:made"), own_code)
    there = collect(CollectEntry(source="mcp", url=f"{address}/mcp"), own_code)
    assert there.surfaces == here.surfaces
    assert [sorted(era.era for era in one.eras) for one in there.profiles] == [["legacy", "modern"]]


def test_an_address_that_is_no_mcp_server_is_one_line(address: str, tmp_path: Path):
    with pytest.raises(Problem) as caught:
        collect(CollectEntry(source="mcp", url=f"{address}/other", timeout_s=5.0), tmp_path)
    assert f"{address}/other" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_address_where_nobody_listens_is_one_line(tmp_path: Path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        with pytest.raises(Problem, match="cannot reach"):
            collect(CollectEntry(source="mcp", url=url, timeout_s=5.0), tmp_path)


def json_rpc(handler: http.server.BaseHTTPRequestHandler, **members: Any) -> bytes:
    request = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
    return json.dumps({"jsonrpc": "2.0", "id": request.get("id")} | members).encode()


def html(handler: http.server.BaseHTTPRequestHandler) -> None:
    answer(handler, 200, "text/html", b"<h1>Welcome</h1>")


def locked(handler: http.server.BaseHTTPRequestHandler) -> None:
    if handler.headers["authorization"] == "Bearer let-me-in-please":
        answer(handler, 200, "application/json", json_rpc(handler, error={"code": -32000, "message": "inside"}))
    else:
        answer(handler, 401, "application/json", b'{"error": "who are you"}')


def broken_json(handler: http.server.BaseHTTPRequestHandler) -> None:
    answer(handler, 200, "application/json", b'{"jsonrpc": "2.0", "id":')


def compressed(handler: http.server.BaseHTTPRequestHandler) -> None:
    answer(handler, 200, "application/json", gzip.compress(b" " * 10_000_000), ("content-encoding", "gzip"))


def endless(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    with suppress(OSError):
        while True:
            handler.wfile.write(b" " * 1_000_000)


def silent(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.connection.settimeout(30)
    handler.rfile.read(int(handler.headers["content-length"]))
    with suppress(OSError):
        handler.rfile.read(1)  # until the caller has gone


def elsewhere(handler: http.server.BaseHTTPRequestHandler) -> None:
    answer(handler, 307, "text/plain", b"", ("location", "http://127.0.0.1:1/secret"))


def answer(
    handler: http.server.BaseHTTPRequestHandler, status: int, kind: str, body: bytes, *headers: tuple[str, str]
) -> None:
    handler.send_response(status)
    for name, value in (("content-type", kind), ("content-length", str(len(body))), *headers):
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """The address of a server that answers each POST by a function."""
    running: list[tuple[http.server.ThreadingHTTPServer, threading.Thread]] = []

    def start(behave: Callable[[http.server.BaseHTTPRequestHandler], None]) -> str:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                behave(self)
                self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library names it
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/mcp"

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("behave", "words"),
    [
        (html, "Unexpected content type: text/html"),
        (locked, "(HTTP 401)"),
        (broken_json, "Failed to parse JSON response"),
        (compressed, "an answer that is compressed, which was not asked for"),
        (endless, "more than 64 MiB in one answer"),
        (silent, "did not answer initialize within 1 s"),
        (elsewhere, "Redirect to http://127.0.0.1:1/secret not followed"),
    ],
)
def test_what_an_address_does_wrong_is_told_in_one_line(
    serve: Callable[..., str], behave: Any, words: str, tmp_path: Path
):
    with pytest.raises(Problem) as caught:
        collect(CollectEntry(source="mcp", url=serve(behave), timeout_s=1.0 if behave is silent else 20.0), tmp_path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 3


def test_headers_may_come_from_the_environment(
    serve: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STIPULA_TEST_TOKEN", "Bearer let-me-in-please")
    entry = CollectEntry(source="mcp", url=serve(locked), headers={"authorization": "env:STIPULA_TEST_TOKEN"})
    with pytest.raises(Problem, match="inside"):
        collect(entry, tmp_path)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("made = 3", "is of type int; wanted a Server or MCPServer"),
        ("def made():\n    raise ValueError('no database')", "raised ValueError: no database"),
        ("import nowhere_at_all", "cannot import"),
    ],
)
def test_code_that_gives_no_server_is_one_line(tmp_path: Path, code: str, words: str, request: pytest.FixtureRequest):
    name = f"bad_server_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(code)
    with pytest.raises(Problem) as caught:
        collect(CollectEntry(source="mcp", server=f"{name}:made"), tmp_path)
    assert words in str(caught.value)


def test_a_factory_is_given_the_arguments_and_the_environment_of_its_profile(tmp_path: Path):
    (tmp_path / "profiled_server.py").write_text(
        "import os\n"
        "from mcp.server.mcpserver import MCPServer\n\n"
        "def made(*names):\n"
        "    server = MCPServer('many')\n"
        "    for name in names:\n"
        "        server.add_tool(lambda: '', name=name, description=os.environ['WORDS'])\n"
        "    return server\n"
    )
    profiles = {
        "one": ProfileEntry(args=("a",), env={"WORDS": "x"}),
        "two": ProfileEntry(args=("a", "b"), env={"WORDS": "y"}),
    }
    contract = collect(CollectEntry(source="mcp", server="profiled_server:made", profiles=profiles), tmp_path)
    assert [(one.id, one.texts["description"]) for one in contract.surfaces] == [
        ("mcp:many/one#a", "x"),
        ("mcp:many/two#a", "y"),
        ("mcp:many/two#b", "y"),
    ]
    assert "WORDS" not in os.environ
