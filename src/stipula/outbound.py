"""The way out over HTTP: the one place where a client is made. Libraries are loaded by the first call."""

import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass  # noqa: TID251 - what the environment says of proxies, no request

from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem

if TYPE_CHECKING:
    from aiohttp import ClientSession

READ_BUFFER_BYTES = 64 * 1024
"""What is read ahead of a slow reader; above twice this the socket is paused."""
POOL_IDLE_S = 15.0


def open_session() -> "ClientSession":
    """A session for many requests side by side: no cookies, no bound of connections, no redirects followed by itself.

    Whoever opens it closes it. Answers are asked for uncompressed: a compressed stream is a stream held back.
    """
    from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector  # noqa: PLC0415 - only who serves pays

    return ClientSession(
        connector=TCPConnector(limit=0, keepalive_timeout=POOL_IDLE_S, ttl_dns_cache=60),
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(total=None),
        read_bufsize=READ_BUFFER_BYTES,
        headers={"accept-encoding": "identity"},
    )


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address (HTTPS_PROXY, NO_PROXY and so on); None for none."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("127.0.0.1", "localhost", "::1") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


# ---------------------------------------------------------------- one document, by the standard library alone

MAX_REDIRECTS = 5
MAX_REASON = 120
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class BadAddress(Problem):
    """An address is none that a document is fetched from."""

    code, exit_code = "COL601", EXIT_USAGE
    hint = "{url}: {why}; wanted http:// or https://, a host, and credentials only in headers"


class FetchFailed(Problem):
    """A document could not be fetched."""

    code, exit_code = "COL602", EXIT_UNAVAILABLE
    hint = "cannot fetch {url}: {why}"


class PrivateAddress(Problem):
    """An answer sent us on to an address inside a private network, which nobody named."""

    code, exit_code = "COL603", EXIT_UNAVAILABLE
    hint = "{url} redirects to {host}, which is {address}: no public address; name that address itself if it is meant"


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A fetched document. url: where it came from after all redirects; media_type: lower-case, without parameters."""

    body: bytes
    url: str
    media_type: str


def fetch(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = 30.0,
    max_bytes: int = 32 * 1024 * 1024,
    clock: Callable[[], float] = time.monotonic,
) -> Fetched:
    """GET one document. timeout_s: for all of it, redirects included.

    The address that a user named may be private; one that an answer redirects to may not. Headers go to the origin of
    the named address only.
    """
    deadline = clock() + timeout_s
    named = _origin(url)
    here = url
    for _ in range(MAX_REDIRECTS + 1):
        is_named = _origin(here) == named
        hop = _Hop(here, came_from=None if is_named else url, deadline=deadline, clock=clock)
        try:
            following, fetched = hop.get(headers if is_named and headers else {}, max_bytes)
        except (OSError, HTTPException, ValueError) as why:
            raise FetchFailed(url=shown_url(here), why=_reason(why, timeout_s)) from None
        if fetched is not None:
            return fetched
        if here.startswith("https:") and following.startswith("http:"):
            raise FetchFailed(url=shown_url(here), why=f"it redirects to {shown_url(following)}, without TLS")
        here = following
    raise FetchFailed(url=shown_url(url), why=f"more than {MAX_REDIRECTS} redirects")


def is_public(address: str) -> bool:
    """Whether an IP address is globally reachable unicast; an IPv4 address inside an IPv6 one is judged too."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        teredo = ip.teredo
        packed = ip.packed
        inner = [ip.ipv4_mapped, ip.sixtofour, *(teredo or ())]
        if packed[:12] in {bytes(12), bytes.fromhex("0064ff9b") + bytes(8)}:  # compatible, NAT64
            inner.append(IPv4Address(packed[12:]))
        if any(one is not None and not is_public(str(one)) for one in inner):
            return False
        if any(one is not None for one in inner):
            return True
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def shown_url(url: str) -> str:
    """An address as messages show it: without credentials and without what follows the path."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _origin(url: str) -> tuple[str, str, int]:
    """Scheme, host, port. Raises BadAddress."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as why:
        raise BadAddress(url=url[:200], why=why) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadAddress(url=shown_url(url)[:200], why="no address of a document")
    if parts.username is not None or parts.password is not None:
        raise BadAddress(url=shown_url(url), why="it carries credentials")
    if any(char < " " or char == "\x7f" for char in url):
        raise BadAddress(url=ascii(shown_url(url)), why="it has a control character")
    return parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80)


