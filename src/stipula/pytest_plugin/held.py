"""A value, a stream or a tool list held against the lock, and the report of what is not as promised."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final, Literal, Protocol, cast, runtime_checkable

from msgspec import UNSET, Struct

from stipula.contract.model import Contract, Json, Outcome, Surface
from stipula.contract.toollist import tool_surface
from stipula.contract.verdict import compile_shape, shown
from stipula.diff.compare import compare
from stipula.errors import EXIT_USAGE, Problem
from stipula.wire.grammar import ORDER, SHAPE, Grammar, StreamChecker, Violation
from stipula.wire.sse import FrameReader

Record = Callable[[dict[str, Any]], None]
"""Takes {"surface", "outcome", "broken": [{"pointer", "wanted", "seen"}], "value"} of what was not promised."""
Events = Iterable[tuple[str, Json]]
MAX_NAMED: Final = 8


class UnknownToLock(Problem):
    """A test names a surface, a stream, a tool list or an outcome that the lock does not hold."""

    code, exit_code = "PYT103", EXIT_USAGE
    hint = "{lock} holds no {what} {name!r}; {others}"


class Broken(Struct, frozen=True, kw_only=True):
    """One way in which something is not as promised. where: in words, in front of the pointer."""

    surface: str
    pointer: str
    wanted: str
    seen: str
    where: str = ""

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.where, self.pointer) if part) or "/"
        return f"  {place}: wanted {self.wanted}, saw {self.seen}"


class ContractBroken(AssertionError):  # noqa: N818 - a failed assertion, named by what has failed
    """What a test asserted is not what the lock promises. broken: each way in which it is not."""

    def __init__(self, surface: str, lock: str, broken: Iterable[Broken]) -> None:
        self.surface = surface
        self.broken = tuple(broken)
        super().__init__("\n".join([f"{surface} is not what {lock} promises", *map(str, self.broken)]))


@runtime_checkable
class _Model(Protocol):
    def model_dump(self, **how: Any) -> dict[str, Any]: ...  # noqa: ANN401 - as pydantic has it


class LockedContract:
    """What the fixture gives: each method returns if all is as promised and raises `ContractBroken` if not."""

    def __init__(self, contract: Contract, lock: str, record: Record | None = None) -> None:
        """Lock: how messages name it. record: told what is not promised before the test fails."""
        self.contract = contract
        self._lock = lock
        self._record = record

    def value(self, surface: str, value: Json, outcome: Outcome | None = None) -> None:
        """Hold a JSON value against a surface: `contract.value("route:GET /orders#200", response.json())`.

        outcome: "input", "success", "partial" or "failure"; None takes success, or the only one that there is.
        """
        __tracebackhide__ = True
        chosen = self._surface(surface)
        name = outcome or ("success" if len(chosen.shapes) != 1 else next(iter(chosen.shapes)))
        if name not in chosen.shapes:
            raise self._unknown("outcome", f"{surface} {name}", chosen.shapes)
        found = sorted(compile_shape(chosen.shapes[name], surface).violations(value), key=lambda one: one.pointer)
        broken = [Broken(surface=surface, pointer=one.pointer, wanted=one.wanted, seen=one.seen) for one in found]
        self._tell(surface, name, broken, value)
        self._judge(surface if name == "success" else f"{surface} ({name})", broken)

    def stream(
        self, path: str, events: Events | bytes, *, form: str = "", side: Literal["reader", "producer"] = "reader"
    ) -> None:
        """Hold a whole stream, from its first event to its end: `contract.stream("/answer", response.content)`.

        events: (name, payload) pairs, or the bytes of a text/event-stream. form: a form of the order, by name. side:
        "producer" holds the stream to what its sender promises beyond what a reader may rely on.
        """
        __tracebackhide__ = True
        grammar = self._grammar(path, form, side)
        told, is_cut = _decoded(events) if isinstance(events, bytes) else (list(events), False)
        surface = f"stream:{path}"
        broken: list[Broken] = []
        for violation in _violations(grammar, told):
            broken.append(_of_stream(surface, violation))
            if violation.law == SHAPE:
                self._tell(broken[-1].surface, "success", broken[-1:], told[violation.number - 1][1])
        if is_cut:
            broken.append(Broken(surface=surface, pointer="", wanted="a blank line", seen="a frame that is cut off"))
        whole = [one for one in broken if one.surface == surface]
        self._tell(surface, "", whole, [event for event, _ in told])
        self._judge(surface, broken)

    def tools(self, server: str, tools: Any, *, profile: str = "") -> None:  # noqa: ANN401 - see the docstring
        """Hold the tool list of an MCP server against the one in the lock; the order of the tools is free.

        tools: a list of definitions, the answer to `tools/list`, or what the client of the `mcp` package returns.
        """
        __tracebackhide__ = True
        name = f"mcp:{server}/{profile}" if profile else f"mcp:{server}"
        promised = {one.id: one for one in self.contract.surfaces if one.id.startswith(f"{name}#")}
        if not promised and name not in {one.id for one in self.contract.profiles}:
            raise self._unknown("tool list", name, [one.id for one in self.contract.profiles])
        seen = {one.id: one for one in (tool_surface(server, tool, profile) for tool in _definitions(tools))}
        broken = [
            Broken(
                surface=change.surface, pointer=change.pointer, wanted=_in_words(change.old),
                seen=_in_words(change.new), where=f"{change.surface.partition('#')[2]}, {change.rule}",
            )
            for change in compare(Contract(tuple(promised.values())), Contract(tuple(seen.values())))
        ]  # fmt: skip
        for surface in sorted({one.surface for one in broken}):
            definition = seen[surface].definition if surface in seen else None
            self._tell(surface, "", [one for one in broken if one.surface == surface], definition)
        self._judge(name, broken)

    # ------------------------------------------------------------ the lock, and the end of each assertion

    def _surface(self, surface: str) -> Surface:
        __tracebackhide__ = True
        found = self.contract.surface(surface)
        if found is None:
            raise self._unknown("surface", surface, [one.id for one in self.contract.surfaces])
        return found

    def _grammar(self, path: str, form: str, side: Literal["reader", "producer"]) -> Grammar:
        __tracebackhide__ = True
        if path not in {one.path for one in self.contract.streams}:
            raise self._unknown("stream", path, [one.path for one in self.contract.streams])
        document = {name: value for name, value in self.contract.stream_document(path).items() if value}
        grammar = Grammar.from_document({"events": {}, **document}, side=side)
        if form and form not in grammar.forms:
            raise self._unknown("form", f"{path} {form}", grammar.forms)
        return grammar.form(form) if form else grammar

    def _unknown(self, what: str, name: str, known: Iterable[str]) -> UnknownToLock:
        names = list(known)
        near = get_close_matches(name, names, n=MAX_NAMED) or names[:MAX_NAMED]
        others = f"it holds {', '.join(near)}{', …' if len(near) < len(names) else ''}" if names else "it holds none"
        return UnknownToLock(lock=self._lock, what=what, name=name, others=others)

    def _tell(self, surface: str, outcome: str, broken: list[Broken], value: Json) -> None:
        if self._record is not None and broken:
            told = [{"pointer": one.pointer, "wanted": one.wanted, "seen": one.seen} for one in broken]
            self._record({"surface": surface, "outcome": outcome, "broken": told, "value": _plain(value)})

    def _judge(self, surface: str, broken: list[Broken]) -> None:
        __tracebackhide__ = True
        if broken:
            raise ContractBroken(surface, self._lock, broken)


def _violations(grammar: Grammar, events: list[tuple[str, Json]]) -> Iterator[Violation]:
    validators = {name: compile_shape(shape, name).violations for name, shape in grammar.events.items()}
    checker = StreamChecker(grammar, validators)
    for event, payload in events:
        yield from checker.accept(event, payload)
    yield from checker.close()


def _of_stream(surface: str, violation: Violation) -> Broken:
    law = "" if violation.law in {ORDER, SHAPE} else f", {violation.law}"
    return Broken(
        surface=f"{surface}#{violation.event}" if violation.law == SHAPE else surface,
        pointer=violation.pointer, wanted=violation.wanted, seen=violation.seen,
        where=f"event {violation.number}, {violation.event or 'the end'}{law}",
    )  # fmt: skip


# ---------------------------------------------------------------- what tests hand in


def _decoded(content: bytes) -> tuple[list[tuple[str, Json]], bool]:
    """The events of a text/event-stream, and whether it breaks off inside a frame. Comments are no events.

    Data that is no JSON, such as an end mark, is a text.
    """
    reader = FrameReader()
    frames = [*reader.feed(content), *reader.close()]
    events = [(frame.event or "message", _payload(frame.data)) for frame in frames if frame.comment is None]
    return events, not reader.is_between_frames


def _payload(data: str) -> Json:
    try:
        return json.loads(data)
    except ValueError:
        return data


def _definitions(tools: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - whatever a test has at hand
    listed = cast("Mapping[str, Any]", tools)["tools"] if isinstance(tools, Mapping) else getattr(tools, "tools", tools)
    return [_definition(tool) for tool in listed]


def _definition(tool: object) -> dict[str, Any]:
    if isinstance(tool, _Model):
        return tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dict(cast("Mapping[str, Any]", tool))


def _plain(value: object) -> Json:
    """As JSON; what is none, as it shows itself."""
    return json.loads(json.dumps(value, default=repr), parse_constant=str)


def _in_words(value: Json) -> str:
    return "nothing" if value is UNSET else shown(value)
