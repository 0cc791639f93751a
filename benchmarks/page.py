"""The page in Chromium on `stipula serve`: first paint, what it fetches, and how a fast answer is drawn."""

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CONFIG = """
[server]
listen = "127.0.0.1:0"

[storage]
url = "sqlite:///bench.db"

[[gateway.upstreams]]
name = "echo"
dialect = "echo"
models = { "echo-d5" = "*" }
"""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
VISITS = 7
PAINT_BUDGET_MS = 1000
ANSWER = "\n\n".join(
    f"Paragraph {n} with **strong** words, a [link](https://example.com/{n}) and `code` in a line of text."
    for n in range(190)
)
PAINTS = """async () => {
  const first = await new Promise((resolve) => {
    const heard = (list) => list.getEntriesByName("first-contentful-paint").forEach((one) => resolve(one.startTime));
    new PerformanceObserver(heard).observe({ type: "paint", buffered: true });
  });
  const fetched = performance.getEntriesByType("resource");
  return { first, requests: fetched.length + 1, bytes: fetched.reduce((sum, one) => sum + one.transferSize, 0) };
}"""
WATCH = """() => {
  window.frames_ = [];
  window.long_ = 0;
  new PerformanceObserver((list) => (window.long_ += list.getEntries().length)).observe({ type: "longtask" });
  const tick = (now) => { window.frames_.push(now); requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""
FRAMES = """() => {
  const gaps = window.frames_.slice(1).map((now, at) => now - window.frames_[at]).sort((a, b) => a - b);
  const of = (share) => gaps[Math.floor(share * (gaps.length - 1))];
  return { count: gaps.length, p50: of(0.5), p95: of(0.95), p99: of(0.99), long: window.long_ };
}"""


def paints(browser: Browser, url: str) -> list[dict[str, Any]]:
    """What each of a few fresh visits measured."""
    seen: list[dict[str, Any]] = []
    for _ in range(VISITS):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(url)
        page.locator(".example").first.wait_for()
        seen.append(page.evaluate(PAINTS))
        context.close()
    return seen


def stream(page: Page, url: str) -> dict[str, Any]:
    """How an answer of about 20,000 characters at up to 200 pieces a second was drawn."""
    page.goto(url)
    page.locator(".example").first.wait_for()
    page.get_by_label("Write a question").fill(ANSWER)
    page.evaluate(WATCH)
    page.keyboard.press("Enter")
    page.locator(".answer[data-state=complete]").wait_for(timeout=120_000)
    return page.evaluate(FRAMES)


def main() -> None:
    """Run it."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bench.toml"
        config.write_text(CONFIG, encoding="utf-8")
        command = [sys.executable, "-m", "stipula", "serve", "--config", str(config)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service, sync_playwright() as playwright:
            assert service.stdout is not None
            url = service.stdout.readline().rpartition(" ")[2].strip()
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            try:
                tell(paints(browser, url), stream(browser.new_page(), url))
            finally:
                browser.close()
                service.terminate()


def tell(visits: list[dict[str, Any]], drawn: dict[str, Any]) -> None:
    """Print the figures beside the budget."""
    first = [visit["first"] for visit in visits]
    median = statistics.median(first)
    verdict = "within" if median <= PAINT_BUDGET_MS else "OVER"
    print(
        f"first contentful paint  {median:6.0f} ms   (of {VISITS} fresh visits: {min(first):.0f} to {max(first):.0f})"
    )
    print(f"                        {verdict} the budget of {PAINT_BUDGET_MS} ms")
    print(f"fetched                 {visits[0]['requests']:6} requests, {visits[0]['bytes'] / 1000:.0f} kB")
    print(f"an answer of {len(ANSWER)} characters, up to 200 pieces a second")
    print(f"  between two frames    p50 {drawn['p50']:.1f} ms, p95 {drawn['p95']:.1f} ms, p99 {drawn['p99']:.1f} ms")
    print(f"                        {drawn['long']} tasks over 50 ms, {drawn['count']} frames")


if __name__ == "__main__":
    main()
