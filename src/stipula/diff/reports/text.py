"""The report for a terminal: the gravest first, one finding a block."""

from stipula.diff.reports.words import Report, place, plain, proofs, summary


def write(report: Report) -> str:
    """The report as text."""
    lines: list[str] = []
    for finding in report.findings:
        lines.append(f"{finding.level:<9} {place(finding)}: {plain(finding.message)}")
        spots = report.spots_of(finding)
        lines += [f"          at {plain(' → '.join(map(str, spots)))}"] if spots else []
        lines += [f"          {label} {value}" for label, value in proofs(finding)]
        lines.append(f"          [{finding.rule}, {finding.fingerprint}]")
    return "\n".join([*lines, f"{plain(report.subject)}: {summary(report.findings)}"])
