"""The report as a comment on a pull request."""

from itertools import groupby

from stipula.diff.finding import Finding
from stipula.diff.reports.words import Report, place, plain, proofs, summary


def write(report: Report) -> str:
    """The report as Markdown; foreign text stands in code, where nothing of it counts as markup."""
    lines = [f"### {_text(plain(report.subject))}", "", f"**{_text(summary(report.findings))}**", ""]
    for level, group in groupby(report.findings, key=lambda one: one.level):
        lines += [f"#### {level}", ""]
        for finding in group:
            lines += _block(report, finding)
        lines.append("")
    return "\n".join(lines).rstrip()


def _block(report: Report, finding: Finding) -> list[str]:
    spot = report.spot(finding)
    where = f" ({_code(str(spot))})" if spot else ""
    lines = [f"- {_code(place(finding))}{where}: {_text(plain(finding.message))} `{finding.rule}`"]
    return lines + [f"  - {label} {_code(value)}" for label, value in proofs(finding)]


def _code(text: str) -> str:
    """A code span that its content cannot leave."""
    longest = max((len(run) for run in "".join(char if char == "`" else " " for char in text).split()), default=0)
    fence = "`" * (longest + 1)
    padded = f" {text} " if longest else text
    return f"{fence}{padded}{fence}"


def _text(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+-!|~@" else char for char in text)
