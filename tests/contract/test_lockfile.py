import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stipula.contract.canonical import canonical, digests
from stipula.contract.declare import Contract
from stipula.contract.lockfile import FORMAT, LockConflict, LockForeign, read, write
from stipula.contract.locktext import LockBroken
from stipula.contract.model import Reader, Surface
from stipula.contract.toollist import era
from stipula.diff.compare import compare

TEXT = {"type": "string"}
TOOL = {"name": "now", "description": "d", "inputSchema": {"type": "object", "required": ["b", "a"]}}


def sample(**events):
    builder = Contract().route("GET", "/items", {200: {"type": "array"}}).declare_tool("search", takes=TEXT)
    builder.mcp("time", [TOOL], eras=[era("modern", "2026-07-28", [TOOL])])
    return builder.stream("/chat", {"chunk": TEXT, **events}, order={"initial": "a"}, keepalive=": k").build()


LOCK = write(sample())


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_reading_and_writing_a_lock_gives_its_bytes_back(contracts, data):
    content = write(data.draw(contracts))
    assert write(read(content)) == content


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_what_was_written_is_what_is_read(contracts, data):
    contract = data.draw(contracts)
    again = read(write(contract))
    assert compare(contract, again) == []
    assert [digests(one) for one in again.surfaces] == [digests(one) for one in contract.surfaces]
    assert canonical([list(one.laws) for one in again.streams]) == canonical(
        [list(one.laws) for one in contract.streams]
    )


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_two_contracts_compare_as_equal_only_if_every_digest_is(contracts, data):
    old, new = data.draw(contracts), data.draw(contracts)
    if compare(old, new) == []:
        assert [(one.id, digests(one)) for one in old.surfaces] == [(one.id, digests(one)) for one in new.surfaces]
        assert [one.id for one in old.streams] == [one.id for one in new.streams]
    assert compare(old, old) == []


def test_a_lock_is_plain_json_in_blocks():
    document = json.loads(LOCK)
    assert list(document) == ["stipula", "format", "surfaces", "streams", "profiles"]
    assert document["format"] == FORMAT
    assert [one["id"] for one in document["surfaces"]] == [
        "mcp:time#now",
        "route:GET /items#200",
        "stream:/chat#chunk",
        "tool:search",
    ]
    assert LOCK.decode().count("\n\n    {\n") == 3


def test_an_mcp_tool_is_told_once_by_its_definition():
    record = json.loads(LOCK)["surfaces"][0]
    assert list(record) == ["id", "kind", "digests", "definition"]
    assert record["definition"]["inputSchema"]["required"] == ["a", "b"]
    assert read(LOCK).surfaces[0].annotations["destructiveHint"] is True


def test_consumers_are_kept():
    reader = Reader(file="web/api.js", line=143, field="/text", verdict="used")
    surface = Surface(id="tool:a", kind="tool", consumers=(reader,))
    assert read(write(Contract().add(surface).build())).surfaces == (surface,)


def test_characters_that_do_not_show_stand_escaped():
    hidden = "a\u200bb\u202ec\U000e0041"
    content = write(Contract().declare_tool("a", description=hidden).build())
    assert rb'"a\u200bb\u202ec\udb40\udc41"' in content
    assert read(content).surfaces[0].texts["description"] == hidden


# ---------------------------------------------------------------- what is broken is named with its line


def line_of(content, word):
    return next(number for number, line in enumerate(content.decode().split("\n"), start=1) if word in line)


def cut(content):
    return content[: content.index(b'"streams"')]


