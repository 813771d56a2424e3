"""How sure a ranking is: which configurations differ, and what a difference of scores means. No
Django here.

Everything that is said of it comes from one test of the round: Tukey's range on the pooled residual
at one clip per scene (Tukey 1949, Biometrics 5), simultaneous rank sets where scenes have
replicates (`scoring.stats.ranksets`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.reports.shape import rounded
from scoring.stats.intervals import Floats
from scoring.stats.pairwise import holm_matrix, tiers
from scoring.stats.ranksets import Difference, RankSet, sets_of

# Beyond this many configurations comparing each with each would take minutes.
MOST_COMPARED = 1_000
MOST_PAIRS_SHOWN = 50


@dataclass(frozen=True)
class Compared:
    """The ranked configurations that can be compared, with their scores (C,), the difference that
    is beyond chance for each two of them, and (C, C) chances that one is ahead of another.
    """

    names: tuple[str, ...]
    scores: Floats
    difference: Difference
    ahead: Floats | None


def sureness_document(
    ranked: Sequence[str], compared: Compared | None, reason: str
) -> dict[str, Any]:
    """Return rank sets, chances of being ahead and what a difference means; or one reason why none
    of them is known.

    ``ranked`` are all configurations of the main ranking. Those that are not compared may have any
    rank.
    """
    why = _why_unknown(ranked, compared, reason)
    if why or compared is None:
        unknown = {
            "difference_beyond_chance": None,
            "n": 0,
            "pairs": 0,
            "apart": 0,
            "method": "",
            "note": why,
        }
        return {
            "rank_sets": None,
            "ahead": None,
            "tiers": None,
            "sureness_note": why,
            "one_point": unknown,
        }
    others = len(ranked) - len(compared.names)
    sets = dict(zip(compared.names, sets_of(compared.scores, compared.difference), strict=True))
    return {
        "rank_sets": {
            name: _rank_set(sets.get(name), others, len(ranked), compared.difference.method)
            for name in ranked
        },
        "ahead": _ahead(compared),
        "tiers": _tiers(compared),
        "sureness_note": "",
        "one_point": {
            "difference_beyond_chance": rounded(compared.difference.typical),
            "n": len(compared.names),
            **_pairs(compared),
            "method": compared.difference.method,
            "note": "",
        },
    }


def _tiers(compared: Compared) -> list[list[str]]:
    """Return the groups whose members cannot be told apart, best first."""
    groups = tiers(compared.scores, compared.difference)
    return [[compared.names[place] for place in group] for group in groups]


def _pairs(compared: Compared) -> dict[str, int]:
    """Return how many pairs there are, and how many of them can be told apart."""
    first, second = np.triu_indices(len(compared.names), 1)
    far = np.abs(compared.scores[first] - compared.scores[second])
    return {
        "pairs": len(first),
        "apart": int((far > compared.difference.beyond[first, second]).sum()),
    }


def _why_unknown(ranked: Sequence[str], compared: Compared | None, reason: str) -> str:
    if len(ranked) < 2:  # noqa: PLR2004
        return "fewer than two configurations are ranked"
    if len(ranked) > MOST_COMPARED:
        return f"more than {MOST_COMPARED} configurations are not compared pair by pair"
    if compared is None or len(compared.names) < 2:  # noqa: PLR2004
        return reason or "fewer than two ranked configurations can be compared"
    return compared.difference.reason


def _rank_set(found: RankSet | None, others: int, ranked: int, method: str) -> dict[str, Any]:
    """Return the ranks that cannot be ruled out when ``others`` may lie anywhere."""
    if found is None:
        return {"low": 1, "high": ranked, "n": ranked, "method": "not compared"}
    return {"low": found.low, "high": found.high + others, "n": ranked, "method": method}


def _ahead(compared: Compared) -> dict[str, Any] | None:
    """Return the chance that a configuration (row) is ahead of another (column), and the p-value
    of their difference after Holm's correction for all pairs; not for a crowd.
    """
    if compared.ahead is None or len(compared.names) > MOST_PAIRS_SHOWN:
        return None
    return {
        "configurations": list(compared.names),
        "chance": _rounded(compared.ahead),
        "adjusted_p": _rounded(holm_matrix(compared.ahead)),
    }


def _rounded(matrix: Floats) -> list[list[float]]:
    return [[rounded(float(value)) for value in row] for row in matrix]
