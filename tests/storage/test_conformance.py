"""What every backend does, the same to the letter: one suite, run over each of them."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stipula.storage.memory import MemoryRecords
from stipula.storage.ports import Entry, Key, Row, Store, Tail, Under

pytestmark = pytest.mark.anyio

DAY = Row(kind="note", id="a", owner="me", parent="p", state="open", at=1, text="Grüße aus Đà Nẵng", body={"x": [1]})
NIGHT = Row(kind="note", id="b", owner="me", parent="q", state="shut", at=2, text="a quiet night")
OTHERS = Row(kind="note", id="c", owner="you", parent="p", state="open", at=3, text="another night")


# ---------------------------------------------------------------- records


async def test_a_record_comes_back_as_it_was_written(store: Store):
    await store.records.write([DAY])
    assert await store.records.get("note", "a") == DAY
    assert await store.records.get("note", "A") is None
    assert await store.records.get("other", "a") is None


async def test_a_put_replaces_the_whole_record(store: Store):
    await store.records.write([DAY])
    bare = Row(kind="note", id="a")
    await store.records.write([bare])
    assert await store.records.find("note") == [bare]
    assert await store.records.search("note", "grüße") == []


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, "abc"),
        ({"is_newest_first": True}, "cba"),
        ({"owner": "me"}, "ab"),
        ({"parent": "p"}, "ac"),
        ({"state": "open", "owner": "you"}, "c"),
        ({"limit": 2}, "ab"),
        ({"is_newest_first": True, "limit": 1}, "c"),
        ({"owner": ""}, ""),
    ],
)
async def test_records_are_found_by_their_facts_in_the_order_of_time(store: Store, facts: dict, expected: str):
    await store.records.write([OTHERS, NIGHT, DAY])
    assert "".join(row.id for row in await store.records.find("note", **facts)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("night", "cb"),
        ("NIGHT quiet", "b"),
        ("nig", "cb"),
        ("grusse", ""),
        ("grüße", "a"),
        ("gruße", "a"),
        ("nang", "a"),
        ('"night" OR day*', ""),
        ("night)", "cb"),
        ("ight", ""),
        ("", ""),
        ("!?", ""),
    ],
)
async def test_words_are_found_without_case_and_accents(store: Store, words: str, expected: str):
    await store.records.write([DAY, NIGHT, OTHERS])
    assert "".join(row.id for row in await store.records.search("note", words)) == expected


async def test_a_search_sees_one_owner_and_one_kind(store: Store):
    elsewhere = Row(kind="letter", id="a", owner="me", text="night")
    await store.records.write([DAY, NIGHT, OTHERS, elsewhere])
    assert [row.id for row in await store.records.search("note", "night", owner="me")] == ["b"]
    assert await store.records.search("note", "night", limit=1) == [OTHERS]


async def test_a_record_and_all_below_a_parent_are_deleted(store: Store):
    await store.records.write([DAY, NIGHT, OTHERS])
    await store.records.write(deletes=[Under("note", "p"), Key("note", "no such")])
    assert await store.records.find("note") == [NIGHT]
    await store.records.write([DAY], [Key("note", "b")])
    assert await store.records.find("note") == [DAY]
    assert await store.records.search("note", "night") == []


async def test_nothing_is_written_where_the_given_record_is_gone(store: Store):
    assert await store.records.write([NIGHT], given=Key("note", "a")) is False
    assert await store.records.find("note") == []
    await store.records.write([DAY])
    assert await store.records.write([NIGHT], [Key("note", "a")], given=Key("note", "a")) is True
    assert await store.records.find("note") == [NIGHT]


async def test_a_store_that_works_passes_its_check(store: Store):
    await store.records.check()


TEXTS = st.text(alphabet="aäà bB-'\"*1đж", max_size=12)


@given(texts=st.lists(TEXTS, max_size=6), words=TEXTS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_both_backends_find_the_same_words(store: Store, texts: list[str], words: str):
    rows = [Row(kind="note", id=str(at), at=at, text=text) for at, text in enumerate(texts)]
    model = MemoryRecords()
    await model.write(rows)
    await store.records.write(rows, [Under("note", "")])
    assert await store.records.search("note", words) == await model.search("note", words)


# ---------------------------------------------------------------- small values


async def test_a_value_lasts_as_long_as_it_was_given(store: Store, hours):
    await store.keyvalue.put("short", b"1", ttl_s=10)
    await store.keyvalue.put("long", b"\x00\xff")
    hours.pass_(9.9)
    assert await store.keyvalue.get("short") == b"1"
    hours.pass_(0.1)
    assert await store.keyvalue.get("short") is None
    assert await store.keyvalue.get("long") == b"\x00\xff"


async def test_add_sets_only_what_is_not_there(store: Store, hours):
    assert await store.keyvalue.add("name", b"first", ttl_s=5) is True
    assert await store.keyvalue.add("name", b"second") is False
    hours.pass_(5)
    assert await store.keyvalue.add("name", b"third") is True
    assert await store.keyvalue.get("name") == b"third"


async def test_a_count_keeps_the_time_of_its_beginning(store: Store, hours):
    assert [await store.keyvalue.count("n", ttl_s=10), await store.keyvalue.count("n", 4)] == [1, 5]
    hours.pass_(6)
    assert await store.keyvalue.count("n", -2, ttl_s=10) == 3
    hours.pass_(4)
    assert await store.keyvalue.count("n") == 1


async def test_counts_from_everywhere_add_up(store: Store):
    await asyncio.gather(*(store.keyvalue.count("n") for _ in range(50)))
    assert await store.keyvalue.count("n", 0) == 50


async def test_delete_says_whether_there_was_something(store: Store, hours):
    await store.keyvalue.put("a", b"1")
    await store.keyvalue.put("b", b"1", ttl_s=1)
    hours.pass_(1)
    assert [await store.keyvalue.delete(name) for name in ("a", "a", "b")] == [True, False, False]


# ---------------------------------------------------------------- series


async def test_entries_are_numbered_from_one_and_read_from_anywhere(store: Store):
    assert [await store.journal.append("s", data) for data in (b"a", b"b", b"c")] == [1, 2, 3]
    assert await store.journal.read("s") == Tail((Entry(1, b"a"), Entry(2, b"b"), Entry(3, b"c")), is_finished=False)
    assert await store.journal.read("s", 2) == Tail((Entry(3, b"c"),), is_finished=False)
    assert await store.journal.read("s", 9) == Tail((), is_finished=False)
    assert await store.journal.read("other") is None


async def test_a_finished_series_is_kept_for_its_time(store: Store, hours):
    await store.journal.append("s", b"a")
    await store.journal.finish("s", keep_s=600)
    hours.pass_(599)
    assert await store.journal.read("s") == Tail((Entry(1, b"a"),), is_finished=True)
    hours.pass_(1)
    assert await store.journal.read("s") is None
    assert await store.journal.append("s", b"new") == 1


async def test_a_follower_is_woken_by_an_entry_and_by_the_end(store: Store):
    await store.journal.append("s", b"a")
    await store.journal.changed("s", 0)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiting = group.create_task(store.journal.changed("s", 1))
        await asyncio.sleep(0)
        await store.journal.append("s", b"b")
        await waiting
        waiting = group.create_task(store.journal.changed("s", 2))
        await asyncio.sleep(0)
        await store.journal.finish("s", keep_s=600)
        await waiting
    await store.journal.changed("no such", 0)


# ---------------------------------------------------------------- exclusive rights


async def test_one_holder_at_a_time(store: Store, hours):
    first = await store.lease.acquire("job", "me", ttl_s=10)
    assert first is not None
    assert await store.lease.acquire("job", "you", ttl_s=10) is None
    assert await store.lease.renew("job", first, ttl_s=20) is True
    hours.pass_(15)
    assert await store.lease.acquire("job", "you", ttl_s=10) is None
    hours.pass_(5)
    second = await store.lease.acquire("job", "you", ttl_s=10)
    assert second is not None
    assert second > first
    assert await store.lease.renew("job", first, ttl_s=10) is False
    assert await store.lease.release("job", first) is False
    assert await store.lease.release("job", second) is True
    third = await store.lease.acquire("job", "me", ttl_s=10)
    assert third is not None
    assert third > second


async def test_the_same_holder_gets_it_anew_and_its_old_token_is_void(store: Store):
    first = await store.lease.acquire("job", "me", ttl_s=10)
    second = await store.lease.acquire("job", "me", ttl_s=10)
    assert first is not None
    assert second is not None
    assert [await store.lease.renew("job", token, ttl_s=10) for token in (first, second)] == [False, True]
