"""Containment over labelled corpora: right, wrong and undecided a file, median and p99 of the time a check takes."""

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from stipula.diff.containment import Contained, NotContained, Undecided, contains

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "tests" / "data" / "containment"


def checked(row: dict[str, Any]) -> tuple[str, float, str]:
    """What became of one labelled check, its milliseconds, and what to say of it."""
    started = time.perf_counter()
    answer = contains(row["lhs"], row["rhs"], lhs_draft=row.get("lhs_draft"), rhs_draft=row.get("rhs_draft"))
    took = (time.perf_counter() - started) * 1000
    match answer:
        case Undecided(reason):
            return "undecided", took, reason
        case Contained():
            return ("right" if row["contained"] else "UNSOUND"), took, "contained"
        case NotContained(witness):
            return ("right" if not row["contained"] else "INCOMPLETE"), took, f"witness {witness!r}"


def score(path: Path) -> int:
    """Print the figures of one file; the number of wrong answers."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    counts: dict[str, int] = {}
    times: list[float] = []
    for row in rows:
        if "policy" in row:
            counts["policy"] = counts.get("policy", 0) + 1
            continue
        outcome, took, note = checked(row)
        times.append(took)
        counts[outcome] = counts.get(outcome, 0) + 1
        if outcome != "right":
            print(f"  {outcome:<10} {row['id']}: {note[:150]}")
    decided = counts.get("right", 0) / max(1, len(times)) * 100
    p99 = statistics.quantiles(times, n=100)[98]
    print(
        f"{path.name}: {counts} — {decided:.1f} % right; median {statistics.median(times):.2f} ms, "
        f"p99 {p99:.1f} ms, worst {max(times):.0f} ms"
    )
    return counts.get("UNSOUND", 0) + counts.get("INCOMPLETE", 0)


def main(*paths: str) -> None:
    """Score the named files, or the sample that comes with the tests."""
    wanted = [Path(path) for path in (paths or sys.argv[2:])] or sorted(SAMPLE.glob("*.jsonl"))
    print(f"wrong answers: {sum(score(path) for path in wanted)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
