"""What a round says, as JSON, with the results that it was made from. No Django here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from scoring.rollouts.results import RolloutResults
from scoring.scores.standings import RoundResults

ResultsT = TypeVar("ResultsT", RoundResults, RolloutResults)


@dataclass(frozen=True)
class Documents(Generic[ResultsT]):
    """The scores document and the reports of a round."""

    results: ResultsT
    scores: dict[str, Any]
    reports: dict[str, Any]
