"""Words that every report for people has in common."""

import json
from typing import Final, NamedTuple

from msgspec import UNSET, Struct, field

from stipula.contract.model import Json
from stipula.diff.finding import Finding, counts, verdict

MAX_VALUE: Final = 160


class Spot(NamedTuple):
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


Spots = tuple[Spot | None, Spot | None]
"""Where a finding stands in the old and in the new file, as far as it is known."""


class Report(Struct, frozen=True):
    """What a form writes down."""

    findings: list[Finding]
    subject: str
    spots: dict[str, Spots] = field(default_factory=dict[str, Spots])

    def spots_of(self, finding: Finding) -> list[Spot]:
        """Where a finding stands: in the old file, then in the new one."""
        return [one for one in self.spots.get(finding.fingerprint, (None, None)) if one is not None]

    def spot(self, finding: Finding) -> Spot | None:
        """Where a reader should look: in the new file if it stands there, else in the old one."""
        known = self.spots_of(finding)
        return known[-1] if known else None


def shown(value: Json, limit: int = MAX_VALUE) -> str:
    """A value on one line, in ASCII: a text may hold what would play with a terminal, or with a page."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= limit else text[:limit] + "…"


def plain(text: str) -> str:
    """A text without the characters that move a cursor or turn a line round."""
    return "".join(char if char.isprintable() or char == " " else f"\\u{ord(char):04x}" for char in text)


def place(finding: Finding) -> str:
    """The surface and the pointer in it."""
    return plain(f"{finding.surface} {finding.pointer}".rstrip())


def proofs(finding: Finding) -> list[tuple[str, str]]:
    """What stands behind a finding: (label, value) in reading order."""
    labels = (("was", finding.old), ("now", finding.new), ("breaks on", finding.witness), ("because", finding.evidence))
    found = [(label, shown(value)) for label, value in labels if value is not UNSET]
    found += [("read at", plain(f"{one.file}:{one.line} ({one.verdict})")) for one in finding.consumers]
    return found


def summary(findings: list[Finding]) -> str:
    """The verdict, how many findings there are of each level, and the step of the version that they ask for."""
    if not findings:
        return "identical: nothing differs"
    tally = ", ".join(f"{count} {level}" for level, count in counts(findings).items() if count)
    return f"{verdict(findings)}: {tally}; version step: {version_step(findings)}"


def version_step(findings: list[Finding]) -> str:
    """Major where something breaks or may, minor where something that values show is new, patch for the rest."""
    levels = {one.level for one in findings}
    if levels & {"breaking", "undecided"}:
        return "major"
    return "minor" if levels & {"warning", "safe", "routing"} else "patch" if levels else "none"
