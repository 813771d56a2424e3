"""Streams behind the port of whole clips: held at submission, opened once when they are fetched.

No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fartbench.media.errors import NotAVideo
from generation.prompts.timed import TimedPrompt
from generation.providers.access import access
from generation.providers.on_fetch import MadeOnFetch
from generation.providers.order import Order, Request
from generation.providers.port import (
    Accepted,
    Failed,
    Fetch,
    Fetched,
    Look,
    Output,
    Ready,
    Refused,
    Report,
    Submitted,
)
from generation.rollouts.log import NAME, RolloutLog, read_log
from generation.rollouts.port import StreamOrder
from generation.rollouts.streaming import take_stream
from generation.rollouts.websocket import WebSocketProvider

FOLDER = "folder"
"""What a handle calls the place where chunks and log are kept. Anyone who fetches says it."""


class WebSocketStreams(MadeOnFetch):
    """Rollouts that come over a WebSocket, chunk by chunk, while prompts are given.

    A stream needs somebody who listens to its end, so submitting only takes the order in; fetching
    opens it. A folder with a log in it is a stream that was opened before: it is read, and never
    opened again.
    """

    key = "websocket"
    client = WebSocketProvider.client
    nothing_lost = "The order was held here, and no stream was opened for it."

    def request(self, order: Order) -> Request:
        """Return the order as a request. Raises what `Order.rollout` does."""
        seconds, _ = order.rollout
        body = {
            "model": order.model_id, "seconds": seconds, "seed": order.seed,
            "prompts": [[prompt.at_s, prompt.text] for prompt in order.prompts],
        }  # fmt: skip
        return Request(self.key, body, tag=order.token)

    def submit(self, request: Request) -> Submitted:
        """Take the order in; nothing is sent yet."""
        return Accepted(f"stream-{request.tag}", {**request.body, "token": request.tag})

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:  # noqa: ARG002 - nothing to ask before it is opened
        """Say that it can be listened to."""
        return Ready((Output(0),), model_version=str(handle["model"]))

    def make(self, handle: Mapping[str, Any], out: Path, report: Report) -> Fetch:
        """Open the stream, listen to its end and join what came. A stream that did not come whole
        is a failure, and one whose chunks are not the pictures that it said.
        """
        folder = Path(handle[FOLDER])
        if (folder / NAME).is_file():
            log = read_log(folder)
        else:
            source = WebSocketProvider(access(self.key).base_url)
            log = take_stream(source, _order(handle), folder, on_progress=report)
        if log.outcome == "refused":
            return Refused(log.reason)
        if log.outcome != "whole":
            return Failed(
                f"The stream was {log.outcome} after {len(log.chunks)} chunks: {log.reason}"
            )
        from generation.rollouts.assembling import assemble  # noqa: PLC0415 - a web process does without decoders

        try:
            assemble(folder, out)
        except NotAVideo as refusal:
            return Failed(f"The stream came whole, and its chunks make no rollout: {refusal}")
        return Fetched(stream=log)


def kept(folder: Path) -> RolloutLog | None:
    """Return the log of the stream that is kept in a folder, None when none was opened there."""
    if (folder / NAME).is_file():
        return read_log(folder)
    return None


def _order(handle: Mapping[str, Any]) -> StreamOrder:
    prompts = tuple(TimedPrompt(text, at_s) for at_s, text in handle["prompts"])
    return StreamOrder(
        handle["model"], handle["seconds"], prompts, seed=handle["seed"], token=handle["token"]
    )
