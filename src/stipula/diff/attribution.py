"""The verdict about two shapes, and which difference it comes from.

The whole pair is asked first. Where it is not contained, each difference is tried alone, on the writer's side: what
callers send by the old shape against the old shape with this one edit; what a server sends by the new shape against the
new shape with this one difference undone. A difference breaks if some value that is lost so is refused in the end, too;
every such finding carries that value.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from stipula.contract.model import Json
from stipula.contract.schema import pointer, tokens
from stipula.diff.asking import Asker, Written
from stipula.diff.containment import Contained, Containment, NotContained, Undecided
from stipula.diff.fact import Fact, applied
from stipula.diff.facts import facts
from stipula.diff.finding import LEVELS, Level
from stipula.diff.plain import plain
from stipula.diff.policy import Direction, Policy
from stipula.diff.words import members

NAMES_A_FIELD: Final = frozenset({"added", "added-required", "removed", "renamed"})


class Judged(Struct, frozen=True, kw_only=True):
    """A difference with its level. fact None: what is told of the whole. witness: unset where there is none."""

    level: Level
    direction: Direction
    fact: Fact | None = None
    place: str = ""
    witness: Json | UnsetType = UNSET
    reason: str = ""


class Shapes(Struct, frozen=True):
    """What is compared: two schemas as they were handed in."""

    old: Written
    new: Written


def judged(shapes: Shapes, directions: Iterable[Direction], policy: Policy, asker: Asker | None = None) -> list[Judged]:
    """What differs, each with its level: the graver one where both directions were asked. Silent on a respelling.

    Raises InvalidSchema, UnknownDialect, TooDeep.
    """
    pair = _Pair(shapes, policy, asker or Asker())
    found: dict[object, Judged] = {}
    for direction in directions:
        for key, one in enumerate(pair.judged(direction)):
            name: object = one.fact.pointer + one.fact.word + one.fact.edit + one.fact.name if one.fact else key
            known = found.get(name)
            if known is None or LEVELS.index(one.level) < LEVELS.index(known.level):
                found[name] = one
    return sorted(found.values(), key=lambda one: (LEVELS.index(one.level), one.fact.pointer if one.fact else ""))


class _Pair:
    def __init__(self, shapes: Shapes, policy: Policy, asker: Asker) -> None:
        self.written = shapes
        self.policy = policy
        self.asker = asker
        self.old, self.new = plain(shapes.old.schema, shapes.old.draft), plain(shapes.new.schema, shapes.new.draft)
        self.is_whole = self.old.is_whole or self.new.is_whole
        self.facts = [] if self.is_whole else facts(self.old, self.new)
        self.undone: dict[tuple[str, ...], Fact] = {}

    def judged(self, direction: Direction) -> list[Judged]:
        """One direction's verdicts."""
        left, right = self._sides(direction, self.policy)
        answer = self.asker.whole(left, right)
        match answer:
            case NotContained(witness=witness):
                return self._broken(direction, left, right, witness)
            case Undecided(reason=reason):
                return self._undecided(direction, left, right, reason)
            case Contained():
                return self._contained(direction)

    def _sides(self, direction: Direction, policy: Policy) -> tuple[Written, Written]:
        """Writer and reader; as they were handed in, where the policy changes nothing about them."""
        writer, reader = (self.old, self.new) if direction == "request" else (self.new, self.old)
        raw = (self.written.old, self.written.new) if direction == "request" else (self.written.new, self.written.old)
        if self.is_whole:
            return raw
        left, right = policy.sides(writer.schema, reader.schema, direction)
        return (
            raw[0] if left is writer.schema else Written(left),
            raw[1] if right is reader.schema else Written(right),
        )

    def _edited(self, fact: Fact, direction: Direction, policy: Policy) -> tuple[Json, Json]:
        """Writer and reader, were this the only difference."""
        if direction == "request":
            edited = applied(self.old.schema, self.new.schema, fact.patches)
            return policy.sides(self.old.schema, edited, direction)
        undo = self._undo(fact)
        if undo is None:
            return policy.sides(applied(self.old.schema, self.new.schema, fact.patches), self.old.schema, direction)
        edited = applied(self.new.schema, self.old.schema, undo.patches)
        return policy.sides(self.new.schema, edited, direction)

    def _undo(self, fact: Fact) -> Fact | None:
        """The same difference seen the other way round, if it shows itself there."""
        if not self.undone:
            self.undone = {
                (one.word, one.new_place, one.old_place, "" if one.edit == "renamed" else one.name): one
                for one in facts(self.new, self.old)
            }
        name = "" if fact.edit == "renamed" else fact.name
        return self.undone.get((fact.word, fact.old_place, fact.new_place, name))

    # ------------------------------------------------------------ contained

    def _contained(self, direction: Direction) -> list[Judged]:
        left, right = self._sides(direction, self._strict())
        as_written = self.asker.whole(left, right)
        notes = self._only_as_written(direction, as_written)
        is_respelt = isinstance(as_written, Contained) and isinstance(self.asker.whole(right, left), Contained)
        found = [
            self._safe(index, fact, direction, notes)
            for index, fact in enumerate(self.facts)
            if fact.is_annotation or index in notes or not (is_respelt and not _names_a_field(fact))
        ]
        return [one for one in found if one.level == "note" or not self._says_nothing(one.fact)]

    def _strict(self) -> Policy:
        return Policy(content="strict", drops_one_way=self.policy.drops_one_way)

    def _only_as_written(self, direction: Direction, as_written: Containment | None = None) -> dict[int, Json]:
        """What breaks where undeclared names count, too: index → a value that shows it."""
        strict = self._strict()
        if self.policy == strict or self.policy.tier == "wire-strict":
            return {}
        left, right = self._sides(direction, strict)
        answer = as_written or self.asker.whole(left, right)
        if not isinstance(answer, NotContained):
            return {}
        return self._breaking(direction, strict, left, right, answer.witness)

    def _safe(self, index: int, fact: Fact, direction: Direction, notes: dict[int, Json]) -> Judged:
        if index in notes:
            reason = "breaks only if names may be sent that the sender does not declare"
            return Judged(level="note", direction=direction, fact=fact, witness=notes[index], reason=reason)
        return Judged(level="safe", direction=direction, fact=fact)

    def _says_nothing(self, fact: Fact | None) -> bool:
        """Whether a difference alone leaves every value where it was: the spelling of something else."""
        if fact is None or fact.is_annotation or _names_a_field(fact):
            return False
        edited = applied(self.old.schema, self.new.schema, fact.patches)
        ways = self.asker.part(self.old.schema, edited), self.asker.part(edited, self.old.schema)
        return all(isinstance(one, Contained) for one in ways)

    # ------------------------------------------------------------ not contained

    def _broken(self, direction: Direction, left: Written, right: Written, whole: Json) -> list[Judged]:
        broken = self._breaking(direction, self.policy, left, right, whole)
        notes = self._only_as_written(direction)
        found = [
            Judged(level="breaking", direction=direction, fact=fact, witness=broken[index])
            if index in broken
            else self._safe(index, fact, direction, notes)
            for index, fact in enumerate(self.facts)
        ]
        kept = [one for one in found if one.level != "safe" or not self._says_nothing(one.fact)]
        if broken:
            return kept
        together = Judged(level="breaking", direction=direction, place=self._common_place(), witness=whole)
        return [together, *kept]

    def _breaking(
        self, direction: Direction, policy: Policy, left: Written, right: Written, whole: Json
    ) -> dict[int, Json]:
        """Which differences lose a value that is sent and refused in the end: index → that value."""
        found: dict[int, Json] = {}
        for index, fact in enumerate(self.facts):
            if not fact.is_annotation:
                sides = self._edited(fact, direction, policy)
                witness = self._lost(sides, left, right, whole)
                if witness is not UNSET:
                    found[index] = witness
        return found

    def _lost(self, edited: tuple[Json, Json], left: Written, right: Written, whole: Json) -> Json:
        """A value that one edit loses and that is refused in the end, or UNSET."""
        alone = self.asker.part(*edited)
        match alone:
            case Contained():
                return UNSET
            case NotContained(witness=witness):
                if self.asker.holds(witness, left, right):
                    return witness
                if self.asker.holds(whole, Written(edited[0]), Written(edited[1])):
                    return whole
                return _witness(self._still_lost(edited, left, right))
            case Undecided():
                return whole if self.asker.holds(whole, Written(edited[0]), Written(edited[1])) else UNSET

    def _still_lost(self, edited: tuple[Json, Json], left: Written, right: Written) -> Containment:
        """Whether all that the writer sends, this edit loses, is taken in the end after all."""
        if left.draft or right.draft or self.is_whole:
            return Undecided("dialects")
        sent = _together({"sent": left.schema, "before": edited[0]}, {"after": edited[1]})
        return self.asker.part(sent, right.schema)

    def _common_place(self) -> str:
        """The nearest place that all differences lie below."""
        paths = [tokens(fact.pointer) for fact in self.facts if not fact.is_annotation]
        if not paths:
            return ""
        common = paths[0]
        for path in paths[1:]:
            length = next((i for i, (a, b) in enumerate(zip(common, path, strict=False)) if a != b), None)
            common = common[: min(len(common), len(path)) if length is None else length]
        return pointer(*common)

    # ------------------------------------------------------------ undecided

    def _undecided(self, direction: Direction, left: Written, right: Written, reason: str) -> list[Judged]:
        found: list[Judged] = []
        for fact in self.facts:
            if fact.is_annotation:
                found.append(Judged(level="safe", direction=direction, fact=fact))
                continue
            match self.asker.part(*self._edited(fact, direction, self.policy)):
                case NotContained(witness=witness) if self.asker.holds(witness, left, right):
                    found.append(Judged(level="breaking", direction=direction, fact=fact, witness=witness))
                case Contained():
                    found.append(Judged(level="safe", direction=direction, fact=fact))
                case Undecided(reason=why):
                    found.append(Judged(level="undecided", direction=direction, fact=fact, reason=why))
                case _:
                    found.append(Judged(level="undecided", direction=direction, fact=fact, reason=reason))
        if not any(one.level in {"breaking", "undecided"} for one in found):
            found.insert(0, Judged(level="undecided", direction=direction, place=self._common_place(), reason=reason))
        return found


def _witness(answer: Containment) -> Json:
    return answer.witness if isinstance(answer, NotContained) else UNSET


def _names_a_field(fact: Fact) -> bool:
    return fact.word == "properties" and fact.edit in NAMES_A_FIELD


def _together(all_of: dict[str, Json], none_of: dict[str, Json]) -> Json:
    """One schema: all of these and none of those, each under `$defs` with its references following it there."""
    parts = {name: _under(name, schema) for name, schema in (all_of | none_of).items()}
    wanted = [{"$ref": f"#/$defs/{name}"} for name in all_of]
    return {"allOf": [*wanted, *({"not": {"$ref": f"#/$defs/{name}"}} for name in none_of)], "$defs": parts}


def _under(name: str, value: Json) -> Json:
    if isinstance(value, list):
        return [_under(name, one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for word, part in members(value).items():
        is_local = word == "$ref" and isinstance(part, str) and part.startswith("#")
        made[word] = f"#/$defs/{name}{part[1:]}" if is_local else _under(name, part)
    return made
