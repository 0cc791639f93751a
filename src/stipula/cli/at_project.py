"""What `freeze` and `check` do alike: find the project, collect it with progress on a terminal, keep the lock."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from stipula.cli.main import report
from stipula.collect import project as projects
from stipula.collect.gather import gather
from stipula.collect.project import CollectEntry, Project
from stipula.contract import lockfile
from stipula.contract.model import Contract
from stipula.errors import EXIT_UNAVAILABLE, Problem


class NoLock(Problem):
    """There is no lock yet."""

    code, exit_code = "CLI101", EXIT_UNAVAILABLE
    hint = "no lock at {file}; `stipula freeze` writes it"


class UnreadableLock(Problem):
    """The lock is there and cannot be read."""

    code, exit_code = "CLI102", EXIT_UNAVAILABLE
    hint = "cannot read {file}: {why}"


class UnwritableLock(Problem):
    """The lock cannot be written."""

    code, exit_code = "CLI103", EXIT_UNAVAILABLE
    hint = "cannot write {file}: {why}"


PROJECT_OPTION = click.option(
    "--project",
    "config",
    type=click.Path(path_type=Path),
    help="The project's file or folder. Default: stipula.toml, or [tool.stipula], here or above.",
)


def opened(config: Path | None) -> Project:
    """The project that the option names, or the one that this folder is in."""
    if config is not None and not config.is_dir():
        return projects.load(config)
    return projects.load(projects.find((config or Path()).resolve()))


def collected(project: Project) -> Contract | None:
    """The contract as it stands, or None after each problem was reported."""
    gathered = gather(project, _progress(len(project.collect)))
    _clear()
    for problem in gathered.problems:
        report(problem)
    return None if gathered.problems else gathered.contract


def frozen(project: Project) -> Contract:
    """The contract of the lock."""
    path = project.lock_path
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise NoLock(file=path) from None
    except OSError as why:
        raise UnreadableLock(file=path, why=why.strerror) from None
    return lockfile.read(content, file=project.lock)


def write(project: Project, content: bytes) -> None:
    """Put the lock in its place at once: whoever reads it sees the old one or the new one."""
    path = project.lock_path
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                os.fchmod(stream.fileno(), _mode(path))
                os.fsync(stream.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as why:
        raise UnwritableLock(file=path, why=why.strerror) from None


def _mode(path: Path) -> int:
    """The permissions of the lock that is there, or those of any new file."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _progress(total: int) -> Callable[[CollectEntry], None]:
    done = 0

    def show(entry: CollectEntry) -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            print(f"\r\x1b[2Kcollecting {done} of {total}: {entry.label[:60]}", end="", file=sys.stderr, flush=True)

    return show


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
