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

    ``score`` is out of the points of all scenes, with 0 for every refused, failed or lost clip;
    ``earned`` of ``possible`` counts the delivered clips alone. ``rank`` is None for an unranked
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
    protocol: Protocol,
    configuration: str,
    cells: Iterable[CellResult],
    *,
    scenes: Sequence[str],
    is_free_to_refuse: bool = False,
) -> Standing:
    """Add up one configuration: a scene counts with the exact mean over its planned clips (ours).

    A refused, failed or lost clip earns 0; one that could not be reviewed is missing, and leaves
    its configuration without a rank. Releases of format 1 took the mean over scored clips alone
    (``is_free_to_refuse``). Points of gates add up over the scenes; a weighted score is the mean
    over them, and needs a scored clip in each.
    """
    if protocol.scoring.is_weighted:
        return _weighted_standing(configuration, cells, scenes)
    ordered = tuple(sorted(cells, key=lambda cell: (scenes.index(cell.scene), cell.replicate)))
    points, right = Fraction(0), Fraction(0)
    earned, possible, delivered = Fraction(0), 0, 0
    for scene in scenes:
        in_scene = [cell for cell in ordered if cell.scene == scene]
        scored = [cell for cell in in_scene if cell.status == SCORED]
        counted = len(scored) if is_free_to_refuse else len(_counted(in_scene))
        earned_here = sum(points_of(protocol, cell.consensus) for cell in scored)
        points += _share(earned_here, counted)
        right += _share(sum(all_right(protocol, cell.consensus) for cell in scored), counted)
        earned += _share(earned_here, len(scored))
        possible += protocol.points_per_clip if scored else 0
        delivered += len(scored)
    return Standing(
        configuration=configuration,
        score=points,
        scenes_all_right=right,
        earned=earned,
        possible=possible,
        delivered=delivered,
        cells=ordered,
        unranked_because=_why_unranked(ordered),
    )


def _counted(cells: Iterable[CellResult]) -> list[CellResult]:
    """Return the clips that a scene's mean counts: what was not reviewable is missing."""
    return [cell for cell in cells if cell.status == SCORED or cell.status in COUNTED_AS_ZERO]


def counted_points(protocol: Protocol, standing: Standing, scene: str) -> list[Fraction]:
    """Return the points of each clip of a scene that the score counts, 0 for one that was refused,
    failed or lost.
    """
    in_scene = [cell for cell in standing.cells if cell.scene == scene]
    return [
        Fraction(points_of(protocol, cell.consensus) if cell.status == SCORED else 0)
        for cell in _counted(in_scene)
    ]


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


def _share(total: int, count: int) -> Fraction:
    return Fraction(total, count) if count else Fraction(0)


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
