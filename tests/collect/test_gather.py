import json

import pytest

from stipula.collect.gather import NothingToCollect, gather
from stipula.collect.project import CollectEntry, Project

EVENTS = {
    "events": {"chunk": {"type": "object"}},
    "order": {"initial": "a", "final": ["a"], "states": {"a": {"chunk": "a"}}},
}


def project(root, *entries):
    (root / "chat.json").write_text(json.dumps(EVENTS))
    return Project(collect=entries, root=root)


def entry(file="chat.json", path="/chat"):
    return CollectEntry(source="events", file=file, path=path)


def test_one_collector_that_fails_hides_none_of_the_others(tmp_path):
    (tmp_path / "boom.py").write_text("raise ZeroDivisionError('at import')")
    broken = CollectEntry(source="declared", contract="boom:CONTRACT")
    gathered = gather(project(tmp_path, entry("gone.json"), entry(), broken, entry(path="/other")))
    assert [one.id for one in gathered.contract.surfaces] == ["stream:/chat#chunk", "stream:/other#chunk"]
    assert len(gathered.problems) == 2
    assert {one.exit_code for one in gathered.problems} == {3}
    assert "gone.json" in str(gathered.problems[0])
    assert "at import" in str(gathered.problems[1])


def test_each_entry_is_announced_before_it_is_collected(tmp_path):
    seen: list[str] = []
    gather(project(tmp_path, entry(), entry(path="/b")), lambda one: seen.append(one.path))
    assert seen == ["/chat", "/b"]


def test_a_project_that_names_nothing_is_told_so(tmp_path):
    with pytest.raises(NothingToCollect, match="add a \\[\\[collect\\]\\] entry"):
        gather(project(tmp_path))


def test_a_source_of_a_later_version_is_named(tmp_path):
    gathered = gather(project(tmp_path, CollectEntry(source="capture", file="x.har")))
    assert [str(one) for one in gathered.problems] == ['from = "capture" is not collected by this version of Stipula']


def test_two_entries_that_state_a_surface_differently_are_a_problem(tmp_path):
    other = {**EVENTS, "events": {"chunk": {"type": "string"}}}
    (tmp_path / "other.json").write_text(json.dumps(other))
    gathered = gather(project(tmp_path, entry(), entry("other.json")))
    assert [one.code for one in gathered.problems] == ["CON103"]


def test_a_shape_that_is_no_schema_is_a_problem_that_names_its_surface(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from stipula.contract.declare import Contract\n"
        "CONTRACT = Contract().declare_tool('a', success={'type': 'objekt'})\n"
    )
    gathered = gather(project(tmp_path, CollectEntry(source="declared", contract="mine:CONTRACT")))
    assert [str(one).split(":")[:2] for one in gathered.problems] == [["tool", "a (success)"]]
