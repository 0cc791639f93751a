"""What was promised: surfaces with their shapes, streams with their order, tool lists with their digests.

Everything here is plain frozen data; how it is made (`declare.py`), hashed (`canonical.py`) and stored (`lockfile.py`)
stands elsewhere.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, Protocol, TypeVar

from msgspec import Struct, field
from msgspec.structs import force_setattr

from stipula.errors import EXIT_USAGE, Problem

Json = Any
"""Parsed JSON: dict, list, str, int, float, bool, None."""
Schema = dict[str, Any] | bool
Kind = Literal["tool", "route", "stream", "mcp", "request"]
Outcome = Literal["input", "success", "partial", "failure"]
"""What a shape is for: what comes in (arguments, a request body), or one of the three ways a surface answers."""

OUTCOMES: Final[tuple[Outcome, ...]] = ("input", "success", "partial", "failure")

ID_GRAMMAR: Final[dict[Kind, re.Pattern[str]]] = {
    "tool": re.compile(r"tool:[^\s#]+"),
    "route": re.compile(r"route:[A-Z]+ /[^\s#]*(#([1-5]\d\d|[1-5]XX|default))?"),
    "stream": re.compile(r"stream:/[^\s#]*#[^\s#]+"),
    "mcp": re.compile(r"mcp:[^\s/#]+(/[^\s/#]+)?#[^\s#]+"),
    "request": re.compile(r"request:[a-z0-9_]+"),
}
ID_FORMS: Final = (
    "tool:NAME, route:METHOD /path/{id}#STATUS (without #STATUS: what the route takes), stream:/path#EVENT, "
    "mcp:SERVER[/PROFILE]#TOOL, request:DIALECT"
)


class BadSurfaceId(Problem):
    """A surface id does not follow the grammar of its kind."""

    code, exit_code = "CON101", EXIT_USAGE
    hint = "{surface!r} is no surface id of kind {kind!r}; the forms are {forms}"


class BadOutcome(Problem):
    """A surface has a shape under a name that is no outcome."""

    code, exit_code = "CON102", EXIT_USAGE
    hint = "{surface} has a shape for {outcome!r}; outcomes are input, success, partial and failure"


class SurfaceTwice(Problem):
    """Two sources state one surface, stream or profile, differently."""

    code, exit_code = "CON103", EXIT_USAGE
    hint = "{surface} is stated twice and the two differ; remove one of them from what is collected"


class NoSuchStream(Problem):
    """A stream was asked for that the contract does not hold."""

    code, exit_code = "CON104", EXIT_USAGE
    hint = "the contract has no stream at {path}; it has {streams}"


class Reader(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One place that reads a surface: an entry of its consumer list. file: relative to the project; line: from 1."""

    file: str
    line: int
    field: str = ""
    """A JSON pointer into the value that is read; empty for the whole."""
    verdict: str = "used"


class Surface(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One boundary where a shape crosses.

    shapes: outcome → JSON Schema 2020-12. annotations: behaviour, after defaults were filled in.
    texts: texts that a model sees beside those in the shapes, by name ("description", "title").
    definition: the whole as it crossed the wire, where there is such a thing (an MCP tool, an OpenAPI operation).
    """

    id: str
    kind: Kind
    shapes: dict[str, Schema] = field(default_factory=dict[str, Schema])
    annotations: dict[str, Any] = field(default_factory=dict[str, Any])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    definition: Any = None
    consumers: tuple[Reader, ...] = ()

    def __post_init__(self) -> None:
        grammar = ID_GRAMMAR.get(self.kind)
        if grammar is None or not grammar.fullmatch(self.id):
            raise BadSurfaceId(surface=self.id, kind=self.kind, forms=ID_FORMS)
        for outcome in self.shapes:
            if outcome not in OUTCOMES:
                raise BadOutcome(surface=self.id, outcome=outcome)


class Stream(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for a stream as a whole; the shape of each event is a surface `stream:PATH#EVENT`.

    order: {"initial", "final", "states": {STATE: {EVENT: STATE}}}. laws, keepalive: as in the events document.
    more: what else that document says: `forms`, `producer`, `unknown_events`, `unknown_keys`.
    """

    path: str
    order: dict[str, Any] = field(default_factory=dict[str, Any])
    laws: tuple[Any, ...] = ()
    keepalive: Any = None
    more: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def id(self) -> str:
        """What findings call it: `stream:PATH`."""
        return f"stream:{self.path}"


class Era(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool list as one protocol era shows it.

    era: "modern" or "legacy". protocol: the revision, for example "2026-07-28". recipe: the published recipe's digest;
    shape: the same without descriptions, titles and examples (`canonical.tool_list_digests`). facts: capabilities,
    cache hints and what else the era states, as plain JSON.
    """

    era: str
    protocol: str
    recipe: str
    shape: str
    facts: dict[str, Any] = field(default_factory=dict[str, Any])


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool list an MCP server offers. name "": the server has no profiles. tools: names, sorted."""

    server: str
    name: str = ""
    tools: tuple[str, ...] = ()
    eras: tuple[Era, ...] = ()

    @property
    def id(self) -> str:
        """What findings call it: `mcp:SERVER[/PROFILE]`."""
        return f"mcp:{self.server}/{self.name}" if self.name else f"mcp:{self.server}"


class Contract(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything promised, sorted. A collector answers with one of these; `joined` makes one of many.

    Equal entries stated twice count once; different ones under one id raise `SurfaceTwice`.
    """

    surfaces: tuple[Surface, ...] = ()
    streams: tuple[Stream, ...] = ()
    profiles: tuple[Profile, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "surfaces", _sorted(self.surfaces, lambda one: one.id))
        force_setattr(self, "streams", _sorted(self.streams, lambda one: one.id))
        force_setattr(self, "profiles", _sorted(self.profiles, lambda one: one.id))

    def surface(self, surface_id: str) -> Surface | None:
        """The surface of this id, if it is promised."""
        return next((one for one in self.surfaces if one.id == surface_id), None)

    def events(self, path: str) -> dict[str, Schema]:
        """Event name → shape of the stream at path."""
        prefix = f"stream:{path}#"
        return {
            one.id.removeprefix(prefix): one.shapes.get("success", True)
            for one in self.surfaces
            if one.id.startswith(prefix)
        }

    def stream_document(self, path: str) -> dict[str, Any]:
        """The events document `{"events", "order", "laws", "keepalive", …}` that `wire.grammar` reads."""
        stream = next((one for one in self.streams if one.path == path), None)
        if stream is None:
            raise NoSuchStream(path=path, streams=", ".join(one.path for one in self.streams) or "none")
        return {
            "events": self.events(path),
            "order": stream.order,
            "laws": list(stream.laws),
            "keepalive": stream.keepalive,
            **stream.more,
        }


def joined(contracts: Iterable[Contract]) -> Contract:
    """One contract of many."""
    parts = list(contracts)
    return Contract(
        surfaces=tuple(one for part in parts for one in part.surfaces),
        streams=tuple(one for part in parts for one in part.streams),
        profiles=tuple(one for part in parts for one in part.profiles),
    )


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_HasId)


def _sorted(entries: Iterable[T], key: Callable[[T], str]) -> tuple[T, ...]:
    known: dict[str, T] = {}
    for entry in entries:
        if known.setdefault(key(entry), entry) != entry:
            raise SurfaceTwice(surface=key(entry))
    return tuple(known[name] for name in sorted(known))
