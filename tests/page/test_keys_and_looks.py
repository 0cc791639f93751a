"""Keyboard, phone, dark theme, and the little things that a screen reader needs."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
NARROW = {"viewport": {"width": 320, "height": 640}}


def colours(page):
    return page.evaluate(
        "() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )


def test_shift_enter_makes_a_line_and_enter_sends(page):
    page.get_by_label("Write a question").focus()
    page.keyboard.type("first")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("second")
    page.keyboard.press("Enter")
    expect(page.locator(".question p")).to_have_text("first\nsecond", use_inner_text=True)


def test_enter_that_ends_a_composition_does_not_send(page):
    area = page.get_by_label("Write a question")
    area.focus()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "日本", "selectionStart": 2, "selectionEnd": 2})
    area.dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "isComposing": True})
    expect(area).to_have_value("日本")
    expect(page.locator(".exchange")).to_have_count(0)


def test_escape_stops_the_answer(page, ask):
    ask(page, "Count slowly")
    expect(page.locator(".answer")).to_contain_text("One, two,")
    page.keyboard.press("Escape")
    expect(page.locator(".answer[data-state=stopped]")).to_be_visible()


def test_shortcuts_open_the_list_of_keys_a_new_conversation_and_the_composer(page, ask):
    ask(page, "hello")
    expect(page.locator(".answer[data-state=complete]")).to_be_visible()
    page.keyboard.press("Control+/")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_hidden()
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    page.get_by_role("navigation").get_by_role("link").focus()
    page.keyboard.press("Shift+Escape")
    expect(page.get_by_label("Write a question")).to_be_focused()


NAME_OF_FOCUS = """() => {
  const node = document.activeElement;
  return node.getAttribute("aria-label") || node.textContent.trim() || node.value;
}"""


def test_the_whole_page_is_walked_by_tab_in_its_order(page):
    page.locator(".skip").focus()
    names = []
    for _ in range(12):
        names.append(page.evaluate(NAME_OF_FOCUS))
        page.keyboard.press("Tab")
    assert names[:5] == [
        "Skip to the question",
        "New conversation",
        "Search conversations",
        "Theme: as the system",
        "Keyboard",
    ]
    assert names[5:10] == [
        "Conversations",
        *[page.locator(".example").nth(n).text_content() for n in range(3)],
        "Write a question",
    ]
    assert names[10:12] == ["Model", "instant"]


def test_every_control_has_a_name_and_the_landmarks_are_there(page, ask):
    ask(page, "What is the capital of France?")
    expect(page.locator(".answer[data-state=complete]")).to_be_visible()
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, a")]
          .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim() || node.closest("label")))
          .map((node) => node.outerHTML)"""
    )
    assert unnamed == []
    for role in ("navigation", "main", "form", "log"):
        expect(page.get_by_role(role)).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_role("log")).to_have_attribute("aria-live", "off")


@pytest.mark.parametrize(
    "look", [{"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"}], ids=["dark system"]
)
def test_the_system_s_dark_is_followed_and_the_reader_may_choose(page):
    dark = colours(page)
    assert dark == ["rgb(23, 24, 27)", "rgb(232, 230, 225)"]
    page.get_by_role("button", name="Theme: as the system").click()
    light = colours(page)
    assert light == ["rgb(253, 252, 250)", "rgb(31, 30, 28)"]
    page.reload()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert colours(page) == light


def test_a_chosen_theme_is_there_before_any_module_has_run(visit, script):
    page, watch = visit(script.url)
    page.get_by_role("button", name="Theme: as the system").click()
    page.get_by_role("button", name="Theme: light").click()
    watch.may_fail_loads = True
    page.route("**/app.js", lambda route: route.abort())
    page.reload()
    assert colours(page)[0] == "rgb(23, 24, 27)"


CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("look", [{"color_scheme": "light"}, {"color_scheme": "dark"}], ids=["light", "dark"])
@pytest.mark.parametrize("question", ["What is the capital of France?", "Fail halfway", "Think aloud"])
def test_all_text_stands_out_from_what_is_behind_it(page, ask, script, question):
    script.tell(open="thought")
    ask(page, question)
    expect(page.locator(".answer[aria-busy=false]")).to_be_visible()
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("look", [PHONE], ids=["phone"])
def test_on_a_phone_the_list_lies_over_the_page_and_closes_again(page, ask):
    ask(page, "What is the capital of France?")
    page.get_by_role("button", name="Send").tap()
    expect(page.locator(".answer[data-state=complete]")).to_be_visible()
    expect(page.get_by_role("navigation")).to_be_hidden()
    page.get_by_role("main").get_by_role("button", name="Conversations").tap()
    expect(page.get_by_role("navigation")).to_be_visible()
    assert page.locator("main").evaluate("node => node.inert") is True
    page.get_by_role("link", name="What is the capital of France?").tap()
    expect(page.get_by_role("navigation")).to_be_hidden()
    assert page.locator("main").evaluate("node => node.inert") is False


@pytest.mark.parametrize("look", [PHONE], ids=["phone"])
def test_on_a_phone_enter_makes_a_line_and_nothing_calls_the_keyboard(page, ask):
    expect(page.get_by_label("Write a question")).not_to_be_focused()
    ask(page, "one")
    expect(page.get_by_label("Write a question")).to_have_value("one\n")
    controls = [node for node in page.locator("main button, main select").all() if node.is_visible()]
    heights = [box["height"] for node in controls if (box := node.bounding_box())]
    assert min(heights) >= 44


@pytest.mark.parametrize("look", [PHONE, NARROW], ids=["phone", "320 px"])
def test_a_small_screen_never_scrolls_sideways(page):
    page.get_by_label("Write a question").fill("What is the capital of France?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".answer[data-state=complete]")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.locator(".scroller").evaluate("node => node.scrollWidth - node.clientWidth") <= 0


@pytest.mark.parametrize("look", [{"reduced_motion": "reduce"}], ids=["reduced motion"])
def test_reduced_motion_leaves_nothing_moving(page, ask):
    ask(page, "Wait first")
    expect(page.locator(".waiting")).to_be_visible()
    moving = "() => document.getAnimations().filter((one) => one.effect.getComputedTiming().activeDuration > 1).length"
    assert page.evaluate(moving) == 0
