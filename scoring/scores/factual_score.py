"""Overall Ranking V1: points per scene, exact means over replicates, shared ranks. No Django
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fartbench.protocol import Protocol
from scoring.scores.consensus import Consensus
from scoring.scores.fartscore import ClipScore

SCORED = "scored"
# Outcomes of a cell that earn nothing and still leave the configuration in the ranking.
COUNTED_AS_ZERO = frozenset({"refused", "failed", "lost"})


@dataclass(frozen=True, slots=True)
class CellResult:
    """What became of one cell. ``status`` is ``scored``, ``incomplete`` or the outcome that brought
    no clip.

    ``consensus`` holds each fact (a gate, or an observation) by its question and is empty when
    there is no clip; ``rated`` is what its dimensions come to, where the protocol scores those.
    """

    scene: str
    replicate: int
    status: str
    reason: str
    consensus: Mapping[str, Consensus]
    rated: ClipScore | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """One configuration's line in the ranking.

    ``score`` is out of the points of all scenes, with 0 for a scene without a delivered clip;
    ``earned`` of ``possible`` counts the delivered scenes alone. ``rank`` is None for an unranked
    configuration, with the reason. ``apart`` is empty, or the track among whose configurations
    alone the rank counts.
    """

    configuration: str
    score: Fraction
    scenes_all_right: Fraction
    earned: Fraction
    possible: int
    delivered: int
    cells: tuple[CellResult, ...]
    unranked_because: str = ""
    rank: int | None = None
    apart: str = ""


def points_of(protocol: Protocol, gates: Mapping[str, Consensus]) -> int:
    """Return the points of one scored clip: each rule pays on a yes, if what it needs was a yes
    too.
    """
    return sum(
        rule.points
        for rule in protocol.scoring.points
        if gates[rule.question].passes and (rule.needs is None or gates[rule.needs].passes)
    )


def all_right(protocol: Protocol, gates: Mapping[str, Consensus]) -> bool:
    """Say whether every gate of a scored clip passed."""
    return all(gates[gate].passes for gate in protocol.scoring.gates)


def standing_of(
    protocol: Protocol, configuration: str, cells: Iterable[CellResult], *, scenes: Sequence[str]
) -> Standing:
    """Add up one configuration: a scene counts with the exact mean over its scored clips (ours).

    Points of gates add up over the scenes; a weighted score is the mean over them, and needs a
    scored clip in each.
    """
    if protocol.scoring.is_weighted:
        return _weighted_standing(configuration, cells, scenes)
    ordered = tuple(sorted(cells, key=lambda cell: (scenes.index(cell.scene), cell.replicate)))
    scored = {
        scene: [c for c in ordered if c.scene == scene and c.status == SCORED] for scene in scenes
    }
    points = {
        s: _mean([points_of(protocol, c.consensus) for c in found]) for s, found in scored.items()
    }
    right = {
        s: _mean([int(all_right(protocol, c.consensus)) for c in found])
        for s, found in scored.items()
    }
    return Standing(
        configuration=configuration,
        score=sum(points.values(), Fraction(0)),
        scenes_all_right=sum(right.values(), Fraction(0)),
        earned=sum(points.values(), Fraction(0)),
        possible=protocol.points_per_clip * sum(1 for found in scored.values() if found),
        delivered=sum(len(found) for found in scored.values()),
        cells=ordered,
        unranked_because=_why_unranked(ordered),
    )


def clip_scores(protocol: Protocol, standing: Standing, scene: str) -> list[Fraction]:
    """Return the score of each scored clip of a scene: its points, or what its dimensions come
    to.
    """
    scored = [cell for cell in standing.cells if cell.scene == scene and cell.status == SCORED]
    if protocol.scoring.is_weighted:
        return [cell.rated.score for cell in scored if cell.rated is not None]
    return [Fraction(points_of(protocol, cell.consensus)) for cell in scored]


def _weighted_standing(
    configuration: str, cells: Iterable[CellResult], scenes: Sequence[str]
) -> Standing:
    ordered = tuple(sorted(cells, key=lambda cell: (scenes.index(cell.scene), cell.replicate)))
    scored = {
        s: [c.rated.score for c in ordered if c.scene == s and c.rated is not None] for s in scenes
    }
    means = [sum(found, Fraction(0)) / len(found) for found in scored.values() if found]
    without = [scene for scene, found in scored.items() if not found]
    reasons = [_why_unranked(ordered), *(f"{scene} has no scored clip" for scene in without)]
    return Standing(
        configuration=configuration,
        score=sum(means, Fraction(0)) / len(means) if means else Fraction(0),
        scenes_all_right=Fraction(0),
        earned=Fraction(0),
        possible=0,
        delivered=sum(len(found) for found in scored.values()),
        cells=ordered,
        unranked_because="; ".join(reason for reason in reasons if reason),
    )


def _mean(values: Sequence[int]) -> Fraction:
    return Fraction(sum(values), len(values)) if values else Fraction(0)


def _why_unranked(cells: Sequence[CellResult]) -> str:
    open_cells = [
        cell for cell in cells if cell.status != SCORED and cell.status not in COUNTED_AS_ZERO
    ]
    return "; ".join(f"{cell.scene} {cell.status.replace('_', ' ')}" for cell in open_cells)


def ranked(
    protocol: Protocol, standings: Iterable[Standing], *, rankable: bool = True
) -> list[Standing]:
    """Return the standings best first, with standard competition ranks (1, 2, 2, 4); unranked ones
    last, by name.

    With ``rankable`` false (a round without all scenes of its protocol) nobody gets a rank.
    """
    if not rankable:
        return sorted(standings, key=lambda standing: standing.configuration)
    every = list(standings)
    in_order = sorted(
        (s for s in every if not s.unranked_because),
        key=lambda standing: (
            [-part for part in rank_key(protocol, standing)],
            standing.configuration,
        ),
    )
    ranks: list[Standing] = []
    for place, standing in enumerate(in_order, start=1):
        ties = bool(ranks) and rank_key(protocol, ranks[-1]) == rank_key(protocol, standing)
        ranks.append(replace(standing, rank=ranks[-1].rank if ties else place))
    unranked = sorted(
        (s for s in every if s.unranked_because), key=lambda standing: standing.configuration
    )
    return [*ranks, *unranked]


def rank_key(protocol: Protocol, standing: Standing) -> list[Fraction]:
    """Return what the protocol orders by, the most important first."""
    parts = {"scenes_all_right": standing.scenes_all_right}
    return [parts.get(name, standing.score) for name in protocol.scoring.rank_by]
