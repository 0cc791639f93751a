"""The one door, `./dev`, where something is missing."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_door(tmp_path: Path, python: str, words: list[str]) -> subprocess.CompletedProcess[str]:
    """The door of a copy of the checkout that has no environment yet, with nothing on PATH."""
    copy = tmp_path / "checkout"
    (copy / "locks").mkdir(parents=True)
    for name in ("dev", "pyproject.toml", "locks/run.txt", "locks/dev.txt", "locks/uv.txt"):
        shutil.copy(ROOT / name, copy / name)
    nowhere = dict(os.environ, PATH=str(tmp_path / "nothing"))
    return subprocess.run([python, str(copy / "dev"), *words], capture_output=True, text=True, env=nowhere, check=False)


def old_python(tmp_path: Path) -> str:
    """A Python that reports a version which is too old, made of the present one."""
    script = tmp_path / "python-old"
    script.write_text(
        f"#!{sys.executable}\nimport collections, sys, runpy\n"
        "class Version(tuple):\n    pass\n"
        "sys.version_info = Version((3, 8, 18))\n"
        "sys.executable = None\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    script.chmod(0o755)
    return str(script)


def test_without_a_new_enough_python_the_door_says_in_one_line_what_to_install(tmp_path: Path):
    done = run_door(tmp_path, old_python(tmp_path), ["setup"])
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("./dev needs Python 3.11 or newer; this is 3.8.18.")


def test_an_unknown_command_lists_the_commands(tmp_path: Path):
    done = run_door(tmp_path, sys.executable, ["sreve"])
    assert done.returncode == 2
    assert "invalid choice: 'sreve'" in done.stderr


def test_the_door_is_readable_by_python_3_8():
    ast.parse((ROOT / "dev").read_text(encoding="utf-8"), feature_version=(3, 8))


def test_the_locks_pin_every_package_with_a_hash():
    for name in ("run", "dev", "uv"):
        lock = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")
        pins = [line for line in lock.splitlines() if line and not line.startswith(("#", " "))]
        assert pins
        assert [line for line in pins if "==" not in line or not line.endswith("\\")] == []
