"""What changes about an operation beyond its shapes: that it is there, who may call it, in which form, until when."""

import datetime as dt
from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET

from stipula.contract.canonical import canonical
from stipula.contract.model import Contract, Json, Surface
from stipula.contract.schema import tokens
from stipula.diff.change import Change
from stipula.diff.finding import Finding, Level
from stipula.diff.telling import tell
from stipula.diff.words import listed, members

SUNSET: Final = "x-sunset"


def came_or_went(change: Change, old: Contract, new: Contract, today: dt.date | None) -> Iterator[Finding]:
    """An operation, or one of its statuses, that is no longer or newly there.

    A status is not told where the whole operation went, or came.
    """
    name = change.surface
    operation, _, status = name.partition("#")
    edit = change.rule.rpartition("-")[2]
    surface = old.surface(name) or new.surface(name)
    consumers = surface.consumers if surface and edit != "added" else ()
    facts: dict[str, Any] = {"old": change.old, "new": change.new, "consumers": consumers}
    if not status:
        code, level, more = _operation(edit, old.surface(name), today)
        evidence = UNSET if edit == "added" else {"call": name.removeprefix("route:"), **more}
        yield tell(code, name, name=name.removeprefix("route:"), level=level, evidence=evidence, **facts)
    elif old.surface(operation) is not None and new.surface(operation) is not None:
        code = {"added": "status-added", "removed": "status-removed"}.get(edit, "status-removed")
        evidence = UNSET if code == "status-added" else {"gone": status}
        yield tell(code, name, name=status, evidence=evidence, **facts)


def _operation(edit: str, old: Surface | None, today: dt.date | None) -> tuple[str, Level | None, dict[str, Any]]:
    """Rule, level where it is not the rule's own, and what more to show."""
    if edit != "removed" or old is None:
        return f"operation-{edit}", None, {}
    sunset = _sunset(old)
    if old.annotations.get("deprecated") is not True or sunset is None or today is None:
        return "operation-removed", None, {}
    code = "operation-removed-after-sunset" if sunset <= today else "operation-removed-before-sunset"
    return code, None, {"sunset": sunset.isoformat()}


def _sunset(surface: Surface) -> dt.date | None:
    told = str(members(surface.definition).get(SUNSET, ""))
    try:
        return dt.date.fromisoformat(told[:10])
    except ValueError:
        return None


def header_shapes(old: Surface, new: Surface) -> Iterator[tuple[str, Json, Json]]:
    """Headers of an answer that both sides state, by name, with both shapes."""
    was, now = members(old.annotations.get("headers")), members(new.annotations.get("headers"))
    for name in sorted(was.keys() & now.keys()):
        shapes = members(was[name]).get("schema", True), members(now[name]).get("schema", True)
        if canonical(shapes[0]) != canonical(shapes[1]):
            yield name, *shapes


def change_findings(change: Change, surface: Surface) -> Iterator[Finding]:
    """What a change of annotations, texts or the rest of an operation means."""
    steps = tokens(change.pointer)
    if steps[0] == "texts":
        yield tell(
            "description-changed", change.surface, change.pointer,
            old=change.old, new=change.new, name=steps[1], layer="routing",
        )  # fmt: skip
    elif steps[0] == "annotations":
        yield from KINDS.get(steps[1], _other)(change, surface)
    elif steps[0] == "definition":
        yield from _definition(change, steps)


def _plain(change: Change, code: str, *, name: str = "", old: Json = UNSET, new: Json = UNSET, **more: Any) -> Finding:  # noqa: ANN401 - the members of a finding
    return tell(code, change.surface, change.pointer, old=old, new=new, name=name, layer="behaviour", **more)


def _operation_id(change: Change, _surface: Surface) -> Iterator[Finding]:
    yield _plain(change, "operation-id-changed", old=change.old, new=change.new)


def _deprecated(change: Change, surface: Surface) -> Iterator[Finding]:
    if change.new is True:
        yield _plain(change, "operation-deprecated", new=True)
        if _sunset(surface) is None:
            yield _plain(change, "deprecated-without-sunset", new=True)
    else:
        yield _plain(change, "operation-reactivated", old=change.old)


def _media_types(change: Change, surface: Surface) -> Iterator[Finding]:
    was, now = set(listed(change.old)), set(listed(change.new))
    is_answer = "#" in surface.id
    for name in sorted(was - now):
        code = "answer-media-type-removed" if is_answer else "body-media-type-removed"
        yield _plain(change, code, name=name, old=name, evidence={"gone": name})
    for name in sorted(now - was):
        yield _plain(change, "answer-media-type-added" if is_answer else "body-media-type-added", name=name, new=name)


