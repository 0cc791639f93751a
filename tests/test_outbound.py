"""One document from one address: bounded in size, time and redirects, and never from where nobody sent us."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from stipula import outbound
from stipula.outbound import BadAddress, FetchFailed, PrivateAddress, fetch, is_public, shown_url


class Scripted:
    """A server on loopback that answers each connection with the next of its scripts, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.scripts: list[bytes | Callable[[socket.socket], None]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection, suppress(OSError):
                request = connection.recv(65536).decode()
                if not request:
                    return
                self.asked.append(request)
                script = self.scripts.pop(0)
                script(connection) if callable(script) else connection.sendall(script)

    def close(self) -> None:
        with socket.create_connection(self._listener.getsockname()):
            pass  # nothing asked: the end
        self._thread.join()
        self._listener.close()


@pytest.fixture
def make_server() -> Iterator[Callable[..., Scripted]]:
    made: list[Scripted] = []

    def make(*scripts: bytes | Callable[[socket.socket], None]) -> Scripted:
        made.append(Scripted())
        made[-1].scripts.extend(scripts)
        return made[-1]

    yield make
    for one in made:
        one.close()


def ok(body: bytes, head: str = "") -> bytes:
    return f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n{head}\r\n".encode() + body


def redirect(location: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n".encode()


def test_a_document_comes_with_its_type_and_where_it_came_from(make_server):
    server = make_server(redirect("/b?c=d e"), ok(b"{}", "content-type: Application/JSON; charset=utf-8\r\n"))
    fetched = fetch(f"{server.url}/a", headers={"authorization": "Bearer x"})
    assert fetched == outbound.Fetched(body=b"{}", url=f"{server.url}/b?c=d e", media_type="application/json")
    assert [request.splitlines()[0] for request in server.asked] == ["GET /a HTTP/1.1", "GET /b?c=d%20e HTTP/1.1"]
    assert all("authorization: Bearer x" in request for request in server.asked)


def test_an_answer_in_pieces_is_put_together(make_server):
    chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
    assert fetch(make_server(chunked).url).body == b"abc"


def test_an_address_inside_is_not_followed_from_elsewhere(make_server):
    inner = make_server()
    outer = make_server(redirect(f"{inner.url}/latest/meta-data"))
    with pytest.raises(PrivateAddress, match=r"redirects to 127\.0\.0\.1, which is 127\.0\.0\.1: no public address"):
        fetch(outer.url)
    assert inner.asked == []


def test_an_address_outside_is_not_told_the_headers_of_the_first(make_server, monkeypatch):
    monkeypatch.setattr(outbound, "is_public", lambda _: True)  # loopback stands for the world
    there = make_server(ok(b"{}"))
    here = make_server(redirect(there.url))
    assert fetch(here.url, headers={"authorization": "Bearer x"}).url == there.url
    assert "authorization" in here.asked[0]
    assert "authorization" not in there.asked[0]


def trickle(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    with suppress(OSError):
        while True:
            connection.sendall(b"x")
            threading.Event().wait(0.02)


def endless(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    with suppress(OSError):
        while True:
            connection.sendall(b"x" * 65536)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "it answered 404"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", "it answered 304"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "SSH-2.0-OpenSSH"),
        (b"", "Remote end closed connection"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", "it ended 7 bytes early"),
        (ok(b"x" * 1001), "it is longer than 1000 bytes"),
        (endless, "it is longer than 1000 bytes"),
        (trickle, "no whole answer within 0.4 s"),
        (lambda connection: connection.recv(1), "no whole answer within 0.4 s"),
        (redirect("ftp://example.com/a"), "no address of a document"),
        (redirect("http://u:p@example.com/a"), "it carries credentials"),
    ],
    ids=range(11),
)
def test_what_is_no_document_is_one_line_with_the_address(make_server, script, why):
    server = make_server(script)
    with pytest.raises((FetchFailed, BadAddress)) as caught:
        fetch(f"{server.url}/a?token=secret", timeout_s=0.4, max_bytes=1000)
    told = str(caught.value)
    assert why in told
    assert "\n" not in told
    assert "secret" not in told


def test_redirects_have_an_end(make_server):
    with pytest.raises(FetchFailed, match="more than 5 redirects"):
        fetch(make_server(*[redirect("/again")] * 9).url)


def test_nobody_listening_is_told_so():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(FetchFailed, match="Connection refused"):
        fetch(f"http://127.0.0.1:{port}")


def test_a_proxy_of_the_environment_is_asked_for_the_whole_address(make_server, monkeypatch):
    proxy = make_server(ok(b"{}"))
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", "")
    assert fetch("http://api.example/openapi.json").body == b"{}"
    assert proxy.asked[0].startswith("GET http://api.example/openapi.json HTTP/1.1\r\n")


def test_where_a_proxy_resolves_names_no_redirect_leads_elsewhere(make_server, monkeypatch):
    proxy = make_server(redirect("http://intranet.example/"))
    monkeypatch.setenv("http_proxy", proxy.url)
    with pytest.raises(FetchFailed, match=r"redirects to intranet\.example through a proxy"):
        fetch("http://api.example/")
    assert len(proxy.asked) == 1


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "gopher://a/", "http://", "/openapi.json", "http://a:b@c/", "http://a/\r\nx", "http://[::1"]
)  # fmt: skip
def test_an_address_of_another_kind_is_refused(url: str):
    with pytest.raises(BadAddress) as caught:
        fetch(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("172.15.255.255", True),
        ("11.0.0.1", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("::ffff:93.184.216.34", True),
        ("127.0.0.1", False),
        ("127.53.9.200", False),
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.0.1", False),
        ("169.254.169.254", False),
        ("100.100.100.200", False),
        ("224.0.0.251", False),
        ("255.255.255.255", False),
        ("240.0.0.1", False),
        ("::", False),
        ("::1", False),
        ("::127.0.0.1", False),
        ("::ffff:127.0.0.1", False),
        ("fd00:ec2::254", False),
        ("fe80::1%eth0", False),
        ("ff02::1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("2002:7f00:1::", False),
        ("2001:0:7f00:1::", False),
        ("2001:db8::1", False),
    ],
)
def test_only_what_the_whole_world_reaches_is_public(address: str, expected: Any):
    assert is_public(address) is expected


def test_an_address_is_shown_without_what_may_be_secret():
    assert shown_url("https://u:p@a.example:8443/x?key=1#f") == "https://a.example:8443/x"
