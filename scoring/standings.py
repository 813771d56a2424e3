"""From the answers of a round to its standings. No Django here."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from fartbench.protocol import Protocol
from scoring.consensus import INCOMPLETE, Consensus, consensus_of
from scoring.factual_score import SCORED, CellResult, Standing, ranked, standing_of
from scoring.records import RoundRecord, Tally, tally


@dataclass(frozen=True)
class RoundResults:
    """What a round says: ``standings`` best first, with a rank where the rules give one."""

    tally: Tally
    standings: list[Standing]
    complete_scenes: bool

    @property
    def record(self) -> RoundRecord:
        return self.tally.record

    @property
    def protocol(self) -> Protocol:
        return self.record.protocol

    @property
    def total(self) -> int:
        """The points that every scene together can earn."""
        return self.protocol.points_per_clip * len(self.record.scenes)


def results_of(record: RoundRecord) -> RoundResults:
    """Add up a round; a round without all scenes of its protocol ranks nobody."""
    votes = tally(record)
    cells: dict[str, list[CellResult]] = defaultdict(list)
    for configuration, result in zip(record.cells, _cell_results(votes), strict=True):
        cells[configuration.configuration].append(result)
    complete = len(record.scenes) == len(record.protocol.scenes)
    standings = [standing_of(record.protocol, name, found, scenes=record.scenes) for name, found in cells.items()]
    return RoundResults(votes, ranked(record.protocol, standings, rankable=complete), complete)


def _cell_results(votes: Tally) -> list[CellResult]:
    protocol = votes.record.protocol
    gates = {gate: _consensus(votes, gate) for gate in protocol.scoring.gates}
    results = []
    for place, cell in enumerate(votes.record.cells):
        if not cell.stimulus:
            results.append(CellResult(cell.scene, cell.replicate, cell.outcome, cell.reason, {}))
            continue
        found = {gate: outcomes[place] for gate, outcomes in gates.items()}
        incomplete = any(gate.outcome == INCOMPLETE for gate in found.values())
        results.append(CellResult(cell.scene, cell.replicate, INCOMPLETE if incomplete else SCORED, "", found))
    return results


def _consensus(votes: Tally, gate: str) -> list[Consensus]:
    cohort = votes.record.protocol.cohort
    values = votes.record.book.values(gate)
    return consensus_of(votes.counts(gate), values, cohort=cohort.size, quorum=cohort.quorum)
