"""The list of conversations, and the choice of a model."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def two(page, ask):
    """A page with the conversations `apples` and, open, `pears`."""
    for question in ("apples", "pears"):
        page.get_by_role("button", name="New conversation").click()
        ask(page, question)
        expect(page.locator(".answer[data-state=complete] .prose")).to_have_text(f"You wrote: {question}")
    return page


def titles(page):
    return page.locator(".conversations a")


def test_conversations_are_switched_by_a_click_and_by_the_browser_back(two):
    two.get_by_role("link", name="apples").click()
    expect(two.locator(".prose")).to_have_text("You wrote: apples")
    expect(two.get_by_role("heading", level=1)).to_have_text("apples")
    two.go_back()
    expect(two.locator(".prose")).to_have_text("You wrote: pears")


def test_a_conversation_is_renamed_in_place(two):
    two.get_by_role("link", name="pears").hover()
    two.get_by_role("button", name="Rename “pears”").click()
    two.get_by_label("Rename", exact=True).fill("Williams")
    two.keyboard.press("Enter")
    expect(two.get_by_role("heading", level=1)).to_have_text("Williams")
    two.reload()
    expect(titles(two)).to_have_text(["Williams", "apples"])


def test_renaming_is_given_up_with_escape(two):
    two.get_by_role("link", name="pears").focus()
    two.keyboard.press("F2")
    two.keyboard.type("no")
    two.keyboard.press("Escape")
    expect(titles(two)).to_have_text(["pears", "apples"])
    expect(two.get_by_role("link", name="pears")).to_be_focused()


def test_a_deleted_conversation_comes_back_by_undo(two, script):
    two.get_by_role("link", name="apples").hover()
    two.get_by_role("button", name="Delete “apples”").click()
    expect(titles(two)).to_have_text(["pears"])
    two.get_by_role("button", name="Undo").click()
    expect(titles(two)).to_have_text(["pears", "apples"])
    assert "DELETE /conversations" not in script.log()


def test_a_deleted_conversation_is_gone_when_the_offer_is_dismissed(two, script):
    two.get_by_role("link", name="apples").hover()
    two.get_by_role("button", name="Delete “apples”").click()
    two.get_by_role("button", name="Dismiss").click()
    expect(two.locator(".undo")).to_be_hidden()
    two.reload()
    expect(titles(two)).to_have_text(["pears"])


def test_deleting_the_open_conversation_opens_a_new_one(two):
    two.get_by_role("link", name="pears").focus()
    two.keyboard.press("Delete")
    expect(two.get_by_role("heading", name="What would you like to know?")).to_be_visible()


def test_the_list_is_searched_by_words_of_the_title(two):
    two.keyboard.press("Control+k")
    expect(two.get_by_label("Search conversations")).to_be_focused()
    two.keyboard.type("PEA")
    expect(titles(two)).to_have_text(["pears"])
    two.keyboard.type("nut")
    expect(two.locator(".conversations")).to_have_text("No conversation has these words.")
    two.keyboard.press("Escape")
    expect(titles(two)).to_have_text(["pears", "apples"])
    two.keyboard.type("app")
    two.keyboard.press("Enter")
    expect(two.locator(".prose")).to_have_text("You wrote: apples")


def test_a_search_finds_what_messages_say(two):
    two.get_by_label("Search conversations").fill("wrote: apple")
    expect(titles(two)).to_have_text(["apples"])


def test_an_address_of_no_conversation_says_so(visit, script):
    page, watch = visit(script.url)
    watch.may_fail_loads = True
    page.goto(script.url + "#/c/nowhere")
    expect(page.locator(".fault")).to_contain_text("There is no such conversation")


def test_the_chosen_model_and_mode_are_sent_and_remembered(page, ask):
    page.get_by_label("Model").select_option("echo")
    page.get_by_text("Think", exact=True).click()
    page.reload()
    expect(page.get_by_label("Model")).to_have_value("echo")
    ask(page, "hello")
    answer = page.locator(".answer[data-state=complete]")
    expect(answer.locator(".facts")).to_have_text(re.compile("^echo"))
    expect(answer.locator("details.thinking")).to_be_visible()


def model(name, **more):
    return {"id": name, "name": name, "provider": "local", "available": True, "description": ""} | more


def test_a_model_that_is_missing_is_named_with_what_to_do_and_echo_answers(visit, ask, script):
    note = "The model file could not be fetched: run `stipula model fetch`."
    script.tell(models=[model("smollm2", available=False, note=note), model("echo")])
    page, _ = visit(script.url)
    expect(page.locator(".banner")).to_have_text(
        f"smollm2 is not ready. {note} Until then echo answers: it repeats what you write."
    )
    expect(page.get_by_label("Model")).to_have_value("echo")
    ask(page, "hello")
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("You wrote: hello")


def test_no_model_at_all_is_said_and_looked_for_again(visit, script):
    script.tell(models=[model("smollm2", available=False, note="No model file.")])
    page, _ = visit(script.url)
    expect(page.locator(".banner")).to_contain_text("No model is ready. No model file.")
    script.tell(models=[model("smollm2")])
    page.locator(".banner").get_by_role("button", name="Retry").click()
    expect(page.locator(".banner")).to_be_hidden()