class _Hop:
    """One request of a fetch. came_from: the address that redirected here, None where the user named this one."""

    def __init__(self, url: str, *, came_from: str | None, deadline: float, clock: Callable[[], float]) -> None:
        self._url, self._came_from = url, came_from
        self._deadline, self._clock = deadline, clock
        self._scheme, self._host, self._port = _origin(url)
        self._proxy = proxy_for(url)

    def get(self, headers: Mapping[str, str], max_bytes: int) -> tuple[str, Fetched | None]:
        """Where it redirects to, or what it answered."""
        with closing(self._connection()) as connection:
            connection.request("GET", self._target(), headers={"accept-encoding": "identity", **headers})
            wire = connection.sock  # an answer without a length takes it over
            with closing(connection.getresponse()) as answer:
                location = answer.getheader("location")
                if answer.status in REDIRECTS and location:
                    return urljoin(self._url, location), None
                if answer.status != HTTPStatus.OK:
                    raise FetchFailed(url=shown_url(self._url), why=f"it answered {answer.status}")
                media_type = (answer.getheader("content-type") or "").partition(";")[0].strip().lower()
                body = self._read(answer, wire, max_bytes)
        return "", Fetched(body=body, url=self._url, media_type=media_type)

    def _read(self, answer: HTTPResponse, wire: socket.socket, max_bytes: int) -> bytes:
        chunks: list[bytes] = []
        size = 0
        while chunk := answer.read1(READ_BUFFER_BYTES):
            size += len(chunk)
            if size > max_bytes:
                raise FetchFailed(url=shown_url(self._url), why=f"it is longer than {max_bytes} bytes")
            chunks.append(chunk)
            left = self._left()
            if wire.fileno() >= 0:  # the time is for the whole, not for each piece
                wire.settimeout(left)
        if answer.length:
            raise FetchFailed(url=shown_url(self._url), why=f"it ended {answer.length} bytes early")
        return b"".join(chunks)

    def _target(self) -> str:
        """What the request line names: the path, or the whole address where a proxy is asked for it."""
        parts = urlsplit(self._url)
        is_whole = self._proxy is not None and self._scheme == "http"
        origin = (parts.scheme, parts.netloc) if is_whole else ("", "")
        return urlunsplit((*origin, quote(parts.path or "/", safe=_SAFE), quote(parts.query, safe=_SAFE), ""))

    def _connection(self) -> HTTPConnection:
        if self._proxy is not None:
            return self._through(urlsplit(self._proxy))
        if self._scheme == "http":
            connection = HTTPConnection(self._host, self._port)
            connection.sock = self._socket()
            return connection
        context = ssl.create_default_context()
        connection = HTTPSConnection(self._host, self._port, context=context)
        connection.sock = context.wrap_socket(self._socket(), server_hostname=self._host)
        return connection

    def _through(self, proxy: SplitResult) -> HTTPConnection:
        if self._came_from is not None:
            why = f"it redirects to {self._host} through a proxy, where we cannot judge that address; name it itself"
            raise FetchFailed(url=shown_url(self._came_from), why=why)
        kind = HTTPSConnection if self._scheme == "https" else HTTPConnection
        connection = kind(proxy.hostname or "", proxy.port or 80, timeout=self._left())
        if self._scheme == "https":
            connection.set_tunnel(self._host, self._port)
        return connection

    def _socket(self) -> socket.socket:
        """Connected to an address that was judged; a name is not looked up again after that."""
        found = [row[4][0] for row in socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)]
        if self._came_from is not None:
            for address in found:
                if not is_public(str(address)):
                    raise PrivateAddress(url=shown_url(self._came_from), host=self._host, address=address)
        problem: OSError = OSError(f"no address of {self._host}")
        for address in found:
            try:
                return socket.create_connection((str(address), self._port), timeout=self._left())
            except OSError as why:
                problem = why
        raise problem

    def _left(self) -> float:
        left = self._deadline - self._clock()
        if left <= 0:
            raise TimeoutError
        return left


_SAFE = "%/:=&?~#+!$,;'@()*[]"


def _reason(why: Exception, timeout_s: float) -> str:
    if isinstance(why, TimeoutError):
        return f"no whole answer within {timeout_s:g} s"
    if isinstance(why, socket.gaierror):
        return "no such host"
    words = str(getattr(why, "strerror", None) or why).split("\n", 1)[0].strip()[:MAX_REASON]
    return (words if words.isprintable() else ascii(words)) or type(why).__name__
