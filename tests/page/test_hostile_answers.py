"""Hostile Markdown in the real page: no script runs, nothing is asked for, nothing leaves its box, no word is lost."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
ATTACKS = json.loads((Path(__file__).parents[1] / "data/page/markup-attacks.json").read_text(encoding="utf-8"))
OURS = [
    {"id": "script", "input": "<script>window.__pwned=1</script> KEEP"},
    {"id": "img", "input": "<img src=x onerror=window.__pwned=1> ![KEEP](https://evil.example/beacon.png)"},
    {"id": "javascript-link", "input": "[KEEP](javascript:window.__pwned=1) <javascript:alert(1)>"},
]
FOREIGN = (
    "script, iframe, img, svg:not(.icon), style, link, meta, base, object, embed, math, template, "
    "video, audio, form, input"
)
SEEN = """([answer, foreign]) => {
  const nodes = [...answer.querySelectorAll("*")];
  const isBad = (name) => name.startsWith("on") || name === "style" || name === "id";
  const isOdd = ({ protocol }) => !/^(https?|mailto):$/.test(protocol);
  return {
    pwned: window.__pwned ?? null,
    handlers: nodes.flatMap((node) => node.getAttributeNames().filter(isBad)),
    foreign: answer.querySelectorAll(foreign).length,
    links: nodes.filter((node) => node.hasAttribute("href") && isOdd(node)).map((node) => node.outerHTML),
    isWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    address: location.pathname,
  };
}"""
INERT = {"pwned": None, "handlers": [], "foreign": 0, "links": [], "isWide": False, "address": "/"}


@pytest.fixture(scope="module")
def arena(browser, watch_of, lasting_script):
    """One page for all attacks: each has to leave it whole for the next."""
    lasting_script.tell(forget=True)
    context = browser.new_context()
    watch = watch_of(lasting_script.url)
    page = watch.on(context.new_page())
    page.goto(lasting_script.url)
    yield page, watch
    context.close()


@pytest.mark.parametrize(
    "attack", [*OURS, *(one for one in ATTACKS if "where" not in one)], ids=lambda attack: attack["id"]
)
def test_a_hostile_answer_is_inert(arena, ask, attack):
    """Requests, dialogs, windows, exceptions and reports of the policy are what the watch of the page finds."""
    page, watch = arena
    page.get_by_role("button", name="New conversation", exact=True).click()
    expect(page.locator(".empty")).to_be_visible()
    ask(page, f"attack:{attack['input']}")
    answer = page.locator(".answer[data-state=complete]")
    expect(answer).to_be_visible()
    for node in answer.locator(".prose a, .prose button").all()[:20]:
        node.hover(force=True)
        node.focus()
    assert page.evaluate(SEEN, [answer.element_handle(), FOREIGN]) == INERT
    assert watch.faults == []


@pytest.mark.parametrize(
    "attack",
    [one for one in ATTACKS if one.get("where") in {"conversation_title", "model_name", "error_message"}],
    ids=lambda a: a["id"],
)
def test_hostile_names_are_text(visit, script, ask, attack):
    hostile = attack["input"]
    script.tell(models=[{"id": hostile, "name": hostile, "available": True}])
    script.tell(refuse=[500, hostile])
    page, watch = visit(script.url)
    watch.may_fail_loads = True
    ask(page, hostile)
    expect(page.locator(".answer[data-state=refused]")).to_be_visible()
    assert page.evaluate("() => window.__pwned ?? null") is None
