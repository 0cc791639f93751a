"""A judged change. Provisional: until containment judges by values, the level follows from the rule's name alone.

What is removed, renamed, retyped, or newly or no longer required counts as breaking, in whichever direction the value
travels; what else touches a shape, a behaviour or the wire is a warning; a text that a model sees is `routing`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from stipula.contract.model import Contract, Json, Reader
from stipula.contract.schema import tokens
from stipula.diff.change import Change, Layer
from stipula.diff.compare import fingerprint

Level = Literal["breaking", "undecided", "warning", "routing", "safe", "note"]
LEVELS: Final[tuple[Level, ...]] = ("breaking", "undecided", "warning", "routing", "safe", "note")
"""From the gravest on."""

BREAKING: Final = frozenset({
    "branch-removed", "definition-removed", "era-removed", "event-removed", "event-renamed", "field-removed",
    "field-renamed", "outcome-removed", "position-removed", "profile-removed", "reference-changed", "required-added",
    "required-removed", "shape-changed", "stream-removed", "surface-removed", "surface-renamed", "type-changed",
    "value-removed",
})  # fmt: skip

WORDS: Final = {
    # {name}: the last step of the pointer; {old}, {new}: short values
    "annotation-changed": "the annotation {name} is another",
    "branch-added": "one more form is allowed",
    "branch-order-changed": "the same forms stand in another order",
    "branch-removed": "a form is gone",
    "cache-changed": "{name} of the list is another",
    "constraint-added": "{name} is stated now",
    "constraint-changed": "{name} is another",
    "constraint-removed": "{name} is no longer stated",
    "definition-added": "the shape {name} came",
    "definition-changed": "{name} of the definition is another",
    "definition-removed": "the shape {name} is gone",
    "era-added": "the server speaks the {name} era now",
    "era-removed": "the server no longer speaks the {name} era",
    "event-added": "the stream has a new event",
    "event-removed": "the stream no longer has this event",
    "event-renamed": "the event is now {new}",
    "field-added": "the field {name} came",
    "field-removed": "the field {name} is gone",
    "field-renamed": "the field {old} is now {new}",
    "keepalive-changed": "the stream keeps itself alive in another way",
    "laws-changed": "law number {name} of the stream is another",
    "order-changed": "the order of events is another at {name}",
    "outcome-added": "a shape for {name} came",
    "outcome-removed": "the shape for {name} is gone",
    "position-added": "position {name} came",
    "position-removed": "position {name} is gone",
    "profile-added": "a tool list came",
    "profile-removed": "the tool list is gone",
    "protocol-changed": "the era is served in another revision of the protocol",
    "reference-changed": "the shape is taken from elsewhere",
    "required-added": "{new} must be there now",
    "required-removed": "{old} may be missing now",
    "shape-changed": "the shape is another",
    "stream-added": "a stream came",
    "stream-removed": "the stream is gone",
    "surface-added": "the surface came",
    "surface-changed": "the surface is written in another way",
    "surface-removed": "the surface is gone",
    "surface-renamed": "the surface is now {new}",
    "text-changed": "{name} reads otherwise",
    "tool-list-changed": "this era's list is another",
    "type-changed": "the type is another",
    "type-respelt": "the same types are written in another way",
    "value-added": "the value {new} came",
    "value-order-changed": "the same values stand in another order",
    "value-removed": "the value {old} is gone",
    "waiver-expired": "the waiver of this finding has expired",
    "waiver-stale": "a waiver for this place matches nothing any more",
}
MAX_SHOWN: Final = 60


class Finding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change with a verdict. old, new, witness, evidence: unset where there is none, for null is a value."""

    rule: str
    level: Level
    surface: str
    pointer: str
    message: str
    layer: Layer
    fingerprint: str
    old: Json | UnsetType = UNSET
    new: Json | UnsetType = UNSET
    witness: Json | UnsetType = UNSET
    evidence: Json | UnsetType = UNSET
    consumers: tuple[Reader, ...] = ()


def judge(changes: Iterable[Change], old: Contract | None = None) -> list[Finding]:
    """Findings, the gravest first, else in the order of the changes. old: whose consumer lists are named."""
    readers = {one.id: one.consumers for one in old.surfaces} if old else {}
    found = [judged(change, level_of(change), readers.get(change.surface, ())) for change in changes]
    return gravest_first(found)


def gravest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sorted by level; within a level the order stays."""
    return sorted(findings, key=lambda one: LEVELS.index(one.level))


def level_of(change: Change) -> Level:
    """The provisional level: see the head of this file."""
    if change.layer == "routing":
        return "routing"
    return "breaking" if change.rule in BREAKING and change.layer == "interface" else "warning"


def judged(change: Change, level: Level, consumers: tuple[Reader, ...] = ()) -> Finding:
    """A change at this level, with its sentence and its fingerprint."""
    steps = tokens(change.pointer)
    sentence = WORDS[change.rule].format(
        name=steps[-1] if steps else change.surface, old=_word(change.old), new=_word(change.new)
    )
    return Finding(
        rule=change.rule, level=level, surface=change.surface, pointer=change.pointer, message=sentence,
        layer=change.layer, fingerprint=fingerprint(change), old=change.old, new=change.new, consumers=consumers,
    )  # fmt: skip


def _word(value: Json) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"


def verdict(findings: Iterable[Finding]) -> str:
    """The gravest of breaking, undecided and warning; `safe` if there is less than that, `identical` if nothing."""
    levels = {one.level for one in findings}
    if not levels:
        return "identical"
    return next((level for level in LEVELS[:3] if level in levels), "safe")


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings there are of each level, all levels named."""
    tally = Counter[Any](one.level for one in findings)
    return {level: tally[level] for level in LEVELS}


def is_at_least(level: Level, bar: Level) -> bool:
    """Whether a level is as grave as the bar."""
    return LEVELS.index(level) <= LEVELS.index(bar)
