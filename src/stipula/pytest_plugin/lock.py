"""Which lock a run of tests is held against, and its contract."""

from pathlib import Path

import pytest

from stipula.collect import project as projects
from stipula.collect.project import CONFIG_NAME, LOCK_NAME
from stipula.contract import lockfile
from stipula.contract.model import Contract
from stipula.errors import EXIT_UNAVAILABLE, Problem


class NoLockForTests(Problem):
    """A test wants the project's lock, and there is none."""

    code, exit_code = "PYT101", EXIT_UNAVAILABLE
    hint = (
        "no {name} at {folder} or above; `stipula freeze` writes one, and --stipula-lock or stipula_lock in pytest's "
        "configuration name another"
    )


class UnreadableLockForTests(Problem):
    """The lock that tests are held against cannot be read."""

    code, exit_code = "PYT102", EXIT_UNAVAILABLE
    hint = "cannot read the lock {file}: {why}"


def locate(config: pytest.Config) -> Path:
    """The lock that --stipula-lock, else the ini key `stipula_lock`, names; else the nearest from rootdir upwards."""
    if named := config.getoption("stipula_lock"):
        return config.invocation_params.dir / named
    if named := config.getini("stipula_lock"):
        return (config.inipath.parent if config.inipath else config.rootpath) / named
    for folder in (config.rootpath, *config.rootpath.parents):
        if (folder / CONFIG_NAME).is_file():
            return projects.load(folder / CONFIG_NAME).lock_path
        if (folder / LOCK_NAME).is_file():
            return folder / LOCK_NAME
    raise NoLockForTests(name=LOCK_NAME, folder=config.rootpath)


def opened(path: Path) -> Contract:
    """The contract of a lock."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise NoLockForTests(name=path.name, folder=path.parent) from None
    except OSError as why:
        raise UnreadableLockForTests(file=path, why=why.strerror) from None
    return lockfile.read(content, file=path.name)
