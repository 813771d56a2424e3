"""Event success, source or cause, scene-specific factual success: gates passed, and the ways not
to. No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.records import Integers, Tally
from scoring.report_classes.people import FactualReport, GateCounts, GateReport, SceneGates
from scoring.reports.groups import every_row, rows_by_configuration, rows_by_scene, share_of
from scoring.reports.shape import reported
from scoring.scores.consensus import INCOMPLETE, YES, find_outcomes, outcome_names


@dataclass(frozen=True)
class Gate:
    """The consensus of every cell on one gate: ``outcomes`` (cells,) are places in ``names``."""

    key: str
    names: tuple[str, ...]
    outcomes: Integers
    passed: NDArray[np.bool_]
    scored: NDArray[np.bool_]


def read_gates(votes: Tally) -> dict[str, Gate]:
    """Return the gates of a round by question."""
    gates = {}
    for key in votes.record.protocol.scoring.gates:
        names = outcome_names(votes.record.book.values(key))
        outcomes = find_outcomes(
            votes.counts(key), cohort=votes.record.cohort, quorum=votes.record.quorum
        )
        scored = votes.delivered & (outcomes != names.index(INCOMPLETE))
        gates[key] = Gate(key, names, outcomes, outcomes == names.index(YES), scored)
    return gates


def gate_report(gate: Gate, votes: Tally) -> GateReport:
    """Return one gate over the whole round, by scene and by configuration."""
    return GateReport(
        question=gate.key,
        overall=gate_counts(gate, votes, every_row(votes)),
        by_scene={scene: gate_counts(gate, votes, rows) for scene, rows in rows_by_scene(votes)},
        by_configuration={
            name: gate_counts(gate, votes, rows) for name, rows in rows_by_configuration(votes)
        },
    )


def gate_counts(gate: Gate, votes: Tally, rows: Integers) -> GateCounts:
    """Return how many scored clips of ``rows`` passed, and how many did not for each of the
    reasons.

    ``incomplete`` clips are counted and are no part of n.
    """
    delivered, scored = rows[votes.delivered[rows]], rows[gate.scored[rows]]
    counts = np.bincount(gate.outcomes[delivered], minlength=len(gate.names)).tolist()
    ways = dict(zip(gate.names, counts, strict=True))
    return GateCounts(
        passed=ways.pop(YES),
        n=len(scored),
        incomplete=ways.pop(INCOMPLETE),
        not_passed=ways,
        share=reported(share_of(gate.passed[scored], votes.configuration[scored])),
    )


def factual_success(gates: Mapping[str, Gate], votes: Tally) -> FactualReport:
    """Return every gate of every scene, and the clips with all gates right, by scene and by
    configuration.
    """
    every = _every_gate(gates)
    by_scene = {}
    for scene, rows in rows_by_scene(votes):
        by_scene[scene] = SceneGates(
            gates={key: gate_counts(gate, votes, rows) for key, gate in gates.items()},
            all_gates=_all_right(every, votes, rows),
        )
    return FactualReport(
        all_gates=_all_right(every, votes, every_row(votes)),
        by_scene=by_scene,
        by_configuration={
            name: _all_right(every, votes, rows) for name, rows in rows_by_configuration(votes)
        },
    )


@dataclass(frozen=True)
class _Every:
    """All gates of a clip at once."""

    passed: NDArray[np.bool_]
    scored: NDArray[np.bool_]


def _every_gate(gates: Mapping[str, Gate]) -> _Every:
    return _Every(
        np.logical_and.reduce([gate.passed for gate in gates.values()]),
        np.logical_and.reduce([gate.scored for gate in gates.values()]),
    )


def _all_right(every: _Every, votes: Tally, rows: Integers) -> GateCounts:
    scored = rows[every.scored[rows]]
    passed = every.passed[scored]
    share = share_of(passed, votes.configuration[scored])
    return GateCounts(passed=int(passed.sum()), n=len(scored), share=reported(share))
