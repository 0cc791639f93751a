"""What an operation takes, what it answers, and what holds for it beside its shapes."""

from typing import Any

import pytest

from stipula.collect.openapi_routes import surfaces
from stipula.collect.openapi_shapes import BadOpenApi
from stipula.contract.model import Surface


def read(operation: dict[str, Any], *, path: str = "/a/{id}", ignore: tuple[str, ...] = (), **root: Any):
    document = {"openapi": "3.2.0", "paths": {path: {"post": operation}}} | root
    return {one.id: one for one in surfaces(document, "x.json", ignore)}


def request(operation: dict[str, Any], **root: Any) -> Surface:
    return read(operation, **root)["route:POST /a/{id}"]


def answer(response: dict[str, Any], **root: Any) -> Surface:
    return read({"responses": {"200": response}}, **root)["route:POST /a/{id}#200"]


def parameter(name: str, part: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": part, "schema": {"type": "string"}} | more


def test_what_a_route_takes_is_one_object_of_its_parts():
    operation = {
        "parameters": [
            parameter("id", "path", required=True),
            parameter("q", "query"),
            parameter("X-Trace", "header", required=True),
            parameter("Accept", "header"),
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "array"}}}},
    }
    text = {"type": "string"}
    assert request(operation).shapes["input"] == {
        "type": "object",
        "properties": {
            "header": {"type": "object", "properties": {"x-trace": text}, "required": ["x-trace"]},
            "path": {"type": "object", "properties": {"id": text}, "required": ["id"]},
            "query": {"type": "object", "properties": {"q": text}},
            "body": {"type": "array"},
        },
        "required": ["header", "path", "body"],
    }


def test_a_route_that_takes_nothing_takes_an_object_without_parts():
    assert request({}).shapes == {"input": {"type": "object"}}


def test_a_parameter_of_the_operation_replaces_that_of_its_path():
    paths = {
        "/a/{id}": {
            "parameters": [parameter("q", "query"), parameter("id", "path")],  # of a path each is required
            "post": {"parameters": [parameter("q", "query", schema={"type": "integer"})]},
        }
    }
    parts = request({}, paths=paths).shapes["input"]["properties"]  # pyright: ignore[reportIndexIssue] - an object
    assert parts["query"]["properties"] == {"q": {"type": "integer"}}
    assert parts["path"]["required"] == ["id"]


def test_a_whole_query_string_and_a_parameter_with_content_are_shapes_too():
    content = {"application/json": {"schema": {"type": "object"}}}
    operation = {"parameters": [{"name": "f", "in": "query", "content": content}]}
    assert request(operation).shapes["input"]["properties"]["query"]["properties"] == {"f": {"type": "object"}}  # pyright: ignore[reportIndexIssue] - an object
    operation = {"parameters": [{"name": "all", "in": "querystring", "required": True, "content": content}]}
    assert request(operation).shapes["input"] == {
        "type": "object",
        "properties": {"querystring": {"type": "object"}},
        "required": ["querystring"],
    }


def test_annotations_say_what_is_not_the_default():
    scheme = {"type": "http", "scheme": "bearer", "description": "words"}
    operation = {
        "operationId": "add",
        "deprecated": True,
        "security": [{"token": ["write"]}],
        "parameters": [
            parameter("plain", "query", style="form", explode=True, deprecated=False),
            parameter("odd", "query", style="spaceDelimited", explode=False, allowReserved=True),
            parameter("list", "query", explode=False),
        ],
    }
    assert request(operation, components={"securitySchemes": {"token": scheme}}).annotations == {
        "operation_id": "add",
        "deprecated": True,
        "security": [{"token": {"scheme": {"type": "http", "scheme": "bearer"}, "scopes": ["write"]}}],
        "parameters": {
            "query/odd": {"style": "spaceDelimited", "allowReserved": True},
            "query/list": {"explode": False},
        },
    }


def test_the_security_of_the_document_holds_where_an_operation_says_none():
    root = {"security": [{"key": []}], "components": {"securitySchemes": {"key": {"type": "apiKey"}}}}
    assert request({}, **root).annotations == {"security": [{"key": {"scheme": {"type": "apiKey"}, "scopes": []}}]}
    assert request({"security": []}, **root).annotations == {}


@pytest.mark.parametrize(
    ("content", "shape", "media_types"),
    [
        ({"application/json": {"schema": {"type": "null"}}}, {"type": "null"}, ["application/json"]),
        ({"text/html": {"schema": {"type": "string"}}}, {"type": "string"}, ["text/html"]),
        (
            {
                "application/csv": {"schema": {"type": "string"}},
                "application/problem+json": {"schema": {"type": "object"}},
            },
            {"type": "object"},
            ["application/csv", "application/problem+json"],
        ),
        ({"application/json": {}}, True, ["application/json"]),
        (
            {"text/event-stream": {"itemSchema": {"type": "object"}}},
            {"type": "array", "items": {"type": "object"}},
            ["text/event-stream"],
        ),
    ],
)
def test_the_shape_of_an_answer_is_that_of_its_body(content: Any, shape: Any, media_types: list[str]):
    found = answer({"description": "ok", "content": content})
    assert found.shapes == {"success": shape}
    assert found.annotations == {"media_types": media_types}
    assert found.texts == {"description": "ok"}
    assert found.definition == {"description": "ok", "content": content}


