"""Findings for whoever reads them: a file each form. All are pure: findings in, text out."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Final, cast

from stipula.diff.finding import Finding
from stipula.diff.reports.words import Report, Spots

FORMS: Final = ("text", "json", "markdown", "sarif", "junit", "github", "html")


def written(form: str, findings: Iterable[Finding], subject: str, spots: Mapping[str, Spots] | None = None) -> str:
    """The report in one of FORMS.

    subject: what was compared, as "old.json → new.json". spots: fingerprint → where it stands in both files.
    """
    write = cast("Callable[[Report], str]", import_module(f"{__name__}.{form}").write)
    return write(Report(findings=list(findings), subject=subject, spots=dict(spots or {})))
