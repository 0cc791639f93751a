"""The report for a terminal: the gravest first, one finding a block."""

from stipula.diff.finding import Finding
from stipula.diff.reports.words import place, plain, proofs, summary


def write(findings: list[Finding], subject: str) -> str:
    """The report as text."""
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{finding.level:<9} {place(finding)}: {plain(finding.message)}")
        lines += [f"          {label} {value}" for label, value in proofs(finding)]
        lines.append(f"          [{finding.rule}, {finding.fingerprint}]")
    return "\n".join([*lines, f"{plain(subject)}: {summary(findings)}"])