def _security(change: Change, _surface: Surface) -> Iterator[Finding]:
    """Every way in that was open must still be; a way that asks for less is open to whoever knew one that asks more."""
    was = [_demands(one) for one in listed(change.old)] or [set[str]()]
    now = [_demands(one) for one in listed(change.new)] or [set[str]()]
    shut = [way for way in was if not any(other <= way for other in now)]
    opened = [way for way in now if not any(other <= way for other in was)]
    facts = {"old": change.old, "new": change.new}
    if shut:
        code = "security-added" if was == [set[str]()] else "security-tightened"
        yield _plain(change, code, name=_ways(shut), evidence={"shut": [sorted(way) for way in shut]}, **facts)
    if opened:
        code = "security-removed" if set[str]() in opened else "security-loosened"
        yield _plain(change, code, name=_ways(opened), **facts)


def _demands(way: Json) -> set[str]:
    """What one way in asks for: schemes, and their scopes."""
    found: set[str] = set()
    for name, told in members(way).items():
        scheme = members(members(told).get("scheme"))
        kind = " ".join(str(scheme[key]) for key in ("type", "scheme", "in", "name") if key in scheme)
        found.add(f"{kind or name}")
        found.update(f"{kind or name}: {scope}" for scope in listed(members(told).get("scopes")))
    return found


def _ways(ways: list[set[str]]) -> str:
    return " or ".join(", ".join(sorted(way)) or "nobody asked" for way in ways)


def _parameters(change: Change, _surface: Surface) -> Iterator[Finding]:
    was, now = members(change.old), members(change.new)
    for name in sorted(was.keys() | now.keys()):
        before, after = members(was.get(name)), members(now.get(name))
        form = {key: (before.get(key), after.get(key)) for key in ("style", "explode", "allowReserved")}
        if any(one != other for one, other in form.values()):
            evidence = {"was": before, "now": after}
            yield _plain(change, "parameter-form-changed", name=name, old=before, new=after, evidence=evidence)
        if before.get("allowEmptyValue") != after.get("allowEmptyValue"):
            code = "empty-value-allowed" if after.get("allowEmptyValue") else "empty-value-refused"
            evidence = UNSET if code == "empty-value-allowed" else {"call": f"{name} without a value"}
            yield _plain(change, code, name=name, evidence=evidence)
        if before.get("deprecated") != after.get("deprecated"):
            code = "parameter-deprecated" if after.get("deprecated") else "parameter-reactivated"
            yield _plain(change, code, name=name)


def _headers(change: Change, _surface: Surface) -> Iterator[Finding]:
    was, now = members(change.old), members(change.new)
    for name in sorted(was.keys() | now.keys()):
        before, after = members(was.get(name)), members(now.get(name))
        if name not in now:
            is_sure = before.get("required") is True
            code = "required-header-removed" if is_sure else "header-removed"
            yield _plain(change, code, name=name, old=before, evidence={"gone": name})
        elif name not in was:
            yield _plain(change, "header-added", name=name, new=after)
        elif before.get("required") is not after.get("required"):
            code = "header-became-required" if after.get("required") else "header-became-optional"
            evidence = UNSET if after.get("required") else {"missing": name}
            yield _plain(change, code, name=name, evidence=evidence)


def _other(change: Change, _surface: Surface) -> Iterator[Finding]:
    yield _plain(change, "behaviour-changed", name=tokens(change.pointer)[1], old=change.old, new=change.new)


KINDS: Final = {
    "deprecated": _deprecated,
    "headers": _headers,
    "media_types": _media_types,
    "operation_id": _operation_id,
    "parameters": _parameters,
    "security": _security,
}


def _definition(change: Change, steps: list[str]) -> Iterator[Finding]:
    if steps[1:2] == [SUNSET]:
        was, now = str(change.old)[:10], str(change.new)[:10]
        code = "sunset-removed" if change.new is UNSET else "sunset-brought-forward" if now < was else "sunset-set"
        yield tell(code, change.surface, change.pointer, old=change.old, new=change.new)
    elif steps[1:2] and steps[1] in {"tags", "externalDocs"} | {one for one in steps[1:2] if one.startswith("x-")}:
        yield tell(
            "operation-remark-changed", change.surface, change.pointer,
            old=change.old, new=change.new, name=steps[1], layer="wire",
        )  # fmt: skip
