"""Fixtures for journeys through a real browser: Debian's Chromium, driven by Playwright, on the
live server.

A journey fails when a page logs an error, throws one, or asks for anything off the loopback
interface. What moves on a page moves at once, so that nothing is looked at half way.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

PATIENCE_S = 90  # nothing takes that long, unless the machine is busy with something else
QUIET_FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",  # containers give /dev/shm 64 MB
    "--disable-domain-reliability",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--no-pings",
]
# Counts on a video how often the page heard that it ended. Whoever reads it there finds all done
# that the page does then: this listener comes first, and no script of ours runs between it and the
# page's own.
COUNT_ENDS = """addEventListener("ended", ({ target }) => {
  target.dataset.ends = Number(target.dataset.ends ?? 0) + 1;
}, true);"""


class Faults(list[str]):
    """What went wrong on a test's pages."""

    def __init__(self) -> None:
        self._provoked: list[str] = []

    def expect(self, *words: str) -> None:
        """Take every fault that has one of these words for provoked by the test, however late the
        browser tells it.
        """
        self._provoked += words
        assert self.others() == []

    def others(self) -> list[str]:
        """Return what the test did not provoke."""
        return [fault for fault in self if not any(words in fault for words in self._provoked)]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yield one headless Chromium for all journeys."""
    expect.set_options(timeout=1000 * PATIENCE_S)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread; Django takes that for asynchronous code and
        # refuses queries.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = _launch(playwright, home=tmp_path_factory.mktemp("home"))
        yield browser
        browser.close()


def _launch(playwright: Playwright, home: Path) -> Browser:
    """Start Chromium in its sandbox, or without as root and where the kernel allows none: it opens
    our pages only.
    """
    binary = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
    options: dict[str, Any] = {
        "executable_path": binary,
        "args": QUIET_FLAGS,
        "env": {**os.environ, "HOME": str(home)},
    }
    if os.geteuid() != 0:
        try:
            return playwright.chromium.launch(**options, chromium_sandbox=True)
        except Error as error:
            if "sandbox" not in str(error):
                raise
    return playwright.chromium.launch(**options, chromium_sandbox=False)


@pytest.fixture
def faults() -> Iterator[Faults]:
    """Collect what goes wrong on a journey's pages. A test that provokes a fault says so:
    ``faults.expect("409")``.
    """
    seen = Faults()
    yield seen
    assert not seen.others(), "the pages had faults:\n" + "\n".join(seen.others())


@pytest.fixture
def new_page(browser: Browser, live_server: Any, faults: Faults) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page with cookies of its own; it takes Playwright's options of
    a new context.
    """
    with ExitStack() as contexts:

        def open_page(**options: Any) -> Page:
            context = browser.new_context(
                **{"base_url": live_server.url, "reduced_motion": "reduce"} | options
            )
            contexts.callback(context.close)
            context.set_default_timeout(1000 * PATIENCE_S)
            context.add_init_script(COUNT_ENDS)
            _watch(context, faults)
            return context.new_page()

        yield open_page
    _wait_for_the_last_answer()


def _wait_for_the_last_answer() -> None:
    """Wait until the live server is done with what pages asked before they closed, or it writes
    into the next test.
    """
    deadline = time.monotonic() + PATIENCE_S
    while any("process_request_thread" in thread.name for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "the live server still answers a page that is closed"
        time.sleep(0.01)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """Return a page of the live server; addresses may be relative."""
    return new_page()


def _watch(context: BrowserContext, faults: Faults) -> None:
    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"console: {message.text} ({message.location['url']})")

    def on_request(address: str) -> None:
        if not _stays_here(address):
            faults.append(f"request off this machine: {address}")

    context.on("console", on_console)
    context.on("weberror", lambda error: faults.append(f"error: {error.error}"))
    context.on("request", lambda request: on_request(request.url))


def wait_for(page: Page, condition: Callable[[], Any]) -> None:
    """Wait until a condition holds that no locator can tell, while the browser goes on and is
    listened to.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not come"
        page.wait_for_timeout(30)


def _stays_here(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in {"about", "blob", "data"} or parts.hostname in {
        "127.0.0.1",
        "localhost",
        "::1",
    }
