"""Which requests come in: those that name us, and no page of somebody else's."""

import pytest

from stipula.gateway.doors import Doors, is_loopback, name_of

LOCAL = Doors("127.0.0.1", frozenset({"gw.example"}))
OPEN = Doors("0.0.0.0", frozenset({"gw.example"}))


def headers(host, origin=None):
    found = {} if host is None else {b"host": host.encode()}
    return found if origin is None else found | {b"origin": origin.encode()}


@pytest.mark.parametrize(
    ("doors", "host", "comes_in"),
    [
        (LOCAL, "127.0.0.1:8400", True),
        (LOCAL, "localhost:8400", True),
        (LOCAL, "LOCALHOST", True),
        (LOCAL, "[::1]:8400", True),
        (LOCAL, "gw.example:443", True),
        (LOCAL, None, True),
        (LOCAL, "evil.example", False),
        (LOCAL, "127.0.0.1.evil.example", False),
        (LOCAL, "localhost.evil.example", False),
        (LOCAL, "192.168.1.5:8400", False),
        (LOCAL, "[::1", False),
        (LOCAL, "evil.example@127.0.0.1", True),
        (OPEN, "192.168.1.5:8400", True),
        (OPEN, "evil.example", False),
    ],
)
def test_only_our_own_names_come_in(doors, host, comes_in):
    assert (doors.refusal(headers(host)) is None) is comes_in


@pytest.mark.parametrize(
    ("origin", "comes_in"),
    [
        ("http://127.0.0.1:8400", True),
        ("HTTP://127.0.0.1:8400", True),
        ("https://gw.example", True),
        ("http://127.0.0.1:3000", False),
        ("http://localhost:8400", False),
        ("https://evil.example", False),
        ("null", False),
        ("file://", False),
        ("chrome-extension://abc", False),
        ("http://[", False),
    ],
)
def test_pages_of_others_do_not_come_in(origin, comes_in):
    assert (LOCAL.refusal(headers("127.0.0.1:8400", origin)) is None) is comes_in


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("x", False)],
)
def test_loopback_is_what_only_this_machine_reaches(host, is_ours):
    assert is_loopback(host) is is_ours


def test_a_name_is_taken_out_of_an_address_whatever_it_is():
    assert [name_of(text) for text in ("//A.b:1", "//[::1]:2", "//[", "")] == ["a.b", "::1", "", ""]
