"""The configuration file of `stipula serve`, read once into frozen structs that the rooms declare.

Every fault in it is told at once, each with its key and line: unknown keys, wrong types, environment variables that are
not set, and what the structs' own rules (`faults`) forbid. Secrets are written `env:NAME`, never themselves.
"""

import difflib
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from stipula.chat.settings import ChatSettings
from stipula.collect.project import line_of
from stipula.errors import EXIT_UNAVAILABLE, EXIT_USAGE, Problem
from stipula.gateway import presets
from stipula.gateway.config import Fault, GatewaySettings
from stipula.gateway.doors import is_loopback
from stipula.redact import Secret

LISTEN: Final = "127.0.0.1:8400"
DATABASE: Final = "stipula.db"
_ADDRESS: Final = re.compile(r"^(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(?P<port>\d{1,5})$")
_MAX_PORT: Final = 65535
_SECRET: Final = re.compile(r"^env:(?P<name>[A-Za-z_][A-Za-z0-9_]*)$")


class ConfigurationUnreadable(Problem):
    """The configuration file is not there, or cannot be read."""

    code, exit_code = "CFG001", EXIT_UNAVAILABLE
    hint = "cannot read the configuration {file}: {why}"


class Misconfigured(Problem):
    """The configuration has faults; `lines` has one text for each."""

    code, exit_code = "CFG002", EXIT_USAGE
    hint = "{faults}"

    def __init__(self, lines: tuple[str, ...]) -> None:
        super().__init__(faults="; ".join(lines))
        self.lines = lines


class ServerSettings(Struct, frozen=True, kw_only=True):
    """All of `[server]`. listen: host:port. hosts: its further names. admin_keys: who sees the inside."""

    listen: str = LISTEN
    hosts: tuple[str, ...] = ()
    admin_keys: tuple[Secret, ...] = ()

    def faults(self) -> Iterator[Fault]:
        """What no type can say."""
        found = _ADDRESS.match(self.listen)
        if found is None or int(found["port"]) > _MAX_PORT:
            yield ("listen",), f"{self.listen!r} is no address; wanted: host:port, for example {LISTEN}"

    @property
    def host(self) -> str:
        """Where it listens, without brackets."""
        return self.listen.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        """0 for any that is free."""
        return int(self.listen.rpartition(":")[2])


class StorageSettings(Struct, frozen=True, kw_only=True):
    """`[storage]`. url: where conversations are kept. shared: where what replicas share is kept."""

    url: str = f"sqlite:///{DATABASE}"
    shared: Literal["memory"] = "memory"
    conversations: bool = True

    def faults(self) -> Iterator[Fault]:
        """What no type can say."""
        if not re.match(r"^sqlite:///.", self.url):
            yield ("url",), f"{self.url!r} names no store; wanted: sqlite:///FILE, or sqlite:////ABSOLUTE/FILE"


class Settings(Struct, frozen=True, kw_only=True):
    """All that a server is told. vendors: names of upstreams that keys in the environment have added."""

    server: ServerSettings = ServerSettings()
    gateway: GatewaySettings = GatewaySettings()
    chat: ChatSettings = ChatSettings()
    storage: StorageSettings = StorageSettings()
    vendors: tuple[str, ...] = ()

    def faults(self) -> Iterator[Fault]:
        """What two tables say together."""
        if not any(self.server.faults()) and not is_loopback(self.server.host) and not self.gateway.client_keys:
            yield (
                ("server", "listen"),
                f"other machines reach {self.server.host}; wanted: [gateway] client_keys, or a loopback address",
            )


def load(path: Path | None, environ: Mapping[str, str]) -> Settings:
    """The settings of a file, or those of a server without one. Raises `Misconfigured` with every fault there is."""
    if path is None:
        folder = data_folder(environ)
        settings = Settings(storage=StorageSettings(url=f"sqlite:///{folder / DATABASE}"))
    else:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as why:
            raise ConfigurationUnreadable(file=path, why=getattr(why, "strerror", None) or "it is not UTF-8") from None
        settings = read(text, file=path, environ=environ)
    if settings.gateway.upstreams:
        return settings
    vendors = presets.vendors(environ)
    told = replace(settings.gateway, upstreams=(*presets.here(), *vendors))
    return replace(settings, gateway=told, vendors=tuple(one.name for one in vendors))


