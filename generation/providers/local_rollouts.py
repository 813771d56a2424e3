"""The built-in provider of rollouts: it returns a whole one, with updates at their times. No Django here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from fartbench.media.ffmpeg import ffmpeg_binary
from generation.local.rollouts import RolloutPlan, render_rollout
from generation.local.rollouts.systems import draw_plan, system
from generation.providers.port import (
    Absent,
    Accepted,
    Fetch,
    Fetched,
    Finding,
    Look,
    Order,
    Output,
    Ready,
    Report,
    Request,
    RequestRefused,
    Submitted,
    Usage,
)


class LocalRolloutProvider:
    """Renders rollouts of the built-in systems; equal orders give equal bytes and nothing is paid.

    It has no memory: a job's id says what was ordered.
    """

    key = "local-rollouts"
    client = "local rollouts 1"

    def request(self, order: Order) -> Request:
        """Return the order as a request. Raises KeyError for a system it does not know, RequestRefused for a rollout
        without a first prompt or a length."""
        system(order.model_id)
        seconds, times = order.seconds, [prompt.at_s for prompt in order.prompts]
        if not seconds or not times or times[0] != 0:
            raise RequestRefused("A rollout takes a length in seconds, and a prompt at 0 s.")
        body = {
            "model": order.model_id, "case": order.scene, "seconds": seconds, "updates_s": times[1:],
            "replicate": order.replicate, "seed": order.seed or 0,
        }  # fmt: skip
        return Request(self.key, body)

    def submit(self, request: Request) -> Submitted:
        """Accept."""
        return Accepted(json.dumps(dict(request.body), sort_keys=True), dict(request.body))

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:  # noqa: ARG002 - the id says no more
        """Say at once that it is made: drawing is what fetching does. A declared geometry comes with it."""
        of = system(handle["model"])
        geometry = {"first": of.geometry.first, "next": of.geometry.next, "frame_rate": of.geometry.frame_rate}
        returned = {"geometry": geometry} if of.declares else {}
        return Ready((Output(0),), model_version=f"{of.key}-1", usage=Usage(usd=Decimal(0)), returned=returned)

    def fetch(
        self,
        provider_id: str,  # noqa: ARG002
        handle: Mapping[str, Any],
        output: Output,  # noqa: ARG002
        out: Path,
        report: Report,
    ) -> Fetch:
        """Render the rollout."""
        truth = render_rollout(_plan(handle), out, ffmpeg=ffmpeg_binary(), on_progress=report)
        return Fetched(truth.as_json())

    def find(self, request: Request, **_window: Any) -> Finding:  # noqa: ARG002
        """Say that nothing was lost: nothing is kept anywhere that could be."""
        return Absent("The built-in provider keeps no jobs.")


def _plan(body: Mapping[str, Any]) -> RolloutPlan:
    return draw_plan(
        system(body["model"]),
        body["case"],
        seconds=float(body["seconds"]),
        updates_s=body["updates_s"],
        replicate=int(body["replicate"]),
        seed=int(body["seed"]),
    )
