"""The text of a lock: JSON laid out in blocks for git and for readers, and read back with line numbers."""

import json
import math
import re
from typing import Any, Final, NoReturn, cast

from stipula.contract.model import Json
from stipula.errors import EXIT_UNAVAILABLE, Problem

WIDTH: Final = 100
INDENT: Final = "  "
UNSEEN: Final = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that a reviewer does not see, or that turn a line around: they stand escaped in a lock."""


class LockBroken(Problem):
    """The lock is not what `stipula freeze` writes."""

    code, exit_code = "CON501", EXIT_UNAVAILABLE
    hint = "{file}:{line}: {why}; restore it from version control, or look at the change and run `stipula freeze`"


# ---------------------------------------------------------------- writing


def laid_out(head: dict[str, Json], sections: dict[str, list[dict[str, Json]]]) -> bytes:
    """The head's members, then each section as a list of blocks; members of a block keep their order."""
    lines = [f"{INDENT}{_flat(name)}: {_flat(value)}" for name, value in head.items()]
    blocks = [f"{INDENT}{_flat(name)}: {_section(records)}" for name, records in sections.items()]
    text = "{\n" + ",\n".join(lines) + ",\n\n" + ",\n\n".join(blocks) + "\n}\n"
    return UNSEEN.sub(_escape, text).encode()


def _section(records: list[dict[str, Json]]) -> str:
    if not records:
        return "[]"
    return "[\n" + ",\n\n".join(INDENT * 2 + _block(record) for record in records) + "\n" + INDENT + "]"


def _block(record: dict[str, Json]) -> str:
    members = [f"{INDENT * 3}{_flat(name)}: {_laid(value, 3)}" for name, value in record.items()]
    return "{\n" + ",\n".join(members) + "\n" + INDENT * 2 + "}"


def _laid(value: Json, depth: int) -> str:
    """The text of a value: in one line if it is plain and fits, else a line a member."""
    if isinstance(value, dict):
        named = cast("dict[str, Json]", value)
        members = [f"{_flat(name)}: {_laid(named[name], depth + 1)}" for name in sorted(named)]
        opening, closing, values = "{", "}", list(named.values())
    elif isinstance(value, list | tuple):
        values = list(cast("list[Json]", value))
        members = [_laid(item, depth + 1) for item in values]
        opening, closing = "[", "]"
    else:
        return _flat(value)
    line = opening + ", ".join(members) + closing
    if all(_is_plain(one) for one in values) and len(INDENT) * depth + len(line) <= WIDTH:
        return line
    inner = INDENT * (depth + 1)
    return f"{opening}\n{inner}" + f",\n{inner}".join(members) + f"\n{INDENT * depth}{closing}"


def _is_plain(value: Json) -> bool:
    return not isinstance(value, dict | list | tuple) or not value


def _flat(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


# ---------------------------------------------------------------- reading


def parsed(text: str, file: str) -> Json:
    """The value of a text. Raises LockBroken where it is not JSON, has a name twice, or numbers beyond what we read."""
    try:
        return json.loads(text, object_pairs_hook=_members, parse_float=_finite, parse_constant=_no_constant)
    except json.JSONDecodeError as why:
        raise LockBroken(file=file, line=why.lineno, why=f"not JSON: {why.msg}") from None
    except _TokenError as why:
        raise LockBroken(file=file, line=_last_line_of(text, why.token), why=f"not JSON: {why}") from None
    except ValueError:  # Python reads integers of at most 4300 digits
        raise LockBroken(file=file, line=1, why="an integer of thousands of digits") from None
    except RecursionError:
        raise LockBroken(file=file, line=1, why="nested beyond reason") from None


def line_at(text: str, index: int) -> int:
    """The line (from 1) in which the character number index stands."""
    return text.count("\n", 0, index) + 1


def line_of(text: str, name: str) -> int:
    """The first line that holds this string as a value, or 1."""
    found = text.find(_flat(name))
    return line_at(text, found) if found >= 0 else 1


class _TokenError(Exception):
    def __init__(self, token: str, why: str) -> None:
        self.token = token
        super().__init__(why)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _TokenError(_flat(twice), f"the name {_flat(twice)} stands twice in one object")
    return members


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _TokenError(digits, f"the number {digits[:20]} is too large")
    return number


def _no_constant(word: str) -> NoReturn:
    raise _TokenError(word, f"{word} is no JSON value")


def _last_line_of(text: str, token: str) -> int:
    return line_at(text, max(text.rfind(token), 0))
