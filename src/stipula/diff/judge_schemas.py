"""Two schemas in, findings out: the rules' names and sentences on the verdicts of containment."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec import UNSET

from stipula.contract.model import Json, Reader
from stipula.diff.asking import Asker, Written
from stipula.diff.attribution import Judged, Shapes, judged
from stipula.diff.change import Change
from stipula.diff.fact import Fact
from stipula.diff.finding import Finding, Level, gravest_first
from stipula.diff.policy import Content, Direction, Policy, Tier
from stipula.diff.readers import reading_lines
from stipula.diff.rules import BY_EDIT, RULES, Rule
from stipula.diff.telling import Told, made
from stipula.diff.words import TEXTS

DIRECTIONS: Final[Mapping[str, tuple[Direction, ...]]] = {
    "request": ("request",),
    "response": ("response",),
    "event": ("response",),
    "both": ("request", "response"),
}
Way = Literal["request", "response", "event", "both"]
TOGETHER: Final = "shapes-together"
UNDECIDED: Final = "shapes-undecided"


def diff_schemas(
    old: Json,
    new: Json,
    direction: Way = "both",
    *,
    content: Content = "lenient",
    tier: Tier = "wire",
    old_draft: str | None = None,
    new_draft: str | None = None,
    budget_s: float = 2.0,
) -> list[Finding]:
    """What changed between two JSON Schemas, the gravest first; empty if nothing did, respellings aside.

    direction: "request" (all that old accepts, new should), "response" or "event" (all that new accepts, old should),
    "both". content, tier: docs/explanation/verdicts.md. A draft is as in `contains`. Raises InvalidSchema.
    """
    shapes = Shapes(Written(old, old_draft), Written(new, new_draft))
    policy = Policy(content=content, tier=tier)
    return shape_findings(shapes, DIRECTIONS[direction], policy, "schema", asker=Asker(budget_s))


def shape_findings(
    shapes: Shapes,
    directions: Iterable[Direction],
    policy: Policy,
    surface: str,
    *,
    base: str = "",
    readers: tuple[Reader, ...] = (),
    asker: Asker | None = None,
) -> list[Finding]:
    """The findings about one shape of a surface. base: where the shape stands in it; readers: who reads its values."""
    ways = tuple(directions)
    found = [
        _finding(one, surface, base, readers, is_two_way=len(ways) > 1) for one in judged(shapes, ways, policy, asker)
    ]
    return gravest_first(found)


def rule_for(fact: Fact) -> Rule:
    """The rule that names a difference."""
    known = BY_EDIT.get((fact.word, fact.edit))
    if known is not None:
        return known
    return BY_EDIT["x-", fact.edit if fact.edit in {"added", "removed"} else "changed"]


def _finding(
    one: Judged, surface: str, base: str, readers: tuple[Reader, ...], *, is_two_way: bool
) -> Finding:  # fmt: skip
    fact = one.fact
    if fact is None:
        return _of_the_whole(one, surface, base)
    rule = rule_for(fact)
    level: Level = rule.level if rule.level is not None and one.level == "safe" else one.level
    lines = reading_lines(fact, readers)
    sentence, witness, evidence = rule.sentence(fact), one.witness, UNSET
    if lines and level != "breaking":
        level, witness, evidence = "breaking", UNSET, {"read": lines}
        sentence += "; a consumer reads it"
    elif one.reason:
        sentence += f"; {one.reason}"
    if is_two_way and level in {"breaking", "note", "undecided"} and not fact.is_annotation:
        sentence += f" (as a {one.direction})"
    change = Change(
        surface=surface, pointer=base + fact.pointer, rule=rule.code,
        layer="routing" if fact.word in TEXTS else "interface", old=fact.old, new=fact.new,
    )  # fmt: skip
    return made(
        change, level, _placed(fact.reads, sentence),
        witness=witness, evidence=evidence, consumers=readers,
    )  # fmt: skip


def _of_the_whole(one: Judged, surface: str, base: str) -> Finding:
    code = TOGETHER if one.level == "breaking" else UNDECIDED
    change = Change(surface=surface, pointer=base + one.place, rule=code, layer="interface")
    sentence = RULES[code].sentence(Told(UNSET, UNSET, ""))
    return made(change, one.level, f"{sentence}; {one.reason}" if one.reason else sentence, witness=one.witness)


def _placed(reads: str, sentence: str) -> str:
    return f"{reads}: {sentence}" if reads else sentence
