"""Two contracts in, findings out: what came, went or changed, judged by values, by rules and by who reads it."""

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import UNSET, Struct

from stipula.contract.canonical import canonical
from stipula.contract.model import Contract, Json, Surface
from stipula.contract.schema import pointer
from stipula.diff import judge_routes, judge_streams, judge_tools, model_texts
from stipula.diff.asking import Asker, Written
from stipula.diff.attribution import Shapes
from stipula.diff.change import Change
from stipula.diff.compare import compare
from stipula.diff.finding import Finding, gravest_first
from stipula.diff.judge_schemas import shape_findings
from stipula.diff.policy import Content, Direction, Policy, Tier
from stipula.diff.telling import tell
from stipula.diff.tiers import for_generated_clients

SURFACE_WORDS: Final = {
    "mcp": "tool", "tool": "tool", "request": "request", "stream": "event", "route": "operation",
}  # fmt: skip


class Judging(Struct, frozen=True, kw_only=True):
    """How contracts are judged.

    today: for what has a day on which it ends. tells_spelling: a surface that is only written otherwise is a note, as
    where a lock is held; else it is nothing.
    """

    content: Content = "lenient"
    tier: Tier = "wire"
    budget_s: float = 2.0
    today: dt.date | None = None
    tells_spelling: bool = False


def judge_contracts(old: Contract, new: Contract, how: Judging | None = None) -> list[Finding]:
    """Every finding, the gravest first; none between a contract and itself."""
    judging = _Judging(old, new, how or Judging())
    found = list(judging.findings())
    if judging.how.tier == "types":
        found = [for_generated_clients(one) for one in found]
    return gravest_first(_once(found))


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """Each once: a field of two schemas that are one `$ref` is told where it stands first."""
    kept: dict[str, Finding] = {}
    for one in findings:
        kept.setdefault(one.fingerprint, one)
    return list(kept.values())


