"""The command line: the wait for `stipula --version`, the cost of `stipula check` of this repository."""

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = 15


def timed(words: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of one run of a program, its children included."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(name: str, words: list[str], runs: int, budget: str) -> tuple[float, float]:
    """Print the medians of several runs."""
    timed(words)  # once for the byte code
    results = [timed(words) for _ in range(runs)]
    wall, cpu = (statistics.median(column) for column in zip(*results, strict=True))
    print(f"{name:<42} wall {wall * 1000:7.1f} ms   CPU {cpu * 1000:7.1f} ms   (median of {runs}; budget {budget})")
    return wall, cpu


def main() -> None:
    """Run it."""
    stipula = str(Path(sys.executable).parent / "stipula")
    bare, _ = report("python -c pass", [sys.executable, "-c", "pass"], RUNS, "the floor")
    wall, _ = report("stipula --version", [stipula, "--version"], RUNS, "150 ms wall")
    report("stipula check (this repository)", [stipula, "check"], 5, "2 s CPU")
    print(f"stipula --version costs {wall / bare:.1f} × a bare interpreter")
