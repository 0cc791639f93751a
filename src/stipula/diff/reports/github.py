"""The report as GitHub workflow commands: annotations on the lines of a pull request."""

from typing import Final

from stipula.diff.finding import Finding, Level
from stipula.diff.reports.words import Report, place, plain, proofs, summary

COMMAND: Final[dict[Level, str]] = {
    "breaking": "error", "undecided": "warning", "warning": "warning", "routing": "notice", "safe": "notice",
    "note": "notice",
}  # fmt: skip


def write(report: Report) -> str:
    """The report as text: one command a finding, then a line for the log."""
    return "\n".join([*(_command(report, one) for one in report.findings), summary(report.findings)])


def _command(report: Report, finding: Finding) -> str:
    spot = report.spot(finding)
    parts = {"file": spot.file, "line": str(spot.line), "col": str(spot.column)} if spot else {}
    parts["title"] = f"{finding.level}: {finding.rule}"
    text = "\n".join(
        [f"{place(finding)}: {plain(finding.message)}", *(f"{label} {value}" for label, value in proofs(finding))]
    )
    stated = ",".join(f"{name}={_property(value)}" for name, value in parts.items())
    return f"::{COMMAND[finding.level]} {stated}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
