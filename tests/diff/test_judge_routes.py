"""OpenAPI documents: two documents in, rules and levels out."""

import copy
import datetime as dt

import pytest

from stipula.cli.documents import Options, compared
from stipula.collect.openapi_routes import surfaces
from stipula.contract.model import Contract
from stipula.diff.judge import Judging, judge_contracts

USER = {
    "type": "object",
    "properties": {"id": {"type": "integer", "readOnly": True}, "name": {"type": "string"}},
    "required": ["id", "name"],
}
BASE = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "components": {
        "schemas": {"User": USER},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-key"}},
    },
    "paths": {
        "/users/{id}": {
            "post": {
                "operationId": "save",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {"name": "q", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}},
                },
                "responses": {
                    "200": {
                        "description": "ok",
                        "headers": {"X-Count": {"required": True, "schema": {"type": "integer"}}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}},
                    },
                    "404": {"description": "none"},
                },
            }
        }
    },
}


def edited(*edits):
    document = copy.deepcopy(BASE)
    for edit in edits:
        edit(document)
    return document


def operation(document):
    return document["paths"]["/users/{id}"]["post"]


def setting(path, value):
    """Put a value at a place of the operation, `None` takes it away."""

    def edit(document):
        here = operation(document)
        *steps, last = path
        for step in steps:
            here = here[step]
        if value is None:
            del here[last]
        else:
            here[last] = value

    return edit


def found(old, new, **options):
    return sorted({(one.level, one.rule) for one in compared(old, new, Options(kind="openapi", **options))})


def user(**properties):
    return lambda document: document["components"]["schemas"]["User"]["properties"].update(properties)


OPTIONAL_QUERY = {"name": "w", "in": "query", "schema": {"type": "string"}}
KEY = [{"key": []}]
ANSWER = ("responses", "200")
CASES = {
    "an operation is gone": (lambda d: d["paths"].clear(), [("breaking", "operation-removed")]),
    "an operation came": (
        lambda d: d["paths"].update({"/new": {"get": {"responses": {"200": {"description": "ok"}}}}}),
        [("safe", "operation-added")]),
    "a status is gone": (setting(("responses", "404"), None), [("breaking", "status-removed")]),
    "a status came": (setting(("responses", "409"), {"description": "conflict"}), [("safe", "status-added")]),
    "a parameter that has to come": (
        lambda d: operation(d)["parameters"].append(OPTIONAL_QUERY | {"required": True}),
        [("breaking", "required-added"), ("breaking", "required-field-added")]),
    "a parameter that may come": (
        lambda d: operation(d)["parameters"].append(OPTIONAL_QUERY), [("note", "field-added")]),
    "another form of a parameter": (
        setting(("parameters", 1, "explode"), False), [("breaking", "parameter-form-changed")]),
    "the body may be missing": (setting(("requestBody", "required"), False), [("safe", "required-removed")]),
    "the body has another media type": (
        setting(("requestBody", "content"), {"text/csv": {"schema": {"$ref": "#/components/schemas/User"}}}),
        [("breaking", "body-media-type-removed"), ("safe", "body-media-type-added")]),
    "the answer has one more media type": (
        setting((*ANSWER, "content", "text/csv"), {}), [("safe", "answer-media-type-added")]),
    "a header is gone": (setting((*ANSWER, "headers"), None), [("breaking", "required-header-removed")]),
    "a header is another": (
        setting((*ANSWER, "headers", "X-Count", "schema", "type"), "string"), [("breaking", "type-changed")]),
    "a header may be missing": (
        setting((*ANSWER, "headers", "X-Count", "required"), False), [("breaking", "header-became-optional")]),
    "callers have to identify themselves": (setting(("security",), KEY), [("breaking", "security-added")]),
    "what is read-only has another type": (
        user(id={"type": "string", "readOnly": True}),
        [("breaking", "type-changed"), ("safe", "type-changed")]),
    "an operation is on its way out": (
        setting(("deprecated",), True), [("note", "deprecated-without-sunset"), ("note", "operation-deprecated")]),
    "another name in clients": (setting(("operationId",), "store"), [("note", "operation-id-changed")]),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), CASES.values(), ids=CASES.keys())
def test_a_change_of_an_operation_is_told_as_what_it_is(edit, expected):
    new = edited(edit)
    assert found(BASE, new) == expected
    assert found(new, new) == []


def test_what_is_read_only_breaks_no_caller():
    new = edited(user(id={"type": "string", "readOnly": True}))
    surfaces_told = {one.surface for one in compared(BASE, new, Options(kind="openapi")) if one.level == "breaking"}
    assert surfaces_told == {"route:POST /users/{id}#200"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (KEY, [{"key": []}, {}], [("warning", "security-removed")]),
        ([{"key": []}, {}], KEY, [("breaking", "security-tightened")]),
        ([{"key": ["a"]}], [{"key": ["a", "b"]}], [("breaking", "security-tightened")]),
        ([{"key": ["a", "b"]}], [{"key": ["a"]}], [("warning", "security-loosened")]),
    ],
)
def test_a_way_in_that_was_open_must_stay_open(old, new, expected):
    assert found(edited(setting(("security",), old)), edited(setting(("security",), new))) == expected


@pytest.mark.parametrize(
    ("today", "rule", "level"),
    [
        (dt.date(2026, 1, 1), "operation-removed-before-sunset", "breaking"),
        (dt.date(2027, 1, 1), "operation-removed-after-sunset", "note"),
        (None, "operation-removed", "breaking"),
    ],
)
def test_the_day_that_was_announced_decides_about_a_removal(today, rule, level):
    old = edited(setting(("deprecated",), True), setting(("x-sunset",), "2026-06-30"))
    sides = [Contract(surfaces=tuple(surfaces(one, "f"))) for one in (old, edited(lambda d: d["paths"].clear()))]
    [finding] = judge_contracts(sides[0], sides[1], Judging(today=today))
    assert (finding.rule, finding.level) == (rule, level)


def test_generated_clients_are_stopped_by_more():
    new = edited(setting(("operationId",), "store"))
    assert found(BASE, new, tier="types") == [("breaking", "operation-id-changed")]
