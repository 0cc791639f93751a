"""The report as JSON: {"verdict", "findings", "counts"}; its schema is docs/reference/diff-report.schema.json."""

import json
from typing import Any

import msgspec
from msgspec import UNSET

from stipula.diff.finding import Finding, counts, verdict
from stipula.diff.reports.words import Report


def write(report: Report) -> str:
    """The report as text. A member that is not there says that there is none: null is a value."""
    return json.dumps(document(report.findings), indent=2, ensure_ascii=True)


def document(findings: list[Finding]) -> dict[str, Any]:
    """The report as a value."""
    return {
        "verdict": verdict(findings),
        "findings": [listed(one) for one in findings],
        "counts": counts(findings),
    }


def listed(finding: Finding) -> dict[str, Any]:
    """One finding as a value."""
    told: dict[str, Any] = {
        "rule": finding.rule,
        "level": finding.level,
        "surface": finding.surface,
        "pointer": finding.pointer,
        "message": finding.message,
    }
    for name in ("old", "new", "witness", "evidence"):
        if (value := getattr(finding, name)) is not UNSET:
            told[name] = msgspec.to_builtins(value)
    told["consumers"] = msgspec.to_builtins(finding.consumers)
    told["fingerprint"] = finding.fingerprint
    return told
