"""An MCP server on three pipes: a transport that tells what a server did wrong, and that always ends it.

The transport of the SDK passes over noise and says only that the connection closed. This one reads strictly: the first
line that is no message is a fault, and so is an end that nobody asked for. stderr is kept by its tail.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Final

import anyio
import anyio.lowlevel
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from stipula.collect.mcp_problems import BadMessage, CannotStart, Noise, ServerEnded, TooMuch, how_ended, shown
from stipula.errors import Problem

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 64 * 1024 * 1024
MAX_STDERR_BYTES: Final = 8 * 1024
PIECE_BYTES: Final = 64 * 1024
GRACE_S: Final = 1.0
"""How long a server may take to end after its stdin closed, and again after SIGTERM."""
POLL_S: Final = 0.01

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


class Child:
    """A server that runs. fault: what it did wrong, once it has; the streams are closed then."""

    def __init__(
        self,
        command: tuple[str, ...],
        env: Mapping[str, str],
        root: Path,
        *,
        server: str,
        secrets: tuple[str, ...] = (),
    ) -> None:
        """Nothing runs yet. env: beside what the SDK hands on. server: how messages name it. secrets: never shown."""
        self.fault: Problem | None = None
        self.doing = "before it answered anything"
        self._command = command
        self._env = dict(env)
        self._root = root
        self._server = server
        self._secrets = secrets
        self._stderr = bytearray()
        self._has_stderr_ended = anyio.Event()
        self._writing = anyio.CancelScope()
        self._is_being_ended = False

    @property
    def last_words(self) -> str:
        """The last line on stderr, for messages; empty if there is none."""
        lines = [line for line in bytes(self._stderr).splitlines() if line.strip()]
        return f"; last on stderr: {shown(lines[-1], self._secrets)}" if lines else ""

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[Streams]:
        """Start it; the streams that a client session takes. On leaving, the server and its children are ended.

        Raises CannotStart.
        """
        self._process = self._started()
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        for pipe in self._pipes():
            os.set_blocking(pipe.fileno(), False)
        async with incoming, read, write, outgoing, anyio.create_task_group() as group:
            group.start_soon(self._read_stdout, incoming)
            group.start_soon(self._read_stderr)
            group.start_soon(self._write_stdin, outgoing)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    await self._end()
                group.cancel_scope.cancel()
        for pipe in self._pipes():
            pipe.close()

    def _started(self) -> subprocess.Popen[bytes]:
        environment = get_default_environment() | self._env
        beside = str(Path(sys.executable).parent)  # programs of our own environment, after all others
        environment["PATH"] = os.pathsep.join(part for part in (environment.get("PATH", ""), beside) if part)
        try:
            return subprocess.Popen(  # noqa: S603 - the command is the user's own configuration, and no shell reads it
                self._command,
                cwd=self._root,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # so that its children can be ended with it
            )
        except (OSError, ValueError) as why:
            reason = "no such program" if isinstance(why, FileNotFoundError) else getattr(why, "strerror", None) or why
            raise CannotStart(server=self._server, program=self._command[0], why=reason) from None

    # ------------------------------------------------------------ the three pipes

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    async def _read_stdout(self, incoming: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        pending = bytearray()
        total = 0
        async with incoming:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                while piece := await _piece(self._pipes()[1]):
                    total += len(piece)
                    pending += piece
                    if len(pending) > MAX_LINE_BYTES or total > MAX_TOTAL_BYTES:
                        limit = (MAX_LINE_BYTES if len(pending) > MAX_LINE_BYTES else MAX_TOTAL_BYTES) >> 20
                        unit = "MiB in one line" if len(pending) > MAX_LINE_BYTES else "MiB"
                        self.fault = TooMuch(server=self._server, limit=limit, unit=unit)
                        return
                    if b"\n" not in piece:
                        continue
                    *lines, rest = pending.split(b"\n")
                    pending = bytearray(rest)
                    for line in lines:
                        if (message := self._message(bytes(line))) is not None:
                            await incoming.send(message)
                        if self.fault is not None:
                            return
                await self._tell_end(bytes(pending))

    def _message(self, line: bytes) -> SessionMessage | None:
        """The message in a line; None, and a fault, where there is none. Empty lines are passed over."""
        if not line.strip():
            return None
        try:
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValidationError as why:
            self.fault = self._wrong_line(line, why)
            return None

    def _wrong_line(self, line: bytes, why: ValidationError) -> Problem:
        seen = shown(line, self._secrets)
        try:
            value: object = json.loads(line)
        except RecursionError:
            return BadMessage(server=self._server, why="nested beyond reason", line=seen)
        except ValueError:
            return Noise(server=self._server, line=seen)
        if not isinstance(value, dict | list):
            return Noise(server=self._server, line=seen)
        first = why.errors(include_url=False, include_context=False, include_input=False)[0]
        reason = "a batch" if isinstance(value, list) else f"{'.'.join(map(str, first['loc'][1:]))}: {first['msg']}"
        return BadMessage(server=self._server, why=shown(reason).strip('"'), line=seen)

    async def _tell_end(self, rest: bytes) -> None:
        """The stream has ended: wait a moment for the exit status and the last words, and say so.

        An end that we asked for is no fault, and must not cover up what was wrong before it.
        """
        if self._is_being_ended:
            return
        with anyio.move_on_after(GRACE_S):
            await self._has_stderr_ended.wait()
        await self._is_gone_within(GRACE_S)
        if rest.strip():
            self._message(rest)  # a message that was cut, or noise
        if not isinstance(self.fault, Noise) or self._process.returncode:
            how = how_ended(self._process.poll())
            self.fault = ServerEnded(server=self._server, how=how, doing=self.doing, stderr=self.last_words)

    async def _read_stderr(self) -> None:
        try:
            while piece := await _piece(self._pipes()[2]):
                self._stderr += piece
                del self._stderr[:-MAX_STDERR_BYTES]
        finally:
            self._has_stderr_ended.set()

    async def _write_stdin(self, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
        stdin = self._pipes()[0]
        with self._writing:
            async for item in outgoing:
                data = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                while data:
                    await anyio.wait_writable(stdin)
                    try:
                        data = data[os.write(stdin.fileno(), data) :]
                    except BlockingIOError:
                        continue
                    except OSError:
                        return  # it reads no more; that it ended is told by its stdout

    # ------------------------------------------------------------ its end

    async def _end(self) -> None:
        """Close its stdin and wait; then SIGTERM to it and its children, then SIGKILL."""
        self._is_being_ended = True
        self._writing.cancel()
        await anyio.lowlevel.checkpoint()  # the writer leaves the pipe before it is closed
        self._pipes()[0].close()
        if not await self._is_gone_within(GRACE_S):
            self._signal(signal.SIGTERM)
            await self._is_gone_within(GRACE_S)
        self._signal(signal.SIGKILL)  # children may have outlived it
        await self._is_gone_within(GRACE_S)

    async def _is_gone_within(self, seconds: float) -> bool:
        with anyio.move_on_after(seconds):
            while self._process.poll() is None:  # noqa: ASYNC110 - Popen tells nobody when its process ends
                await anyio.sleep(POLL_S)
        return self._process.poll() is not None

    def _signal(self, number: signal.Signals) -> None:
        # the session's leader is the child, also after it has ended and while others of its group live
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


async def _piece(pipe: IO[bytes]) -> bytes:
    """What has come; empty at the end."""
    while True:
        await anyio.wait_readable(pipe)
        try:
            return os.read(pipe.fileno(), PIECE_BYTES)
        except BlockingIOError:
            continue
        except OSError:
            return b""
