import json
import stat

from stipula.contract.lockfile import read, write
from stipula.contract.model import Reader


def test_the_first_freeze_writes_the_lock_and_says_how_much(project):
    done = project.stipula("freeze")
    assert (done.returncode, done.stdout, done.stderr) == (0, "froze 2 surfaces in stipula.lock.json\n", "")
    assert [one["id"] for one in json.loads((project.root / "stipula.lock.json").read_text())["surfaces"]] == [
        "stream:/chat/stream#chunk",
        "stream:/chat/stream#complete",
    ]


def test_a_second_freeze_gives_the_same_bytes_under_another_hash_seed(frozen):
    lock = frozen.root / "stipula.lock.json"
    before = lock.read_bytes()
    done = frozen.stipula("freeze", PYTHONHASHSEED="7")
    assert done.stdout == "froze 2 surfaces in stipula.lock.json: nothing changed\n"
    assert lock.read_bytes() == before


def test_freezing_a_change_says_its_levels(frozen):
    frozen.drop_complete()
    assert frozen.stipula("freeze").stdout == "froze 1 surface in stipula.lock.json: 2 breaking\n"
    assert frozen.check()[0] == 0


def test_nothing_is_written_where_something_cannot_be_collected(frozen):
    lock = frozen.root / "stipula.lock.json"
    before = lock.read_bytes()
    config = frozen.root / "stipula.toml"
    config.write_text(config.read_text() + '[[collect]]\nfrom = "events"\nfile = "gone.json"\n')
    frozen.drop_complete()
    assert frozen.stipula("freeze").returncode == 3
    assert lock.read_bytes() == before


def test_a_broken_lock_is_named_and_written_anew(frozen):
    lock = frozen.root / "stipula.lock.json"
    before = lock.read_bytes()
    lock.write_bytes(b"<<<<<<< HEAD\n" + before)
    done = frozen.stipula("freeze")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "CON502" in done.stderr
    assert lock.read_bytes() == before


def test_the_lock_is_put_in_place_whole_with_its_permissions_and_leaves_nothing_behind(frozen):
    lock = frozen.root / "stipula.lock.json"
    lock.chmod(0o640)
    frozen.drop_complete()
    with lock.open("rb") as old:
        assert frozen.stipula("freeze").returncode == 0
        assert b"#complete" in old.read()  # who had opened the old one still reads it whole
    assert stat.S_IMODE(lock.stat().st_mode) == 0o640
    assert sorted(path.name for path in frozen.root.iterdir()) == ["events.json", "stipula.lock.json", "stipula.toml"]


def test_a_lock_that_cannot_be_written_is_one_line_and_3(project):
    (project.root / "stipula.toml").write_text(
        'lock = "no/such/folder.json"\n' + (project.root / "stipula.toml").read_text()
    )
    done = project.stipula("freeze")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "CLI103 cannot write " in done.stderr


def test_confirmed_consumers_are_carried_over(frozen):
    lock = frozen.root / "stipula.lock.json"
    contract = read(lock.read_bytes())
    reader = Reader(file="web/api.js", line=143, field="/content")
    confirmed = [
        type(one)(id=one.id, kind=one.kind, shapes=one.shapes, consumers=(reader,)) for one in contract.surfaces
    ]
    lock.write_bytes(write(type(contract)(tuple(confirmed), contract.streams)))
    frozen.edit(lambda it: it["events"]["chunk"]["properties"].pop("content"))
    assert "read at web/api.js:143 (used)" in frozen.stipula("check").stdout
    assert frozen.stipula("freeze").returncode == 0
    assert {one.consumers for one in read(lock.read_bytes()).surfaces} == {(reader,)}