@pytest.mark.parametrize(
    ("broken", "line", "said"),
    [
        (b"", 1, "not JSON"),
        (b"\xff\n", 1, "not UTF-8"),
        (b"[]", 1, "names no format"),
        (cut(LOCK), cut(LOCK).count(b"\n") + 1, "not JSON"),
        (LOCK.replace(b'"kind": "tool",', b'"kind": "tool"'), line_of(LOCK, '"kind": "tool"') + 1, "not JSON"),
        (
            LOCK.replace(b'"kind": "tool",', b'"kind": "too",'),
            line_of(LOCK, '"id": "tool:search"'),
            "invalid enum value 'too'",
        ),
        (
            LOCK.replace(b'"kind": "tool",', b'"kind": "route",'),
            line_of(LOCK, '"id": "tool:search"'),
            "is no surface id",
        ),
        (
            LOCK.replace(b'"kind": "tool",', b'"kind": "tool", "x": 1,'),
            line_of(LOCK, '"id": "tool:search"'),
            "unknown field `x`",
        ),
        (
            LOCK.replace(b'"kind": "tool",', b'"kind": "tool", "kind": "tool",'),
            line_of(LOCK, '"kind": "tool"'),
            "stands twice",
        ),
        (
            LOCK.replace(b'"type": "array"', b'"type": "object"'),
            line_of(LOCK, "route:GET /items#200"),
            "not the one its digests",
        ),
        (
            LOCK.replace(b'"keepalive": ": k"', b'"keepalive": 1e999'),
            line_of(LOCK, '"keepalive"'),
            "1e999 is too large",
        ),
        (
            LOCK.replace(b'"keepalive": ": k"', b'"keepalive": NaN'),
            line_of(LOCK, '"keepalive"'),
            "NaN is no JSON value",
        ),
        (LOCK.replace(b'"keepalive": ": k"', b'"keepalive": ' + b"9" * 5000), 1, "thousands of digits"),
        (b'{"format": ' + b"[" * 100_000, 1, "nested beyond reason"),
    ],
)
def test_a_broken_lock_names_its_line_and_the_remedy(broken, line, said):
    with pytest.raises(LockBroken, match=rf"^my\.lock:{line}: .*{said}.*; restore it from version control, or"):
        read(broken, file="my.lock")


@pytest.mark.parametrize("mark", ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> other"])
def test_the_marks_of_an_unfinished_merge_are_recognised(mark):
    torn = LOCK.replace(b'      "kind": "tool"', mark.encode() + b'\n      "kind": "tool"')
    line = line_of(LOCK, '"kind": "tool"')
    with pytest.raises(LockConflict, match=f":{line}: an unfinished merge"):
        read(torn)


@pytest.mark.parametrize(("level", "advice"), [(FORMAT + 1, "upgrade Stipula"), (0, "run `stipula freeze`")])
def test_another_format_says_what_to_do(level, advice):
    with pytest.raises(LockForeign, match=f"has format {level}, .*; {advice}"):
        read(LOCK.replace(b'"format": 1', f'"format": {level}'.encode()))


@given(cutoff=st.integers(0, len(LOCK) - 3))
def test_a_lock_cut_anywhere_is_a_named_fault(cutoff):
    with pytest.raises(LockBroken):
        read(LOCK[:cutoff])


# ---------------------------------------------------------------- git


def git(folder: Path, *words: str) -> int:
    names = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *names, *words], cwd=folder, capture_output=True, check=False).returncode


def merged(folder: Path, base: bytes, ours: bytes, theirs: bytes) -> tuple[int, bytes]:
    lock = folder / "stipula.lock.json"

    def commit(content: bytes) -> None:
        lock.write_bytes(content)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "x")

    git(folder, "init", "-q", "-b", "main")
    commit(base)
    git(folder, "checkout", "-q", "-b", "other")
    commit(theirs)
    git(folder, "checkout", "-q", "main")
    commit(ours)
    return git(folder, "merge", "-q", "other"), lock.read_bytes()


def test_git_merges_changes_of_different_surfaces(tmp_path):
    names = ["a", "b", "c"]

    def lock(**shapes):
        return write(Contract().stream("/s", {name: {"type": "object"} for name in names} | shapes).build())

    code, content = merged(tmp_path, lock(), lock(b={"type": "null"}), lock(c={"type": "array"}, d=TEXT))
    assert code == 0
    assert content == lock(b={"type": "null"}, c={"type": "array"}, d=TEXT)


def test_changes_of_one_surface_conflict_and_are_told_so(tmp_path):
    base, ours, theirs = (write(sample(end={"title": title})) for title in "abc")
    code, content = merged(tmp_path, base, ours, theirs)
    assert code == 1
    with pytest.raises(LockConflict):
        read(content)
