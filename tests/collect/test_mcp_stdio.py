"""Servers that die, hang, babble or flood: each is one line that says what was seen, and each is ended."""

import os
import threading
import time
from pathlib import Path

import pytest

from stipula.collect import mcp_problems as problems
from stipula.collect.mcp import collect
from stipula.collect.mcp_eras import view
from stipula.collect.mcp_stdio import MAX_STDERR_BYTES, Child

DISTURBED = [
    ("dies", problems.ServerEnded, 'ended with exit status 3 before it answered initialize; last on stderr: "Runtime'),
    ("dies_by_signal", problems.ServerEnded, "was ended by SIGKILL before it answered initialize"),
    (
        "dies_listing",
        problems.ServerEnded,
        'exit status 1 before it answered tools/list; last on stderr: "cannot list"',
    ),
    ("ends_well", problems.ServerEnded, "ended with exit status 0 before it answered initialize; run its command"),
    ("noise", problems.Noise, r"'Server ready \x1b[32mon\x1b[0m port 1234 with key ***'"),
    ("noise_without_newline", problems.Noise, '"usage: server [options]"'),
    ("noise_between", problems.Noise, '"DEBUG listing"'),
    ("a_number", problems.Noise, '"42"'),
    ("not_utf8", problems.Noise, r'"caf\\xe9 ouvert"'),
    ("half_a_pair", problems.BadMessage, r"\\ud800"),
    ("no_jsonrpc", problems.BadMessage, '{\\"id\\": 1'),
    ("a_batch", problems.BadMessage, "(a batch)"),
    ("deep_json", problems.BadMessage, "nested beyond reason"),
    ("endless_pages", problems.EndlessPages, "500 pages came"),
    ("same_cursor", problems.EndlessPages, 'the cursor "again" came twice'),
    ("many_tools", problems.TooMuch, "more than 5000 entries of tools/list"),
    ("one_long_line", problems.TooMuch, "more than 16 MiB in one line"),
    ("floods_stdout", problems.TooMuch, "more than 64 MiB;"),
    ("tool_twice", problems.ToolTwice, "lists the tool 'echo' twice"),
    ("tool_without_schema", problems.BadAnswer, "inputSchema: Field required"),
    ("tool_without_name", problems.BadAnswer, "name: Input should be a valid string"),
    ("schema_is_text", problems.BadAnswer, "inputSchema: Input should be"),
    ("old_revision", problems.BadAnswer, "1999-01-01"),
    ("hello_is_empty", problems.BadAnswer, ": Field required"),
    ("refuses_listing", problems.Refused, 'tools/list with error -32603: "the token *** has expired"'),
]


@pytest.mark.parametrize(("how", "kind", "words"), DISTURBED, ids=[how for how, _, _ in DISTURBED])
def test_what_a_server_does_wrong_is_told_in_one_line(misbehaving, mcp_entry, tmp_path, how, kind, words):
    with pytest.raises(kind) as caught:
        collect(mcp_entry(misbehaving(how)), tmp_path)
    told = str(caught.value)
    assert words in told
    assert "\n" not in told
    assert len(told) < 600
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("hangs", problems.SlowStart, 'initialize within 0.6 s; last on stderr: "connecting to the warehouse"'),
        ("hangs_listing", problems.SlowList, "did not finish tools/list within 0.6 s (0 pages came)"),
    ],
)
def test_a_server_that_hangs_is_given_up(misbehaving, mcp_entry, tmp_path, how, kind, words):
    with pytest.raises(kind) as caught:
        collect(mcp_entry(misbehaving(how), timeout_s=0.6), tmp_path)
    assert words in str(caught.value)


@pytest.mark.anyio
async def test_a_flood_on_stderr_neither_blocks_nor_stays_in_memory(misbehaving, tmp_path):
    child = Child(misbehaving("floods_stderr"), {}, tmp_path, server="it")
    assert len((await view(child, "modern", server="it", timeout_s=20)).tools) == 1
    assert len(child._stderr) == MAX_STDERR_BYTES


def test_a_secret_of_the_entry_is_not_repeated_from_stderr(misbehaving, mcp_entry, tmp_path, monkeypatch):
    monkeypatch.setenv("STIPULA_TEST_DSN", "postgres-for-us-only")
    with pytest.raises(problems.ServerEnded) as caught:
        collect(mcp_entry(misbehaving("dies"), env={"DSN": "env:STIPULA_TEST_DSN"}), tmp_path)
    assert 'last on stderr: "RuntimeError: no database at ***"' in str(caught.value)


def test_a_program_that_is_not_there_is_named(mcp_entry, tmp_path):
    with pytest.raises(problems.CannotStart, match="cannot start 'no-such-server': no such program"):
        collect(mcp_entry(("no-such-server",)), tmp_path)


def test_the_server_is_ended_and_so_are_its_children(misbehaving, mcp_entry, tmp_path):
    note = tmp_path / "pids"
    collect(mcp_entry(misbehaving("leaves_children", str(note))), tmp_path)
    assert [is_gone(int(pid)) for pid in note.read_text().split()] == [True, True]


def is_gone(pid: int) -> bool:
    """Whether a process that was killed ends within five seconds: the kernel takes its time."""
    until = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < until:
        threading.Event().wait(0.01)
    return not is_running(pid)


def is_running(pid: int) -> bool:
    """A zombie has ended; that nobody has fetched its status is not our affair."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
