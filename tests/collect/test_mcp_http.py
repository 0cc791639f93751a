"""MCP servers behind an address, on a real socket, in both eras; and servers of the project's own code."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from stipula.collect.mcp import collect
from stipula.collect.project import CollectEntry
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
