"""Gemini Omni through the Interactions API, with google-genai. No Django here."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from google import genai

from fartbench.outgoing import BoundedClient
from generation.providers import exchange, google
from generation.providers.access import Access, access
from generation.providers.answers import Moderation, at, number
from generation.providers.download import download
from generation.providers.order import Order, Request
from generation.providers.port import (
    Accepted,
    CannotTell,
    Failed,
    Fetch,
    Fetched,
    Finding,
    Look,
    NoAnswer,
    Output,
    Pending,
    Ready,
    Refused,
    Report,
    Submitted,
    Unsure,
    Usage,
)
from generation.providers.sdk import no_answer, of_exception, trace_of

# Source: the Gemini API's pages on errors and safety; a refusal in the foreground is an HTTP 400
# with such a code.
MODERATION = Moderation(
    codes=frozenset(
        {"safety", "recitation", "language", "prohibited_content", "spii", "blocklist",
         "image_safety",
         "image_prohibited_content", "image_recitation", "image_other", "content_blocked",
         "jailbreak"}
    ),
    pattern=r"^\S* ?Input blocked:",
)  # fmt: skip
_WAITING = {"queued", "idle"}
_WORKING = {"in_progress", "requires_action", "requires_continuation"}


class GeminiProvider:
    """Background interactions. There is no list of them: one whose id was lost cannot be found
    again.
    """

    key = "gemini"
    client = f"gemini adapter 1, google-genai {version('google-genai')}"

    def request(self, order: Order) -> Request:
        """Return the arguments of the call."""
        settings = dict(order.settings)
        generation: dict[str, Any] = {"video_config": {"task": settings.pop("task")}}
        if (seed := settings.pop("seed", None)) is not None:
            generation["seed"] = seed
        body = {
            "model": order.model_id,
            "background": True,
            "input": order.prompt,
            "generation_config": generation,
            "response_format": [{"type": "video", **settings}],
        }
        return Request("/v1/interactions", body, tag=order.token)

    def submit(self, request: Request) -> Submitted:
        """Create the interaction: one POST, since the SDK's own retries are off."""
        entry = access(self.key)
        labels = {"attempt": request.tag.lower()[:63]} if request.tag else {}
        with exchange.client(entry) as http:
            try:
                data = (
                    _client(entry, http)
                    .interactions.create(**dict(request.body), labels=labels)
                    .model_dump(mode="json")
                )
            except Exception as error:  # noqa: BLE001 - the SDK raises its own errors and those of all it is made of
                return of_exception(error, http.answer, entry, MODERATION)
        if not data.get("id"):
            return Unsure("The answer was a success without an id.", trace_of(entry, data))
        return Accepted(str(data["id"]), {"model": data.get("model")}, trace_of(entry, data))

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:  # noqa: ARG002 - the id is all
        """Get the interaction. An error here comes after acceptance and is no result."""
        data = _get(provider_id)
        if isinstance(data, NoAnswer):
            return data
        status = data.get("status")
        if status in _WAITING | _WORKING:
            return Pending(started=status in _WORKING)
        tokens = number(at(data, "usage.total_output_tokens"))
        usage = Usage(output_tokens=int(tokens) if tokens else None)
        if status != "completed":
            return _failure(data, str(status), usage)
        outputs = tuple(
            Output(index, str(video.get("uri") or "")) for index, video in enumerate(_videos(data))
        )
        if not outputs:
            return Failed("The provider says it is finished and gives no clip.", "no_output", usage)
        return Ready(outputs, str(data.get("model") or ""), usage, {"usage": data.get("usage")})

    def fetch(
        self,
        provider_id: str,
        handle: Mapping[str, Any],  # noqa: ARG002
        output: Output,
        out: Path,
        report: Report,
    ) -> Fetch:
        """Take the bytes from the interaction itself, or from its link."""
        if output.url:
            return self._download(output.url, out, report)
        data = _get(provider_id)
        if isinstance(data, NoAnswer):
            return data
        videos = _videos(data)
        if output.index >= len(videos):
            return NoAnswer("The interaction came without its clip.")
        out.write_bytes(base64.b64decode(videos[output.index]["data"]))
        return Fetched()

    def _download(self, url: str, out: Path, report: Report) -> Fetch:
        entry = access(self.key)
        # The key is sent to the provider's own address only, wherever an answer points.
        is_own = url.startswith(f"{entry.base_url}/")
        return download(
            entry,
            url,
            out,
            report,
            {"x-goog-api-key": entry.keys["GEMINI_API_KEY"]} if is_own else None,
        )

    def find(self, request: Request, **_window: Any) -> Finding:  # noqa: ARG002
        """Say that it cannot be known."""
        return CannotTell(
            "The Interactions API has no list: an interaction whose id was lost cannot be found."
        )


def _client(entry: Access, http: BoundedClient) -> genai.Client:
    options = google.options(entry, http)
    return genai.Client(
        api_key=entry.keys["GEMINI_API_KEY"], enterprise=False, http_options=options
    )


def _get(provider_id: str) -> dict[str, Any] | NoAnswer:
    entry = access("gemini")
    with exchange.client(entry, with_clip=True) as http:
        try:
            return dict(_client(entry, http).interactions.get(provider_id).model_dump(mode="json"))
        except Exception as error:  # noqa: BLE001 - the SDK raises its own errors and those of all it is made of
            return no_answer(error, http.answer)


def _videos(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    steps = [step for step in data.get("steps") or [] if step.get("type") == "model_output"]
    parts = [part for step in steps for part in step.get("content") or []]
    return [
        part
        for part in parts
        if part.get("type") == "video" and (part.get("data") or part.get("uri"))
    ]


def _failure(data: Mapping[str, Any], status: str, usage: Usage) -> Look:
    first = at(data, "errors.0") or at(data, "error") or {}
    code, message = str(first.get("code") or status), str(first.get("message") or "")
    if MODERATION.declines(code, message):
        return Refused(message or code, code)
    return Failed(message or f"The interaction ended as {status}.", code, usage)
