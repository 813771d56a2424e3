"""Debian's Firefox for journeys, spoken to in WebDriver BiDi (W3C) over its own WebSocket: no
driver program between.

Only what the player's journeys need: open an address, evaluate, press keys, click, wait, and hear
the console.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

PATIENCE_S = 30
KEYS = {"Space": " "}
# Nothing is asked for off this machine, nothing is remembered, and media play without a gesture
# from a person's hand.
PREFERENCES = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.topsites.contile.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.getAddons.cache.enabled": False,
    "media.autoplay.default": 0,
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "remote.prefs.recommended": True,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


class FirefoxFailed(RuntimeError):
    """Firefox did not start, or refused what it was asked."""


class FirefoxPage:
    """One tab. ``faults`` are the errors that its pages logged or threw."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last = 0
        self.faults: list[str] = []
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._tab = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def goto(self, address: str) -> None:
        """Open an address and wait until it is loaded."""
        self._ask("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def set_cookie(self, host: str, name: str, value: str) -> None:
        """Give the browser a cookie."""
        cookie = {"name": name, "value": {"type": "string", "value": value}, "domain": host}
        self._ask("storage.setCookie", cookie=cookie)

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression on the page; promises are awaited."""
        found = self._ask(
            "script.evaluate", expression=expression, target={"context": self._tab},
            awaitPromise=True,
            userActivation=True,
        )  # fmt: skip
        if found["type"] == "exception":
            raise FirefoxFailed(f"{expression}: {found['exceptionDetails']['text']}")
        return found["result"].get("value")

    def wait_until(self, expression: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + PATIENCE_S
        while self.evaluate(f"Boolean({expression})") is not True:
            if time.monotonic() > until:
                raise FirefoxFailed(f"still not: {expression}; faults: {self.faults}")
            time.sleep(0.03)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, by name or character.

        A window that is not shown lets none press a button.
        """
        strokes = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self._perform({"type": "key", "id": "keys", "actions": strokes})

    def click(self, selector: str) -> None:
        """Click the middle of an element."""
        box = self.evaluate(
            f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: "
            f"'center'}});"
            "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / "
            "2].join() })()"
        )
        x, y = (round(float(part)) for part in box.split(","))
        moves = [{"type": "pointerMove", "x": x, "y": y}]
        moves += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._perform({"type": "pointer", "id": "mouse", "actions": moves})

    def _perform(self, source: dict[str, Any]) -> None:
        self._ask("input.performActions", context=self._tab, actions=[source])

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE_S))
            if message.get("id") == self._last:
                break
            self._note(message)
        if message["type"] == "error":
            raise FirefoxFailed(f"{method}: {message['error']}: {message['message']}")
        return message["result"]

    def _note(self, message: dict[str, Any]) -> None:
        entry = message.get("params", {})
        if message.get("method") == "log.entryAdded" and entry.get("level") == "error":
            self.faults.append(entry.get("text") or "an error without words")


@contextmanager
def firefox_page(home: Path) -> Iterator[FirefoxPage]:
    """Run Firefox without a window, in a profile of its own under ``home``, and yield its tab."""
    profile = home / "profile"
    profile.mkdir()
    lines = [
        f"user_pref({json.dumps(name)}, {json.dumps(value)});"
        for name, value in PREFERENCES.items()
    ]
    (profile / "user.js").write_text("\n".join(lines))
    binary = (
        os.environ.get("FIREFOX")
        or shutil.which("firefox-esr")
        or shutil.which("firefox")
        or "firefox-esr"
    )
    command = [
        binary,
        "--headless",
        "--no-remote",
        "--profile",
        str(profile),
        "--remote-debugging-port",
        "0",
    ]
    environment = {**os.environ, "HOME": str(home), "MOZ_DISABLE_AUTO_SAFE_MODE": "1"}
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        address = _address(process, home / "log")
        with connect(
            f"{address}/session", max_size=None, open_timeout=PATIENCE_S, proxy=None
        ) as socket:
            yield FirefoxPage(socket)
    finally:
        process.terminate()
        process.wait()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        if found := re.search(
            r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace")
        ):
            return found[1]
        time.sleep(0.1)
    raise FirefoxFailed(f"Firefox did not start:\n{log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="session")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirefoxPage]:
    """Yield the tab of one Firefox for all its journeys; an error on a page fails the journey that
    follows it.
    """
    with firefox_page(tmp_path_factory.mktemp("firefox")) as page:
        yield page
