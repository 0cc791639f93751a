"""The routes of an OpenAPI document: a file, an address, or what a FastAPI application says of itself."""

import json
import os
from pathlib import Path

from stipula import outbound
from stipula.collect import document
from stipula.collect.environment import resolved
from stipula.collect.loading import CodeBroke, cause_of, named, project_code
from stipula.collect.openapi_routes import surfaces
from stipula.collect.project import CollectEntry
from stipula.contract.model import Contract, Json
from stipula.errors import EXIT_UNAVAILABLE, Problem


class NoApplication(Problem):
    """A name that should be an application with an OpenAPI document is something else."""

    code, exit_code = "COL310", EXIT_UNAVAILABLE
    hint = "{target} is {seen}; wanted an application with openapi(), as FastAPI has, or a function that returns one"


def collect(entry: CollectEntry, root: Path) -> Contract:
    """The surfaces of every operation that the entry does not ignore."""
    shown = entry.file or entry.app or outbound.shown_url(entry.url)
    return Contract(surfaces=tuple(surfaces(_document(entry, root), shown, entry.ignore)))


def _document(entry: CollectEntry, root: Path) -> Json:
    if entry.file:
        return document.read_file(root / entry.file, entry.file)
    if entry.app:
        return _of_application(entry.app, root)
    headers = resolved(entry.headers, os.environ, entry.label)
    fetched = outbound.fetch(entry.url, headers=headers, timeout_s=entry.timeout_s, max_bytes=document.MAX_BYTES)
    return document.parsed(fetched.body, outbound.shown_url(fetched.url))


def _of_application(target: str, root: Path) -> Json:
    with project_code(root):
        found = named(target, root)
        try:
            if not hasattr(found, "openapi") and callable(found):
                found = found()
            openapi = getattr(found, "openapi", None)
            told = openapi() if callable(openapi) else found
            text = json.dumps(told)  # what a client would get: no tuples, no enum members
        except Problem:
            raise
        except (Exception, SystemExit) as why:
            raise CodeBroke(target=target, cause=cause_of(why)) from why
    if not isinstance(told, dict):
        raise NoApplication(target=target, seen=f"of type {type(found).__name__}")
    return document.parsed(text.encode(), target)
