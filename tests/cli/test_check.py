import datetime as dt
import json
import os
import shutil
import subprocess
import sys

import pytest

SURFACE = "stream:/chat/stream#chunk"
FIELD = "/shapes/success/properties/content"


def without_field(document):
    del document["events"]["chunk"]["properties"]["content"]
    document["events"]["chunk"]["required"] = []


def test_nothing_differs_from_a_fresh_lock(frozen):
    code, report = frozen.check()
    assert (code, report) == (
        0,
        {
            "surfaces": 2,
            "verdict": "identical",
            "findings": [],
            "counts": {"breaking": 0, "undecided": 0, "warning": 0, "routing": 0, "safe": 0, "note": 0},
        },
    )
    assert frozen.stipula("check").stdout == "2 surfaces held against stipula.lock.json: nothing differs\n"


def test_a_finding_names_surface_pointer_old_and_new(frozen):
    frozen.edit(without_field)
    code, report = frozen.check()
    gone = report["findings"][0]
    assert code == 1
    assert report["verdict"] == "breaking"
    assert (gone["rule"], gone["level"], gone["surface"], gone["pointer"], gone["old"]) == (
        "field-removed",
        "breaking",
        SURFACE,
        FIELD,
        {"type": "string"},
    )
    assert "new" not in gone
    assert gone["witness"] == {}
    assert gone["consumers"] == []


def test_the_text_says_the_same_and_what_to_do(frozen):
    frozen.edit(lambda it: it["events"]["chunk"]["properties"].update(content={"type": "integer"}))
    done = frozen.stipula("check")
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith(
        f'breaking  {SURFACE} {FIELD}/type: /content: the type is "integer" now, "string" before [type-changed, '
    )
    assert lines[1:3] == ['          was "string"', '          now "integer"']
    assert lines[3] == "2 surfaces held against stipula.lock.json: 1 breaking"
    assert lines[4].startswith("To accept: `stipula freeze`, then commit stipula.lock.json.")


def fields(document):
    return document["events"]["chunk"]["properties"]


