"""A clip's answer to a question: what enough of the cohort said alike. No Django here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NA = "na"
SPLIT = "split"
INCOMPLETE = "incomplete"
YES = "yes"

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Consensus:
    """The votes of the primary cohort on one question of one clip, and what they amount to.

    ``outcome`` is an answer value, ``na`` (all N/A reasons pooled), ``split`` or ``incomplete``.
    ``votes`` has a count for each value that the question offers, and for ``na``.
    """

    outcome: str
    votes: Mapping[str, int]

    @property
    def passes(self) -> bool:
        """A gate passes on a yes and on nothing else."""
        return self.outcome == YES


def outcome_names(values: Sequence[str]) -> tuple[str, ...]:
    """Return what the numbers of `find_outcomes` mean: each value, then N/A, split and
    incomplete.
    """
    return (*values, NA, SPLIT, INCOMPLETE)


def find_outcomes(counts: Integers, *, cohort: int, quorum: int) -> Integers:
    """Return (clips,) places in `outcome_names`, from (clips, values + 1) counts whose last column
    is N/A.

    Fewer than ``cohort`` answers are ``incomplete`` even where ``quorum`` equal ones already stand
    (ours); fewer than ``quorum`` equal ones are ``split`` (Core R01 method page). Raises ValueError
    for more answers than reviewers.
    """
    given = counts.sum(axis=1)
    if (given > cohort).any():
        raise ValueError(f"{given.max()} answers from a cohort of {cohort}")
    split = counts.shape[1]
    found = np.where(counts.max(axis=1, initial=0) >= quorum, counts.argmax(axis=1), split)
    return np.asarray(np.where(given < cohort, split + 1, found))


def consensus_of(
    counts: Integers, values: Sequence[str], *, cohort: int, quorum: int
) -> list[Consensus]:
    """Return the consensus of each clip, from counts as in `find_outcomes`."""
    names, answers = outcome_names(values), (*values, NA)
    outcomes = find_outcomes(counts, cohort=cohort, quorum=quorum)
    return [
        Consensus(names[outcome], dict(zip(answers, votes, strict=True)))
        for outcome, votes in zip(outcomes.tolist(), counts.tolist(), strict=True)
    ]
