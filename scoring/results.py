"""A round's results, from its rows."""

from __future__ import annotations

from fartbench.models import Round
from scoring.records.reading import read_round
from scoring.standings import RoundResults, results_of


def round_results(round_: Round) -> RoundResults:
    """Read the round's locked answers and add them up; nothing is stored.

    Raises RoundAltered when a row is not what was opened or locked.
    """
    return results_of(read_round(round_))
