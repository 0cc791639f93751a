"""A contract written down in code: builders and decorators. A shape is given as JSON Schema or as a Python type.

    CONTRACT = Contract()

    @CONTRACT.tool(failure=Fault)
    def weather(city: str) -> Weather: ...

    CONTRACT.route("GET", "/api/items/{id}", {200: Item, 404: Fault})
    CONTRACT.stream("/chat/stream", {"chunk": Chunk}, order={"initial": ..., "final": ..., "states": ...})

Types: msgspec Structs, dataclasses, TypedDicts, enums and builtins; pydantic models where pydantic is at hand.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, TypeVar, cast, get_type_hints, runtime_checkable

import msgspec

from stipula.contract import model, toollist
from stipula.contract.model import Era, Json, Schema, Stream, Surface
from stipula.contract.schema import at, references
from stipula.errors import EXIT_UNAVAILABLE, Problem

Stated = Any
"""What a shape is stated with: a JSON Schema (dict or bool) or a Python type."""
Function = TypeVar("Function", bound=Callable[..., Any])
OK_STATUSES: Final = range(200, 400)


class NoShape(Problem):
    """A Python type was given as a shape that has no JSON Schema."""

    code, exit_code = "CON402", EXIT_UNAVAILABLE
    hint = "{seen} has no JSON Schema ({why}); give a dict, a Struct, a dataclass, a TypedDict or a pydantic model"


class Contract:
    """A contract in the making. Every method adds and returns the builder; `build` gives the finished data."""

    def __init__(self) -> None:
        """Empty."""
        self._parts: list[model.Contract] = []

    def build(self) -> model.Contract:
        """The contract as data. Raises SurfaceTwice where one id was stated twice, differently."""
        return model.joined(self._parts)

    def add(self, *surfaces: Surface) -> "Contract":
        """Surfaces that somebody else made."""
        self._parts.append(model.Contract(surfaces=surfaces))
        return self

    def declare_tool(
        self,
        name: str,
        *,
        takes: Stated = None,
        success: Stated = None,
        partial: Stated = None,
        failure: Stated = None,
        description: str = "",
        annotations: Mapping[str, Json] | None = None,
    ) -> "Contract":
        """A tool that a model may call: what it takes, and what it answers when it works, half works, fails."""
        stated = {"success": success, "partial": partial, "failure": failure}
        shapes = _shapes({"input": takes}, side="validation") | _shapes(stated, side="serialization")
        texts = {"description": description} if description else {}
        return self.add(
            Surface(id=f"tool:{name}", kind="tool", shapes=shapes, annotations=dict(annotations or {}), texts=texts)
        )

    def tool(
        self,
        *,
        name: str = "",
        takes: Stated = None,
        success: Stated = None,
        partial: Stated = None,
        failure: Stated = None,
        annotations: Mapping[str, Json] | None = None,
    ) -> Callable[[Function], Function]:
        """This declares the decorated function: its name, its documentation, its parameters, its answer.

        What is given here counts before what the function says of itself.
        """

        def declare(function: Function) -> Function:
            self.declare_tool(
                name or function.__name__,
                takes=_parameters(function) if takes is None else takes,
                success=_answer(function) if success is None else success,
                partial=partial,
                failure=failure,
                description=inspect.getdoc(function) or "",
                annotations=annotations,
            )
            return function

        return declare

    def route(self, method: str, path: str, answers: Mapping[int | str, Stated], *, takes: Stated = None) -> "Contract":
        """An HTTP route: status → shape of the body; 2xx and 3xx are successes. takes: shape of the request's body."""
        place = f"route:{method.upper()} {path}"
        for status, stated in answers.items():
            outcome = "success" if str(status)[:1] in "23" else "failure"
            shapes = _shapes({outcome: stated}, side="serialization")
            self.add(Surface(id=f"{place}#{status}", kind="route", shapes=shapes))
        if takes is not None:
            self.add(Surface(id=place, kind="route", shapes=_shapes({"input": takes}, side="validation")))
        return self

    def stream(
        self,
        path: str,
        events: Mapping[str, Stated],
        *,
        order: Mapping[str, Json] | None = None,
        laws: Iterable[Json] = (),
        keepalive: Json = None,
    ) -> "Contract":
        """A stream of server-sent events: event name → shape of its data, and what holds for the whole."""
        surfaces = tuple(
            Surface(id=f"stream:{path}#{name}", kind="stream", shapes=_shapes({"success": it}, side="serialization"))
            for name, it in events.items()
        )
        whole = Stream(path=path, order=dict(order or {}), laws=tuple(laws), keepalive=keepalive)
        self._parts.append(model.Contract(surfaces=surfaces, streams=(whole,)))
        return self

    def request(self, dialect: str, takes: Stated) -> "Contract":
        """What a dialect's requests look like."""
        shapes = _shapes({"input": takes}, side="validation")
        return self.add(Surface(id=f"request:{dialect}", kind="request", shapes=shapes))

    def mcp(
        self, server: str, tools: Iterable[dict[str, Any]], *, profile: str = "", eras: Iterable[Era] = ()
    ) -> "Contract":
        """The tool list of an MCP server, as `tools/list` answers it."""
        listed = list(tools)
        entry = toollist.profile(server, profile, listed, eras)
        surfaces = tuple(toollist.tool_surface(server, tool, profile) for tool in listed)
        self._parts.append(model.Contract(surfaces=surfaces, profiles=(entry,)))
        return self


