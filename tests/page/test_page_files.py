"""The files of the page, read and not run: no HTML text, no words outside the texts, vendored files as published."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def web():
    return Path(__file__).resolve().parents[2] / "src/stipula/chat/web"


@pytest.fixture(scope="module")
def scripts(web):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(web.glob("*.js"))}


def test_no_script_makes_elements_of_text(scripts):
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write|\beval\(|new Function|DOMParser|setHTML"
    assert {name: re.findall(ways, text) for name, text in scripts.items() if re.search(ways, text)} == {}


def test_the_page_holds_no_inline_script_or_style_and_nothing_from_elsewhere(web, scripts):
    html = (web / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", html) == []
    assert re.findall(r"(?:src|href)=\"(?!/static/)", html) == []
    addresses = {url for text in scripts.values() for url in re.findall(r"[\"']https?://[^\"']+", text)}
    assert addresses == {'"http://www.w3.org/2000/svg'}


def test_every_module_is_fetched_at_once_and_not_one_after_the_other(web):
    html = (web / "index.html").read_text(encoding="utf-8")
    modules = {f"/static/{path.relative_to(web)}" for path in web.rglob("*.js")}
    assert set(re.findall(r'(?:src|href)="(/static/[^"]+\.js)"', html)) == modules


def test_every_text_is_used_and_every_used_text_is_there(web, scripts):
    texts = json.loads((web / "texts/en.json").read_text(encoding="utf-8"))
    code = "\n".join(scripts.values())
    plain = set(re.findall(r"\"([a-z]+(?:\.[a-z0-9]+)*)\"", code))
    built = set(re.findall(r"t\(`([a-z.]+)\$\{", code))
    used = {key for key in texts if key in plain or any(key.startswith(prefix) for prefix in built)}
    named = set(re.findall(r"\bt\(\"([^\"]+)\"", code))
    assert sorted(set(texts) - used) == []
    assert sorted(named - set(texts)) == []


def test_texts_of_a_number_have_every_plural_form_of_their_language(web):
    texts = json.loads((web / "texts/en.json").read_text(encoding="utf-8"))
    assert {key: sorted(forms) for key, forms in texts.items() if isinstance(forms, dict)} == {
        "answer.complete": ["one", "other"],
        "answer.tokens": ["one", "other"],
    }


def test_vendored_files_are_as_they_were_published_with_their_licence(web):
    manifest = json.loads((web / "vendor/manifest.json").read_text(encoding="utf-8"))
    shipped = {str(path.relative_to(web / "vendor")) for path in (web / "vendor").rglob("*.js")}
    assert set(manifest) == shipped
    for name, entry in manifest.items():
        assert hashlib.sha256((web / "vendor" / name).read_bytes()).hexdigest() == entry["sha256"]
        assert (web / "vendor" / name).with_name("LICENSE").is_file()


def test_the_page_stays_small(web):
    """150 kB over a compressing server, all of it, until it is usable."""
    served = [path for path in web.rglob("*.*") if path.suffix in {".html", ".js", ".css", ".json", ".svg"}]
    assert sum(len(gzip.compress(path.read_bytes())) for path in served) < 100_000
