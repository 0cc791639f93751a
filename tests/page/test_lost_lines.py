"""What the page does when something between it and the service breaks: nothing typed, nothing shown is ever lost."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_cut_line_is_found_again_and_nothing_is_missing(page, ask, script):
    ask(page, "Lose the line")
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("Before the cut, after the cut.")
    assert [entry for entry in script.log() if entry.startswith("GET")] == ["GET /chat/stream 3"]


def test_frames_that_come_again_after_a_cut_are_shown_once(page, ask):
    ask(page, "Repeat yourself")
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("Said only once.")


def test_a_reload_in_mid_stream_shows_all_of_it_and_goes_on(page, ask, script):
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("One, two,")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    script.tell(open="count")
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("One, two, three, four.")
    expect(page.locator(".answer")).to_have_count(1)
    expect(page.locator(".question")).to_have_text("Count slowly")


def test_a_second_tab_picks_up_a_turn_that_runs(context, page, ask, script):
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator(".answer")).to_contain_text("One, two,")
    script.tell(open="count")
    expect(other.locator(".answer[data-state=complete] .prose")).to_have_text("One, two, three, four.")


def test_a_reload_brings_back_conversation_and_draft(page, ask):
    ask(page, "one")
    expect(page.locator(".answer[data-state=complete]")).to_be_visible()
    page.get_by_label("Write a question").fill("half a thought")
    page.reload()
    expect(page.locator(".prose")).to_have_text("You wrote: one")
    expect(page.get_by_label("Write a question")).to_have_value("half a thought")


def test_a_draft_belongs_to_its_conversation(page, ask):
    ask(page, "one")
    expect(page.locator(".answer[data-state=complete]")).to_be_visible()
    page.get_by_label("Write a question").fill("for the first")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_label("Write a question")).to_have_value("")
    page.get_by_label("Write a question").fill("for a new one")
    page.get_by_role("link", name="one").click()
    expect(page.get_by_label("Write a question")).to_have_value("for the first")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_label("Write a question")).to_have_value("for a new one")


def test_a_service_killed_in_mid_stream_costs_no_word_and_a_retry_works(visit, ask, mortal_script):
    page, watch = visit(mortal_script.url)
    watch.may_fail_loads = True
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    mortal_script.kill()
    answer = page.locator(".answer").first
    expect(answer).to_contain_text("Connection lost, trying again")
    page.get_by_label("Write a question").fill("typed meanwhile")
    mortal_script.start()
    mortal_script.tell(open="count")
    expect(answer).to_contain_text("The answer was interrupted")
    expect(answer).to_contain_text("One, two,")
    answer.get_by_role("button", name="Retry").click()
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("One, two, three, four.")
    expect(answer).to_contain_text("One, two,")
    expect(page.locator(".question")).to_have_count(1)
    expect(page.get_by_label("Write a question")).to_have_value("typed meanwhile")
    page.reload()
    expect(page.get_by_label("Write a question")).to_have_value("typed meanwhile")


def test_after_a_minute_without_the_service_the_page_gives_up_and_offers_a_retry(visit, ask, mortal_script, context):
    context.clock.install()
    page, watch = visit(mortal_script.url)
    watch.may_fail_loads = True
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    mortal_script.kill()
    expect(page.locator(".answer")).to_contain_text("Connection lost, trying again")
    answer = page.locator(".answer[data-state=lost]")
    for _ in range(8):
        page.clock.fast_forward(10_000)
    expect(answer).to_contain_text("One, two,")
    answer.get_by_role("button", name="Retry").click()
    expect(page.locator(".answer")).to_contain_text("Connection lost, trying again")


def test_a_question_to_a_dead_service_is_kept_over_a_reload_and_sent_by_retry(visit, ask, mortal_script):
    page, watch = visit(mortal_script.url)
    watch.may_fail_loads = True
    mortal_script.kill()
    ask(page, "Is anybody there?")
    answer = page.locator(".answer[data-state=unreachable]")
    expect(answer).to_contain_text("The service cannot be reached")
    mortal_script.start()
    page.reload()
    expect(page.get_by_label("Write a question")).to_have_value("Is anybody there?")
    mortal_script.kill()
    page.keyboard.press("Enter")
    expect(answer).to_be_visible()
    mortal_script.start()
    answer.get_by_role("button", name="Retry").click()
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("You wrote: Is anybody there?")
    page.reload()
    expect(page.get_by_label("Write a question")).to_have_value("")


def test_a_refused_question_says_why_and_can_be_edited(visit, ask, script):
    page, watch = visit(script.url)
    watch.may_fail_loads = True
    script.tell(refuse=[429, "Too many questions at once."])
    ask(page, "one too many")
    answer = page.locator(".answer[data-state=refused]")
    expect(answer).to_contain_text("Too many questions at once. Try again in 30 s.")
    answer.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Write a question")).to_have_value("one too many")
    expect(page.locator(".exchange")).to_have_count(0)


def test_a_refused_question_is_sent_again_by_retry(visit, ask, script):
    page, watch = visit(script.url)
    watch.may_fail_loads = True
    script.tell(refuse=[503, "The model is not loaded."])
    ask(page, "once more")
    expect(page.locator(".answer[data-state=refused]")).to_contain_text("The model is not loaded.")
    script.tell(refuse=None)
    page.get_by_role("button", name="Retry").click()
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("You wrote: once more")
    expect(page.locator(".answer")).to_have_count(1)


def test_offline_is_said_and_what_is_written_is_kept(visit, context, script):
    page, watch = visit(script.url)
    watch.may_fail_loads = True
    context.set_offline(True)
    expect(page.locator(".banner")).to_have_text("You are offline. What you write is kept.")
    page.get_by_label("Write a question").fill("later")
    context.set_offline(False)
    expect(page.locator(".banner")).to_be_hidden()
    expect(page.get_by_label("Write a question")).to_have_value("later")
