"""The built-in provider: it draws its clips itself, with faults at stated rates. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from fartbench.media.ffmpeg import ffmpeg_binary
from generation.providers.on_fetch import MadeOnFetch
from generation.providers.order import Order, Request
from generation.providers.port import (
    Failed,
    Fetch,
    Fetched,
    Look,
    Output,
    Ready,
    Refused,
    Report,
    Submitted,
    Usage,
)
from simulation import local
from simulation.local.pilot import KINDS, draw_test, right_answers


class LocalProvider(MadeOnFetch):
    """Renders the four Core R01 scenes, and the tests of Core v0.1; equal orders give equal bytes,
    nothing is paid.

    It has no memory: each call draws the same outcome anew.
    """

    key = "local"
    client = "local renderer 1"
    nothing_lost = "The built-in provider keeps no jobs."

    def request(self, order: Order) -> Request:
        """Return the order as a request.

        Raises KeyError or ValueError for a model or scene it does not know.
        """
        local.configuration(order.model_id)
        if order.scene not in KINDS:
            local.Scene(order.scene)
        body = {
            "model": order.model_id,
            "scene": order.scene,
            "replicate": order.replicate,
            "seed": order.seed or 0,
        }
        return Request("local", body)

    def submit(self, request: Request) -> Submitted:
        """Accept, or decline what the model declines."""
        drawn = _draw(request.body)
        if isinstance(drawn, local.Refused):
            return Refused(drawn.reason)
        return super().submit(request)

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:  # noqa: ARG002 - the id says no more
        """Say at once that it is made: drawing is what fetching does."""
        drawn = _draw(handle)
        if isinstance(drawn, local.Failed):
            return Failed(drawn.reason)
        return Ready(
            (Output(0),), model_version=f"{handle['model']}-1", usage=Usage(usd=Decimal(0))
        )

    def make(self, handle: Mapping[str, Any], out: Path, report: Report) -> Fetch:
        """Render the clip."""
        drawn = _draw(handle)
        assert isinstance(drawn, local.Take)  # noqa: S101 - `look` said Ready
        truth = local.render(drawn, out, ffmpeg=ffmpeg_binary(), on_progress=report)
        known = truth.as_json()
        if handle["scene"] in KINDS:
            known["answers"] = right_answers(handle["scene"], truth)
        return Fetched(truth=known)


def _draw(body: Mapping[str, Any]) -> local.Take | local.Refused | local.Failed:
    model, replicate, seed = (
        local.configuration(body["model"]),
        int(body["replicate"]),
        int(body["seed"]),
    )
    if body["scene"] in KINDS:
        return draw_test(model, body["scene"], replicate, seed)
    return local.draw_outcome(model, local.Scene(body["scene"]), replicate, seed)