# ---------------------------------------------------------------- from a type to a shape


@runtime_checkable
class _Pydantic(Protocol):
    def model_json_schema(self, *, mode: str) -> dict[str, Any]: ...


def shape_of(stated: Stated, *, side: str = "serialization") -> Schema:
    """The JSON Schema of a type; a schema is given back as it is.

    side: "serialization" for what is sent, "validation" for what is taken; pydantic tells the two apart.
    """
    if isinstance(stated, dict | bool):
        return cast("Schema", stated)
    if isinstance(stated, _Pydantic):
        return _unwrapped(stated.model_json_schema(mode=side))

    hoisted: dict[str, Any] = {}

    def foreign(kind: type) -> dict[str, Any]:
        if not isinstance(kind, _Pydantic):
            raise NotImplementedError
        inner = kind.model_json_schema(mode=side)
        hoisted.update(inner.pop("$defs", {}))  # its references count from the root
        return inner

    try:
        schema = msgspec.json.schema(stated, schema_hook=foreign)
    except (TypeError, NotImplementedError, RuntimeError, NameError) as why:
        raise NoShape(seen=getattr(stated, "__qualname__", repr(stated)), why=str(why).splitlines()[0]) from None
    return _unwrapped(schema | {"$defs": hoisted | schema.get("$defs", {})} if hoisted else schema)


def _unwrapped(schema: dict[str, Any]) -> Schema:
    """A root that only refers to one of its `$defs` becomes that one, where nothing else refers to it."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/$defs/") or set(schema) != {"$ref", "$defs"}:
        return schema
    if sum(used == reference for _, used in references(schema)) > 1:
        return schema
    root = cast("dict[str, Any]", at(schema, reference[1:]))
    others = {name: one for name, one in schema["$defs"].items() if one is not root}
    return root | {"$defs": others} if others else root


def _shapes(stated: Mapping[str, Stated], *, side: str) -> dict[str, Schema]:
    return {outcome: shape_of(one, side=side) for outcome, one in stated.items() if one is not None}


def _parameters(function: Callable[..., Any]) -> Schema:
    """The arguments of a function as an object: those without a default are required, no others are known."""
    hints = get_type_hints(function, include_extras=True)
    named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    taken = [one for one in inspect.signature(function).parameters.values() if one.kind in named]
    fields = [
        (one.name, hints.get(one.name, Any))
        if one.default is inspect.Parameter.empty
        else (one.name, hints.get(one.name, Any), one.default)
        for one in taken
    ]
    schema = shape_of(
        msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True), side="validation"
    )
    return {key: value for key, value in cast("dict[str, Any]", schema).items() if key != "title"}


def _answer(function: Callable[..., Any]) -> Stated:
    return get_type_hints(function, include_extras=True).get("return")
