"""OpenAPI 3.0, 3.1 and 3.2, from files, an address and an application: routes with shapes that stand alone."""
# ruff: noqa: E501 - a document is read by its lines

import copy
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stipula.collect import document, openapi
from stipula.collect.openapi_routes import surfaces
from stipula.collect.openapi_shapes import BadOpenApi, ForeignReference
from stipula.collect.project import CollectEntry
from stipula.contract.model import Surface
from stipula.errors import Problem
from stipula.outbound import FetchFailed

PETS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {
                "responses": {
                    "200": {"description": "a pet", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
                    "404": {"description": "none"},
                }
            },
            "put": {
                "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
                "responses": {"204": {"description": "done"}},
            },
        }
    },
    "components": {
        "schemas": {
            "Pet": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}},
            }
        }
    },
}  # fmt: skip


def read(value: Any) -> dict[str, Surface]:
    return {one.id: one for one in surfaces(value, "pets.json")}


def accepts(shape: Any) -> Callable[[Any], bool]:
    return jsonschema_rs.Draft202012Validator(shape, offline=True).is_valid


def test_an_operation_is_what_it_takes_and_each_status_it_answers_with():
    assert sorted(read(PETS)) == [
        "route:GET /pets/{id}",
        "route:GET /pets/{id}#200",
        "route:GET /pets/{id}#404",
        "route:PUT /pets/{id}",
        "route:PUT /pets/{id}#204",
    ]


def test_a_shape_carries_all_that_it_refers_to_a_shape_of_itself_included():
    (shape,) = read(PETS)["route:GET /pets/{id}#200"].shapes.values()
    is_valid = accepts(shape)
    assert is_valid({"name": "a", "kids": [{"name": "b"}]})
    assert not is_valid({"name": "a", "kids": [{"name": 7}]})


@pytest.mark.parametrize("version", ["3.0.3", "3.1.1", "3.2.0"])
def test_each_version_gives_the_same_surfaces(version: str):
    assert sorted(read(PETS | {"openapi": version})) == sorted(read(PETS))


OLD_WORDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 1}),
    ({"type": "integer", "maximum": 1, "exclusiveMaximum": False}, {"type": "integer", "maximum": 1}),
    ({"type": "string", "nullable": True, "enum": ["a", None]}, {"enum": ["a", None]}),
    ({"type": "array", "items": {"type": "string", "nullable": True}}, {"type": "array", "items": {"type": ["string", "null"]}}),
]  # fmt: skip


@given(
    value=st.recursive(
        st.none() | st.integers(-1, 3) | st.sampled_from(["a", "b"]),
        lambda inner: st.lists(inner, max_size=2),
        max_leaves=3,
    )
)
@pytest.mark.parametrize(("old", "new"), OLD_WORDS)
def test_what_3_0_says_in_its_own_words_means_the_same_to_a_second_validator(old: Any, new: Any, value: Any):
    told: Any = copy.deepcopy(PETS) | {"openapi": "3.0.3"}
    told["components"]["schemas"]["Pet"] = old
    (shape,) = read(told)["route:GET /pets/{id}#200"].shapes.values()
    assert accepts(shape)(value) == jsonschema.Draft202012Validator(new).is_valid(value)


def at(place: str, value: Any) -> Any:
    """The document with another value at one place."""
    told: Any = copy.deepcopy(PETS)
    *steps, last = place.split("|")
    node = told
    for step in steps:
        node = node[step]
    node[last] = value
    return told


BAD: list[tuple[str, Any, type[Problem], str]] = [
    ("openapi", "2.0", BadOpenApi, "pets.json at /openapi: version '2.0'"),
    ("swagger", "2.0", BadOpenApi, "Swagger 2.0"),
    ("paths", [], BadOpenApi, "/paths"),
    ("paths|/pets/{id}|get|responses", {"2000": {}}, BadOpenApi, "/paths/~1pets~1{id}/get/responses"),
    ("components|schemas|Pet", {"type": "strin"}, BadOpenApi, "/components/schemas/Pet"),
    ("components|schemas|Pet", {"$ref": "http://127.0.0.1:9/x.json"}, ForeignReference, "is not followed"),
    ("components|schemas|Pet", {"$ref": "#/components/schemas/None"}, BadOpenApi, "None"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "kind", "words"), BAD)
