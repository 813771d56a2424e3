"""Whether a judge is calibrated on facts: exact agreement with the consensus of people, gate by
gate. No Django here.

Counted are clips on which people agreed on a value. There a judge's N/A, block, invalid answer or
error is a disagreement: it said something else than people, or nothing. Clips that people split on
or call N/A are left out and counted; agreement on N/A would pay a judge twice for the event.
Thresholds are compared as whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fartbench.protocol.judges import Calibration, Share
from scoring.records import Integers, Tally
from scoring.report_classes.base import ReportedEstimate
from scoring.report_classes.judges import Commonest, JudgedFact, JudgedGate, LeftOut, Leniency
from scoring.reports.gates import Gate
from scoring.reports.groups import every_row, rows_by_scene, share_of
from scoring.reports.judge_answers import JudgeAnswers
from scoring.reports.shape import reported
from scoring.scores.consensus import INCOMPLETE, NA, SPLIT, YES
from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import clustered_wilson

NO = "no"
NO_ANSWER = "none"


@dataclass(frozen=True)
class _Compared:
    """A gate of the round with what one judge answered there; ``counted`` are the clips of the
    comparison.
    """

    gate: Gate
    votes: Tally
    answers: JudgeAnswers
    counted: NDArray[np.bool_]

    @property
    def values(self) -> tuple[str, ...]:
        return self.gate.names[: -len((NA, SPLIT, INCOMPLETE))]

    @property
    def said(self) -> Integers:
        """(cells,) places in values, then N/A, then no answer."""
        codes = self.answers.codes[self.gate.key].astype(np.int64)
        pooled = np.minimum(codes, len(self.values))
        return np.where(codes < 0, len(self.values) + 1, pooled)


def judged_facts(
    gates: dict[str, Gate], votes: Tally, answers: JudgeAnswers, rules: Calibration
) -> dict[str, JudgedGate]:
    """Return each gate pooled and by scene, the primary causal question first."""
    protocol = votes.record.protocol
    ordered = sorted(gates.values(), key=lambda gate: not protocol.question(gate.key).primary)
    return {gate.key: _gate(gate, votes, answers, rules) for gate in ordered}


def _gate(gate: Gate, votes: Tally, answers: JudgeAnswers, rules: Calibration) -> JudgedGate:
    primary = votes.record.protocol.question(gate.key).primary
    threshold = rules.primary if primary else rules.facts
    values = len(gate.names) - len((NA, SPLIT, INCOMPLETE))
    compared = _Compared(
        gate, votes, answers, gate.scored & (gate.outcomes < values) & answers.asked
    )
    judged = JudgedGate(
        primary=primary,
        threshold=threshold,
        overall=_agreement(compared, every_row(votes), threshold, rules),
        by_scene={
            scene: _agreement(compared, rows, threshold, rules)
            for scene, rows in rows_by_scene(votes)
        },
    )
    if not primary:
        return judged
    leniency = Leniency(
        overall=_leniency(compared, every_row(votes)),
        by_scene={scene: _leniency(compared, rows) for scene, rows in rows_by_scene(votes)},
    )
    return judged.model_copy(update={"leniency": leniency})


def _agreement(
    compared: _Compared, rows: Integers, threshold: Share, rules: Calibration
) -> JudgedFact:
    gate, values = compared.gate, compared.values
    counted = rows[compared.counted[rows]]
    human, said = gate.outcomes[counted], compared.said[counted]
    agreed = human == said
    share = share_of(agreed, compared.votes.configuration[counted])
    not_asked = int((gate.scored[rows] & ~compared.answers.asked[rows]).sum())
    verdict = _verdict(int(agreed.sum()), share, threshold, rules, not_asked)
    return JudgedFact(
        n=len(counted),
        agreed=int(agreed.sum()),
        share=reported(share),
        verdict=verdict,
        met={"met": True, "met_surely": True, "not_met": False}.get(verdict),
        commonest=_commonest(human, values, compared.votes.configuration[counted]),
        confusion=_confusion(human, said, values),
        left_out=LeftOut(**_left_out(gate, rows, compared.answers), not_asked=not_asked),
        human_ceiling=reported(ceiling(compared.votes, gate.key, rows)),
    )


def _verdict(
    agreed: int, share: Estimate | Undefined, threshold: Share, rules: Calibration, not_asked: int
) -> str:
    if share.n < rules.fewest_clips:
        return "too_few"
    if not_asked:
        return "not_complete"
    if not threshold.reached(agreed, share.n):
        return "not_met"
    sure = (
        isinstance(share, Estimate)
        and share.low is not None
        and share.low >= threshold.part / threshold.of
    )
    return "met_surely" if sure else "met"


def _commonest(human: Integers, values: tuple[str, ...], configurations: Integers) -> Commonest:
    """Return the commonest answer of people and its share: what a judge reaches that always gives
    this answer.
    """
    if not len(human):
        return Commonest(answer="", share=reported(Undefined("nothing was counted")))
    place = int(np.bincount(human, minlength=len(values)).argmax())
    share = reported(share_of(human == place, configurations))
    return Commonest(answer=values[place], share=share)


def _confusion(
    human: Integers, said: Integers, values: tuple[str, ...]
) -> dict[str, dict[str, int]]:
    columns = (*values, NA, NO_ANSWER)
    return {
        value: {
            name: int(((human == row) & (said == column)).sum())
            for column, name in enumerate(columns)
        }
        for row, value in enumerate(values)
    }


def _left_out(gate: Gate, rows: Integers, answers: JudgeAnswers) -> dict[str, int]:
    delivered = rows[answers.asked[rows]]
    return {
        name: int((gate.outcomes[delivered] == gate.names.index(name)).sum())
        for name in (SPLIT, NA, INCOMPLETE)
    }


def _leniency(compared: _Compared, rows: Integers) -> ReportedEstimate:
    """Return the share of causes which people call a No that the judge called a Yes."""
    counted = rows[compared.counted[rows]]
    refused = counted[compared.gate.outcomes[counted] == compared.values.index(NO)]
    lenient = compared.said[refused] == compared.values.index(YES)
    return reported(share_of(lenient, compared.votes.configuration[refused]))


def ceiling(votes: Tally, question: str, rows: Integers) -> Estimate | Undefined:
    """Return how often one reviewer agrees with the others where these are unanimous: what a judge
    could reach.

    Each reviewer of each complete clip is compared with the rest of the cohort; the interval is
    clustered by configuration.
    """
    values = len(votes.record.book.values(question))
    kept = rows[votes.complete[rows]]
    codes = np.minimum(votes.codes[question][kept].astype(np.int64), values)
    agreed, clusters = [], []
    for place in range(codes.shape[1]):
        others = np.delete(codes, place, axis=1)
        same = (
            (others == others[:, :1]).all(axis=1) & (others[:, 0] < values)
            if others.shape[1]
            else np.array([])
        )
        there = np.flatnonzero(same)
        agreed.append(codes[there, place] == others[there, 0])
        clusters.append(votes.configuration[kept][there])
    pairs, members = np.concatenate(agreed), np.concatenate(clusters)
    if not pairs.size:
        return Undefined("no clip on which all reviewers but one agree")
    return clustered_wilson(pairs, members)
