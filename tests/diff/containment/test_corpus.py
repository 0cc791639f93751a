"""Labelled checks that others made: none wrong, nearly all decided, each refusal with a witness that holds."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "data" / "containment"


@pytest.mark.parametrize("name", ["core-2020-12", "core-2020-12-negatives", "apicurio", "jsoncompat"])
def test_no_label_is_missed(name: str, decide: Callable[..., str]):
    tally: Counter[str] = Counter()
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answer = decide(row["lhs"], row["rhs"], lhs_draft=row.get("lhs_draft"), rhs_draft=row.get("rhs_draft"))
        wanted = "contained" if row["contained"] else "not contained"
        tally["right" if answer == wanted else f"{row['id']}: {answer}"] += 1
    assert tally == Counter({"right": sum(tally.values())})
