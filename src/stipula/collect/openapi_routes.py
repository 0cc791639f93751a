"""The operations of an OpenAPI document as surfaces: what each takes, and one for each status that it answers with.

What a route takes is one object with the members `path`, `query`, `header`, `cookie` and `body`, as far as it takes
them. Annotations state what is not the default. `definition` is the operation, or its answer, as it was written.
"""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any, Final, NoReturn, cast

from msgspec import Struct

from stipula.collect.openapi_shapes import BadOpenApi, Shapes, kind
from stipula.contract.model import Json, Surface
from stipula.contract.schema import NoSuchPlace, at, pointer

VERSIONS: Final = re.compile(r"3\.[012](\.\d+)?(-.+)?")
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
STATUS: Final = re.compile(r"[1-5](\d\d|XX)|default")
PATH: Final = re.compile(r"/[^\s#]*")
METHOD: Final = re.compile(r"[A-Z]+")
PARTS: Final = ("path", "query", "querystring", "header", "cookie")
STYLES: Final = {"path": "simple", "query": "form", "querystring": "", "header": "simple", "cookie": "form"}
NOT_PARAMETERS: Final = frozenset({"accept", "content-type", "authorization"})
"""Header names that OpenAPI tells readers to ignore as parameters."""


class Media(Struct, frozen=True):
    """What a body may be. types: sorted; raw: the schema of the one that is JSON, or of the first; None: no body."""

    types: tuple[str, ...] = ()
    raw: Json = None
    has_body: bool = False


def surfaces(document: Json, file: str, ignore: Iterable[str] = ()) -> Iterator[Surface]:
    """Every surface of a document. ignore: patterns of paths, or of `METHOD /path`. file: how messages name it."""
    reading = Reading(document, file)
    for method, path, place in reading.operations():
        if not any(fnmatchcase(path, one) or fnmatchcase(f"{method} {path}", one) for one in ignore):
            yield reading.request(method, path, place)
            yield from reading.answers(method, path, place)


