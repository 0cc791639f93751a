import datetime as dt
from pathlib import Path

import pytest

from stipula.collect.project import (
    BadKey,
    BadToml,
    CollectEntry,
    Consumer,
    NoProject,
    ProfileEntry,
    UnreadableFile,
    find,
    load,
    read,
)
from stipula.diff.waivers import Waiver

WHOLE = """
lock = "promises.lock.json"

[[collect]]
from = "declared"
contract = "shop.contract:CONTRACT"

[[collect]]
from = "mcp"
name = "b2"
command = ["python", "-m", "b2_mcp"]

[collect.profiles.full]
env = {B2_PROFILE = "full"}

[[consumer]]
from = "javascript"
root = "web"

[[waiver]]
fingerprint = "0123456789abcdef"
rule = "field-removed"
surface = "tool:a"
pointer = "/shapes/input"
reason = "nobody reads it"
owner = "kim"
expires = 2026-12-31
"""


def test_a_whole_file_is_read():
    project = read(WHOLE, file=Path("/p/stipula.toml"))
    assert project.collect == (
        CollectEntry(source="declared", contract="shop.contract:CONTRACT"),
        CollectEntry(
            source="mcp",
            name="b2",
            command=("python", "-m", "b2_mcp"),
            profiles={"full": ProfileEntry(env={"B2_PROFILE": "full"})},
        ),
    )
    assert project.consumer == (Consumer(language="javascript", root="web"),)
    assert project.waiver == (
        Waiver(
            fingerprint="0123456789abcdef", rule="field-removed", surface="tool:a", pointer="/shapes/input",
            reason="nobody reads it", owner="kim", expires=dt.date(2026, 12, 31),
        ),
    )  # fmt: skip
    assert project.lock_path == Path("/p/promises.lock.json")


def test_pyproject_holds_the_same_below_its_table():
    text = (
        '[project]\nname = "x"\n\n[tool.stipula]\nlock = "l"\n\n[[tool.stipula.collect]]\nfrom = "events"\nfile = "e"\n'
    )
    project = read(text, file=Path("/p/pyproject.toml"))
    assert (project.lock, [one.label for one in project.collect]) == ("l", ["events e"])
    with pytest.raises(BadKey, match=r"^pyproject.toml:6: unknown key `locks`"):
        read(text.replace("lock =", "x = 1\nlocks =").replace("x = 1", ""), file=Path("/p/pyproject.toml"))


ENTRY = '[[collect]]\nfrom = "events"\n'


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('lock = "a"\nlok = 1\n', 2, "unknown key `lok`"),
        ('root = "x"\n', 1, "unknown key `root`"),
        ('[server]\nlisten = ""\n', 1, "unknown key `server`"),
        (f'{ENTRY}file = "a"\n\n{ENTRY}file = "b"\nfil = 1\n', 8,
            'unknown key `fil` for from = "events"; it takes file, path'),
        ('[[collect]]\nfrom = "declared"\nfile = "a"\n', 3,
            'unknown key `file` for from = "declared"; it takes contract'),
        ('[[collect]]\nfrom = "opnapi"\n', 2, "`from` is 'opnapi'; it is one of declared, events,"),
        ('\n[[collect]]\nfile = "x"\n', 2, "`from` is missing"),
        ('[[collect]]\nfrom = "openapi"\n', 1, 'from = "openapi" needs one of `app` or `file` or `url`'),
        ('[[collect]]\nfrom = "mcp"\nurl = "a"\nserver = "b"\n', 1, "needs one of"),
        ('[[collect]]\nfrom = "mcp"\ncommand = "python -m x"\n', 3, "`command`: expected `array`, got `str`"),
        ('[[collect]]\nfrom = "mcp"\nurl = "a"\n[collect.profiles.full]\nargz = []\n', 5, "unknown key `argz`"),
        ('[[collect]]\nfrom = "mcp"\nurl = "a"\n[collect.profiles.full]\nargs = 1\n', 5, "`args`: expected `array`"),
        ('[[consumer]]\nfrom = "cobol"\nroot = "."\n', 2, "`from`: invalid enum value 'cobol'"),
        ('[[waiver]]\nrule = "x"\n', 1, "missing required field"),
        (WHOLE.replace("2026-12-31", '"soon"'), WHOLE.count("\n"), "`expires`: invalid RFC3339"),
        ("collect = 1\n", 1, "`collect`: expected `array`"),
        ("collect = [1]\n", 1, "expected `object`"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named_with_its_line(text, line, said):
    with pytest.raises(BadKey) as caught:
        read(text, file=Path("stipula.toml"))
    assert str(caught.value).startswith(f"stipula.toml:{line}: ")
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


def test_what_is_no_toml_says_where():
    with pytest.raises(BadToml, match=r"stipula\.toml: not TOML: .* line 2"):
        read("a = 1\nb == 2\n", file=Path("stipula.toml"))


def test_the_nearest_file_above_is_found(tmp_path):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "stipula.toml").write_text("")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\n")
    assert find(below) == tmp_path / "stipula.toml"
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.stipula]\n")
    assert find(below) == tmp_path / "a" / "pyproject.toml"


def test_no_file_at_all_names_the_command_that_writes_one(tmp_path):
    with pytest.raises(NoProject, match="`stipula init` writes one"):
        find(tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(UnreadableFile, match="No such file"):
        load(tmp_path / "stipula.toml")
    (tmp_path / "stipula.toml").write_bytes(b"\xff")
    with pytest.raises(UnreadableFile, match="not UTF-8"):
        load(tmp_path / "stipula.toml")
