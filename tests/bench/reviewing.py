"""A reviewer as the bench plays one: a session, the page's calls, and a note of all that the server
told them.
"""

from __future__ import annotations

import http.client
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ANSWERS = {
    "event": "yes",
    "cause": "yes",
    "detail": "yes",
    "sound": "4",
    "timing": "4",
    "people": "4",
}
PIECE = 2_000_000  # bytes of one range
TIMEOUT_S = 30
JSON = "application/json"


@dataclass
class Told:
    """What the server last said of one sheet."""

    answers: dict[str, str]
    revision: int = 0
    locked: bool = False


@dataclass
class ReviewerClient:
    """One signed-in reviewer.

    ``seconds`` collects the times of calls by kind, ``failed`` what no retry mended.
    """

    port: int
    session: str
    code: str
    stimulus: str
    seconds: dict[str, list[float]] = field(default_factory=dict)
    told: dict[str, Told] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    retries: int = 0
    token: str = field(default_factory=lambda: secrets.token_hex(16))

    def save(self, change: Mapping[str, str]) -> None:
        """Save one change of the sheet that is due."""
        sheet = self.told.setdefault(self.stimulus, Told({}))
        body = {"revision": sheet.revision, "answers": change, "playback": self._playback()}
        reply = self._json("save", "PUT", "draft", body)
        if reply is not None:
            sheet.revision, sheet.answers = reply["revision"], reply["answers"]

    def lock(self) -> None:
        """Lock the sheet that is due, and go on to the next."""
        sheet = self.told.setdefault(self.stimulus, Told({}))
        body = {"revision": sheet.revision, "answers": ANSWERS, "playback": self._playback()}
        reply = self._json("lock", "POST", "lock", body)
        if reply is not None:
            sheet.locked, sheet.answers = True, dict(ANSWERS)
            following = reply["next"].split("/")[2]
            self.stimulus = following if following != "rounds" else ""

    def read_page(self) -> None:
        """Read the page of the clip that is due."""
        self._timed("page", "GET", f"/review/{self.stimulus}/", None, {})

    def read_clip(self, size: int) -> None:
        """Read the clip as the page's script does: its beginning, then the rest in pieces."""
        for first in (0, *range(65_536, size, PIECE)):
            last = min(size, 65_536 if first == 0 else first + PIECE) - 1
            self._timed(
                "range", "GET", f"/media/{self.stimulus}", None, {"Range": f"bytes={first}-{last}"}
            )

    def _json(
        self, kind: str, method: str, call: str, body: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        headers = {"Accept": JSON, "Content-Type": JSON, "X-CSRFToken": self.token}
        found = self._timed(
            kind, method, f"/review/{self.stimulus}/{call}", json.dumps(body), headers
        )
        return json.loads(found) if found is not None else None

    def _timed(
        self, kind: str, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> bytes | None:
        for attempt in range(2):
            start = time.perf_counter()
            status, found = self._call(method, path, body, headers)
            self.seconds.setdefault(kind, []).append(time.perf_counter() - start)
            if status in {200, 206}:
                return found
            self.retries += 1 - attempt
        self.failed.append(f"{kind} {status} {found[:200]!r}")
        return None

    def _call(
        self, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        cookies = f"sessionid={self.session}; csrftoken={self.token}"
        try:
            connection.request(method, path, body, {"Cookie": cookies, **headers})
            reply = connection.getresponse()
            return reply.status, reply.read()
        except OSError as error:
            return 0, str(error).encode()
        finally:
            connection.close()

    @staticmethod
    def _playback() -> dict[str, Any]:
        return {
            "covered": [[[0.0, 1.2]]],
            "plays": 1,
            "watched_s": 1.2,
            "viewport": [1366, 768],
            "volume": 0.6,
        }
