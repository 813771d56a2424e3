"""What of one published rollout can be played: the windows that were shown of it, under their
opaque ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from blinding.looks import looks_of
from blinding.models import BlindingKey
from blinding.windows import pieces_of
from fartbench.models import Round

LEAD_IN_S = 2.0
"""How long before a moment playing begins."""
SHOWN = {"both": "picture and sound", "video": "picture alone", "audio": "sound alone"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A file that shows ``begin_s`` to ``end_s`` of the rollout, in one go."""

    stimulus: str
    begin_s: float
    end_s: float
    shown: str

    @property
    def label(self) -> str:
        return f"{self.begin_s:g} to {self.end_s:g} s, {SHOWN[self.shown]}"

    def has(self, at_s: float) -> bool:
        """Say whether the piece shows this moment (s of the rollout)."""
        return self.begin_s <= at_s < self.end_s

    def start_for(self, at_s: float) -> float:
        """Return where in the file playing should begin to meet a moment of the rollout, both in
        s.
        """
        return max(0.0, at_s - LEAD_IN_S - self.begin_s)


def pieces_of_rollout(round_: Round, configuration: str, scene: str, replicate: int) -> list[Piece]:
    """Return what of a rollout was shown, in the order of its time; of those that begin at once the
    longest first.

    What was shown twice is listed once. Windows of two pieces are left out: their time is not the
    rollout's.
    """
    looks = {(look.form, look.place, look.end_s): look for look in looks_of(round_)[scene]}
    keys = BlindingKey.objects.filter(
        stimulus__round=round_,
        stimulus__retirement=None,
        sample__cell__configuration__name=configuration,
        sample__cell__scene=scene,
        sample__cell__replicate=replicate,
    )
    found: dict[tuple[str, str], Piece] = {}
    for key in keys.select_related("stimulus").order_by("stimulus_id"):
        look = looks.get((key.stimulus.form, key.stimulus.place, key.stimulus.end_s))
        if look is not None and len(spans := pieces_of(look.windows)) == 1:
            found.setdefault(look.copy, Piece(key.stimulus_id, *spans[0], look.shown))
    return sorted(
        found.values(), key=lambda one: (one.begin_s, -one.end_s, list(SHOWN).index(one.shown))
    )


def piece_to_play(pieces: Iterable[Piece], at_s: float | None, stimulus: str = "") -> Piece | None:
    """Return the piece that was asked for, or that shows a moment; sound and picture, and long
    ones, come first.
    """
    pieces = list(pieces)
    asked = [one for one in pieces if one.stimulus == stimulus]
    fitting = asked or [one for one in pieces if at_s is None or one.has(at_s)]
    return min(
        fitting,
        key=lambda one: (one.shown != "both", one.begin_s - one.end_s, one.begin_s),
        default=None,
    )
