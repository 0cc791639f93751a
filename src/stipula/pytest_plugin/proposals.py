"""`stipula.proposals.json`: what tests asserted and the lock does not promise, for people to look at."""

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

from stipula.contract.model import Contract, Json
from stipula.errors import EXIT_UNAVAILABLE, Problem
from stipula.pytest_plugin.lock import opened
from stipula.pytest_plugin.widening import widened
from stipula.redact import redact

PROPOSALS_NAME: Final = "stipula.proposals.json"
ABOUT: Final = (
    "written by `pytest --stipula-update`: what tests asserted and the lock does not promise. Change what is declared "
    "or what is sent, then run `stipula freeze`; this file is read by nobody else"
)


class UnwritableProposals(Problem):
    """The proposals cannot be written."""

    code, exit_code = "PYT104", EXIT_UNAVAILABLE
    hint = "cannot write {file}: {why}"


def written(records: Iterable[dict[str, Any]], lock: Path) -> str:
    """Write the proposals beside the lock, or take away old ones where there is nothing to propose; what to tell."""
    file = lock.parent / PROPOSALS_NAME
    told = proposals(records, opened(lock))
    try:
        if not told:
            file.unlink(missing_ok=True)
            return f"every value was as {lock.name} promises: nothing to propose"
        _put(file, json.dumps({"stipula": ABOUT, "proposals": told}, indent=2, ensure_ascii=True) + "\n")
    except OSError as why:
        raise UnwritableProposals(file=file, why=why.strerror) from None
    names = "\n".join(f"  {one['surface']}" for one in told)
    count = f"{len(told)} proposal{'' if len(told) == 1 else 's'}"
    return f"{count} in {file.name}; {lock.name} is as it was\n{names}"


def proposals(records: Iterable[dict[str, Any]], contract: Contract) -> list[dict[str, Any]]:
    """One entry a surface and outcome: its tests, what was seen, and a shape that takes it, where a plain one does."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in map(_masked, records):
        groups.setdefault((record["surface"], record["outcome"]), []).append(record)
    return [_proposal(*names, group, contract) for names, group in sorted(groups.items())]


def _proposal(surface: str, outcome: str, records: list[dict[str, Any]], contract: Contract) -> dict[str, Any]:
    values = _once(record["value"] for record in records)
    told: dict[str, Any] = {"surface": surface}
    if outcome:
        told["outcome"] = outcome
    told |= {
        "tests": sorted({record["test"] for record in records}),
        "broken": _once(broken for record in records for broken in record["broken"]),
        "values": values,
    }
    promised = contract.surface(surface)
    shape = widened(promised.shapes[outcome], values) if promised and outcome in promised.shapes else None
    return told if shape is None else {**told, "shape": shape}


def _once(values: Iterable[Json]) -> list[Json]:
    """Each value once, in an order that does not depend on which test came first."""
    return [value for _, value in sorted({_text(value): value for value in values}.items())]


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _masked(value: Json) -> Json:
    """Without what looks like a secret: the file is made to be handed around."""
    match value:
        case str():
            return redact(value)
        case list():
            return [_masked(item) for item in cast("list[Json]", value)]
        case dict():
            return {key: _masked(item) for key, item in cast("dict[str, Json]", value).items()}
        case _:
            return value


def _put(file: Path, text: str) -> None:
    """The whole file at once."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
