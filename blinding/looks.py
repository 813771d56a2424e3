"""What a round looks at of each of its clips: the whole of it, or windows with the form that each
is asked with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from blinding.common_format import Cut
from blinding.windows import in_own_time, pieces_of, written
from fartbench.models import Round
from fartbench.protocol.rollouts.forms import Asked
from fartbench.protocol.rollouts.sampling import asked_of

WHOLE = ""


@dataclass(frozen=True)
class Look:
    """One stimulus to be made of a clip. ``windows`` is WHOLE, or the seconds as
    `blinding.windows.written` says them.

    The other fields are the stimulus's own; looks that differ in these alone share a blind copy.
    """

    form: str = ""
    unit: str = ""
    place: str = ""
    end_s: float | None = None
    windows: str = WHOLE
    shown: Literal["video", "audio", "both"] = "both"
    context: dict[str, Any] = field(default_factory=dict)

    @property
    def copy(self) -> tuple[str, str]:
        """Which blind copy of the clip it needs."""
        return self.windows, self.shown

    @property
    def taken(self) -> Cut | None:
        """What is cut out; None for the whole clip."""
        return None if self.windows == WHOLE else Cut(pieces_of(self.windows), self.shown)


def looks_of(round_: Round) -> dict[str, list[Look]]:
    """Return for each scene of the round what is looked at of a clip of it."""
    rollouts, plan = round_.protocol.rules.rollouts, round_.looks
    if rollouts is None or plan is None:
        return {scene: [Look()] for scene in round_.scenes}
    return {
        scene: [_look(one) for one in asked_of(rollouts, plan, rollouts.scenario(scene))]
        for scene in round_.scenes
    }


def _look(one: Asked) -> Look:
    return Look(
        form=one.form,
        unit=one.unit.kind,
        place=one.unit.place,
        end_s=one.unit.end_s,
        windows=written(one.unit.windows),
        shown=one.shown,
        context={
            "shown": one.shown,
            "target": one.target,
            **({"source": one.source} if one.source else {}),
            **({"asked_at_s": one.asked_at_s} if one.asked_at_s is not None else {}),
            "windows": in_own_time(one.unit.windows),
        },
    )
