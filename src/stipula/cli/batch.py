"""Questions in bulk: a file of JSON lines in, one answer a line out, in the same order."""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import click

from stipula.collect import document
from stipula.errors import EXIT_UNAVAILABLE, Problem

ID_IN_A_BROKEN_LINE: Final = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)')
MAX_WHY: Final = 300

Question = dict[str, Any]
Answer = dict[str, Any]


class UnreadableBatch(Problem):
    """A batch file cannot be read."""

    code, exit_code = "CLI201", EXIT_UNAVAILABLE
    hint = "cannot read {file}: {why}"


class BadQuestion(Problem):
    """A line of a batch lacks something, or is no object."""

    code, exit_code = "CLI202", EXIT_UNAVAILABLE
    hint = "line {line}: {why}"


def answer_all(file: Path, answered: Callable[[Question], Answer]) -> None:
    """Write one answer for each line: {"id", …, "ms"}, or {"id", "error"} for a line that cannot be answered.

    answered: makes the answer of one question; it may raise Problems. file: "-" is standard input.
    """
    for number, text in enumerate(_lines(file), start=1):
        if text.strip():
            click.echo(json.dumps(_answer(number, text, answered), ensure_ascii=True))


def _answer(number: int, text: str, answered: Callable[[Question], Answer]) -> Answer:
    start = time.perf_counter()
    known: Any = _id_in(text)
    try:
        question = _question(number, text)
        known = question.get("id")
        answer = answered(question)
    except (Problem, RecursionError, ValueError) as why:
        return {"id": known, "error": str(why)[:MAX_WHY] or type(why).__name__}
    except Exception as why:  # noqa: BLE001 - one line must not end the batch; the answer says that it is our fault
        return {"id": known, "error": f"internal error: {type(why).__name__}: {str(why)[:MAX_WHY]}"}
    return {"id": known, **answer, "ms": round((time.perf_counter() - start) * 1000, 3)}


def _question(number: int, text: str) -> Question:
    value = document.parsed(text.encode("utf-8", "surrogatepass"), f"line {number}")
    if not isinstance(value, dict):
        raise BadQuestion(line=number, why="not an object")
    return cast("Question", value)


def wanted(question: Question, *names: str) -> list[Any]:
    """The members that an answer needs. Raises BadQuestion where one is missing; null is a value."""
    for name in names:
        if name not in question:
            raise BadQuestion(line=question.get("id"), why=f"{name!r} is missing")
    return [question[name] for name in names]


def _id_in(text: str) -> Any:  # noqa: ANN401 - a text or a number
    found = ID_IN_A_BROKEN_LINE.search(text)
    try:
        return json.loads(found[1]) if found else None
    except ValueError:
        return None


def _lines(file: Path) -> Iterator[str]:
    if str(file) == "-":
        yield from (line.decode("utf-8", "replace") for line in sys.stdin.buffer)
        return
    try:
        with file.open("rb") as stream:
            yield from (line.decode("utf-8", "replace") for line in stream)
    except OSError as why:
        raise UnreadableBatch(file=file, why=why.strerror or type(why).__name__) from None
