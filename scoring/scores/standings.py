"""From the answers of a round to its standings. No Django here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fartbench.protocol import Protocol
from scoring.records import RoundRecord, Tally, tally
from scoring.scores.consensus import INCOMPLETE, Consensus
from scoring.scores.factual_score import (
    SCORED,
    CellResult,
    Standing,
    clip_scores,
    counted_points,
    ranked,
    standing_of,
)
from scoring.scores.fartscore import HUNDRED, ClipScore, clip_score, facts_of, ratings_of


@dataclass(frozen=True)
class RoundResults:
    """What a round says: ``standings`` best first, with a rank where the rules give one."""

    tally: Tally
    standings: list[Standing]

    @property
    def record(self) -> RoundRecord:
        return self.tally.record

    @property
    def protocol(self) -> Protocol:
        return self.record.protocol

    @property
    def total(self) -> int:
        """The points that every scene together can earn, or the 100 of a weighted score."""
        if self.protocol.scoring.is_weighted:
            return HUNDRED
        return self.protocol.points_per_clip * len(self.record.scenes)

    def counted_scores(self, standing: Standing, scene: str) -> list[Fraction]:
        """Return the score of each clip of a scene that the standing counts; empty when all of them
        are missing.

        Where points add up, a refused, failed or lost clip counts 0. A weighted score, and a
        release of format 1, count what was scored.
        """
        if self.protocol.scoring.is_weighted or self.record.format == 1:
            return clip_scores(self.protocol, standing, scene)
        return counted_points(self.protocol, standing, scene)


def results_of(record: RoundRecord) -> RoundResults:
    """Add up a round; a round without all scenes of its protocol ranks nobody."""
    votes = tally(record)
    cells: dict[str, list[CellResult]] = defaultdict(list)
    for configuration, result in zip(record.cells, _cell_results(votes), strict=True):
        cells[configuration.configuration].append(result)
    complete = len(record.scenes) == len(record.protocol.scenes)
    standings = [
        standing_of(
            record.protocol,
            name,
            found,
            scenes=record.scenes,
            is_free_to_refuse=record.format == 1,
        )
        for name, found in cells.items()
    ]
    return RoundResults(votes, ranked_by_track(record, standings, rankable=complete))


def ranked_by_track(
    record: RoundRecord, standings: Sequence[Standing], *, rankable: bool
) -> list[Standing]:
    """Rank the active tracks together and every other one among its own, as the protocol says of
    each track.

    Configurations of a track that is never ranked, and those without a rank, come last. A track
    that the protocol does not know counts as active.
    """
    modes = {track.key: track.ranked for track in record.protocol.tracks}
    track_of = {configuration.name: configuration.track for configuration in record.configurations}
    groups: dict[str, list[Standing]] = {"": []}
    for standing in standings:
        track = track_of.get(standing.configuration, "")
        if modes.get(track) == "never":
            because = standing.unranked_because or f"track {track} is not ranked"
        else:
            because = standing.unranked_because
        apart = track if modes.get(track) == "apart" else ""
        grouped = replace(standing, unranked_because=because, apart=apart)
        groups.setdefault(apart, []).append(grouped)
    found = [
        one
        for _, group in sorted(groups.items())
        for one in ranked(record.protocol, group, rankable=rankable)
    ]
    return sorted(found, key=lambda standing: standing.rank is None)


def _cell_results(votes: Tally) -> list[CellResult]:
    facts = facts_of(votes)
    results = []
    for place, cell in enumerate(votes.record.cells):
        if not cell.stimulus:
            results.append(CellResult(cell.scene, cell.replicate, cell.outcome, cell.reason, {}))
            continue
        found = {question: outcomes[place] for question, outcomes in facts.items()}
        if not votes.complete[place]:
            results.append(CellResult(cell.scene, cell.replicate, INCOMPLETE, "", found))
        else:
            results.append(
                CellResult(
                    cell.scene, cell.replicate, SCORED, "", found, _rated(votes, place, found)
                )
            )
    return results


def _rated(votes: Tally, place: int, facts: Mapping[str, Consensus]) -> ClipScore | None:
    protocol = votes.record.protocol
    if not protocol.scoring.is_weighted:
        return None
    said = {question: consensus.outcome for question, consensus in facts.items()}
    return clip_score(protocol, votes.record.cells[place].scene, ratings_of(votes, place), said)
