"""Fetching the weights beside a running server: in a process of its own, which ends with the server."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from typing import Final

from stipula.gateway.local.weights import Progress

WORDS: Final = (sys.executable, "-m", "stipula.gateway.local.weights")


async def fetched(progress: Progress, words: tuple[str, ...] = WORDS) -> str:
    """What went wrong; "" where the weights are in place. Cancelling it ends the download."""
    process = await asyncio.create_subprocess_exec(
        *words, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True
    )
    assert process.stdout is not None, "a pipe was asked for"
    assert process.stderr is not None, "a pipe was asked for"
    try:
        async for raw in process.stdout:
            done, _, total = raw.decode(errors="replace").partition(" ")
            progress(int(done), int(total))
        said = (await process.stderr.read()).decode(errors="replace").strip().splitlines()
        await process.wait()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGTERM)  # pip is a child of it, in the same group
            await process.wait()
    if not process.returncode:
        return ""
    return said[-1] if said else f"the download ended with {process.returncode}"
