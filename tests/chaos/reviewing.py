"""A person who reviews over HTTP and does not give up: every call is repeated until the server says
yes or no.

What the server told them is noted. It must never take back what it said was saved, and at the end
the rows must say the same.
"""

from __future__ import annotations

import http.client
import io
import json
import random
import re
import secrets
import threading
import time
import wave
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

JSON = {"Accept": "application/json", "Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
CALL_TIMEOUT_S, PATIENCE_S, PAUSE_S = 30, 600, 0.3
PIECE = 65_536
RATINGS = ("sound", "timing", "people")
PLAYED = {
    "covered": [[[0.0, 1.2]]],
    "plays": 1,
    "watched_s": 1.2,
    "viewport": [1366, 768],
    "volume": 0.6,
}


class GaveUp(Exception):
    """A call got no answer for as long as a person would try."""


@dataclass
class Reply:
    """An answer of the server."""

    status: int
    body: bytes
    location: str


@dataclass
class Told:
    """What the server last said of a sheet."""

    answers: dict[str, str] = field(default_factory=dict)
    revision: int = 0
    locked: bool = False


@dataclass
class Person:
    """One reviewer with a browser of their own.

    ``faults`` are promises that the server did not keep.
    """

    port: int
    seed: int
    think_s: float
    code: str = ""
    way_back: str = ""
    told: dict[str, Told] = field(default_factory=dict)
    replies: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    logins: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._luck = random.Random(self.seed)
        self._cookies = {"csrftoken": secrets.token_hex(16)}

    def enter(self, link: str, code: str, round_name: str) -> None:
        """Come in by the invite link, take a return code, count the tones and agree."""
        self.code = code
        self._call("POST", urlsplit(link).path, "", FORM)
        page = self._call(
            "POST", "/review/way-back/", urlencode({"way": "code"}), FORM
        ).body.decode()
        found = re.search(r'return-code"[^>]*>\s*([0-9A-Z-]+)', page)
        assert found, f"no return code for {code}"
        self.way_back = found[1]
        start = f"/review/rounds/{round_name}/"
        self._call("GET", start)
        heard = str(_tones_in(self._call("GET", f"{start}tones").body))
        self._call("POST", f"{start}sound", urlencode({"heard": heard, "volume": "0.5"}), FORM)
        onward = self._call("POST", start, urlencode({"agree": "on"}), FORM).location
        assert _clip_in(onward), f"{code} was sent to {onward}"

    def review(self, first: str) -> None:
        """Work through the list from the clip that is due."""
        clip = first
        try:
            while clip and not self.stopping.is_set():
                clip = self._one_sheet(clip)
        except (GaveUp, AssertionError) as error:
            self.faults.append(f"{self.code}: {error}")

    def _one_sheet(self, clip: str) -> str:
        self._answered("GET", f"/review/{clip}/", {200})
        for first in (0, PIECE):
            self._answered(
                "GET",
                f"/media/{clip}",
                {206, 416},
                headers={"Range": f"bytes={first}-{first + PIECE}"},
            )
        self._save(clip, {"event": self._luck.choice(("yes", "unclear"))})
        self._save(
            clip,
            {"cause": self._luck.choice(("yes", "no")), "detail": self._luck.choice(("yes", "no"))},
        )
        self._save(clip, {rating: self._luck.choice("12345") for rating in RATINGS})
        if self._luck.random() < 0.3:
            self._save(clip, {"people": self._luck.choice("12345")})
        return self._lock(clip)

    def _save(self, clip: str, change: dict[str, str]) -> None:
        sheet = self.told.setdefault(clip, Told())
        wanted = {**sheet.answers, **change}
        body = {"revision": sheet.revision, "answers": change, "playback": PLAYED}
        reply = self._answered("PUT", f"/review/{clip}/draft", {200}, body)
        said = json.loads(reply.body)
        if said["answers"] != wanted:
            self.faults.append(
                f"{self.code} on {clip}: was told {wanted}, and now {said['answers']}"
            )
        sheet.answers, sheet.revision = said["answers"], said["revision"]

    def _lock(self, clip: str) -> str:
        sheet = self.told[clip]
        body = {"revision": sheet.revision, "answers": {}, "playback": PLAYED}
        said = json.loads(self._answered("POST", f"/review/{clip}/lock", {200}, body).body)
        sheet.locked = True
        return _clip_in(said["next"])

    def _answered(
        self,
        method: str,
        path: str,
        good: set[int],
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """Repeat a call, logging in anew where the session has ended, until the answer is one of
        ``good``.
        """
        time.sleep(self._luck.uniform(0.5, 1.5) * self.think_s)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and not self.stopping.is_set():
            sent = None if body is None else json.dumps(body)
            reply = self._call(
                method, path, sent, {**(JSON if body is not None else {}), **(headers or {})}
            )
            if reply.status in good:
                return reply
            if self._wants_login(reply, path):
                self._log_in()
            elif 400 <= reply.status < 500 and reply.status not in {404, 408, 429}:
                raise GaveUp(f"{method} {path}: {reply.status} {reply.body[:300]!r}")
            time.sleep(PAUSE_S * self._luck.uniform(0.5, 2))
        raise GaveUp(
            f"{method} {path}: no answer in {PATIENCE_S} s; answers so far: {dict(self.replies)}"
        )

    @staticmethod
    def _wants_login(reply: Reply, path: str) -> bool:
        # Clips answer whoever may not play them as if there were none.
        return (
            reply.status == 401
            or "/login/" in reply.location
            or (reply.status == 404 and "/media/" in path)
        )

    def _log_in(self) -> None:
        if self._call("POST", "/return/", urlencode({"code": self.way_back}), FORM).status == 302:
            self.logins += 1

    def _call(
        self, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=CALL_TIMEOUT_S)
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        sent = {"Cookie": cookies, "X-CSRFToken": self._cookies["csrftoken"], **(headers or {})}
        try:
            connection.request(method, path, body, sent)
            got = connection.getresponse()
            reply = Reply(got.status, got.read(), got.getheader("Location") or "")
            self._keep_cookies(got.headers.get_all("Set-Cookie") or [])
        except (OSError, http.client.HTTPException) as error:
            reply = Reply(0, str(error).encode(), "")
        finally:
            connection.close()
        self.replies[f"{reply.status}" if reply.status else "no answer"] += 1
        return reply

    def _keep_cookies(self, set_cookies: list[str]) -> None:
        for one in set_cookies:
            name, _, value = one.partition(";")[0].partition("=")
            self._cookies[name] = value


def _tones_in(sound: bytes) -> int:
    """Count the tones of the sound check: times at which it gets loud after a silence."""
    with wave.open(io.BytesIO(sound)) as file:
        loud = [
            abs(sample) > 1000
            for sample in memoryview(file.readframes(file.getnframes())).cast("h")
        ]
    step = 400
    heard = [any(loud[start : start + step]) for start in range(0, len(loud), step)]
    return sum(now and not before for before, now in zip([False, *heard], heard, strict=False))


def _clip_in(address: str) -> str:
    """Return the clip that an address is of, or an empty text when it is the end of the round."""
    parts = address.split("/")
    return parts[2] if len(parts) == 4 and parts[1] == "review" and parts[2] != "rounds" else ""
