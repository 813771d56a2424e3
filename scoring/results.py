"""A round's results, read from its rows: cells with consensus, and configurations in their order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from blinding.models import BlindingKey
from fartbench.models import Round
from fartbench.protocol import Protocol, Response
from generation.models import Sample, SampleState
from review.models import Answer, Role
from scoring.consensus import INCOMPLETE, Consensus, consensus
from scoring.factual_score import SCORED, CellResult, Standing, ranked, standing_of

# stimulus id -> question -> one locked response per reviewer of the primary cohort
Votes = dict[str, dict[str, list[Response]]]


@dataclass(frozen=True)
class RoundResults:
    """What a round says: ``standings`` best first, with a rank where the rules give one."""

    round: Round
    protocol: Protocol
    standings: list[Standing]
    complete_scenes: bool


def round_results(round_: Round) -> RoundResults:
    """Read the round's locked answers of the primary cohort and add them up. Nothing is stored."""
    protocol = round_.protocol.rules
    votes = locked_votes(round_)
    stimuli = dict(BlindingKey.objects.filter(stimulus__round=round_).values_list("sample_id", "stimulus_id"))
    cells: dict[str, list[CellResult]] = defaultdict(list)
    for sample in Sample.objects.filter(cell__round=round_).select_related("cell__configuration"):
        result = _cell_result(protocol, sample, votes.get(stimuli.get(sample.pk, ""), {}))
        cells[sample.cell.configuration.name].append(result)
    scenes = round_.scenes
    complete = len(scenes) == len(protocol.scenes)
    standings = [standing_of(protocol, name, found, scenes=scenes) for name, found in cells.items()]
    return RoundResults(round_, protocol, ranked(protocol, standings, rankable=complete), complete)


def locked_votes(round_: Round) -> Votes:
    """Return the locked answers of the round's primary cohort."""
    votes: Votes = defaultdict(lambda: defaultdict(list))
    rows = Answer.objects.filter(
        sheet__stimulus__round=round_,
        sheet__locked_at__isnull=False,
        sheet__reviewer__memberships__round=round_,
        sheet__reviewer__memberships__role=Role.PRIMARY,
    ).values_list("sheet__stimulus_id", "question", "value", "na_reason")
    for stimulus, question, value, na_reason in rows.iterator():
        votes[stimulus][question].append(Response(value=value, na_reason=na_reason))
    return votes


def _cell_result(protocol: Protocol, sample: Sample, votes: dict[str, list[Response]]) -> CellResult:
    cell = sample.cell
    if sample.state != SampleState.DELIVERED:
        return CellResult(cell.scene, cell.replicate, sample.state, sample.reason, {})
    gates = {gate: _gate(protocol, gate, votes.get(gate, [])) for gate in protocol.scoring.gates}
    incomplete = any(gate.outcome == INCOMPLETE for gate in gates.values())
    return CellResult(cell.scene, cell.replicate, INCOMPLETE if incomplete else SCORED, "", gates)


def _gate(protocol: Protocol, gate: str, responses: list[Response]) -> Consensus:
    values = [option.value for option in protocol.options(protocol.question(gate))]
    return consensus(responses, values=values, cohort=protocol.cohort.size, quorum=protocol.cohort.quorum)
