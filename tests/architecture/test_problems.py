"""Every fault that has a name: its code is its own, its words are whole."""

import importlib
import pkgutil
import re
import string

import pytest

import stipula
from stipula.errors import Problem


def every_problem() -> list[type[Problem]]:
    for module in pkgutil.walk_packages(stipula.__path__, "stipula."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: list[type[Problem]] = []
    waiting = [Problem]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if kind is not Problem and kind.__module__.startswith("stipula."):
            found.append(kind)
    return sorted(found, key=lambda kind: kind.__qualname__)


PROBLEMS = every_problem()


def test_no_two_problems_share_a_code():
    codes = [kind.code for kind in PROBLEMS if "code" in vars(kind)]
    assert sorted(codes) == sorted(set(codes))


@pytest.mark.parametrize("kind", PROBLEMS, ids=lambda kind: kind.__name__)
def test_a_problem_has_a_code_a_page_and_a_hint_that_formats(kind: type[Problem]):
    assert re.fullmatch(r"[A-Z]{3}\d{3}", kind.code)
    assert kind.__doc__
    assert "\n" not in kind.hint
    names = [name for _, name, _, _ in string.Formatter().parse(kind.hint) if name is not None]
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)


def test_every_exit_code_is_one_of_the_documented_ones():
    assert {kind.exit_code for kind in PROBLEMS} <= {1, 2, 3, 4, 5}