def test_an_answer_without_a_body_has_no_shape():
    assert answer({"description": "gone"}).shapes == {}


def test_the_headers_of_an_answer_belong_to_it():
    headers = {"X-Left": {"required": True, "schema": {"type": "integer"}}, "Content-Type": {"schema": {}}}
    assert answer({"headers": headers}).annotations == {
        "headers": {"x-left": {"schema": {"type": "integer"}, "required": True}}
    }


def test_a_status_says_whether_it_is_a_success():
    content = {"application/json": {"schema": {}}}
    statuses = ["201", "302", "404", "5XX", "default"]
    found = read({"responses": {status: {"content": content} for status in statuses}, "x-note": 1})
    assert {one.id.partition("#")[2]: list(one.shapes) for one in found.values() if "#" in one.id} == {
        "201": ["success"],
        "302": ["success"],
        "404": ["failure"],
        "5XX": ["failure"],
        "default": ["failure"],
    }


def test_parts_are_found_behind_references():
    components = {
        "parameters": {"Q": parameter("q", "query")},
        "requestBodies": {"B": {"content": {"application/json": {"schema": {"type": "null"}}}}},
        "responses": {"R": {"$ref": "#/components/responses/S"}, "S": {"description": "found"}},
        "pathItems": {"P": {"get": {"responses": {"200": {"$ref": "#/components/responses/R"}}}}},
    }
    operation = {
        "parameters": [{"$ref": "#/components/parameters/Q"}],
        "requestBody": {"$ref": "#/components/requestBodies/B"},
    }
    paths = {"/p": {"$ref": "#/components/pathItems/P"}, "/a/{id}": {"post": operation}}
    found = {one.id: one for one in surfaces({"openapi": "3.1.0", "paths": paths, "components": components}, "x.json")}
    assert sorted(found) == ["route:GET /p", "route:GET /p#200", "route:POST /a/{id}"]
    assert found["route:GET /p#200"].texts == {"description": "found"}
    assert set(found["route:POST /a/{id}"].shapes["input"]["properties"]) == {"query", "body"}  # pyright: ignore[reportIndexIssue] - an object


def test_every_method_is_a_route_those_of_3_2_too():
    methods = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
    item = {method: {} for method in methods} | {"additionalOperations": {"COPY": {}}, "summary": "words"}
    found = surfaces({"openapi": "3.2.0", "paths": {"/a": item, "x-note": 1}}, "x.json")
    assert [one.id for one in found] == [f"route:{method.upper()} /a" for method in (*methods, "copy")]


@pytest.mark.parametrize("pattern", ["/a/*", "POST /a/*", "*"])
def test_what_is_ignored_is_not_collected(pattern: str):
    assert read({"responses": {"200": {}}}, ignore=(pattern,)) == {}


@pytest.mark.parametrize(
    ("operation", "place"),
    [
        ({"parameters": {}}, "/paths/~1a~1{id}/post/parameters: wanted a list"),
        ({"parameters": [{"in": "query"}]}, "/paths/~1a~1{id}/post/parameters/0: a parameter without a name"),
        ({"parameters": [{"name": "b", "in": "body"}]}, "post/parameters/0: `in` is 'body'; it is one of path, query"),
        ({"requestBody": []}, "/post/requestBody: a list where an object is wanted"),
        ({"responses": {"ok": {}}}, "/post/responses/ok: a status is 100 to 599"),
        (
            {"responses": {"200": {"content": {"text/x": 1}}}},
            "/responses/200/content/text~1x: a number where an object",
        ),
        ({"security": {}}, "/post/security: wanted a list"),
        ({"security": [{"none": []}]}, "/post/security: 'none' is not among /components/securitySchemes"),
        ({"parameters": [{"$ref": "#/x-loop"}]}, "at /x-loop: $ref '#/x-loop' leads to itself"),
        ({"parameters": [{"$ref": "#/x-gone"}]}, "/post/parameters/0: $ref '#/x-gone' names nothing"),
    ],
)
def test_an_operation_that_is_wrong_is_named_with_its_place(operation: dict[str, Any], place: str):
    loop: Any = {"x-loop": {"$ref": "#/x-loop"}}
    with pytest.raises(BadOpenApi) as caught:
        read(operation, **loop)
    assert place in str(caught.value)


@pytest.mark.parametrize("path", ["a", "/a b", "/a#b"])
def test_a_path_that_no_id_can_hold_is_named(path: str):
    with pytest.raises(BadOpenApi, match="a path begins with a slash"):
        read({}, path=path)
