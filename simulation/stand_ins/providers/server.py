"""The HTTP side of the stand-ins: one server on loopback, each provider under its own path.

No Django here.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable
from email.parser import BytesParser
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fartbench.loopback import JsonHandler, LoopbackServer
from simulation.stand_ins.providers.faults import ON_JOB, Faults, Script
from simulation.stand_ins.providers.ledger import Job, Ledger
from simulation.stand_ins.providers.wire import Phase, Wire
from simulation.stand_ins.providers.wires import WIRES

LOOKS_UNTIL_WORKING, LOOKS_UNTIL_DONE = 1, 2
SLOW_S = 1.0

ClipOf = Callable[[Job], bytes]
_REFUSALS = {
    "429": (429, "rate_limit", "Too many requests."),
    "500": (500, "internal", "Something went wrong."),
    "503": (503, "unavailable", "Overloaded."),
    "401": (401, "unauthorized", "This key is not known."),
    "402": (402, "no_credit", "Your credit is exhausted."),
    "invalid": (422, "value_error", "duration: this value is not allowed."),
    "retired": (404, "model_not_found", "This model is no longer available."),
}


class StandIn(LoopbackServer):
    """A running stand-in. Use as a context manager; ``url`` is its address, ``ledger`` what it
    accepted.
    """

    def __init__(self, clip_of: ClipOf, *, faults: Faults | None = None, port: int = 0) -> None:
        self.clip_of = clip_of
        self.faults = faults or Script()
        self.ledger = Ledger()
        self.committed: Counter[str] = Counter()  # how often each fault was drawn
        super().__init__(_Handler, port)

    def phase(self, job: Job) -> Phase:
        """Return the state of a job after as many looks as it has had."""
        if job.looks <= LOOKS_UNTIL_WORKING:
            return "waiting"
        if job.looks <= LOOKS_UNTIL_DONE or job.fault == "never_done":
            return "working"
        ends: dict[str | None, Phase] = {
            "refuse_later": "refused",
            "fail": "failed",
            "no_output": "empty",
        }
        return ends.get(job.fault, "made")

    def links(self, job: Job) -> list[str]:
        """Return the links of a finished job; a refreshed link differs from the one before."""
        count = 3 if job.fault == "candidates" else 1
        return [
            f"{self.url}/files/{job.provider}/{job.id}/{index}/{job.looks}.mp4"
            for index in range(count)
        ]


class _Handler(JsonHandler):
    """One request. The first part of the path names the provider."""

    stand_in: StandIn

    def do_GET(self) -> None:  # noqa: N802 - the base class's name
        """Answer a look, a list, a download or a question about the ledger."""
        self._handle(b"")

    def do_POST(self) -> None:  # noqa: N802 - the base class's name
        """Answer a submission, or a look of a provider that looks by POST."""
        self._handle(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _handle(self, data: bytes) -> None:
        parts = urlsplit(self.path)
        provider, _, rest = parts.path.lstrip("/").partition("/")
        try:
            if provider == "ledger":
                self._send(200, {"jobs": [job.as_json() for job in self.stand_in.ledger.jobs()]})
            elif provider == "files":
                self._file(rest)
            elif provider in WIRES:
                self._speak(WIRES[provider], f"/{rest}", parts.query, data)
            else:
                self._send(404, {"error": "no such provider"})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _speak(self, wire: Wire, path: str, query: str, data: bytes) -> None:
        ledger = self.stand_in.ledger
        if self.command == wire.look_method and (found := re.fullmatch(wire.look, path)):
            job_id = found.groupdict().get("id") or _operation(data)
            self._look(wire, ledger.find(wire.key, job_id))
        elif wire.content and (found := re.fullmatch(wire.content, path)):
            self._bytes(ledger.find(wire.key, found["id"]), 0)
        elif wire.result and self.command == "GET" and (found := re.fullmatch(wire.result, path)):
            self._result(wire, ledger.find(wire.key, found["id"]))
        elif self.command == "GET" and wire.by_tag and re.fullmatch(wire.by_tag, path):
            job = ledger.tagged(wire.key, parse_qs(query).get("external_task_id", [""])[0])
            self._send(
                *(
                    (200, wire.accepted(job, ""))
                    if job
                    else (404, wire.error(404, "not_found", "No such task."))
                )
            )
        elif (
            self.command == "GET"
            and wire.listing
            and wire.page
            and re.fullmatch(wire.listing, path)
        ):
            self._send(200, wire.page(ledger.of(wire.key)[:100]))
        elif self.command == "POST" and re.fullmatch(wire.submit, path):
            self._submit(wire, path, self._body(data))
        else:
            self._send(404, wire.error(404, "not_found", "No such page."))

    def _submit(self, wire: Wire, path: str, body: dict[str, Any]) -> None:
        stand_in, base = self.stand_in, f"{self.stand_in.url}/{wire.key}"
        stand_in.ledger.submitted(wire.key)
        fault = stand_in.faults.next(wire.key)
        stand_in.committed[fault or "none"] += 1
        if fault in _REFUSALS:
            status, code, words = _REFUSALS[fault]
            self._send(
                status,
                wire.error(status, code, words),
                {"Retry-After": "1"} if status == HTTPStatus.TOO_MANY_REQUESTS else {},
            )
        elif fault == "refuse_now":
            self._send(*wire.declined())
        elif fault == "no_id":
            self._send(200, {})
        elif fault == "reset":
            self._reset()
        elif fault == "duplicate_id" and (earlier := stand_in.ledger.of(wire.key)):
            self._send(200, wire.accepted(earlier[0], base))
        else:
            job = stand_in.ledger.accept(
                wire.key, wire.read(body, path), fault if fault in ON_JOB else None
            )
            if fault == "timeout_after_send":
                self._reset()
                return
            if fault == "slow":
                time.sleep(SLOW_S)
            self._send(200, wire.accepted(job, base))

    def _look(self, wire: Wire, job: Job | None) -> None:
        if job is None:
            self._send(404, wire.error(404, "not_found", "No such job."))
            return
        job.looks += 1
        if job.looks == LOOKS_UNTIL_DONE and job.fault == "look_500":
            self._send(500, wire.error(500, "internal", "Something went wrong."))
        elif job.looks == LOOKS_UNTIL_DONE and job.fault == "look_reset":
            self._reset()
        else:
            links = self.stand_in.links(job)
            self._send(
                *wire.state(job, self.stand_in.phase(job), links, lambda: self._damaged(job))
            )

    def _result(self, wire: Wire, job: Job | None) -> None:
        if job is None or wire.results is None:
            self._send(404, wire.error(404, "not_found", "No such job."))
            return
        self._send(*wire.results(job, self.stand_in.phase(job), self.stand_in.links(job)))

    def _file(self, path: str) -> None:
        provider, job_id, index, name = path.split("/")
        job = self.stand_in.ledger.find(provider, job_id)
        looks = int(name.removesuffix(".mp4"))
        expired = job and (
            job.fault == "gone_link"
            or (job.fault == "expired_link" and looks < LOOKS_UNTIL_DONE + 2)
        )
        if job is None or expired:
            self._send(403, {"error": "This link has expired."})
        else:
            self._bytes(job, int(index))

    def _bytes(self, job: Job | None, index: int) -> None:
        if job is None or self.stand_in.phase(job) != "made":
            self._send(404, {"error": "There is no file."})
            return
        job.downloads += 1
        data = self._damaged(job) + (bytes([index]) if index else b"")
        cut = job.fault == "truncated" or (job.fault == "truncated_once" and job.downloads == 1)
        self.send_response(200)
        self.send_header("Content-Type", "video/mp4")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self._reset()

    def _damaged(self, job: Job) -> bytes:
        if job.fault == "wrong_file":
            return b"<html>This is no clip.</html>"
        return self.stand_in.clip_of(job)

    def _body(self, data: bytes) -> dict[str, Any]:
        kind = self.headers.get("Content-Type", "")
        if not kind.startswith("multipart/"):
            return dict(json.loads(data or b"{}"))
        message = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + data)
        parts = message.get_payload()
        named = ((part.get_param("name", header="content-disposition"), part) for part in parts)  # type: ignore[union-attr]
        return {str(name): part.get_payload(decode=True).decode() for name, part in named}  # type: ignore[union-attr]


def _operation(data: bytes) -> str:
    return str(json.loads(data or b"{}").get("operationName", "")).rpartition("/")[2]
