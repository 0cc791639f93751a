"""The configuration file: every fault at once, each with its key and line; no secret in the file or in a message."""

from pathlib import Path

import pytest

from stipula import settings
from stipula.gateway import presets
from stipula.gateway.config import DIALECTS
from stipula.redact import Secret
from stipula.settings import Misconfigured, data_folder, load, read

FILE = Path("/nowhere/gateway.toml")
WHOLE = """
[server]
listen = "127.0.0.1:8400"
[gateway]
client_keys = ["env:A", { key = "env:B", name = "b", models = ["gpt-*"] }]
[[gateway.upstreams]]
name = "main"
dialect = "openai_chat"
base_url = "http://127.0.0.1:9100/v1"
keys = ["env:A", "env:B"]
models = { "gpt-*" = "*", "fast" = "gpt-4o-mini" }
[gateway.quarantine]
consecutive_internal_errors = 3
seconds = 60
[gateway.cache]
enabled = true
ttl_s = 10
[storage]
url = "sqlite:///kept/stipula.db"
shared = "memory"
conversations = false
[chat]
guard = "enforce"
"""
NOT_ITSELF = 'a secret is written "env:NAME", the name of an environment variable, not itself'
EMPTY_NAME = "an empty model name; wanted: a name, or a glob in which * stands for any text"
BAD_TARGET = "'b*' = 'c*': wanted the upstream's model name, or \"*\" for the name as asked"
UPSTREAM = '[[gateway.upstreams]]\nname = "main"\ndialect = "openai_chat"\n'


def faults(text, environ=None):
    with pytest.raises(Misconfigured) as found:
        read(text, file=FILE, environ=environ or {"A": "secret-a", "B": "secret-b"})
    return list(found.value.lines)


def test_a_whole_file_is_read_into_frozen_structs():
    told = read(WHOLE, file=FILE, environ={"A": "secret-a", "B": "secret-b"})
    (upstream,) = told.gateway.upstreams
    assert upstream.keys == (Secret("secret-a"), Secret("secret-b"))
    assert upstream.models == {"gpt-*": "*", "fast": "gpt-4o-mini"}
    assert [(client.key, client.name, client.models) for client in told.gateway.client_keys] == [
        (Secret("secret-a"), "", ()),
        (Secret("secret-b"), "b", ("gpt-*",)),
    ]
    assert (told.gateway.quarantine.consecutive_internal_errors, told.gateway.quarantine.seconds) == (3, 60)
    assert (told.gateway.cache.enabled, told.gateway.cache.ttl_s) == (True, 10)
    assert (told.storage.conversations, told.chat.guard) == (False, "enforce")
    with pytest.raises(AttributeError):
        setattr(told.server, "listen", "0.0.0.0:1")  # noqa: B010 - a checker would see it


def test_keys_that_are_absent_are_told_from_an_empty_pool():
    more = 'base_url = "http://x/v1"\nmodels = { m = "*" }\n'
    absent = read(UPSTREAM + more, file=FILE, environ={}).gateway.upstreams[0]
    empty = read(UPSTREAM + more + "keys = []", file=FILE, environ={}).gateway.upstreams[0]
    assert (absent.keys, empty.keys) == (None, ())


def test_every_fault_is_told_at_once_with_its_key_and_line():
    text = """[server]
listen = 8400
lissten = "x"
[gateway]
client_keys = ["sk-abcdefghijklmnop", "env:NOT_SET"]
[[gateway.upstreams]]
name = "main"
dialect = "opnai_chat"
base_url = "ftp://x/v1"
models = { "" = "x", "a**" = "*", "b*" = "c*" }
[[gateway.upstreams]]
name = "main"
dialect = "openai_chat"
base_url = "http://x/v1"
models = { "m" = "m" }
[gateway.cache]
ttl_s = 0
[storage]
url = "mysql://x"
shared = "magic"
"""
    assert faults(text) == [
        "gateway.toml:2: server.listen: expected `str`, got `int`",
        "gateway.toml:3: server.lissten: unknown key; did you mean `listen`?",
        f"gateway.toml:5: gateway.client_keys[0].key: {NOT_ITSELF}",
        "gateway.toml:5: gateway.client_keys[1].key: the environment variable NOT_SET is not set",
        "gateway.toml:8: gateway.upstreams[0].dialect: no upstream dialect is named 'opnai_chat'; there are "
        + ", ".join(DIALECTS),
        f"gateway.toml:10: gateway.upstreams[0].models.: {EMPTY_NAME}",
        "gateway.toml:10: gateway.upstreams[0].models.a**: the glob 'a**' has two stars in a row; wanted: one",
        f"gateway.toml:10: gateway.upstreams[0].models.b*: {BAD_TARGET}",
        "gateway.toml:12: gateway.upstreams[1].name: two upstreams are named 'main'; names are unique",
        "gateway.toml:17: gateway.cache.ttl_s: expected `float` > 0.0",
        "gateway.toml:19: storage.url: 'mysql://x' names no store; wanted: sqlite:///FILE, or sqlite:////ABSOLUTE/FILE",
        "gateway.toml:20: storage.shared: invalid enum value 'magic'",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[server]\nlisten = 'x'", "gateway.toml:2: server.listen: 'x' is no address; wanted: host:port"),
        ("[server]\nlisten = '127.0.0.1:99999'", "is no address"),
        ("[server]\nlisten = '0.0.0.0:8400'", "other machines reach 0.0.0.0; wanted: [gateway] client_keys"),
        ("[nonsense]\nx = 1", "gateway.toml:1: nonsense: unknown key; known are server, gateway, chat, storage"),
        ("gateway = 5", "gateway.toml:1: gateway: expected a table, got a number"),
        (UPSTREAM + 'models = { m = "*" }', "gateway.upstreams[0].base_url: '' is no http or https address"),
        (UPSTREAM + 'base_url = "http://x/v1"', "gateway.upstreams[0].models: no model is named"),
        ("[[gateway.upstreams]]\ndialect = 'echo'", "gateway.toml:1: gateway.upstreams[0]: `name` is missing"),
        (
            "[[gateway.upstreams]]\nname='e'\ndialect='echo'\nkeys=['env:A']",
            "`keys` has no meaning for the dialect echo",
        ),
        ("[server", "gateway.toml: not TOML:"),
        ("vendors = ['x']", "vendors: unknown key"),
    ],
)
def test_each_fault_says_what_was_seen_and_what_was_wanted(text, said):
    (line,) = faults(text)
    assert said in line


