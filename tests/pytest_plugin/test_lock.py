"""Which lock a run takes, and what an idle run pays for the plugin."""

import sys

import pytest

pytest_plugins = ["pytester"]

USES = "def test_it(stipula_contract):\n    assert stipula_contract.contract.surfaces\n"


@pytest.fixture
def folder(pytester):
    """A rootdir below a folder that may hold a lock."""
    inner = pytester.mkdir("inner")
    (inner / "pytest.ini").write_text("[pytest]\n")
    (inner / "test_it.py").write_text(USES)
    return inner


@pytest.fixture
def run(folder, monkeypatch, run_pytest):
    monkeypatch.chdir(folder)
    return run_pytest


def test_the_lock_is_looked_for_from_rootdir_upwards(pytester, run, lock):
    (pytester.path / "stipula.lock.json").write_bytes(lock)
    run().assert_outcomes(passed=1)


def test_a_project_file_says_what_its_lock_is_called(pytester, run, lock):
    (pytester.path / "stipula.toml").write_text('lock = "other.json"\n')
    (pytester.path / "other.json").write_bytes(lock)
    run().assert_outcomes(passed=1)


def test_an_option_names_the_lock_before_the_configuration_does(folder, run, lock):
    (folder / "pytest.ini").write_text("[pytest]\nstipula_lock = sub/named.json\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "named.json").write_bytes(lock)
    run().assert_outcomes(passed=1)
    gone = run("--stipula-lock", "gone.json")
    gone.assert_outcomes(errors=1)
    gone.stdout.fnmatch_lines(["*no gone.json at * or above; `stipula freeze` writes one*"])


def test_a_lock_that_cannot_be_read_is_told_in_one_line(folder, run):
    (folder / "stipula.lock.json").write_bytes(b"{}")
    result = run()
    result.assert_outcomes(errors=1)
    told = result.stdout.str()
    assert told.count("\nstipula.lock.json:1: this is no lock of Stipula (it names no format); ") == 1
    assert "Traceback" not in told


def test_a_run_that_does_not_use_the_fixture_loads_nothing_of_stipula(pytester, run_pytest):
    pytester.makepyfile(
        "import sys\n"
        "def test_it():\n"
        "    ours = {name for name in sys.modules if name.partition('.')[0] == 'stipula'}\n"
        "    assert ours == {'stipula', 'stipula.pytest_plugin'}\n"
        "    assert not {'msgspec', 'jsonschema_rs', 'yaml'} & sys.modules.keys()\n"
    )
    run_pytest("test_a_run_that_does_not_use_the_fixture_loads_nothing_of_stipula.py").assert_outcomes(passed=1)


def test_pytest_finds_the_plugin_by_itself(pytester):
    result = pytester.run(sys.executable, "-m", "pytest", "--help")
    result.stdout.fnmatch_lines(["*--stipula-lock*The lock. Default: found from rootdir upwards.*"])
