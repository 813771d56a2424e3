"""The built-in provider of rollouts: it returns a whole one, with updates at their times.

No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from fartbench.media.ffmpeg import ffmpeg_binary
from generation.providers.on_fetch import MadeOnFetch
from generation.providers.order import Order, Request
from generation.providers.port import Fetch, Fetched, Look, Output, Ready, Report, Usage
from simulation.local.rollouts import RolloutPlan, render_rollout
from simulation.local.rollouts.systems import draw_plan, system


class LocalRolloutProvider(MadeOnFetch):
    """Renders rollouts of the built-in systems; equal orders give equal bytes and nothing is
    paid.
    """

    key = "local-rollouts"
    client = "local rollouts 1"
    nothing_lost = "The built-in provider keeps no jobs."

    def request(self, order: Order) -> Request:
        """Return the order as a request.

        Raises KeyError for an unknown system, and what `Order.rollout` does.
        """
        system(order.model_id)
        seconds, times = order.rollout
        body = {
            "model": order.model_id, "case": order.scene, "seconds": seconds,
            "updates_s": times[1:],
            "replicate": order.replicate, "seed": order.seed or 0,
        }  # fmt: skip
        return Request(self.key, body)

    def look(self, provider_id: str, handle: Mapping[str, Any]) -> Look:  # noqa: ARG002 - the id says no more
        """Say at once that it is made: drawing is what fetching does.

        A declared geometry comes with it.
        """
        of = system(handle["model"])
        geometry = {
            "first": of.geometry.first,
            "next": of.geometry.next,
            "frame_rate": of.geometry.frame_rate,
        }
        returned = {"geometry": geometry} if of.declares else {}
        return Ready(
            (Output(0),),
            model_version=f"{of.key}-1",
            usage=Usage(usd=Decimal(0)),
            returned=returned,
        )

    def make(self, handle: Mapping[str, Any], out: Path, report: Report) -> Fetch:
        """Render the rollout."""
        truth = render_rollout(_plan(handle), out, ffmpeg=ffmpeg_binary(), on_progress=report)
        return Fetched(truth.as_json())


def _plan(body: Mapping[str, Any]) -> RolloutPlan:
    return draw_plan(
        system(body["model"]),
        body["case"],
        seconds=float(body["seconds"]),
        updates_s=body["updates_s"],
        replicate=int(body["replicate"]),
        seed=int(body["seed"]),
    )