def test_no_message_holds_a_secret():
    lines = faults(f"[gateway]\nclient_keys = ['{'sk-' + 'x' * 20}']\n[server]\nlisten = 'x'", {"A": "secret-a"})
    assert "sk-" not in " ".join(lines)


def test_an_empty_environment_variable_is_not_set():
    assert (
        "the environment variable A is not set" in faults("[gateway]\nclient_keys = ['env:A']", {"A": "", "B": "x"})[0]
    )


def test_a_relative_store_stands_beside_the_file_and_an_absolute_one_where_it_says():
    relative = read("[storage]\nurl = 'sqlite:///a.db'", file=FILE, environ={}).storage.url
    absolute = read("[storage]\nurl = 'sqlite:////data/a.db'", file=FILE, environ={}).storage.url
    assert (relative, absolute) == ("sqlite:////nowhere/a.db", "sqlite:////data/a.db")


# ---------------------------------------------------------------- without a file


def test_without_a_file_there_are_the_upstreams_of_this_machine_on_loopback(tmp_path):
    told = load(None, {"XDG_DATA_HOME": str(tmp_path)})
    assert [(one.name, one.dialect) for one in told.gateway.upstreams] == [("local", "local"), ("echo", "echo")]
    assert told.server.listen == "127.0.0.1:8400"
    assert told.storage.url == f"sqlite:///{tmp_path}/stipula/stipula.db"


def test_a_file_without_upstreams_has_them_as_well(tmp_path):
    (tmp_path / "s.toml").write_text("[server]\nlisten = '127.0.0.1:0'\n")
    assert [one.name for one in load(tmp_path / "s.toml", {}).gateway.upstreams] == ["local", "echo"]


def test_a_vendors_key_in_the_environment_adds_its_upstream(tmp_path):
    told = load(None, {"HOME": str(tmp_path), "OPENAI_API_KEY": "sk-x"})
    assert (told.vendors, told.gateway.upstreams[-1].keys) == (("openai",), (Secret("sk-x"),))


def test_a_file_with_upstreams_is_not_added_to(tmp_path):
    (tmp_path / "s.toml").write_text("[[gateway.upstreams]]\nname = 'e'\ndialect = 'echo'\n")
    assert [one.name for one in load(tmp_path / "s.toml", {"OPENAI_API_KEY": "x"}).gateway.upstreams] == ["e"]


@pytest.mark.parametrize("row", presets.rows(), ids=lambda row: row["name"])
def test_every_vendor_row_has_a_source_and_a_date_and_makes_a_sound_upstream(row):
    assert row["source"].startswith("https://")
    assert row["seen"].year >= 2026
    for upstream in presets.vendors({row["env"]: "x"}):
        assert list(upstream.faults()) == []


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(settings.ConfigurationUnreadable, match="No such file"):
        load(tmp_path / "none.toml", {})


@pytest.mark.parametrize(
    ("environ", "platform", "folder"),
    [
        ({"XDG_DATA_HOME": "/d", "HOME": "/h"}, "linux", "/d/stipula"),
        ({"HOME": "/h"}, "linux", "/h/.local/share/stipula"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Application Support/stipula"),
    ],
)
def test_data_stands_where_the_platform_wants_it(environ, platform, folder):
    assert data_folder(environ, platform) == Path(folder)


def test_another_address_is_held_to_the_same_rules():
    told = load(None, {"HOME": "/h"})
    assert settings.with_listen(told, "127.0.0.1:1").server.port == 1
    for listen in ("nonsense", "0.0.0.0:8400"):
        with pytest.raises(Misconfigured):
            settings.with_listen(told, listen)
