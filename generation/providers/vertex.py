"""Veo on Vertex AI, with google-genai. No Django here."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

from fartbench.outgoing import BoundedClient
from generation.providers import exchange, google
from generation.providers.access import Access, access, vertex_location
from generation.providers.answers import Moderation
from generation.providers.order import Order, Request
from generation.providers.port import (
    Accepted,
    CannotTell,
    Failed,
    Fetch,
    Fetched,
    Finding,
    Gone,
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

# Source: Vertex AI's page on responsible AI for Veo: a prompt that is declined at once names its
# support codes.
MODERATION = Moderation(
    code_paths=("error.status", "error.code"),
    pattern=r"(?i)support codes?:|usage guidelines|responsible ai",
)


class VertexProvider:
    """Long-running operations; the bytes come inside the finished operation."""

    key = "vertex"
    client = f"vertex adapter 1, google-genai {version('google-genai')}"

    def request(self, order: Order) -> Request:
        """Return the arguments of the call."""
        return Request(
            f"models/{order.model_id}:predictLongRunning",
            {"model": order.model_id, "prompt": order.prompt, "config": dict(order.settings)},
            tag=order.token,
        )

    def submit(self, request: Request) -> Submitted:
        """Start the operation: one POST, since this call of the SDK retries nothing."""
        entry = access(self.key)
        labels = {"attempt": request.tag.lower()[:63]} if request.tag else None
        with exchange.client(entry) as http:
            try:
                operation = _client(entry, http).models.generate_videos(
                    model=request.body["model"],
                    source=types.GenerateVideosSource(prompt=request.body["prompt"]),
                    config=types.GenerateVideosConfig(**request.body["config"], labels=labels),
                )
            except Exception as error:  # noqa: BLE001 - the SDK raises its own errors and those of all it is made of
                return of_exception(error, http.answer, entry, MODERATION)
        if not operation.name:
            return Unsure("The answer was a success without an operation's name.")
        return Accepted(operation.name, {}, trace_of(entry, {"name": operation.name}))

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:  # noqa: ARG002 - the name is all
        """Get the operation."""
        operation = _get(provider_id)
        if isinstance(operation, NoAnswer):
            return operation
        if not operation.done:
            return Pending(started=True)
        if operation.error:
            return _failure(operation.error)
        response = operation.response
        videos = (response.generated_videos or []) if response else []
        if not videos:
            reasons = (response.rai_media_filtered_reasons or []) if response else []
            if reasons or (response and response.rai_media_filtered_count):
                return Refused(
                    "; ".join(reasons) or "Filtered by the provider's safety system.",
                    "rai_media_filtered",
                )
            return Failed("The provider says it is finished and gives no clip.", "no_output")
        outputs = tuple(
            Output(index, (one.video.uri or "") if one.video else "")
            for index, one in enumerate(videos)
        )
        return Ready(outputs, usage=Usage())

    def fetch(
        self,
        provider_id: str,
        handle: Mapping[str, Any],  # noqa: ARG002
        output: Output,
        out: Path,
        report: Report,  # noqa: ARG002 - the bytes come in one piece
    ) -> Fetch:
        """Take the bytes from the operation."""
        operation = _get(provider_id)
        if isinstance(operation, NoAnswer):
            return operation
        videos = (operation.response.generated_videos or []) if operation.response else []
        video = videos[output.index].video if output.index < len(videos) else None
        if video is None or not video.video_bytes:
            return Gone(
                "The operation has no bytes any more; Cloud Storage links are not asked for here."
            )
        data = video.video_bytes
        out.write_bytes(base64.b64decode(data) if isinstance(data, str) else data)
        return Fetched()

    def find(self, request: Request, **_window: Any) -> Finding:  # noqa: ARG002
        """Say that it cannot be known."""
        return CannotTell("The SDK lists no operations: one whose name was lost cannot be found.")


def _client(entry: Access, http: BoundedClient) -> genai.Client:
    return genai.Client(
        enterprise=True,
        project=entry.keys["VERTEX_PROJECT"],
        location=vertex_location(),
        credentials=Credentials(token=entry.keys["VERTEX_ACCESS_TOKEN"]),  # type: ignore[no-untyped-call]
        http_options=google.options(entry, http),
    )


def _get(name: str) -> types.GenerateVideosOperation | NoAnswer:
    entry = access("vertex")
    with exchange.client(entry, with_clip=True) as http:
        try:
            wanted = types.GenerateVideosOperation.model_construct(name=name)
            operation = _client(entry, http).operations.get(wanted)
        except Exception as error:  # noqa: BLE001 - the SDK raises its own errors and those of all it is made of
            return no_answer(error, http.answer)
    if operation.name:
        return operation
    return NoAnswer("The answer is not an operation.")


def _failure(error: Mapping[str, Any]) -> Look:
    code, message = str(error.get("code") or ""), str(error.get("message") or "")
    if MODERATION.declines(code, message):
        return Refused(message, code)
    return Failed(message or "The operation failed without a reason.", code)
