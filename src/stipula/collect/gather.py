"""All of a project's collectors, one after the other: what they found, and what each could not do.

A collector is a module `stipula.collect.SOURCE` with `collect(entry: CollectEntry, root: Path) -> Contract`; where it
cannot, it raises a `Problem`. One that fails hides none of the others.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from stipula.collect.project import CollectEntry, Project
from stipula.contract import schema
from stipula.contract.canonical import digests
from stipula.contract.model import Contract, Surface, SurfaceTwice, joined
from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem

Collector = Callable[[CollectEntry, Path], Contract]


class NothingToCollect(Problem):
    """The project's file has no `[[collect]]`."""

    code, exit_code = "COL001", EXIT_USAGE
    hint = "the project names nothing to collect; add a [[collect]] entry, `stipula init` shows some"


class UnknownSource(Problem):
    """This version has no collector for a source."""

    code, exit_code = "COL002", EXIT_USAGE
    hint = 'from = "{source}" is not collected by this version of Stipula'


class CollectorBroke(Problem):
    """A collector failed in a way that it does not know itself."""

    code, exit_code = "COL003", EXIT_UNAVAILABLE
    hint = "{entry}: {kind}: {why} (STIPULA_DEBUG=1 shows where)"


class Gathered(Struct, frozen=True, kw_only=True):
    """What was found, and what went wrong on the way, in the order of the project's entries."""

    contract: Contract
    problems: tuple[Problem, ...] = ()


def gather(project: Project, on_entry: Callable[[CollectEntry], None] = lambda _: None) -> Gathered:
    """Run every collector. on_entry: called before each, for progress."""
    if not project.collect:
        raise NothingToCollect
    parts: list[Contract] = []
    problems: list[Problem] = []
    for entry in project.collect:
        on_entry(entry)
        try:
            part = collector(entry)(entry, project.root)
            for surface in part.surfaces:
                _check(surface)
        except Problem as problem:
            problems.append(problem)
        except Exception as why:  # noqa: BLE001 - foreign code runs in collectors; the other entries must still be seen
            broke = CollectorBroke(entry=entry.label, kind=type(why).__name__, why=why)
            broke.__cause__ = why
            problems.append(broke)
        else:
            parts.append(part)
    return _whole(parts, problems)


def collector(entry: CollectEntry) -> Collector:
    """The collector of an entry; loaded now."""
    name = f"stipula.collect.{entry.source}"
    if find_spec(name) is None:
        raise UnknownSource(source=entry.source)
    collect: Collector = import_module(name).collect
    return collect


def _check(surface: Surface) -> None:
    """What is frozen must be a schema, and have a canonical text."""
    for outcome, shape in surface.shapes.items():
        schema.check(shape, where=f"{surface.id} ({outcome})")
    digests(surface)


def _whole(parts: list[Contract], problems: list[Problem]) -> Gathered:
    try:
        return Gathered(contract=joined(parts), problems=tuple(problems))
    except SurfaceTwice as problem:
        return Gathered(contract=Contract(), problems=(*problems, problem))
