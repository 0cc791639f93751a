"""Keeps the model's process: started by the first who needs it, started again if it ended, ended with us."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from typing import Final

import msgspec

from stipula.gateway.local.child import Order, Ready, Unable
from stipula.gateway.upstream import UpstreamBusy

START_S: Final = 60.0
"""Loading takes one second; a machine that swaps takes longer."""
STOP_S: Final = 5.0
NOTICE_S: Final = 1.0
NAME: Final = "the local model"
_answers: Final = msgspec.json.Decoder(Ready | Unable)


class Supervisor:
    """One process. words: the command that runs it."""

    def __init__(self, words: tuple[str, ...] = (sys.executable, "-m", "stipula.gateway.local.child")) -> None:
        self._words = words
        self._lock = asyncio.Lock()
        self._process: Process | None = None
        self._address = ""

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.returncode is None

    @property
    def ending(self) -> str:
        """How the process ended, in words; "" while it runs or before it did."""
        code = None if self._process is None else self._process.returncode
        return "" if code is None else f"by signal {-code}" if code < 0 else f"with status {code}"

    async def ended(self) -> str:
        """How the process ended, in words; "" if it runs on. A broken connection is seen before the process is gone."""
        try:
            async with asyncio.timeout(NOTICE_S):
                if self._process is not None:
                    await self._process.wait()
        except TimeoutError:
            pass
        return self.ending

    async def address(self, order: Order) -> str:
        """Where the model answers, once it does. `UpstreamBusy` where it cannot be started."""
        async with self._lock:
            if not self.is_running:
                self._process = None
                await self._start(order)
            return self._address

    async def _start(self, order: Order) -> None:
        self._process = process = await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )
        is_ready = False
        try:
            assert process.stdin is not None, "a pipe was asked for"
            assert process.stdout is not None, "a pipe was asked for"
            process.stdin.write(msgspec.json.encode(order) + b"\n")
            async with asyncio.timeout(START_S):
                line = await process.stdout.readline()
            answer = _answers.decode(line)
            if isinstance(answer, Unable):
                raise UpstreamBusy(upstream=NAME, why=f"it could not be loaded ({answer.why})")
            self._address, is_ready = answer.address, True
        except TimeoutError:
            raise UpstreamBusy(upstream=NAME, why=f"it was not loaded within {START_S:g} s") from None
        except (msgspec.MsgspecError, OSError):
            await process.wait()
            raise UpstreamBusy(upstream=NAME, why=f"its process ended {self.ending} while it was loaded") from None
        finally:
            if not is_ready:
                await self.stop()

    async def stop(self) -> None:
        """End the process, and wait until it is gone."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