def read(text: str, *, file: Path, environ: Mapping[str, str]) -> Settings:
    """The settings in a text. file: where it stands, for messages, and where relative paths begin."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as why:
        raise Misconfigured((f"{file.name}: not TOML: {why}",)) from None
    reader = _Reader(environ)
    settings = cast("Settings", reader.struct(Settings, document, ()))
    if reader.faults:
        placed = sorted({(line_of(text, where), _key(where), why) for where, why in reader.faults})
        raise Misconfigured(tuple(f"{file.name}:{line}: {key}{why}" for line, key, why in placed))
    return replace(settings, storage=replace(settings.storage, url=_from(file.parent, settings.storage.url)))


def with_listen(settings: Settings, listen: str) -> Settings:
    """The settings with another address, held to the same rules."""
    changed = replace(settings, server=replace(settings.server, listen=listen))
    found = [*changed.server.faults()] or [*changed.faults()]
    if found:
        raise Misconfigured(tuple(f"--listen: {why}" for _, why in found))
    return changed


def _key(where: tuple[str | int, ...]) -> str:
    dotted = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in where).removeprefix(".")
    return f"{dotted}: " if dotted else ""


def _from(folder: Path, url: str) -> str:
    """A relative file begins at the configuration, wherever the server is started."""
    return f"sqlite:///{folder.resolve() / url.removeprefix('sqlite:///')}"


def data_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Where a user's data stands: the XDG rule, or Application Support on macOS."""
    home = Path(environ.get("HOME") or Path.home())
    if xdg := environ.get("XDG_DATA_HOME"):
        return Path(xdg) / "stipula"
    return home / ("Library/Application Support" if platform == "darwin" else ".local/share") / "stipula"


# ---------------------------------------------------------------- a document against structs


class _Reader:
    """Makes structs of a document and collects faults on the way; a faulty value becomes its default, if it has one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.faults: list[Fault] = []

    def struct(self, kind: type[Struct], raw: object, where: tuple[str | int, ...]) -> Struct | None:
        """A struct of a table; None where a value that it needs is missing or faulty."""
        shorthand = getattr(kind, "shorthand", None)
        if shorthand and isinstance(raw, str):
            raw = {shorthand: raw}
        if not isinstance(raw, dict):
            self.faults.append((where, f"expected a table, got {_said(raw)}"))
            return None
        table = cast("dict[str, Any]", raw)
        hints = get_type_hints(kind, include_extras=True)
        fields = {one.encode_name: one for one in msgspec.structs.fields(kind) if one.name not in _NOT_IN_FILES}
        self._unknown(table, fields, where)
        missing = [name for name, field in fields.items() if field.required and name not in table]
        self.faults += ((where, f"`{name}` is missing") for name in missing)
        values = {
            fields[name].name: value
            for name, given in table.items()
            if name in fields
            if (value := self.value(hints[fields[name].name], given, (*where, name))) is not _FAULTY
        }
        if any(field.required and field.name not in values for field in fields.values()):
            return None
        made = kind(**values)
        own: Iterator[Fault] = getattr(made, "faults", _no_faults)()
        self.faults += (((*where, *place), why) for place, why in own)
        return made

    def _unknown(self, table: Mapping[str, Any], fields: Mapping[str, Any], where: tuple[str | int, ...]) -> None:
        for name in table.keys() - fields.keys():
            near = difflib.get_close_matches(name, fields, n=1)
            meant = f"; did you mean `{near[0]}`?" if near else f"; known are {', '.join(fields)}"
            self.faults.append(((*where, name), f"unknown key{meant}"))

    def value(self, kind: Any, raw: Any, where: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - what TOML holds
        """A value of a type, or `_FAULTY`."""
        if get_origin(kind) in (Union, UnionType):
            (kind,) = (one for one in get_args(kind) if one is not type(None))
        if kind is Secret:
            return self._secret(raw, where)
        if isinstance(kind, type) and issubclass(kind, Struct):
            made = self.struct(kind, raw, where)
            return _FAULTY if made is None else made
        if get_origin(kind) is tuple and isinstance(raw, list):
            (item, _) = get_args(kind)
            items = cast("list[object]", raw)
            made = tuple(self.value(item, one, (*where, index)) for index, one in enumerate(items))
            return tuple(one for one in made if one is not _FAULTY)
        try:
            return msgspec.convert(raw, cast("type[Any]", kind))
        except msgspec.ValidationError as why:
            self.faults.append((where, _words(str(why))))
            return _FAULTY

    def _secret(self, raw: object, where: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - a secret or `_FAULTY`
        found = _SECRET.match(raw) if isinstance(raw, str) else None
        if found is None:
            self.faults.append(
                (where, 'a secret is written "env:NAME", the name of an environment variable, not itself')
            )
        elif not self._environ.get(found["name"]):
            self.faults.append((where, f"the environment variable {found['name']} is not set"))
        else:
            return Secret(self._environ[found["name"]])
        return _FAULTY


_FAULTY: Final = object()
_NOT_IN_FILES: Final = frozenset({"vendors"})


def _no_faults() -> Iterator[Fault]:
    return iter(())


def _said(raw: object) -> str:
    words: dict[type, str] = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "an array"}
    return words.get(type(raw), type(raw).__name__)


def _words(said: str) -> str:
    return f"{said[:1].lower()}{said[1:]}"
