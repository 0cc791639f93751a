"""The gateway: CPU per plain request and per stream of 36 frames, beside the bare proxy in the same run; memory, start.

Closed loop, 8 clients, a mock upstream in a process of its own; bare and gateway take turns, so that whatever else the
machine does hits both. CPU is the process's own (user and system), not the clock's.
"""

import asyncio
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STIPULA = str(Path(sys.executable).parent / "stipula")
CLIENTS = 8
ROUNDS = 5
PLAIN = 1500
STREAMS = 300
REFUSALS = 3000
IDLE_S = float(os.environ.get("BENCH_IDLE_S", "60"))
HELLO = b'{"role":"user","content":"Say hello, please, in one short sentence."}'
BODIES = {
    "plain": b'{"model":"mock","messages":[%b],"temperature":0}' % HELLO,
    "stream": b'{"model":"mock","messages":[%b],"stream":true}' % HELLO,
    "refusal": b'{"model":"mock","messages":[%b,{"role":"assistant","content":"Hel"}]}' % HELLO,
}
CONFIG = """
[server]
listen = "127.0.0.1:0"
[gateway]
client_keys = ["env:BENCH_CLIENT"]
[[gateway.upstreams]]
name = "mock"
dialect = "openai_chat"
base_url = "{url}/v1"
keys = ["env:BENCH_KEY"]
models = {{ "mock" = "*" }}
[storage]
url = "sqlite:///{folder}/bench.db"
"""


@dataclass
class Server:
    """A process that listens."""

    pid: int
    port: int

    def cpu_s(self) -> float:
        """User and system seconds of all its threads, to the nanosecond (Linux)."""
        threads = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    def memory_mib(self) -> float:
        """Resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@contextmanager
def process(*words: str, **environment: str) -> Generator[Server]:
    """A program that says its port on its first line."""
    running = subprocess.Popen(
        words,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | environment,
    )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        yield Server(running.pid, int(re.findall(r"(\d+)\s*$", line)[0]))
    finally:
        running.send_signal(signal.SIGTERM)
        running.communicate()


# ---------------------------------------------------------------- load


async def client(port: int, body: bytes, count: int, waits: list[float]) -> None:
    """One client: requests one after another on one connection, each read to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer bench\r\n"
    request = head + b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    for _ in range(count):
        began = time.perf_counter()
        writer.write(request)
        answer = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"content-length: (\d+)", answer)
        if found:
            await reader.readexactly(int(found[1]))
        else:
            await reader.readuntil(b"\r\n0\r\n\r\n")
        waits.append(time.perf_counter() - began)
    writer.close()
    await writer.wait_closed()


async def load(port: int, kind: str, count: int) -> list[float]:
    """All clients at once; the wait for each answer, seconds."""
    waits: list[float] = []
    await asyncio.gather(*(client(port, BODIES[kind], count // CLIENTS, waits) for _ in range(CLIENTS)))
    return waits


def measured(server: Server, kind: str, count: int) -> tuple[float, float]:
    """CPU milliseconds of the server for each answer, and the median wait in milliseconds."""
    before = server.cpu_s()
    waits = asyncio.run(load(server.port, kind, count))
    return (server.cpu_s() - before) / len(waits) * 1000, statistics.median(waits) * 1000


def compare(kind: str, count: int, ours: Server, bare: Server, direct: Server, budget_ms: float) -> None:
    """Interleaved rounds; medians."""
    rows: dict[str, list[tuple[float, float]]] = {"gateway": [], "bare": [], "direct": []}
    for server in (ours, bare):
        measured(server, kind, count // 4)  # warm
    for _ in range(ROUNDS):
        for name, server in (("gateway", ours), ("bare", bare), ("direct", direct)):
            rows[name].append(measured(server, kind, count))
    cpu = {name: statistics.median(row[0] for row in found) for name, found in rows.items()}
    wait = {name: statistics.median(row[1] for row in found) for name, found in rows.items()}
    print(
        f"{kind:<8} CPU {cpu['gateway']:.3f} ms (budget {budget_ms:g}), bare proxy {cpu['bare']:.3f} ms, "
        f"ratio {cpu['gateway'] / cpu['bare']:.2f}; p50 {wait['gateway']:.2f} ms, bare {wait['bare']:.2f} ms, "
        f"direct {wait['direct']:.2f} ms"
    )


def refusals(ours: Server) -> None:
    """What a local refusal costs."""
    measured(ours, "refusal", REFUSALS // 4)
    found = [measured(ours, "refusal", REFUSALS)[0] for _ in range(ROUNDS)]
    print(f"refusal  CPU {statistics.median(found):.3f} ms (budget 0.3)")


# ---------------------------------------------------------------- start and rest


async def until_answered(port: int) -> None:
    await client(port, BODIES["plain"].replace(b'"mock"', b'"echo"'), 1, [])


def start_and_idle() -> None:
    """The default server: from its command to its first answer, and its memory when nobody asks."""
    starts: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        homes = {"XDG_DATA_HOME": folder, "STIPULA_CACHE_DIR": f"{folder}/cache", "PIP_INDEX_URL": "http://127.0.0.1:1"}
        for _ in range(3):
            began = time.perf_counter()
            with process(STIPULA, "serve", "--listen", "127.0.0.1:0", **homes) as server:
                asyncio.run(until_answered(server.port))
                starts.append(time.perf_counter() - began)
        with process(STIPULA, "serve", "--listen", "127.0.0.1:0", **homes) as server:
            time.sleep(IDLE_S)
            memory = server.memory_mib()
    print(f"start    {statistics.median(starts):.2f} s to the first answer (budget 1.5)")
    print(f"idle     {memory:.0f} MiB after {IDLE_S:g} s (budget 120), the default server with its chat")


def main() -> None:
    """Run it."""
    with tempfile.TemporaryDirectory() as folder, process(sys.executable, "-m", "benchmarks._mock") as mock:
        url = f"http://127.0.0.1:{mock.port}"
        config = Path(folder) / "bench.toml"
        config.write_text(CONFIG.format(url=url, folder=folder))
        secrets = {"BENCH_CLIENT": "bench", "BENCH_KEY": "key"}
        words = (STIPULA, "serve", "--config", str(config))
        with process(*words, **secrets) as ours, process(sys.executable, "-m", "benchmarks._bare", url) as bare:
            compare("plain", PLAIN, ours, bare, mock, 1)
            compare("stream", STREAMS, ours, bare, mock, 3)
            refusals(ours)
    start_and_idle()


if __name__ == "__main__":
    main()
