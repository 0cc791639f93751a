"""A conversation on the page, in Chromium: asked, streamed, thought over, copied, stopped, found again."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
QUESTION = "What is the capital of France?"


def test_a_question_is_answered_and_its_markdown_drawn(page, ask):
    ask(page, QUESTION)
    answer = page.locator(".answer[data-state=complete]")
    expect(answer.get_by_role("heading", name="Paris")).to_be_visible()
    expect(answer.locator("table tr")).to_have_count(3)
    expect(answer.locator("pre code")).to_contain_text("def capital")
    expect(answer.get_by_role("link", name="Seine")).to_have_attribute("rel", "noopener noreferrer nofollow")
    expect(page.locator(".question")).to_have_text(QUESTION)
    expect(answer.locator(".facts")).to_have_text("smollm2-135m · 1.2 s · 34 tokens")


def test_an_example_is_asked_by_a_click(page):
    page.get_by_role("button", name=QUESTION).click()
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("The capital of France is Paris")


def test_a_first_question_names_its_conversation_and_its_address(page, ask):
    ask(page, "Hello there\nsecond line")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hello there")
    expect(page.get_by_role("navigation").get_by_role("link", name="Hello there")).to_have_attribute(
        "aria-current", "page"
    )
    assert re.search(r"#/c/[0-9a-f]{16}$", page.url)


def test_a_second_question_follows_the_first(page, ask):
    ask(page, "one")
    expect(page.locator(".answer[data-state=complete]")).to_have_count(1)
    ask(page, "two")
    expect(page.locator(".answer[data-state=complete]")).to_have_count(2)
    expect(page.locator(".prose")).to_have_text(["You wrote: one", "You wrote: two"])


def test_the_composer_is_empty_at_once_and_keeps_the_focus(page, ask, script):
    ask(page, "Wait first")
    expect(page.get_by_label("Write a question")).to_have_value("")
    expect(page.locator(".answer[data-state=sending]")).to_have_text("Waiting for the first words…")
    script.tell(open="first")
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("Here I am.")
    expect(page.get_by_label("Write a question")).to_be_focused()


def test_ten_clicks_on_send_make_one_request(page, script):
    page.get_by_label("Write a question").fill("Wait first")
    page.locator(".go").click(click_count=10)
    expect(page.locator(".exchange")).to_have_count(1)
    script.tell(open="first")
    expect(page.locator(".answer[data-state=complete]")).to_have_count(1)
    assert [entry for entry in script.log() if entry.startswith("POST")] == ["POST /chat/stream Wait first"]


def test_while_an_answer_runs_enter_sends_nothing_and_keeps_the_text(page, ask, script):
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    ask(page, "and then?")
    expect(page.get_by_label("Write a question")).to_have_value("and then?")
    expect(page.get_by_role("status").filter(has_text="An answer is still coming")).to_have_count(1)
    script.tell(open="count")
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("One, two, three, four.")


def test_stop_ends_the_turn_at_the_service_and_keeps_what_came(page, ask, script):
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    page.get_by_role("button", name="Stop").click()
    answer = page.locator(".answer[data-state=stopped]")
    expect(answer).to_contain_text("One, two,")
    expect(answer).to_contain_text("Stopped")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    assert "DELETE /chat/stream" in script.log()


def test_a_stopped_answer_is_still_stopped_after_a_reload(page, ask):
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    page.keyboard.press("Escape")
    expect(page.locator(".answer[data-state=stopped]")).to_be_visible()
    page.reload()
    expect(page.locator(".answer[data-state=stopped]")).to_contain_text("One, two,")


def test_thinking_is_folded_and_read_on_demand_and_no_part_of_the_answer(page, ask, script):
    page.get_by_text("Think", exact=True).click()
    ask(page, "Think aloud")
    panel = page.locator("details.thinking")
    expect(panel.locator("summary")).to_have_text(re.compile("^Thinking"))
    panel.locator("summary").click()
    expect(panel.locator("p")).to_have_text("First this.")
    script.tell(open="thought")
    expect(panel.locator("summary")).to_have_text("Thought for 1.4 s")
    expect(panel.locator("p")).to_have_text("First this. Then that.")
    page.get_by_role("button", name="Copy answer").click()
    expect(page.locator("[data-done]")).to_have_count(1)
    assert page.evaluate("() => navigator.clipboard.readText()") == "So: 42."


def test_an_error_event_keeps_the_partial_answer_and_offers_a_retry(page, ask):
    ask(page, "Fail halfway")
    answer = page.locator(".answer[data-state=error]")
    expect(answer).to_contain_text("It begins well")
    expect(answer).to_contain_text("The upstream closed the connection.")
    expect(answer.locator(".request-id code")).to_have_text(re.compile("^[0-9a-f]{12}$"))
    answer.get_by_role("button", name="Retry").click()
    expect(page.locator(".answer[data-state=error]")).to_have_count(2)
    expect(page.locator(".question")).to_have_count(1)


def test_an_empty_answer_says_so(page, ask):
    ask(page, "Say nothing")
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("The answer is empty.")


def test_code_is_copied_as_it_was_written(page, ask):
    ask(page, QUESTION)
    page.locator("figure.code").get_by_role("button", name="Copy").click()
    expect(page.locator("figure.code").get_by_role("button", name="Copied")).to_be_visible()
    code = 'def capital(country: str) -> str:\n    return {"France": "Paris"}[country]'
    assert page.evaluate("() => navigator.clipboard.readText()") == code


def test_a_turn_goes_on_while_another_conversation_is_open(page, ask, script):
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    ask(page, "meanwhile")
    expect(page.locator(".answer[data-state=complete]")).to_have_text(re.compile("You wrote: meanwhile"))
    script.tell(open="count")
    page.get_by_role("link", name="Count slowly").click()
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("One, two, three, four.")


def test_announcements_are_lines_about_the_answer_and_never_its_tokens(page, ask):
    page.evaluate(
        """() => {
          window.heard = [];
          const hear = (records) => window.heard.push(...records.map((record) => record.target.textContent));
          for (const region of document.querySelectorAll("body > [role=status].unseen, body > [role=alert]"))
            new MutationObserver(hear).observe(region, { childList: true });
        }"""
    )
    ask(page, QUESTION)
    expect(page.locator("body > [role=status].unseen")).to_have_text(re.compile(r"Answer complete, \d+ words"))
    heard = page.evaluate("() => window.heard")
    assert heard[0] == "The answer begins"
    assert len(heard) <= 6


def test_the_view_follows_the_answer_until_the_reader_moves_up(page, ask, script):
    ask(page, "A long answer")
    scroller = page.locator(".scroller")
    expect(page.locator(".answer")).to_contain_text("Paragraph 40")
    page.mouse.move(700, 300)
    page.mouse.wheel(0, -400)
    expect(page.get_by_role("button", name="Latest")).to_be_visible()
    before = scroller.evaluate("node => node.scrollTop")
    script.tell(open="long")
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("Paragraph 59")
    assert abs(scroller.evaluate("node => node.scrollTop") - before) <= 1
    page.get_by_role("button", name="Latest").click()
    expect(page.get_by_role("button", name="Latest")).to_be_hidden()
    assert scroller.evaluate("node => node.scrollHeight - node.clientHeight - node.scrollTop") <= 1


def test_of_a_long_conversation_only_what_is_near_is_drawn_and_all_of_it_is_text(page, script):
    script.tell(seed=200)
    page.goto(f"{script.url}#/c/seeded")
    expect(page.locator(".answer")).to_have_count(200)
    first, last = page.locator(".prose").first, page.locator(".prose").last
    expect(last.locator("strong")).to_have_text("number")
    expect(last).to_be_in_viewport()
    expect(first).to_have_text("Answer **number** 0")
    page.locator(".scroller").evaluate("node => { node.scrollTop = 0; }")
    expect(first.locator("strong")).to_have_text("number")


def test_text_that_is_finished_keeps_its_elements_while_the_rest_streams(page, ask, script):
    ask(page, "A long answer")
    expect(page.locator(".answer")).to_contain_text("Paragraph 40")
    page.evaluate("() => { window.kept = document.querySelector('.prose p:nth-child(5)'); }")
    page.evaluate(
        """() => {
          window.touched = 0;
          const count = () => (window.touched += 1);
          new MutationObserver(count).observe(document.querySelector(".go"), { childList: true });
        }"""
    )
    script.tell(open="long")
    expect(page.locator(".answer[data-state=complete]")).to_be_visible()
    assert page.evaluate("() => window.kept === document.querySelector('.prose p:nth-child(5)')")
    assert page.evaluate("() => window.touched") == 1