EDITS = {
    "a field renamed": (
        lambda it: fields(it).update(chunkIndex=fields(it).pop("chunk_index")),
        [("field-renamed", "note")],
    ),
    "a field required": (
        lambda it: it["events"]["chunk"]["required"].append("chunk_index"), [("required-added", "safe")]),
    "a field added": (lambda it: fields(it).update(more={}), [("field-added", "safe")]),
    "a text changed": (
        lambda it: it["events"]["complete"].update(description="End."), [("description-changed", "routing")]),
    "an order changed": (lambda it: it["order"]["states"]["open"].pop("chunk"), [("stream-order-narrowed", "safe")]),
    "key order and required order": (
        lambda it: it["events"].update(chunk=dict(reversed(it["events"]["chunk"].items()))), []),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_any_difference_is_a_finding_and_fails(frozen, name):
    edit, expected = EDITS[name]
    frozen.edit(edit)
    code, report = frozen.check()
    assert [(one["rule"], one["level"]) for one in report["findings"]] == expected
    assert code == (1 if expected else 0)


def test_a_bar_lets_pass_what_is_less_grave(frozen):
    frozen.edit(lambda it: it["events"]["complete"].update(description="End."))
    assert [frozen.check("--fail-on", level)[0] for level in ("note", "routing", "warning", "breaking")] == [1, 1, 0, 0]


def waiver(finding, expires):
    keys = ("fingerprint", "rule", "surface", "pointer")
    stated = "".join(f"{key} = {json.dumps(finding[key])}\n" for key in keys)
    return f'\n[[waiver]]\n{stated}reason = "ours alone"\nowner = "kim"\nexpires = {expires}\n'


def test_a_waived_finding_passes_until_it_expires_or_goes_stale(frozen):
    config = frozen.root / "stipula.toml"
    bare = config.read_text()
    frozen.edit(lambda it: it["events"]["chunk"]["properties"].update(more={}))
    finding = frozen.check()[1]["findings"][0]
    tomorrow, yesterday = (dt.datetime.now(tz=dt.UTC).date() + dt.timedelta(days=days) for days in (1, -1))

    config.write_text(bare + waiver(finding, tomorrow))
    code, report = frozen.check()
    assert (code, report["findings"], len(report["waived"])) == (0, [], 1)
    assert f"by kim until {tomorrow}: ours alone" in frozen.stipula("check").stdout

    config.write_text(bare + waiver(finding, yesterday))
    assert [one["rule"] for one in frozen.check()[1]["findings"]] == ["waiver-expired", "field-added"]

    config.write_text(bare + waiver(finding, tomorrow))
    frozen.edit(lambda it: it)
    code, report = frozen.check()
    assert (code, [one["rule"] for one in report["findings"]]) == (1, ["waiver-stale"])


def test_a_text_that_would_play_with_the_terminal_is_shown_escaped(frozen):
    frozen.edit(lambda it: it["events"]["complete"].update(description="\x1b[31mred\u202e"))
    shown = frozen.stipula("check").stdout
    assert "\x1b" not in shown
    assert r"\u001b[31mred\u202e" in shown


# ---------------------------------------------------------------- bad input: one line, the documented exit code


def cut_lock(project):
    lock = project.root / "stipula.lock.json"
    lock.write_text(lock.read_text()[:700])


def torn_lock(project):
    lock = project.root / "stipula.lock.json"
    lock.write_text(lock.read_text().replace('"surfaces"', '\n<<<<<<< HEAD\n"surfaces"'))


def unknown_key(project):
    config = project.root / "stipula.toml"
    config.write_text(config.read_text() + "fil = 1\n")


BAD_INPUT = {
    "a missing lock": (lambda it: (it.root / "stipula.lock.json").unlink(), 3, "CLI101 no lock at "),
    "a lock that is a folder": (
        lambda it: (it.root / "stipula.lock.json").replace(it.root / "old") and (it.root / "stipula.lock.json").mkdir(),
        3, "CLI102 cannot read "),
    "a broken lock": (cut_lock, 3, "CON501 stipula.lock.json:"),
    "a torn lock": (torn_lock, 3, "CON502 stipula.lock.json:"),
    "an unknown key": (unknown_key, 2, "CFG104 stipula.toml:5: unknown key `fil`"),
    "no project": (lambda it: (it.root / "stipula.toml").unlink(), 2, "CFG101 no stipula.toml"),
    "no toml": (lambda it: (it.root / "stipula.toml").write_text("x"), 2, "CFG103 stipula.toml: not TOML"),
    "nothing to collect": (lambda it: (it.root / "stipula.toml").write_text(""), 2, "COL001 the project names nothing"),
    "a missing document": (lambda it: (it.root / "events.json").unlink(), 3, "events.json"),
    "a document that is no JSON": (lambda it: (it.root / "events.json").write_text("{"), 3, "events.json"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_one_line_with_its_exit_code(frozen, name):
    spoil, code, said = BAD_INPUT[name]
    spoil(frozen)
    done = frozen.stipula("check")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    assert done.stderr.startswith("stipula: ")
    assert said in done.stderr


def test_every_entry_that_cannot_be_collected_is_reported(frozen):
    config = frozen.root / "stipula.toml"
    config.write_text(
        config.read_text() + '[[collect]]\nfrom = "events"\nfile = "a"\n[[collect]]\nfrom = "events"\nfile = "b"\n'
    )
    done = frozen.stipula("check")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 2)


def test_wrong_usage_is_one_line_and_2(frozen):
    for words in (["check", "--nope"], ["check", "--fail-on", "all"], ["chekc"], ["check", "x"]):
        done = frozen.stipula(*words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "--help)" in done.stderr


def test_progress_is_for_terminals_only(frozen):
    assert frozen.stipula("check").stderr == ""


def test_a_reader_that_leaves_makes_no_noise(frozen):
    frozen.edit(lambda it: it["events"]["chunk"]["properties"].update({f"f{n}": {} for n in range(5000)}))
    head = shutil.which("head")
    assert head
    # unbuffered, Python itself hides that a write was cut short
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    words = [sys.executable, "-m", "stipula", "check"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=frozen.root, stdout=pipe, stderr=pipe, env=environ) as program:
        assert program.stdout
        assert program.stderr
        subprocess.run([head, "-c", "10"], stdin=program.stdout, capture_output=True, check=True)
        program.stdout.close()
        assert (program.stderr.read(), program.wait()) == (b"", 3)
