"""Pairs of a round, where it takes knowing whose clip is whose: planning them, and how even the
plan is.
"""

from __future__ import annotations

from blinding.models import BlindingKey
from fartbench.models import Round
from review.pairs import planning
from review.pairs.orders import PairBalance
from review.pairs.planning import Planned
from rounds.changes import configuration_labels


def plan_pairs(
    *, round_: Round, actor: str, meetings: int | None = None, most: int | None = None
) -> Planned:
    """Add the pairs and tasks that a round's plan lacks.

    Raises as `review.pairs.planning.plan_pairs` does.
    """
    return planning.plan_pairs(
        round=round_,
        factors=configuration_labels(round_),
        leagues=league_labels(round_),
        actor=actor,
        meetings=meetings,
        most=most,
    )


def balance_of(round_: Round) -> PairBalance:
    """Return how even a round's plan is. It names no configuration."""
    return planning.balance_of(round_, configuration_labels(round_), league_labels(round_))


def league_labels(round_: Round) -> dict[str, str]:
    """Return a label per stimulus that says which may meet: what is ranked apart meets only its own
    track.
    """
    apart = {track.key for track in round_.protocol.rules.tracks if track.ranked != "active"}
    keys = BlindingKey.objects.filter(stimulus__round=round_)
    return {
        stimulus: track if track in apart else ""
        for stimulus, track in keys.values_list("stimulus_id", "sample__cell__configuration__track")
    }