def test_a_document_that_is_wrong_is_named_with_the_place(place: str, value: Any, kind: type[Problem], words: str):
    with pytest.raises(kind) as caught:
        read(at(place, value))
    assert words in str(caught.value)
    assert caught.value.exit_code == 3


SCRAPS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["#", "#/components", "object", "3.0.0"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$ref", "get", "type", "schema", "200", "in"]), inner, max_size=3)
    ),
    max_leaves=8,
)
PLACES = st.sampled_from([
    "openapi", "paths", "paths|/pets/{id}", "paths|/pets/{id}|get", "paths|/pets/{id}|parameters", "paths|/pets/{id}|get|responses",
    "paths|/pets/{id}|put|requestBody", "components", "components|schemas", "components|schemas|Pet", "components|schemas|Pet|properties",
])  # fmt: skip


@given(place=PLACES, scrap=SCRAPS)
def test_whatever_stands_in_a_document_it_is_read_or_named(place: str, scrap: Any):
    assert "\n" not in said(lambda: read(at(place, scrap)))


def said(read_it: Callable[[], Any]) -> str:
    """What a document that cannot be read is told; nothing of one that can."""
    try:
        read_it()
    except Problem as problem:
        return str(problem)
    return ""


def test_json_and_yaml_give_the_same_routes(tmp_path: Path):
    (tmp_path / "a.json").write_text(json.dumps(PETS))
    (tmp_path / "a.yaml").write_text("# a YAML document is any JSON document\n" + json.dumps(PETS, indent=1))
    first, second = (
        openapi.collect(CollectEntry(source="openapi", file=name), tmp_path) for name in ("a.json", "a.yaml")
    )
    assert first == second


@pytest.fixture
def served() -> Iterator[str]:
    """The document behind an address on this machine."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/openapi.json"
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(json.dumps(PETS).encode() if found else b"")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library names it
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_document_is_fetched_from_its_address(served: str, tmp_path: Path):
    contract = openapi.collect(CollectEntry(source="openapi", url=f"{served}/openapi.json"), tmp_path)
    assert {one.id for one in contract.surfaces} == set(read(PETS))


def test_an_address_without_a_document_is_named(served: str, tmp_path: Path):
    with pytest.raises(FetchFailed, match="404"):
        openapi.collect(CollectEntry(source="openapi", url=f"{served}/none.json"), tmp_path)


def test_a_fastapi_application_is_read_where_it_stands(tmp_path: Path):
    code = "from fastapi import FastAPI\napp = FastAPI()\n\n@app.get('/hello')\ndef hello() -> dict[str, int]:\n    return {}\n"
    (tmp_path / "hello_application.py").write_text(code)
    contract = openapi.collect(CollectEntry(source="openapi", app="hello_application:app"), tmp_path)
    assert [one.id for one in contract.surfaces] == ["route:GET /hello", "route:GET /hello#200"]


@pytest.mark.parametrize(
    ("app", "code", "words"),
    [
        ("broken_application:app", "raise RuntimeError('no database')", "no database"),
        ("empty_application:app", "x = 1", "app"),
        ("wrong_application:app", "app = 7", "of type int"),
        ("missing_application:app", None, "missing_application"),
    ],
)
def test_an_application_that_cannot_be_read_is_one_line(app: str, code: str | None, words: str, tmp_path: Path):
    if code is not None:
        (tmp_path / f"{app.split(':', maxsplit=1)[0]}.py").write_text(code)
    with pytest.raises(Problem) as caught:
        openapi.collect(CollectEntry(source="openapi", app=app), tmp_path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "{", "a: [", "\x00", "- 1\n- 2", '{"a": 1, "a": 2}', "&a [*a]", "a: !!python/object:os.system x"]
)
def test_a_file_that_is_no_document_is_named(text: str, tmp_path: Path):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(Problem) as caught:
        openapi.collect(CollectEntry(source="openapi", file="x.yaml"), tmp_path)
    assert "x.yaml" in str(caught.value)


@given(text=st.binary(max_size=60))
def test_any_bytes_are_a_document_or_named(text: bytes):
    assert "\n" not in said(lambda: document.parsed(text, "x.yaml"))
