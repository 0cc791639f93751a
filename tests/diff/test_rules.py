"""Each rule by its page: the cases fire exactly what they say, and near misses stay silent."""

import json
import re
from pathlib import Path

import pytest
from msgspec import UNSET

from stipula.diff.judge_schemas import diff_schemas
from stipula.diff.rules import BY_EDIT, RULES, NoSuchRule, rule_of
from stipula.diff.rules.registry import Rule, RuleTwice, add, keyword_rules

PAGES = Path(__file__).parents[1] / "cases/rules"
CASE = re.compile(r"^## (.+?)$.*?```old\n(.*?)```.*?```new\n(.*?)```.*?```expect\n(.*?)```", re.MULTILINE | re.DOTALL)


def cases():
    for page in sorted(PAGES.glob("*.md")):
        for title, old, new, expect in CASE.findall(page.read_text(encoding="utf-8")):
            yield pytest.param(json.loads(old), json.loads(new), expect.strip(), id=f"{page.stem}: {title}")


def told(old, new, direction):
    found = diff_schemas(old, new, direction)
    for finding in found:
        assert finding.level != "breaking" or finding.witness is not UNSET
    return f"{direction}: {', '.join(sorted(f'{one.level} {one.rule}' for one in found)) or 'silent'}"


@pytest.mark.parametrize(("old", "new", "expect"), list(cases()))
def test_findings_are_exactly_those_on_the_page(old, new, expect):
    assert f"{told(old, new, 'request')}\n{told(old, new, 'response')}" == expect
    assert diff_schemas(old, old) == diff_schemas(new, new) == []


def test_every_rule_of_a_schema_fires_on_a_page():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES.glob("*.md"))
    fired = {line.split()[-1] for line in text.splitlines() if line.startswith(("request: ", "response: "))}
    known = {one.code for one in BY_EDIT.values()} - NEVER_ALONE
    assert sorted(known - fired) == []


NEVER_ALONE = {
    "unique-items-changed",  # of its two values one is silence
    # a schema that turned into a boolean is told where it stands
    "contains-changed", "dependent-schemas-changed", "not-changed", "pattern-properties-changed",
}  # fmt: skip


def test_every_page_of_cases_has_a_near_miss():
    assert [page.stem for page in PAGES.glob("*.md") if "## near miss" not in page.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_has_a_page_that_says_why_and_what_instead(rule):
    assert rule.title.endswith(".")
    assert "Why: " in rule.page
    assert "Instead: " in rule.page
    assert re.fullmatch(r"[a-z][a-z-]+", rule.code)


def test_a_code_is_given_once():
    taken = RULES["type-changed"]
    with pytest.raises(RuleTwice):
        add(Rule(code=taken.code, family="schema", page="", sentence=str))
    with pytest.raises(RuleTwice):
        keyword_rules("type", "", {"changed": ("type-changed", "")})


def test_each_rule_that_adds_has_one_that_removes():
    words = {word for word, _ in BY_EDIT} - {"", "allOf", "anyOf", "oneOf", "enum", "properties", "required"}
    lonely = [word for word in sorted(words) if ((word, "added") in BY_EDIT) != ((word, "removed") in BY_EDIT)]
    assert lonely == []


def test_a_name_that_is_none_is_told_with_those_near_to_it():
    with pytest.raises(NoSuchRule, match="field-renamed"):
        rule_of("renamed")
