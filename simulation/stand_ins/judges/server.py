"""The HTTP side of the stand-in judges: one server on loopback, each service under its own path.

No Django here.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fartbench.loopback import JsonHandler, LoopbackServer
from simulation.stand_ins.judges.behaviours import BEHAVIOURS, Answers, Behaviour, Question, Said

_GEMINI = re.compile(r"/gemini/v1(?:beta)?/models/(?P<model>[^:]+):generateContent")
_OPENAI = "/openai_compatible/v1/chat/completions"
TOKENS_READ, TOKENS_WRITTEN, TOKENS_THOUGHT = 2500, 40, 100
# Faults of transport that a test can ask for, by the model they befall.
_REFUSALS = {
    "429": (429, "RESOURCE_EXHAUSTED", "Too many requests."),
    "500": (500, "INTERNAL", "Something went wrong."),
    "503": (503, "UNAVAILABLE", "Overloaded."),
    "401": (401, "UNAUTHENTICATED", "This key is not known."),
    "400": (400, "INVALID_ARGUMENT", "The schema has too many states for serving."),
}


@dataclass(frozen=True)
class Asked:
    """An entry of the ledger: a question that reached a judge. ``body`` is the request as it
    came.
    """

    service: str
    model: str
    sha256: str
    behaviour: str
    path: str
    body: bytes

    def as_json(self) -> dict[str, Any]:
        """Return the entry without the body."""
        return {key: value for key, value in asdict(self).items() if key != "body"}


class StandInJudges(LoopbackServer):
    """Running stand-ins. Use as a context manager; ``url`` is their address, ``asked`` the ledger.

    ``behaviours`` say by model how it answers (`BEHAVIOURS`; perfect where nothing is said);
    ``truths`` are the right answers about each clip, by the SHA-256 of its bytes.
    """

    def __init__(
        self,
        *,
        behaviours: Mapping[str, str] | None = None,
        truths: Mapping[str, Answers] | None = None,
        port: int = 0,
    ) -> None:
        self.behaviours = dict(behaviours or {})
        self.truths = dict(truths or {})
        self.faults: dict[str, deque[str]] = defaultdict(deque)
        self.asked: list[Asked] = []
        self.headers: list[dict[str, str]] = []
        super().__init__(_Handler, port)

    def behaviour(self, model: str) -> Behaviour:
        """Return how a model answers."""
        return BEHAVIOURS[self.behaviours.get(model, "perfect")]


class _Handler(JsonHandler):
    """One request. The first part of the path names the service."""

    stand_in: StandInJudges

    def do_GET(self) -> None:  # noqa: N802 - the base class's name
        """Answer a question about the ledger."""
        if self.path == "/ledger":
            self._send(200, {"asked": [entry.as_json() for entry in self.stand_in.asked]})
        else:
            self._send(404, {"error": {"message": "No such page."}})

    def do_POST(self) -> None:  # noqa: N802 - the base class's name
        """Answer a question about a clip."""
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.stand_in.headers.append({name.lower(): value for name, value in self.headers.items()})
        try:
            if found := _GEMINI.fullmatch(self.path):
                self._judge("gemini", found["model"], data)
            elif self.path == _OPENAI:
                self._judge("openai_compatible", json.loads(data)["model"], data)
            else:
                self._send(404, {"error": {"message": "No such page."}})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _judge(self, service: str, model: str, data: bytes) -> None:
        faults = self.stand_in.faults[model]
        fault = faults.popleft() if faults else ""
        if fault in _REFUSALS:
            status, code, words = _REFUSALS[fault]
            error = {"code": status, "status": code, "message": words}
            self._send(status, {"error": error}, {"Retry-After": "1"} if status == 429 else {})  # noqa: PLR2004
            return
        if fault == "reset":
            self._reset()
            return
        read, answer = _WIRES[service]
        text, schema, clip = read(json.loads(data))
        sha256 = hashlib.sha256(clip).hexdigest()
        name = self.stand_in.behaviours.get(model, "perfect")
        self.stand_in.asked.append(Asked(service, model, sha256, name, self.path, data))
        question = Question(model, text, schema, sha256, self.stand_in.truths.get(sha256))
        spoken = self.stand_in.behaviour(model)(question)
        time.sleep(spoken.delay_s)
        self._send(200, answer(spoken, spoken.model or model))


Read = tuple[str, Mapping[str, Any], bytes]


def _read_gemini(body: Mapping[str, Any]) -> Read:
    clip, text = body["contents"][0]["parts"]
    data = (clip.get("inlineData") or clip["inline_data"])["data"]
    return text["text"], body["generationConfig"]["responseJsonSchema"], _decoded(data)


def _gemini(spoken: Said, model: str) -> dict[str, Any]:
    usage = {"promptTokenCount": TOKENS_READ,
             "totalTokenCount": TOKENS_READ + TOKENS_WRITTEN + TOKENS_THOUGHT,
             "candidatesTokenCount": TOKENS_WRITTEN,
             "thoughtsTokenCount": TOKENS_THOUGHT}  # fmt: skip
    about = {"modelVersion": model, "responseId": "r1", "usageMetadata": usage}
    if spoken.blocked:
        return {"promptFeedback": {"blockReason": spoken.blocked}, **about}
    parts = [{"text": spoken.text}]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        **about,
    }


def _read_openai(body: Mapping[str, Any]) -> Read:
    clip, text = body["messages"][0]["content"]
    data = clip["video_url"]["url"].partition("base64,")[2]
    return text["text"], body["response_format"]["json_schema"]["schema"], _decoded(data)


def _openai(spoken: Said, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": None if spoken.blocked else spoken.text}
    usage = {"prompt_tokens": TOKENS_READ, "completion_tokens": TOKENS_WRITTEN + TOKENS_THOUGHT}
    ended = "content_filter" if spoken.blocked else "stop"
    return {"id": "r1", "object": "chat.completion", "model": model, "usage": usage,
            "choices": [{"index": 0, "message": message, "finish_reason": ended}]}  # fmt: skip


def _decoded(data: str) -> bytes:
    standard = data.replace("-", "+").replace("_", "/")
    return base64.b64decode(standard + "=" * (-len(standard) % 4))


_WIRES = {"gemini": (_read_gemini, _gemini), "openai_compatible": (_read_openai, _openai)}
