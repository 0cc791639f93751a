"""A document from outside, JSON or YAML, as a plain JSON value: strict, bounded, and told by line where it is wrong.

YAML is read as 1.2 reads it, which OpenAPI demands: `no` and `2024-01-01` are strings, keys are strings.
"""

import json
import math
import re
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn, cast

import yaml

from stipula.contract.model import Json
from stipula.errors import EXIT_UNAVAILABLE, Problem

MAX_BYTES: Final = 32 * 1024 * 1024
MAX_DEPTH: Final = 100
MAX_NODES: Final = 2_000_000
"""Counted as a reader walks them: an alias counts each time it is used, or it would be a bomb."""


class Unreadable(Problem):
    """A document cannot be read."""

    code, exit_code = "COL201", EXIT_UNAVAILABLE
    hint = "cannot read {file}: {why}"


class NotADocument(Problem):
    """A text is neither JSON nor YAML, or more than we read."""

    code, exit_code = "COL202", EXIT_UNAVAILABLE
    hint = "{file}:{line}: {why}"


def read_file(path: Path, shown: str) -> Json:
    """The value in a file. shown: how messages name it."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as why:
        raise Unreadable(file=shown, why=why.strerror or type(why).__name__) from None
    return parsed(content, shown)


def parsed(content: bytes, file: str) -> Json:
    """The value that a JSON or a YAML text holds; a text that begins like JSON and is JSON is read as such."""
    if len(content) > MAX_BYTES:
        raise NotADocument(file=file, line=1, why=f"longer than {MAX_BYTES >> 20} MiB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as why:
        raise NotADocument(file=file, line=content.count(b"\n", 0, why.start) + 1, why="not UTF-8") from None
    is_json = text.lstrip()[:1] in {"{", "["} and not file.endswith((".yaml", ".yml"))
    try:
        value = _json(text, file) if is_json else _yaml(text, file)
    except RecursionError:
        raise NotADocument(file=file, line=1, why="nested beyond reason") from None
    _bound(value, file)
    return value


def _bound(value: Json, file: str) -> None:
    waiting: list[tuple[Json, int]] = [(value, 0)]
    count = 0
    while waiting:
        here, depth = waiting.pop()
        count += 1
        if count > MAX_NODES:
            raise NotADocument(file=file, line=1, why=f"more than {MAX_NODES} values, with its aliases written out")
        if depth > MAX_DEPTH:
            raise NotADocument(file=file, line=1, why=f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(here, dict):
            waiting.extend((child, depth + 1) for child in cast("dict[str, Json]", here).values())
        elif isinstance(here, list):
            waiting.extend((child, depth + 1) for child in cast("list[Json]", here))
        elif isinstance(here, str) and not here.isascii() and any("\ud800" <= char <= "\udfff" for char in here):
            raise NotADocument(file=file, line=1, why="half a surrogate pair in a string")


# ---------------------------------------------------------------- JSON


class _TokenError(Exception):
    def __init__(self, token: str, why: str) -> None:
        self.token = token
        super().__init__(why)


def _json(text: str, file: str) -> Json:
    try:
        return json.loads(text, object_pairs_hook=_members, parse_float=_finite, parse_constant=_no_constant)
    except json.JSONDecodeError as why:
        raise NotADocument(file=file, line=why.lineno, why=f"not JSON: {why.msg}") from None
    except _TokenError as why:
        line = text.count("\n", 0, max(text.rfind(why.token), 0)) + 1
        raise NotADocument(file=file, line=line, why=f"not JSON: {why}") from None
    except ValueError:
        raise NotADocument(file=file, line=1, why="an integer of thousands of digits") from None


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = json.dumps(next(name for name in names if names.count(name) > 1), ensure_ascii=False)
        raise _TokenError(twice, f"the name {twice} stands twice in one object")
    return members


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _TokenError(digits, f"the number {digits[:20]} is too large")
    return number


def _no_constant(word: str) -> NoReturn:
    raise _TokenError(word, f"{word} is no JSON value")


# ---------------------------------------------------------------- YAML

Foreign = Any
"""A loader or a node of pyyaml, which has no types."""
_Base: Foreign = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Wrong = yaml.constructor.ConstructorError


class _Loader(_Base):
    """The core schema of YAML 1.2, and keys as strings."""

    yaml_implicit_resolvers: Final[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    def construct_mapping(self, node: Foreign, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - theirs
        _ = deep
        _check_keys(node)
        self.flatten_mapping(node)  # what is merged comes first, so that a mapping's own keys count
        return {str(key.value): self.construct_object(value, deep=True) for key, value in node.value}


def _check_keys(node: Foreign) -> None:
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _Wrong(None, None, "a key that is no string", key.start_mark)
        if key.value in seen:
            raise _Wrong(None, None, f"the key {str(key.value)!r} stands twice", key.start_mark)
        seen.add(str(key.value))


def _resolver(tag: str, pattern: str, starts: str) -> None:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(starts))


_resolver("null", r"^(?:~|null|Null|NULL)$", "~nN")
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^$"), [""])
_resolver("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF")
_resolver("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789")
_resolver("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789")
_resolver("merge", r"^<<$", "<")


def _integer(loader: Foreign, node: Foreign) -> int:
    digits = str(loader.construct_scalar(node))
    return int(digits, 0) if digits[:2] in {"0o", "0x"} else int(digits)


def _float(loader: Foreign, node: Foreign) -> float:
    number = float(loader.construct_scalar(node))
    if not math.isfinite(number):
        raise _Wrong(None, None, "a number that is too large", node.start_mark)
    return number


def _mapping(loader: Foreign, node: Foreign) -> dict[Hashable, Any]:
    return cast("dict[Hashable, Any]", loader.construct_mapping(node))


def _refused(_: Foreign, node: Foreign) -> NoReturn:
    raise _Wrong(None, None, f"{node.tag.removeprefix('tag:yaml.org,2002:')} is no type of JSON", node.start_mark)


_Loader.add_constructor("tag:yaml.org,2002:int", _integer)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
for _tag in ("timestamp", "binary", "set", "omap", "pairs"):  # none of them is JSON
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _refused)


def _yaml(text: str, file: str) -> Json:
    try:
        _check_depth(text, file)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader with fewer types than the library's own
    except yaml.MarkedYAMLError as why:
        line = why.problem_mark.line + 1 if why.problem_mark else 1
        raise NotADocument(file=file, line=line, why=f"neither JSON nor YAML: {why.problem}") from None
    except (yaml.YAMLError, ValueError, TypeError) as why:
        first = (str(why).splitlines() or ["?"])[0]
        raise NotADocument(file=file, line=1, why=f"neither JSON nor YAML: {first}") from None


def _check_depth(text: str, file: str) -> None:
    """Before anything recurses over the text."""
    depth = 0
    for event in _events(text):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise NotADocument(file=file, line=event.start_mark.line + 1, why=f"nested deeper than {MAX_DEPTH} levels")


def _events(text: str) -> Iterator[Foreign]:
    parse: Foreign = vars(yaml)["parse"]
    return parse(text, Loader=_Base)
