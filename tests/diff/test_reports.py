import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from stipula.cli.diff import diff
from stipula.diff.finding import gravest_first
from stipula.diff.judge_schemas import diff_schemas
from stipula.diff.reports import FORMS, written
from stipula.diff.reports.words import Spot, version_step

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "`</code><script>alert(1)</script>\n::error::x\x1b[2J\u202e|[a](javascript:b)"
OLD = {"type": "object", "properties": {HOSTILE: {"type": "string"}, "b": {"const": 1}}, "required": [HOSTILE]}
NEW = {"type": "object", "properties": {HOSTILE: {"type": "integer"}, "b": {"const": 2}, "c": {"description": HOSTILE}}}
FINDINGS = gravest_first(diff_schemas(OLD, NEW, "response"))


@pytest.mark.parametrize("form", FORMS)
def test_a_report_is_the_same_each_time_and_holds_every_finding(form):
    text = written(form, FINDINGS, "old → new")
    assert text == written(form, FINDINGS, "old → new")
    assert [one.rule for one in FINDINGS if one.rule not in text] == []


@pytest.mark.parametrize("form", FORMS)
def test_foreign_text_plays_no_tricks(form):
    text = written(form, FINDINGS, HOSTILE)
    assert "\x1b" not in text
    assert "\u202e" not in text
    if form in {"html", "junit"}:
        assert "<script" not in text
    if form == "github":
        assert all(line.startswith("::") for line in text.splitlines()[:-1])
        assert len(text.splitlines()) == len(FINDINGS) + 1


def test_the_json_report_is_as_its_published_schema_says():
    schema = json.loads((ROOT / "docs/reference/diff-report.schema.json").read_text())
    report = json.loads(written("json", FINDINGS, ""))
    jsonschema.Draft202012Validator(schema).validate(report)
    assert report["verdict"] == "breaking"
    jsonschema.Draft202012Validator(schema).validate(json.loads(written("json", [], "")))


def test_null_is_a_witness_and_absence_is_none():
    told = json.loads(written("json", diff_schemas({"type": "null"}, {"type": "string"}, "request"), ""))
    assert told["findings"][0]["witness"] is None
    safe = json.loads(written("json", diff_schemas({"minimum": 1}, {"minimum": 0}, "request"), ""))
    assert "witness" not in safe["findings"][0]


def test_junit_counts_a_surface_as_a_case():
    suite = ET.fromstring(written("junit", FINDINGS, "s"))
    assert (suite.attrib, len(suite.findall(".//failure"))) == ({"tests": "1", "failures": "1"}, 1)
    assert ET.fromstring(written("junit", [], "s")).attrib == {"tests": "1", "failures": "0"}


def test_sarif_points_into_the_file():
    spots = {one.fingerprint: (None, Spot("new.json", 3, 7)) for one in FINDINGS}
    run = json.loads(written("sarif", FINDINGS, "s", spots))["runs"][0]
    result = run["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 7}
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_html_report_needs_nothing_else():
    text = written("html", FINDINGS, "s")
    assert re.findall(r"<(?:link|script|img|iframe)|url\(|https?:", text) == []


@pytest.mark.parametrize(
    ("old", "new", "step"),
    [({}, False, "major"), (False, {}, "minor"), ({}, {"default": 1}, "patch"), ({}, {}, "none")],
)
def test_a_version_step_is_suggested(old, new, step):
    assert version_step(diff_schemas(old, new, "request")) == step


def run(*words):
    result = CliRunner().invoke(diff, [str(word) for word in words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.output


def test_a_finding_stands_at_its_line_in_both_files(tmp_path):
    (tmp_path / "old.yaml").write_text("type: object\nproperties:\n  a:\n    type: string\n")
    (tmp_path / "new.json").write_text('{"type": "object",\n "properties": {\n  "a": {"type": "integer"}}}')
    code, text = run(tmp_path / "old.yaml", tmp_path / "new.json", "--direction", "request")
    assert code == 1
    assert f"at {tmp_path}/old.yaml:4:5 → {tmp_path}/new.json:3:9" in text


def test_the_bar_decides_about_the_exit_code(tmp_path):
    (tmp_path / "old.json").write_text('{"minimum": 1}')
    (tmp_path / "new.json").write_text('{"minimum": 0}')
    files = tmp_path / "old.json", tmp_path / "new.json"
    assert [run(*files, "--direction", "request", "--fail-on", bar)[0] for bar in ("warning", "safe")] == [0, 1]
    assert run(*files, "--direction", "response")[0] == 1


def test_a_batch_answers_each_line_by_its_kind(tmp_path):
    lines = [
        {"id": 1, "kind": "schema", "direction": "request", "old": {"minimum": 0}, "new": {"minimum": 1}},
        {"id": 2, "kind": "mcp", "old": {"tools": []}, "new": {"tools": [{"name": "t", "inputSchema": {}}]}},
        {"id": 3, "kind": "events", "old": {"events": {"a": True}}, "new": {"events": {}}},
        {"id": 4, "kind": "schema", "direction": "sideways", "old": True, "new": True},
        {"id": 5, "kind": "openapi", "old": {}, "new": {}},
        {"id": 6, "kind": "schema", "old": True},
        {"id": 7, "old": {"items": [{"type": "null"}]}, "new": {"prefixItems": [{"type": "null"}]}, "old_draft": "07"},
    ]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, lines)))
    code, text = run("--batch", tmp_path / "b.jsonl")
    told = [json.loads(line) for line in text.splitlines()]
    verdicts = [(one["id"], one.get("verdict", "error" if "error" in one else "?")) for one in told]
    assert (code, verdicts) == (0, [(1, "breaking"), (2, "safe"), (3, "breaking"), (4, "error"), (5, "error"),
                                    (6, "error"), (7, "identical")])  # fmt: skip
    assert told[0]["findings"][0]["witness"] == 0
    assert all("ms" in one for one in told if "error" not in one)
