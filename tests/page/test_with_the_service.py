"""The page on the service itself, `stipula serve`: what the scripted one stands in for elsewhere is real here."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
QUESTION = "What is the capital of France?"
WORDS = " ".join(f"word{n}" for n in range(200))
CONFIG = """
[server]
listen = "127.0.0.1:{port}"

[storage]
url = "sqlite:///conversations.db"

[[gateway.upstreams]]
name = "echo"
dialect = "echo"
models = {{ "echo" = "*", "echo-d50" = "*" }}

[chat]
guard = "enforce"
"""


class Served:
    """`stipula serve` in a folder of its own."""

    def __init__(self, folder: Path, config: str, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/"
        self.command = [sys.executable, "-m", "stipula", "serve", "--config", str(folder / "stipula-serve.toml")]
        (folder / "stipula-serve.toml").write_text(config.format(port=port), encoding="utf-8")
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        assert self.url.rstrip("/") in first, first + self.process.communicate()[0]

    def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self.process.poll() is None:
            self.process.send_signal(how)
        if self.process.stdout is not None and not self.process.stdout.closed:
            self.process.communicate(timeout=30)


@pytest.fixture
def served(tmp_path, free_port):
    service = Served(tmp_path, CONFIG, free_port())
    yield service
    service.end()


def test_a_conversation_in_both_modes_is_answered_kept_and_found(visit, ask, served):
    page, _ = visit(served.url)
    ask(page, "echo this *back*")
    expect(page.locator(".answer[data-state=complete] .prose")).to_have_text("echo this back")
    page.get_by_text("Think", exact=True).click()
    ask(page, "and again")
    expect(page.locator(".answer[data-state=complete]")).to_have_count(2)
    expect(page.locator("details.thinking summary")).to_have_text(re.compile("^Thought for"))
    page.reload()
    expect(page.locator(".prose")).to_have_text(["echo this back", "and again"])
    expect(page.locator("details.thinking")).to_have_count(1)
    page.get_by_label("Search conversations").fill("again")
    expect(page.locator(".conversations a")).to_have_text(["echo this *back*"])


def test_stop_reload_rename_and_delete(visit, ask, served):
    page, _ = visit(served.url)
    page.get_by_label("Model").select_option("echo-d50")
    ask(page, WORDS)
    expect(page.locator(".answer")).to_contain_text("word5")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("word9")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".answer[data-state=stopped]")).to_contain_text("word0 word1")
    page.reload()
    expect(page.locator(".answer[data-state=stopped]")).to_have_count(1)
    page.locator(".conversations a").focus()
    page.keyboard.press("F2")
    page.keyboard.type("Words")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Words")
    page.locator(".conversations a").focus()
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Dismiss").click()
    page.reload()
    expect(page.locator(".conversations")).to_have_text("Nothing yet. What you ask is listed here.")


def test_the_service_killed_in_mid_stream_keeps_what_came_and_answers_the_retry(visit, ask, served):
    page, watch = visit(served.url)
    watch.may_fail_loads = True
    page.get_by_label("Model").select_option("echo-d50")
    ask(page, WORDS)
    expect(page.locator(".answer")).to_contain_text("word5")
    served.end()
    expect(page.locator(".answer")).to_contain_text("Connection lost, trying again")
    page.get_by_label("Write a question").fill("typed meanwhile")
    served.start()
    expect(page.locator(".answer[data-state=error]")).to_contain_text(
        "The service was started anew; the answer was interrupted."
    )
    expect(page.locator(".answer")).to_contain_text("word5")
    page.get_by_label("Model").select_option("echo")
    page.get_by_role("button", name="Retry").click()
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("word199")
    page.reload()
    expect(page.locator(".answer[data-state=complete]")).to_contain_text("word199")
    expect(page.locator(".question")).to_have_count(1)
    expect(page.get_by_label("Write a question")).to_have_value("typed meanwhile")


def test_a_refusal_of_the_service_is_shown_in_its_words(visit, ask, served):
    page, watch = visit(served.url)
    watch.may_fail_loads = True
    ask(page, "x" * 100_001)
    expect(page.locator(".answer[data-state=refused]")).to_contain_text("`message` has 100001 characters")


def test_the_local_model_names_the_capital_of_france(visit, ask, tmp_path, free_port):
    config = CONFIG.replace(
        'name = "echo"\ndialect = "echo"\nmodels = {{ "echo" = "*", "echo-d50" = "*" }}',
        'name = "local"\ndialect = "local"',
    )
    service = Served(tmp_path, config, free_port())
    try:
        page, _ = visit(service.url)
        ask(page, QUESTION)
        expect(page.locator(".answer[data-state=complete] .prose")).to_contain_text("Paris", timeout=90_000)
    finally:
        service.end(signal.SIGTERM)