class _Judging:
    def __init__(self, old: Contract, new: Contract, how: Judging) -> None:
        self.old, self.new, self.how = old, new, how
        self.before = {one.id: one for one in old.surfaces}
        self.after = {one.id: one for one in new.surfaces}
        self.changes = compare(old, new)
        self.renamed = {
            str(one.old): str(one.new) for one in self.changes if one.rule in {"surface-renamed", "event-renamed"}
        }

    def findings(self) -> Iterator[Finding]:
        """All findings, in no order."""
        told: set[str] = set()
        for name, surface in self.before.items():
            other = self.after.get(self.renamed.get(name, name))
            if other is not None:
                for finding in self._surface(surface, other):
                    told.add(finding.surface)
                    yield finding
        for change in self.changes:
            for finding in self._change(change):
                told.add(finding.surface)
                yield finding
        for finding in (
            *judge_streams.orders(self.old, self.new, is_closed=self.how.tier == "wire-strict"),
            *model_texts.cues(self.old, self.new),
        ):
            told.add(finding.surface)
            yield finding
        if self.how.tells_spelling:
            yield from self._spellings(told)

    def _spellings(self, told: set[str]) -> Iterator[Finding]:
        stayed = {one.surface for one in self.changes if one.surface in self.before or one.surface not in self.after}
        for name in sorted(stayed - told - (self.before.keys() - self.after.keys())):
            yield tell("spelling-changed", name, layer="wire")

    # ------------------------------------------------------------ surfaces that are on both sides

    def _surface(self, old: Surface, new: Surface) -> Iterator[Finding]:
        for outcome in sorted(old.shapes.keys() | new.shapes.keys()):
            direction: Direction = "request" if outcome == "input" else "response"
            if outcome in old.shapes and outcome in new.shapes:
                before, after = old.shapes[outcome], new.shapes[outcome]
            elif outcome == "input":  # what states no input takes anything
                before, after = old.shapes.get(outcome, True), new.shapes.get(outcome, True)
            else:
                continue
            if canonical(before) != canonical(after):
                yield from self._shape(old, new, outcome, direction, (before, after))
        if new.kind == "mcp":
            yield from judge_tools.surface_findings(old, new)
        elif new.kind == "route":
            for name, before, after in judge_routes.header_shapes(old, new):
                place = pointer("annotations", "headers", name, "schema")
                yield from self._shape_at(old, new, place, "response", (before, after))

    def _shape(
        self, old: Surface, new: Surface, outcome: str, direction: Direction, pair: tuple[Json, Json]
    ) -> Iterator[Finding]:
        found = list(self._shape_at(old, new, pointer("shapes", outcome), direction, pair))
        if new.kind == "tool":
            found = [judge_tools.answer_kind(one, pair) for one in found]
        if new.kind == "stream":
            found = [judge_streams.with_stream(one, self.old, self.new) for one in found]
        yield from found

    def _shape_at(
        self, old: Surface, new: Surface, place: str, direction: Direction, pair: tuple[Json, Json]
    ) -> Iterator[Finding]:
        policy = Policy(content=self.how.content, tier=self.how.tier, drops_one_way=new.kind == "route")
        yield from shape_findings(
            Shapes(Written(pair[0]), Written(pair[1])), (direction,), policy, new.id,
            base=place, readers=old.consumers, asker=Asker(self.how.budget_s),
        )  # fmt: skip

    # ------------------------------------------------------------ everything that is no shape

    def _change(self, change: Change) -> Iterator[Finding]:
        surface = self.after.get(change.surface) or self.before.get(change.surface)
        if change.rule.startswith(("surface-", "event-")):
            yield from self._came_or_went(change)
        elif change.rule in {"outcome-added", "outcome-removed"}:
            if not change.pointer.endswith("/input"):
                yield self._outcome(change)
        elif surface is None:
            yield from judge_tools.profile_findings(change)
            yield from judge_streams.stream_findings(change)
        elif change.pointer.startswith("/shapes"):
            return
        elif surface.kind == "mcp":
            yield from judge_tools.change_findings(change, self.before[self._old_name(change.surface)], surface)
        elif surface.kind == "route":
            yield from judge_routes.change_findings(change, surface)
        else:
            yield from model_texts.change_findings(change)

    def _old_name(self, name: str) -> str:
        return next((old for old, new in self.renamed.items() if new == name), name)

    def _outcome(self, change: Change) -> Finding:
        outcome = change.pointer.rpartition("/")[2]
        evidence = {"gone": outcome} if change.rule == "outcome-removed" else UNSET
        return tell(
            change.rule, change.surface, change.pointer,
            old=change.old, new=change.new, name=outcome, evidence=evidence,
            consumers=self._consumers(change.surface),
        )  # fmt: skip

    def _consumers(self, name: str) -> tuple[Json, ...]:
        surface = self.before.get(name)
        return surface.consumers if surface is not None else ()

    def _came_or_went(self, change: Change) -> Iterator[Finding]:
        name = change.surface
        surface = self.before.get(name) or self.after[name]
        if change.rule == "surface-changed":
            return
        if surface.kind == "mcp" and judge_tools.is_other_principal(name, self.old, self.new):
            yield tell("tool-not-comparable", name, old=change.old, new=change.new, name=name.partition("#")[2])
            return
        if surface.kind == "route":
            yield from judge_routes.came_or_went(change, self.old, self.new, self.how.today)
            return
        code = f"{SURFACE_WORDS[surface.kind]}-{change.rule.partition('-')[2]}"
        evidence: Json = UNSET
        if not code.endswith("-added"):
            evidence = judge_tools.last_call(surface, change) if surface.kind == "mcp" else {"gone": name}
        level = "breaking" if code == "event-added" and self.how.tier == "wire-strict" else None
        yield tell(
            code, name, old=change.old, new=change.new, name=name.partition("#")[2] or name.partition(":")[2],
            level=level, evidence=evidence, consumers=self._consumers(name),
        )  # fmt: skip
