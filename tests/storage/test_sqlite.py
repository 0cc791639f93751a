"""The embedded store: what its file survives, and what each fault is called."""

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest

from stipula.storage import sqlite
from stipula.storage.faults import (
    StorageClosed,
    StorageCorrupt,
    StorageFull,
    StorageLocked,
    StorageNewer,
    StorageReadOnly,
    StorageUnopenable,
    StorageUrlUnknown,
)
from stipula.storage.ports import Key, Row
from stipula.storage.sqlite.file import migrations, path_of

pytestmark = pytest.mark.anyio

NOTE = Row(kind="note", id="a", text="kept words")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def test_three_slashes_are_relative_and_four_absolute():
    assert path_of("sqlite:///stipula.db") == Path("stipula.db")
    assert path_of("sqlite:////var/lib/stipula.db") == Path("/var/lib/stipula.db")


@pytest.mark.parametrize(
    "url", ["stipula.db", "sqlite://x.db", "sqlite:///", "mysql://me:secret@host/x", "sqlite:///a?b"]
)
def test_an_unknown_url_is_named_and_its_password_is_not(url: str):
    with pytest.raises(StorageUrlUnknown) as caught:
        path_of(url)
    assert "secret" not in str(caught.value)
    assert "sqlite:///file.db" in str(caught.value)


async def test_what_was_written_is_there_after_a_reopening(url: str):
    store = sqlite.open(url)
    await store.records.write([NOTE])
    await store.close()
    store = sqlite.open(url)
    assert await store.records.search("note", "kept") == [NOTE]
    await store.close()


async def test_the_file_is_for_its_owner_alone_and_its_folder_is_made(tmp_path: Path):
    store = sqlite.open(f"sqlite:///{tmp_path}/new/folder/store.db")
    await store.close()
    assert stat.S_IMODE((tmp_path / "new/folder/store.db").stat().st_mode) == 0o600


async def test_two_stores_may_share_a_file(url: str):
    one, two = sqlite.open(url), sqlite.open(url)
    await asyncio.gather(*(store.keyvalue.count("n") for store in (one, two) for _ in range(20)))
    assert await two.keyvalue.count("n", 0) == 40
    await one.close()
    await two.close()


async def test_a_follower_in_another_store_sees_the_entry(url: str):
    one, two = sqlite.open(url), sqlite.open(url)
    await one.journal.append("s", b"a")
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(two.journal.changed("s", 1))
        await one.journal.append("s", b"b")
    await one.close()
    await two.close()


async def test_a_write_is_done_even_where_its_caller_is_cancelled(url: str):
    store = sqlite.open(url)
    async with asyncio.TaskGroup() as group:
        before = [group.create_task(store.keyvalue.count("n")) for _ in range(5)]
        last = group.create_task(store.records.write([NOTE]))
        await asyncio.sleep(0)
        last.cancel()
    assert [task.result() for task in before] == [1, 2, 3, 4, 5]
    assert last.cancelled()
    await store.records.write()
    assert await store.records.get("note", "a") == NOTE
    await store.close()


async def test_a_write_that_fails_leaves_nothing_behind(url: str):
    store = sqlite.open(url)
    unwritable = Row(kind="note", id="b", at=2**70)
    with pytest.raises(OverflowError):
        await store.records.write([NOTE, unwritable])
    assert await store.records.find("note") == []
    await store.close()


async def test_a_locked_store_is_named_after_the_wait(url: str):
    store = sqlite.open(url, busy_s=0.05)
    other = sqlite3.connect(path_of(url), isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StorageLocked, match=r"store\.db is locked by another program, waited 0\.05 s"):
        await store.records.write([NOTE])
    other.execute("ROLLBACK")
    other.close()
    assert await store.records.write([NOTE]) is True
    await store.close()


async def test_a_full_store_is_named_and_keeps_what_it_has(url: str):
    store = sqlite.open(url)
    await store.records.write([NOTE])
    await store.file.write(lambda inside: inside.execute("PRAGMA max_page_count = 1").close())
    with pytest.raises(StorageFull):
        await store.records.write([Row(kind="note", id="b", text="x" * 100_000)])
    assert await store.records.find("note") == [NOTE]
    await store.close()


async def test_a_store_that_may_not_be_written_is_named(url: str):
    store = sqlite.open(url)
    await store.file._run(store.file._writer, lambda inside: inside.execute("PRAGMA query_only = ON").close())
    for call in (store.records.write([NOTE]), store.records.check()):
        with pytest.raises(StorageReadOnly):
            await call
    assert await store.records.get("note", "a") is None
    await store.close()


def test_a_file_that_is_no_store_is_named(tmp_path: Path):
    (tmp_path / "x.db").write_bytes(b"this is a text, and quite a long one at that. " * 40)
    with pytest.raises(StorageCorrupt, match="is no store or is damaged"):
        sqlite.open(f"sqlite:///{tmp_path}/x.db")


def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path):
    foreign = sqlite3.connect(tmp_path / "x.db")
    foreign.execute("CREATE TABLE theirs (a)")
    foreign.close()
    with pytest.raises(StorageCorrupt, match="tables that are not ours"):
        sqlite.open(f"sqlite:///{tmp_path}/x.db")


async def test_damage_inside_the_file_is_named(url: str):
    store = sqlite.open(url)
    await store.records.write([Row(kind="note", id=str(n), text=f"{n} " * 500) for n in range(50)])
    await store.close()
    bytes_ = bytearray(path_of(url).read_bytes())
    bytes_[4096:] = b"\xa5" * (len(bytes_) - 4096)
    path_of(url).write_bytes(bytes_)
    damaged = sqlite.open(url)
    with pytest.raises(StorageCorrupt):
        await damaged.records.find("note")
    await damaged.close()


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path):
    with pytest.raises(StorageUnopenable, match=r"Is a directory"):
        sqlite.open(f"sqlite:///{tmp_path}")


def test_a_store_of_a_newer_version_is_left_alone(url: str):
    connection = sqlite3.connect(path_of(url))
    connection.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    connection.close()
    with pytest.raises(StorageNewer, match="use the newer program"):
        sqlite.open(url)


async def test_a_closed_store_says_so(url: str):
    store = sqlite.open(url)
    await store.close()
    await store.close()
    with pytest.raises(StorageClosed):
        await store.records.write(deletes=[Key("note", "a")])
