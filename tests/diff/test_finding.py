import re
from pathlib import Path

import pytest

from stipula.contract.model import Contract, Reader, Surface
from stipula.diff import compare, compare_schemas
from stipula.diff.change import Change, Layer
from stipula.diff.finding import BREAKING, LEVELS, WORDS, counts, is_at_least, judge, judged, level_of, verdict


def change(rule="field-removed", layer: Layer = "interface", **others):
    return Change(surface="tool:a", pointer="/shapes/input/properties/x", rule=rule, layer=layer, **others)


def rules_in(module):
    return set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', Path(module.__file__).read_text(encoding="utf-8")))


def test_every_rule_that_is_told_has_its_sentence():
    written = {rule for rule in rules_in(compare) | rules_in(compare_schemas) if rule.endswith(("ed", "spelt"))}
    made = {f"{word}-{what}" for word in ("event", "surface") for what in ("added", "removed", "renamed")}
    assert (written | made) - WORDS.keys() == set()
    assert WORDS.keys() - (written | made) == {"waiver-expired", "waiver-stale"}
    assert BREAKING - WORDS.keys() == set()


@pytest.mark.parametrize(
    ("rule", "layer", "level"),
    [
        ("field-removed", "interface", "breaking"),
        ("field-renamed", "interface", "breaking"),
        ("type-changed", "interface", "breaking"),
        ("required-added", "interface", "breaking"),
        ("field-added", "interface", "warning"),
        ("constraint-removed", "interface", "warning"),
        ("annotation-changed", "behaviour", "warning"),
        ("definition-changed", "wire", "warning"),
        ("text-changed", "routing", "routing"),
        ("tool-list-changed", "routing", "routing"),
    ],
)
def test_the_provisional_level_follows_from_rule_and_layer(rule, layer, level):
    assert level_of(change(rule, layer)) == level


def test_findings_stand_the_gravest_first_with_the_readers_of_the_old_contract():
    reader = Reader(file="a.js", line=3)
    old = Contract((Surface(id="tool:a", kind="tool", consumers=(reader,)),))
    found = judge([change("text-changed", "routing"), change(), change("field-added")], old)
    assert [one.level for one in found] == ["breaking", "warning", "routing"]
    assert found[0].consumers == (reader,)


def test_a_sentence_names_the_field_and_clips_what_is_long():
    assert judged(change(old={}), "breaking").message == "the field x is gone"
    assert judged(change("value-added", new="v" * 999), "warning").message == f"the value {'v' * 60}… came"


def test_the_verdict_is_the_gravest_of_three():
    def of(*levels):
        return verdict([judged(change(), level) for level in levels])

    assert of() == "identical"
    assert of("note", "routing", "safe") == "safe"
    assert of("note", "warning") == "warning"
    assert of("undecided", "warning") == "undecided"
    assert of("breaking", "undecided") == "breaking"


def test_counts_name_every_level():
    assert counts(judge([change(), change("field-added")])) == {
        "breaking": 1, "undecided": 0, "warning": 1, "routing": 0, "safe": 0, "note": 0,
    }  # fmt: skip


def test_a_bar_holds_what_is_as_grave_or_graver():
    assert [level for level in LEVELS if is_at_least(level, "warning")] == ["breaking", "undecided", "warning"]
