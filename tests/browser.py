"""Fixtures for journeys through a real browser: Debian's Chromium, driven by Playwright, on the live server.

A journey fails when a page logs an error, throws one, or asks for anything off the loopback interface.
"""

import os
import shutil
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

PATIENCE_MS = 30_000  # nothing takes that long, unless the machine is busy with something else
QUIET_FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",  # containers give /dev/shm 64 MB
    "--disable-domain-reliability",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--no-pings",
]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yield one headless Chromium for all journeys."""
    expect.set_options(timeout=PATIENCE_MS)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread; Django takes that for asynchronous code and refuses queries.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = _launch(playwright, home=tmp_path_factory.mktemp("home"))
        yield browser
        browser.close()


def _launch(playwright: Playwright, home: Path) -> Browser:
    """Start Chromium in its sandbox, or without as root and where the kernel allows none: it opens our pages only."""
    binary = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
    options: dict[str, Any] = {"executable_path": binary, "args": QUIET_FLAGS, "env": {**os.environ, "HOME": str(home)}}
    if os.geteuid() != 0:
        try:
            return playwright.chromium.launch(**options, chromium_sandbox=True)
        except Error as error:
            if "sandbox" not in str(error):
                raise
    return playwright.chromium.launch(**options, chromium_sandbox=False)


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """Collect what goes wrong in a journey's pages. A test that provokes a fault asserts it and clears the list."""
    seen: list[str] = []
    yield seen
    assert not seen, "the pages had faults:\n" + "\n".join(seen)


@pytest.fixture
def new_page(browser: Browser, live_server: Any, faults: list[str]) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page with cookies of its own; it takes Playwright's options of a new context."""
    with ExitStack() as contexts:

        def open_page(**options: Any) -> Page:
            context = browser.new_context(base_url=live_server.url, **options)
            contexts.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            _watch(context, faults)
            return context.new_page()

        yield open_page


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """Return a page of the live server; addresses may be relative."""
    return new_page()


def _watch(context: BrowserContext, faults: list[str]) -> None:
    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"console: {message.text} ({message.location['url']})")

    def on_request(address: str) -> None:
        if not _stays_here(address):
            faults.append(f"request off this machine: {address}")

    context.on("console", on_console)
    context.on("weberror", lambda error: faults.append(f"error: {error.error}"))
    context.on("request", lambda request: on_request(request.url))


def _stays_here(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in {"about", "blob", "data"} or parts.hostname in {"127.0.0.1", "localhost", "::1"}
