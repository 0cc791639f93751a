"""The report as JUnit XML: a surface with a break is a failed case."""

from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from stipula.diff.finding import Finding
from stipula.diff.reports.words import Report, plain, proofs

FAILS = frozenset({"breaking", "undecided", "warning"})


def write(report: Report) -> str:
    """The report as text."""
    by_surface = sorted(report.findings, key=lambda one: one.surface)
    cases = [_case(surface, list(group)) for surface, group in groupby(by_surface, key=lambda one: one.surface)]
    if not cases:
        cases = [f"    <testcase name={_quoted(report.subject)}/>"]
    failures = sum("<failure" in case for case in cases)
    head = f'tests="{len(cases)}" failures="{failures}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {head}>",
        f"  <testsuite name={_quoted(report.subject)} {head}>",
        *cases,
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines)


def _case(surface: str, findings: list[Finding]) -> str:
    grave = [one for one in findings if one.level in FAILS]
    text = "\n".join(line for one in findings for line in _lines(one))
    if grave:
        first = f"{grave[0].level}: {grave[0].message}"
        body = f"<failure message={_quoted(first)} type={_quoted(grave[0].rule)}>{escape(text)}</failure>"
    else:
        body = f"<system-out>{escape(text)}</system-out>"
    return f"    <testcase name={_quoted(surface)}>{body}</testcase>"


def _lines(finding: Finding) -> list[str]:
    head = plain(f"{finding.level} {finding.pointer or '/'}: {finding.message} [{finding.rule}, {finding.fingerprint}]")
    return [head, *(f"  {label} {value}" for label, value in proofs(finding))]


def _quoted(text: str) -> str:
    return quoteattr(plain(text))
