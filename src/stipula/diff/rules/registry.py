"""What a diff can say: each rule has a code, a page and a sentence. A code is given once.

A rule of a schema keyword has no level: containment decides it. A rule for what no value shows states its level.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, Protocol

from msgspec import UNSET, Struct

from stipula.contract.model import Json
from stipula.diff.fact import Edit
from stipula.diff.finding import Level
from stipula.errors import EXIT_USAGE, Problem

Family = Literal["schema", "openapi", "mcp", "events", "tool", "project"]
MAX_SHOWN: Final = 60


class RuleTwice(Problem):
    """Two rules claim one code, or one difference."""

    code = "DIF401"
    hint = "the rule {rule} is registered twice"


class NoSuchRule(Problem):
    """A rule was asked for that does not exist."""

    code, exit_code = "DIF402", EXIT_USAGE
    hint = "there is no rule {rule!r}; `stipula rules` lists them{near}"


class Told(Protocol):
    """What a sentence may speak of: a difference of two schemas, or of two contracts."""

    @property
    def name(self) -> str:
        """The field, value, hint or part that it is about."""
        ...

    @property
    def old(self) -> Json:
        """What was there, UNSET where nothing was."""
        ...

    @property
    def new(self) -> Json:
        """What is there, UNSET where nothing is."""
        ...


Sentence = Callable[[Any], str]


class Rule(Struct, frozen=True, kw_only=True):
    """One thing that a diff can say. level: None where containment decides; page: what, why, example, instead."""

    code: str
    family: Family
    page: str
    sentence: Sentence
    level: Level | None = None
    since: str = "0.1"

    @property
    def title(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]


RULES: Final[dict[str, Rule]] = {}
BY_EDIT: Final[dict[tuple[str, Edit], Rule]] = {}
"""(keyword, edit) → its rule; "" is a schema as a whole."""


def add(made: Rule) -> Rule:
    """Register a rule. Raises RuleTwice where its code is taken."""
    if made.code in RULES:
        raise RuleTwice(rule=made.code)
    RULES[made.code] = made
    return made


def keyword_rules(
    word: str, page: str | None, rows: Mapping[Edit, tuple[str, str]], *, level: Level | None = None
) -> None:
    """The rules of one keyword: edit → (code, sentence). page: the docstring of the file that calls.

    A sentence may use {name}, {old} and {new}.
    """
    for edit, (code, words) in rows.items():
        made = RULES.get(code) or add(
            Rule(code=code, family="schema", page=inspect.cleandoc(page or ""), sentence=template(words), level=level)
        )
        if (word, edit) in BY_EDIT:
            raise RuleTwice(rule=f"{word} {edit}")
        BY_EDIT[word, edit] = made


def contract_rules(family: Family, page: str | None, rows: Mapping[str, tuple[Level, str]]) -> None:
    """Rules for what no value shows: code → (level, sentence)."""
    for code, (level, words) in rows.items():
        text = inspect.cleandoc(page or "")
        add(Rule(code=code, family=family, page=text, sentence=template(words), level=level))


def template(words: str) -> Sentence:
    """A sentence with {name}, {old} and {new} in it."""
    return lambda told: words.format(name=told.name, old=shown(told.old), new=shown(told.new))


def shown(value: Json) -> str:
    """A value in a sentence: short, and on one line."""
    if value is UNSET:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
