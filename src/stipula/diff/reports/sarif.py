"""The report as SARIF 2.1.0, for code scanning."""

import json
from typing import Any, Final

from stipula import __version__
from stipula.diff.finding import Finding, Level
from stipula.diff.reports.json import listed
from stipula.diff.reports.words import Report, plain
from stipula.diff.rules import RULES

SEVERITY: Final[dict[Level, str]] = {
    "breaking": "error", "undecided": "warning", "warning": "warning", "routing": "note", "safe": "note",
    "note": "note",
}  # fmt: skip


def write(report: Report) -> str:
    """The report as text."""
    used = sorted({one.rule for one in report.findings})
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "stipula", "version": __version__, "rules": [_rule(code) for code in used]}
                },
                "results": [_result(report, one, used) for one in report.findings],
            }
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=True)


def _rule(code: str) -> dict[str, Any]:
    known = RULES.get(code)
    page = known.page if known else code
    return {"id": code, "shortDescription": {"text": page.partition("\n")[0]}, "fullDescription": {"text": page}}


def _result(report: Report, finding: Finding, rules: list[str]) -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": plain(f"{finding.surface}{finding.pointer}")}]
    }
    if (spot := report.spot(finding)) is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": spot.file},
            "region": {"startLine": spot.line, "startColumn": spot.column},
        }
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "level": SEVERITY[finding.level],
        "message": {"text": plain(finding.message)},
        "locations": [location],
        "partialFingerprints": {"stipula/v1": finding.fingerprint},
        "properties": listed(finding),
    }
