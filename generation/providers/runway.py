"""Runway's tasks, with runwayml. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from runwayml import RunwayML

from fartbench.outgoing import BoundedClient
from generation.providers import exchange
from generation.providers.access import Access, access
from generation.providers.answers import Moderation, at, number
from generation.providers.download import download
from generation.providers.order import Order, Request
from generation.providers.port import (
    Accepted,
    CannotTell,
    Failed,
    Fetch,
    Finding,
    Look,
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

# Source: docs.dev.runwayml.com/errors: SAFETY codes are the moderation's and are not to be sent
# again.
MODERATION = Moderation(
    pattern=r"SAFETY\.|(?i:content moderation)",
    code_paths=("failureCode", "error.failureCode", "error.code"),
    message_paths=("failure", "error.error", "error.message", "error"),
)


class RunwayProvider:
    """Tasks of the text-to-video endpoint, the only provider that says what each task cost, in
    credits.
    """

    key = "runway"
    client = f"runway adapter 1, runwayml {version('runwayml')}"

    def request(self, order: Order) -> Request:
        """Return the body; the SDK sends it by the names that it has here."""
        return Request(
            "/v1/text_to_video",
            {"model": order.model_id, "promptText": order.prompt, **order.settings},
        )

    def submit(self, request: Request) -> Submitted:
        """Make the task: one POST, since the SDK's own retries are off."""
        entry = access(self.key)
        with exchange.client(entry) as http:
            try:
                sent = _client(entry, http).post(
                    request.endpoint, body=dict(request.body), cast_to=dict[str, Any]
                )
                data = dict(sent)
            except Exception as error:  # noqa: BLE001 - the SDK raises its own errors and those of all it is made of
                return of_exception(error, http.answer, entry, MODERATION)
        if not data.get("id"):
            return Unsure("The answer was a success without an id.", trace_of(entry, data))
        return Accepted(str(data["id"]), {}, trace_of(entry, data))

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:  # noqa: ARG002 - the id is all
        """Get the task."""
        entry = access(self.key)
        with exchange.client(entry) as http:
            try:
                data = _client(entry, http).tasks.retrieve(provider_id).to_dict(mode="json")
            except Exception as error:  # noqa: BLE001 - the SDK raises its own errors and those of all it is made of
                return no_answer(error, http.answer)
        status, spent = data.get("status"), at(data, "cost.credits")
        usage = Usage(credits=number(spent))
        if status in ("PENDING", "THROTTLED", "RUNNING"):
            progress = number(data.get("progress"))
            return Pending(status == "RUNNING", None if progress is None else float(progress))
        if status == "SUCCEEDED":
            urls = data.get("output")
            outputs = tuple(
                Output(i, str(url)) for i, url in enumerate(urls if isinstance(urls, list) else [])
            )
            if outputs:
                return Ready(outputs, usage=usage)
            return Failed("Finished without a clip.", "no_output", usage)
        code, message = str(data.get("failureCode") or status), str(data.get("failure") or "")
        if MODERATION.declines(code, message):
            return Refused(message or code, code)
        return Failed(message or f"The task ended as {status}.", code, usage)

    def fetch(
        self,
        provider_id: str,  # noqa: ARG002
        handle: Mapping[str, Any],  # noqa: ARG002
        output: Output,
        out: Path,
        report: Report,
    ) -> Fetch:
        """Download one output."""
        return download(access(self.key), output.url, out, report)

    def find(self, request: Request, **_window: Any) -> Finding:  # noqa: ARG002
        """Say that it cannot be known."""
        return CannotTell("Runway lists no tasks: one whose id was lost cannot be found.")


def _client(entry: Access, http: BoundedClient) -> RunwayML:
    return RunwayML(
        api_key=entry.keys["RUNWAYML_API_SECRET"],
        base_url=entry.base_url,
        max_retries=0,
        http_client=http,
    )
