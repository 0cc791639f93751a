"""The model's process: started by need, started again, ended with us; its faults in words."""

import asyncio
import os
import signal
import sys

import pytest

from stipula.gateway.local.child import Order
from stipula.gateway.local.supervisor import Supervisor
from stipula.gateway.upstream import UpstreamBusy

pytestmark = pytest.mark.anyio
ORDER = Order(model="m.gguf", name="m", key="k", threads=1, slots=1, context=8)
SAYS_READY = 'import sys; sys.stdin.readline(); print(\'{"type":"ready","address":"http://x"}\', flush=True); '
READY = SAYS_READY + "sys.stdin.read()"


@pytest.fixture
async def supervised():
    """Supervisors of a line of Python."""
    made = []

    def make(code):
        made.append(Supervisor((sys.executable, "-c", code)))
        return made[-1]

    yield make
    for one in made:
        await one.stop()


async def test_a_process_is_started_once_for_all_who_need_it(supervised):
    one = supervised(READY)
    assert set(await asyncio.gather(*(one.address(ORDER) for _ in range(3)))) == {"http://x"}
    assert one.is_running


async def test_a_process_that_was_killed_is_started_again(supervised):
    one = supervised(READY)
    await one.address(ORDER)
    os.kill(one._process.pid, signal.SIGKILL)
    await one._process.wait()
    assert (one.is_running, one.ending) == (False, "by signal 9")
    assert (await one.address(ORDER), one.is_running) == ("http://x", True)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('print(\'{"type":"unable","why":"no such file"}\')', "it could not be loaded \\(no such file\\)"),
        ("import sys; sys.exit(7)", "its process ended with status 7 while it was loaded"),
        ("print('noise')", "ended with status 0"),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9"),
    ],
)
async def test_a_process_that_cannot_load_says_why_and_is_gone(supervised, code, said):
    one = supervised(code)
    with pytest.raises(UpstreamBusy, match=said):
        await one.address(ORDER)
    assert not one.is_running


async def test_a_process_that_does_not_end_is_killed(supervised, monkeypatch):
    monkeypatch.setattr("stipula.gateway.local.supervisor.STOP_S", 0.05)
    one = supervised(SAYS_READY + "import time; time.sleep(60)")
    await one.address(ORDER)
    await one.stop()
    assert one.ending == "by signal 9"


async def test_stopping_what_never_ran_does_nothing(supervised):
    await supervised(READY).stop()
