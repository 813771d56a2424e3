"""A clip's answer to a question: what enough of the cohort said alike. No Django here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fartbench.protocol import Response

NA = "na"
SPLIT = "split"
INCOMPLETE = "incomplete"
YES = "yes"


@dataclass(frozen=True, slots=True)
class Consensus:
    """The votes of the primary cohort on one question of one clip, and what they amount to.

    ``outcome`` is an answer value, ``na`` (all N/A reasons pooled), ``split`` or ``incomplete``. ``votes`` has a count
    for each value that the question offers, and for ``na``.
    """

    outcome: str
    votes: Mapping[str, int]

    @property
    def passes(self) -> bool:
        """A gate passes on a yes and on nothing else."""
        return self.outcome == YES


def consensus(responses: Iterable[Response], *, values: Iterable[str], cohort: int, quorum: int) -> Consensus:
    """Count the locked answers of the cohort to one question.

    Fewer than ``cohort`` answers are ``incomplete`` even where ``quorum`` equal ones already stand (ours); fewer than
    ``quorum`` equal ones are ``split`` (Core R01 method page). Raises ValueError for more answers than reviewers.
    """
    counted = Counter(NA if response.value is None else response.value for response in responses)
    votes = {value: counted.get(value, 0) for value in (*values, NA)}
    given = sum(counted.values())
    if given > cohort:
        raise ValueError(f"{given} answers from a cohort of {cohort}")
    if given < cohort:
        return Consensus(INCOMPLETE, votes)
    leader = max(votes, key=lambda value: votes[value])
    return Consensus(leader if votes[leader] >= quorum else SPLIT, votes)
