"""What a project wants collected: `stipula.toml`, or `[tool.stipula]` in pyproject.toml, read strictly.

An unknown key, a wrong type or a missing key is an error that names the key and its line.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import Struct, field

from stipula.diff.waivers import Waiver
from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem

CONFIG_NAME: Final = "stipula.toml"
LOCK_NAME: Final = "stipula.lock.json"

Source = Literal["declared", "events", "openapi", "mcp", "source", "capture"]


class NoProject(Problem):
    """No stipula.toml, and no pyproject.toml with [tool.stipula], was found."""

    code, exit_code = "CFG101", EXIT_USAGE
    hint = "no stipula.toml or [tool.stipula] in pyproject.toml at {folder} or above; `stipula init` writes one"


class UnreadableFile(Problem):
    """A file cannot be read."""

    code, exit_code = "CFG102", EXIT_UNAVAILABLE
    hint = "cannot read {file}: {why}"


class BadToml(Problem):
    """The project's file is not TOML."""

    code, exit_code = "CFG103", EXIT_USAGE
    hint = "{file}: not TOML: {why}"


class BadKey(Problem):
    """The project's file has an unknown key, lacks one, or has a value of the wrong kind."""

    code, exit_code = "CFG104", EXIT_USAGE
    hint = "{file}:{line}: {why}"


class ProfileEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one profile of an MCP server is started: environment and arguments beside those of the entry."""

    env: dict[str, str] = field(default_factory=dict[str, str])
    args: tuple[str, ...] = ()


class CollectEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[collect]]`. Which keys go with which `from` stands in `KEYS`; paths are relative to the project.

    contract, app, server: `module:name`. command: a program and its arguments. path: of a stream, "/chat/stream".
    name: what the ids call an MCP server. headers, env: values `env:NAME` are taken from the environment.
    """

    source: Source = field(name="from")
    name: str = ""
    file: str = ""
    url: str = ""
    app: str = ""
    contract: str = ""
    root: str = ""
    server: str = ""
    command: tuple[str, ...] = ()
    path: str = ""
    env: dict[str, str] = field(default_factory=dict[str, str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    profiles: dict[str, ProfileEntry] = field(default_factory=dict[str, ProfileEntry])
    ignore: tuple[str, ...] = ()
    timeout_s: float = 30.0

    @property
    def label(self) -> str:
        """How messages name this entry: its source and what it is collected from."""
        target = (
            self.file or self.url or self.app or self.contract or self.server or " ".join(self.command) or self.root
        )
        return f"{self.source} {target}"


class Consumer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[consumer]]`: code that reads what is promised."""

    language: Literal["javascript", "python"] = field(name="from")
    root: str
    ignore: tuple[str, ...] = ()


class Project(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A project's file. root: the folder it stands in; lock: relative to root."""

    lock: str = LOCK_NAME
    collect: tuple[CollectEntry, ...] = ()
    consumer: tuple[Consumer, ...] = ()
    waiver: tuple[Waiver, ...] = ()
    root: Path = Path()

    @property
    def lock_path(self) -> Path:
        """Where the lock stands."""
        return self.root / self.lock


COMMON_KEYS: Final = frozenset({"from"})
KEYS: Final[dict[Source, tuple[frozenset[str], frozenset[str]]]] = {
    # source: (exactly one of these, and any of those)
    "declared": (frozenset({"contract"}), frozenset()),
    "events": (frozenset({"file"}), frozenset({"path"})),
    "openapi": (frozenset({"file", "url", "app"}), frozenset({"headers", "timeout_s", "ignore", "name"})),
    "mcp": (
        frozenset({"server", "command", "url"}),
        frozenset({"name", "env", "headers", "profiles", "timeout_s"}),
    ),
    "source": (frozenset({"root"}), frozenset({"ignore"})),
    "capture": (frozenset({"file"}), frozenset({"ignore"})),
}


def find(start: Path) -> Path:
    """The project's file at start or in the nearest folder above it."""
    for folder in (start, *start.parents):
        if (folder / CONFIG_NAME).is_file():
            return folder / CONFIG_NAME
        pyproject = folder / "pyproject.toml"
        if pyproject.is_file() and "[tool.stipula" in _text(pyproject):
            return pyproject
    raise NoProject(folder=start)


def load(path: Path) -> Project:
    """The project that this stipula.toml or pyproject.toml describes."""
    return read(_text(path), file=path)


def read(text: str, *, file: Path) -> Project:
    """The project that this text describes. file: where it stands, for messages and as the root."""
    try:
        document: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as why:
        raise BadToml(file=file.name, why=why) from None
    prefix: tuple[str | int, ...] = ()
    if file.name == "pyproject.toml":
        prefix, document = ("tool", "stipula"), document.get("tool", {}).get("stipula", {})
    if "root" in document:  # a field of ours that no file sets
        raise _bad_key(text, file, (*prefix, "root"), "unknown key `root`")
    entries = document.get("collect", [])
    for index, entry in enumerate(cast("list[object]", entries) if isinstance(entries, list) else []):
        _check_entry(entry, text, file, (*prefix, "collect", index))
    try:
        project = msgspec.convert(document, Project)
    except msgspec.ValidationError as why:
        where, what = _located(str(why))
        raise _bad_key(text, file, (*prefix, *where), what) from None
    return msgspec.structs.replace(project, root=file.parent)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as why:
        raise UnreadableFile(file=path, why=getattr(why, "strerror", None) or "not UTF-8") from None


def _check_entry(entry: object, text: str, file: Path, where: tuple[str | int, ...]) -> None:
    """Hold the keys of one `[[collect]]` against those of its source; types are checked later."""
    if not isinstance(entry, dict):
        return  # said better by the conversion
    keys = cast("dict[str, Any]", entry)
    source = keys.get("from")
    if source not in KEYS:
        seen = f"`from` is {source!r}" if "from" in keys else "`from` is missing"
        raise _bad_key(text, file, (*where, "from"), f"{seen}; it is one of {', '.join(KEYS)}")
    one_of, others = KEYS[source]
    for key in keys:
        if key not in one_of | others | COMMON_KEYS:
            allowed = ", ".join(sorted(one_of | others))
            raise _bad_key(text, file, (*where, key), f'unknown key `{key}` for from = "{source}"; it takes {allowed}')
    if len(one_of & keys.keys()) != 1:
        wanted = " or ".join(f"`{key}`" for key in sorted(one_of))
        raise _bad_key(text, file, where, f'from = "{source}" needs {"one of " if len(one_of) > 1 else ""}{wanted}')


# ---------------------------------------------------------------- from a converter's message to a line of the file

PLACE: Final = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>[^`]*)`)?$")
STEP: Final = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<index>\d+)\]|\[(?P<any>\.\.\.)\]")
ANY: Final = "..."
"""The converter does not say which key of a mapping it means."""
UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<key>[^`]*)`")


def _located(message: str) -> tuple[tuple[str | int, ...], str]:
    """Where and what a msgspec message says: ("collect", 1, "x"), "unknown key `x`"."""
    parted = PLACE.match(message)
    what, path = (parted["what"], parted["path"] or "") if parted else (message, "")
    where: list[str | int] = [step["key"] or step["any"] or int(step["index"]) for step in STEP.finditer(path)]
    unknown = UNKNOWN.match(what)
    if unknown:
        return (*where, unknown["key"]), f"unknown key `{unknown['key']}`"
    key = next((f"`{step}`: " for step in reversed(where) if step != ANY and isinstance(step, str)), "")
    return tuple(where), f"{key}{what[:1].lower()}{what[1:]}"


def _bad_key(text: str, file: Path, where: tuple[str | int, ...], what: str) -> BadKey:
    return BadKey(file=file.name, line=line_of(text, where), why=what)


HEADER: Final = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
SETTING: Final = re.compile(r"^\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")
NAME: Final = re.compile(r"[\w-]+|\"[^\"]*\"|'[^']*'")


def line_of(text: str, where: tuple[str | int, ...]) -> int:
    """The line (from 1) of a TOML text that sets where, or of the nearest thing around it; 1 if nothing is near."""
    best, best_depth = 1, 0
    table: tuple[str | int, ...] = ()
    seen: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if header := HEADER.match(line):
            table = _table(header[2], is_array=header[1] == "[[", seen=seen)
            path = table
        elif setting := SETTING.match(line):
            path = (*table, *_names(setting[1]))
        else:
            continue
        depth = len(path)
        if depth > best_depth and all(a in (b, ANY) for a, b in zip(where, path, strict=False)) and depth <= len(where):
            best, best_depth = number, depth
    return best


def _table(dotted: str, *, is_array: bool, seen: dict[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The path of a table header; elements of arrays of tables are counted in seen."""
    path: tuple[str | int, ...] = ()
    names = _names(dotted)
    for name in names[:-1]:
        path = (*path, name)
        if path in seen:
            path = (*path, seen[path])
    path = (*path, names[-1])
    if not is_array:
        return path
    seen[path] = seen.get(path, -1) + 1
    return (*path, seen[path])


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip("\"'") for name in NAME.findall(dotted))