class Reading:
    """One document, read. Places are pointers into it."""

    def __init__(self, document: Json, file: str) -> None:
        self._file = file
        self._document = self._object(document, "")
        version: Json = self._document.get("openapi")
        if "swagger" in self._document:
            self._bad("/swagger", "Swagger 2.0; convert the document to OpenAPI 3, swagger2openapi does it")
        if not isinstance(version, str) or not VERSIONS.fullmatch(version):
            self._bad("/openapi", f"version {version!r}; read are 3.0, 3.1 and 3.2")
        self._shapes = Shapes(self._document, file=file, is_30=version.startswith("3.0"))

    # ------------------------------------------------------------ the operations

    def operations(self) -> Iterator[tuple[str, str, str]]:
        """Method, path, place of each."""
        paths = self._object(self._document.get("paths", {}), "/paths")
        for path, value in paths.items():
            if path.startswith("x-"):
                continue
            place = pointer("paths", path)
            if not PATH.fullmatch(path):
                self._bad(place, "a path begins with a slash, and has neither spaces nor #")
            item, place = self._followed(value, place)
            for method in METHODS:
                if method in item:
                    yield method.upper(), path, place + pointer(method)
            more = self._object(item.get("additionalOperations", {}), place + "/additionalOperations")
            for method in more:
                if not METHOD.fullmatch(method):
                    self._bad(place + pointer("additionalOperations", method), "a method is written in capitals")
                yield method, path, place + pointer("additionalOperations", method)

    def request(self, method: str, path: str, place: str) -> Surface:
        """What an operation takes."""
        operation = self._object(at(self._document, place), place)
        annotations = self._duties(operation, place)
        shape, raw = self._parameters(operation, place, annotations)
        if "requestBody" in operation:
            body, where = self._followed(operation["requestBody"], place + "/requestBody")
            media = self._media(body.get("content"), where + "/content")
            shape["properties"]["body"] = True if media.raw is None else media.raw
            if body.get("required") is True:
                shape["required"].append("body")
            annotations["media_types"] = list(media.types)
        definition = {key: value for key, value in operation.items() if key not in {"responses", "parameters"}}
        return Surface(
            id=f"route:{method} {path}",
            kind="route",
            shapes={"input": self._shapes.alone({key: value for key, value in shape.items() if value})},
            annotations=annotations,
            texts=_texts(operation),
            definition=definition | ({"parameters": raw} if raw else {}),
        )

    def answers(self, method: str, path: str, place: str) -> Iterator[Surface]:
        """What an operation answers, by status."""
        operation = self._object(at(self._document, place), place)
        for status, value in self._object(operation.get("responses", {}), place + "/responses").items():
            if status.startswith("x-"):
                continue
            where = place + pointer("responses", status)
            if not STATUS.fullmatch(status):
                self._bad(where, "a status is 100 to 599, a class as 4XX, or default")
            answer, where = self._followed(value, where)
            media = self._media(answer.get("content"), where + "/content")
            annotations: dict[str, Any] = {"media_types": list(media.types)} if media.types else {}
            if headers := self._headers(answer, where):
                annotations["headers"] = headers
            outcome = "success" if status[0] in "23" else "failure"
            yield Surface(
                id=f"route:{method} {path}#{status}",
                kind="route",
                shapes={outcome: self._shapes.alone(media.raw)} if media.has_body else {},
                annotations=annotations,
                texts=_texts(answer),
                definition=answer,
            )

    # ------------------------------------------------------------ their parts

    def _duties(self, operation: dict[str, Any], place: str) -> dict[str, Any]:
        """What holds for a call of an operation beside its shape."""
        duties: dict[str, Any] = {}
        if isinstance(operation.get("operationId"), str):
            duties["operation_id"] = operation["operationId"]
        if operation.get("deprecated") is True:
            duties["deprecated"] = True
        asked: Json = operation.get("security", self._document.get("security", []))
        if not isinstance(asked, list):
            self._bad(place + "/security", "wanted a list")
        ways = [self._security(way, place) for way in cast("list[Json]", asked)]
        return duties | ({"security": ways} if ways else {})

    def _security(self, way: Json, place: str) -> dict[str, Any]:
        """One way to be let in: the schemes that it takes, with their kind, and their scopes."""
        found: dict[str, Any] = {}
        for name, scopes in self._object(way, place + "/security").items():
            where = pointer("components", "securitySchemes", name)
            try:
                scheme, _ = self._followed(at(self._document, where), where)
            except NoSuchPlace:
                self._bad(place + "/security", f"{name!r} is not among /components/securitySchemes")
            told = {key: value for key, value in scheme.items() if key not in {"description", "flows"}}
            found[name] = {"scheme": told, "scopes": scopes}
        return found

    def _parameters(
        self, operation: dict[str, Any], place: str, annotations: dict[str, Any]
    ) -> tuple[dict[str, Any], list[Json]]:
        """The object of all parameters, and the parameters as they were written; writes of them into annotations."""
        parts: dict[str, Any] = {}
        required: list[str] = []
        habits: dict[str, Any] = {}
        listed = sorted(self._listed(operation, place).items())
        for (part, name), (parameter, where) in listed:
            if part == "header" and name in NOT_PARAMETERS:
                continue
            schema = self._parameter_schema(parameter, where)
            is_required = parameter.get("required") is True or part == "path"
            if part == "querystring":
                parts[part] = schema
            else:
                whole = parts.setdefault(part, {"type": "object", "properties": {}})
                whole["properties"][name] = schema
                if is_required:
                    whole.setdefault("required", []).append(name)
            if is_required and part not in required:
                required.append(part)
            if habit := _habit(parameter, part):
                habits[f"{part}/{name}"] = habit
        if habits:
            annotations["parameters"] = habits
        return {"type": "object", "properties": parts, "required": required}, [one for _, (one, _) in listed]

    def _listed(self, operation: dict[str, Any], place: str) -> dict[tuple[str, str], tuple[dict[str, Any], str]]:
        """Parameters by part and name: those of the path, and over them those of the operation."""
        above = place.rpartition("/")[0].removesuffix("/additionalOperations")
        item = self._object(at(self._document, above), above)
        found: dict[tuple[str, str], tuple[dict[str, Any], str]] = {}
        for holder, where in ((item, above), (operation, place)):
            values: Json = holder.get("parameters", [])
            if not isinstance(values, list):
                self._bad(where + "/parameters", "wanted a list")
            for index, value in enumerate(cast("list[Json]", values)):
                parameter, spot = self._followed(value, where + pointer("parameters", index))
                name, part = parameter.get("name"), parameter.get("in")
                if not isinstance(name, str) or not name:
                    self._bad(spot, "a parameter without a name")
                if not isinstance(part, str) or part not in PARTS:
                    self._bad(spot, f"`in` is {part!r}; it is one of {', '.join(PARTS)}")
                found[part, name.lower() if part == "header" else name] = parameter, spot
        return found

    def _parameter_schema(self, parameter: dict[str, Any], place: str) -> Json:
        if "content" in parameter:
            raw = self._media(parameter["content"], place + "/content").raw
            return True if raw is None else raw
        return self._shapes.checked(parameter.get("schema", True), place + "/schema")

    def _media(self, content: Json, place: str) -> Media:
        """The bodies that are offered. Of several the JSON one gives the shape; the others stand in the definition."""
        if content is None:
            return Media()
        offered = self._object(content, place)
        ranked = sorted(offered, key=lambda one: (_rank(one), one))
        if not ranked:
            return Media(has_body=True)
        for name in ranked:
            offer, where = self._followed(offered[name], place + pointer(name))
            for member in offer.keys() & {"schema", "itemSchema"}:
                self._shapes.checked(offer[member], where + pointer(member))
        first, _ = self._followed(offered[ranked[0]], place + pointer(ranked[0]))
        raw: Json = first.get("schema")
        if raw is None and "itemSchema" in first:  # OpenAPI 3.2: a sequence is judged as an array of its items
            raw = {"type": "array", "items": first["itemSchema"]}
        return Media(types=tuple(sorted(offered)), raw=raw, has_body=True)

    def _headers(self, answer: dict[str, Any], place: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in self._object(answer.get("headers", {}), place + "/headers").items():
            header, where = self._followed(value, place + pointer("headers", name))
            if name.lower() == "content-type":
                continue
            raw = self._parameter_schema(header, where)
            required = {"required": True} if header.get("required") is True else {}
            found[name.lower()] = {"schema": self._shapes.alone(raw), **required, **_habit(header, "header")}
        return found

    # ------------------------------------------------------------ values

    def _followed(self, value: Json, place: str) -> tuple[dict[str, Any], str]:
        """The object at place, or the one that its `$ref` names, and where that stands."""
        here = self._object(value, place)
        seen = {place}
        while isinstance(reference := here.get("$ref"), str):
            target = self._shapes.target(reference, place + "/$ref")
            if target in seen:
                self._bad(place, f"$ref {reference!r} leads to itself")
            seen.add(target)
            try:
                here, place = self._object(at(self._document, target), target), target
            except NoSuchPlace:
                self._bad(place, f"$ref {reference!r} names nothing in the document")
        return here, place

    def _object(self, value: Json, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._bad(place, f"{kind(value)} where an object is wanted")
        return cast("dict[str, Any]", value)

    def _bad(self, place: str, why: str) -> NoReturn:
        raise BadOpenApi(file=self._file, pointer=place or "/", why=why)


def _rank(media_type: str) -> int:
    """Which of several bodies gives the shape: the least."""
    name = media_type.partition(";")[0].strip().lower()
    return 0 if name == "application/json" else 1 if name.endswith("+json") else 2


def _habit(parameter: dict[str, Any], part: str) -> dict[str, Any]:
    """How a parameter is written into a request, as far as it is not the default."""
    style: Json = parameter.get("style", STYLES[part])
    habit: dict[str, Any] = {"style": style} if style != STYLES[part] else {}
    if "explode" in parameter and parameter["explode"] is not (style == "form"):
        habit["explode"] = parameter["explode"]
    flags = ("allowReserved", "allowEmptyValue", "deprecated")
    return habit | {flag: True for flag in flags if parameter.get(flag) is True}


def _texts(told: dict[str, Any]) -> dict[str, str]:
    return {name: told[name] for name in ("summary", "description") if isinstance(told.get(name), str)}
