"""Findings for whoever reads them: a file each form. All are pure: findings in, text out."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Final, cast

from stipula.diff.finding import Finding

FORMS: Final = ("text", "json", "markdown", "sarif", "junit", "github", "html")


def written(form: str, findings: Iterable[Finding], subject: str) -> str:
    """The report in one of FORMS. subject: what was compared, as "old.json → new.json"."""
    write = cast("Callable[[list[Finding], str], str]", import_module(f"{__name__}.{form}").write)
    return write(list(findings), subject)
