"""Findings that somebody answers for, until a day. A waiver that no longer fits is a finding of its own."""

import datetime as dt
from collections.abc import Iterable

from msgspec import Struct

from stipula.diff.change import Change
from stipula.diff.finding import Finding, gravest_first, judged


class Waiver(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[waiver]]` of a project's file: all of it is required."""

    fingerprint: str
    rule: str
    surface: str
    pointer: str
    reason: str
    owner: str
    expires: dt.date


class Waived(Struct, frozen=True, kw_only=True):
    """A finding that does not count, and who says so."""

    finding: Finding
    owner: str
    reason: str
    expires: dt.date


def waive(findings: Iterable[Finding], waivers: Iterable[Waiver], today: dt.date) -> tuple[list[Finding], list[Waived]]:
    """The findings that count, and those that are waived.

    A waiver holds through its last day and fits a finding whose fingerprint, rule, surface and pointer are its own. One
    that has expired, or fits nothing, adds the warning `waiver-expired` or `waiver-stale`.
    """
    known = {_key(one): one for one in waivers}
    counted: list[Finding] = []
    waived: list[Waived] = []
    used: set[tuple[str, ...]] = set()
    for finding in findings:
        waiver = known.get(_key(finding))
        if waiver is not None:
            used.add(_key(waiver))
        if waiver is None or waiver.expires < today:
            counted.append(finding)
        else:
            waived.append(Waived(finding=finding, owner=waiver.owner, reason=waiver.reason, expires=waiver.expires))
    for key, waiver in known.items():
        if key not in used:
            counted.append(_unfit(waiver, "waiver-stale"))
        elif waiver.expires < today:
            counted.append(_unfit(waiver, "waiver-expired"))
    return gravest_first(counted), waived


def _key(one: Finding | Waiver) -> tuple[str, ...]:
    return one.fingerprint, one.rule, one.surface, one.pointer


def _unfit(waiver: Waiver, rule: str) -> Finding:
    named = {"fingerprint": waiver.fingerprint, "owner": waiver.owner, "expires": waiver.expires.isoformat()}
    change = Change(surface=waiver.surface, pointer=waiver.pointer, rule=rule, layer="interface", new=named)
    return judged(change, "warning")
