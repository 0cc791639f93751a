"""A name in a project's own code, `module:name`, imported into this process with the project's root in front.

What the code prints goes to stderr, since stdout belongs to the command's report.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path

from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem
from stipula.redact import redact

MAX_CAUSE = 300


class BadTarget(Problem):
    """A target is not of the form `module:name`."""

    code, exit_code = "COL101", EXIT_USAGE
    hint = "{target!r} is no module:name, as in my_package.main:app"


class ImportBroke(Problem):
    """A module of the project cannot be imported."""

    code, exit_code = "COL102", EXIT_UNAVAILABLE
    hint = "cannot import {module} from {root}: {cause}"


class NoSuchName(Problem):
    """A module of the project has no such name."""

    code, exit_code = "COL103", EXIT_UNAVAILABLE
    hint = "{module} has no {name!r}; it has {names}"


class CodeBroke(Problem):
    """A function of the project raised while it was asked for what it promises."""

    code, exit_code = "COL104", EXIT_UNAVAILABLE
    hint = "{target} raised {cause}"


@contextmanager
def project_code(root: Path) -> Generator[None]:
    """Within this, modules are looked for in root (and root/src, where there is one) first; prints go to stderr."""
    folders = [str(folder) for folder in (root.resolve(), root.resolve() / "src") if folder.is_dir()]
    before = list(sys.path)
    sys.path[:0] = folders
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:] = before


def named(target: str, root: Path) -> object:
    """What `module:name` names. Call it within `project_code`. name may have dots."""
    module_name, _, path = target.partition(":")
    if not all(step.isidentifier() for step in (*module_name.split("."), *path.split("."))):
        raise BadTarget(target=target)
    _forget_namesake(module_name.partition(".")[0], root)
    try:
        found: object = import_module(module_name)
    except (Exception, SystemExit) as why:
        raise ImportBroke(module=module_name, root=root, cause=cause_of(why)) from why
    for step in path.split("."):
        if not hasattr(found, step):
            names = sorted(name for name in vars(found) if not name.startswith("_"))[:12]
            raise NoSuchName(module=module_name, name=path, names=", ".join(names) or "nothing")
        found = getattr(found, step)
    return found


def cause_of(why: BaseException) -> str:
    """An exception in one line: its kind, its first line, and where in foreign code it was raised."""
    text = (str(why).strip().splitlines() or [""])[0]
    if isinstance(why, SyntaxError) and why.filename:
        place = f" ({Path(why.filename).name}:{why.lineno})"
        text = why.msg
    else:
        trace = why.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        # frames of the import system itself say nothing
        is_file = trace is not None and trace.tb_frame.f_code.co_filename.endswith(".py")
        place = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace and is_file else ""
    return redact(f"{type(why).__name__}{': ' if text else ''}{text[:MAX_CAUSE]}{place}")


def _forget_namesake(name: str, root: Path) -> None:
    """Drop a module of the same name that was imported from another place: in a process that collects two projects."""
    loaded = sys.modules.get(name)
    file = getattr(loaded, "__file__", None)
    if not file or name in sys.stdlib_module_names or name == "stipula":
        return
    homes = [root.resolve(), root.resolve() / "src"]
    is_ours = any(Path(file).resolve().is_relative_to(home) for home in homes)
    is_here = any((home / f"{name}.py").is_file() or (home / name).is_dir() for home in homes)
    if is_here and not is_ours:
        for module in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            del sys.modules[module]
