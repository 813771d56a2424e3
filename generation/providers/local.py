"""The built-in provider: it draws its clips itself, with faults at stated rates. No Django here."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from fartbench.media.ffmpeg import ffmpeg_binary
from generation import local
from generation.providers.port import Commission, Delivered, Failed, Outcome, Refused, Report


class LocalProvider:
    """Renders the four Core R01 scenes; equal commissions give equal bytes and nothing is paid."""

    def deliver(self, commission: Commission, out: Path, report: Report) -> Outcome:
        """Draw the outcome and render it. Raises KeyError or ValueError for a model or scene it does not know."""
        drawn = local.draw_outcome(
            local.configuration(commission.model_id),
            local.Scene(commission.scene),
            commission.replicate,
            commission.seed,
        )
        if isinstance(drawn, local.Refused):
            return Refused(drawn.reason)
        if isinstance(drawn, local.Failed):
            return Failed(drawn.reason)
        truth = local.render(drawn, out, ffmpeg=ffmpeg_binary(), on_progress=report)
        return Delivered(model_version=f"{commission.model_id}-1", cost_usd=Decimal(0), truth=truth.as_json())
