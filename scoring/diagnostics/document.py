"""What is known of each reviewer, as plain JSON: severity, minority votes, agreement, N/A, flags.

No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fartbench.numbers import exact_number, number_text
from scoring.diagnostics.severity import Floats, Severities, correlation_with_others, severities
from scoring.records import MISSING, Integers, Tally, count_codes
from scoring.reports.agreement import level_of
from scoring.reports.gates import read_gates
from scoring.reports.groups import share_of
from scoring.reports.shape import estimate_document, rounded
from scoring.stats.agreement import alpha, alpha_value, find_patterns
from scoring.stats.estimate import Estimate, Undefined, without_interval
from scoring.stats.intervals import jackknife_interval

# Among good reviewers of 100 clips the largest gain is below .053 and the smallest correlation
# above .625 in 95 of 100 rounds; one who answers at random is found by these limits every time (our
# simulation).
GAIN_FLAG, CORRELATION_FLAG, FEWEST_TO_FLAG = 0.10, 0.40, 20
MOST_LEFT_OUT = 100
UNCLEAR = "unclear"


def diagnostics_document(votes: Tally, conduct: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return each reviewer of the primary cohort, and how agreement and gates stand without each.

    ``conduct`` is how each behaved (time, playback), by code. Nothing is removed: the cohort was
    fixed before.
    """
    sensitivity = {
        question: _without_each(votes, question) for question in votes.record.book.questions
    }
    return {
        "round": votes.record.name,
        "reviewers": [
            _reviewer(votes, place, code, conduct.get(code, {}), sensitivity)
            for place, code in enumerate(votes.record.primary)
        ],
        "sensitivity": {
            "alpha": {question: found["alpha"] for question, found in sensitivity.items()},
            "gates": _gates_without_each(votes),
        },
    }


def _reviewer(
    votes: Tally, place: int, code: str, conduct: Mapping[str, Any], sensitivity: Mapping[str, Any]
) -> dict[str, Any]:
    protocol = votes.record.protocol
    scales = [question.key for question in protocol.questions if protocol.is_scale(question)]
    ratings = {
        question: _rating(votes, question, place, sensitivity[question]["gain"][place])
        for question in scales
    }
    facts = {question: _fact(votes, question, place) for question in protocol.scoring.gates}
    minority_votes = {
        "count": sum(fact["minority_votes"] for fact in facts.values()),
        "n": sum(fact["three_to_one"] for fact in facts.values()),
    }
    flags: list[Any] = []
    for question, rating in ratings.items():
        flags += _flags(question, rating)
    return {
        "reviewer": code,
        "sheets": int((votes.codes[votes.record.book.questions[0]][:, place] >= 0).sum()),
        "ratings": ratings,
        "facts": facts,
        "minority_votes": minority_votes,
        "na": {question: _na(votes, question, place) for question in votes.record.book.questions},
        **conduct,
        "flags": flags,
    }


def _rating(votes: Tally, question: str, place: int, gain: Estimate | Undefined) -> dict[str, Any]:
    numbers = votes.numbers(question)
    fitted: Severities = severities(numbers, votes.configuration)
    own = numbers[:, place][~np.isnan(numbers[:, place])]
    values = [float(value) for value in votes.record.book.values(question)]
    sd = fitted.sd[place]
    return {
        "n": own.size,
        "severity": estimate_document(fitted.severity[place]),
        "residual_sd": None if sd is None else rounded(sd),
        "counts": {exact_number(value): int((own == value).sum()) for value in values},
        "correlation_with_others": estimate_document(
            correlation_with_others(numbers, place, votes.configuration)
        ),
        "alpha_gain_without": estimate_document(gain),
    }


def _fact(votes: Tally, question: str, place: int) -> dict[str, Any]:
    """Return how often the reviewer stood alone, and how often as three others who all agreed."""
    values = len(votes.record.book.values(question))
    pooled = np.minimum(
        votes.codes[question][votes.complete], values
    )  # all N/A reasons are one answer
    own, others = pooled[:, place], np.delete(pooled, place, axis=1)
    alike = (others == others[:, :1]).all(axis=1)
    table = count_codes(pooled, values)
    lone = table.max(axis=1, initial=0) == pooled.shape[1] - 1
    agrees = own[alike] == others[alike, 0]
    unclear = votes.record.book.codes(question).get(UNCLEAR, MISSING)
    return {
        "minority_votes": int((alike & (own != others[:, 0])).sum()),
        "three_to_one": int(lone.sum()),
        "agreement_with_others": estimate_document(
            share_of(agrees, votes.configuration[votes.complete][alike])
        ),
        "unclear": {"count": int((own == unclear).sum()), "n": own.size},
    }


def _values(votes: Tally, question: str) -> tuple[str, ...]:
    return votes.record.book.values(question)


def _na(votes: Tally, question: str, place: int) -> dict[str, int]:
    own = votes.codes[question][:, place]
    return {"count": int((own >= len(_values(votes, question))).sum()), "n": int((own >= 0).sum())}


def _flags(question: str, found: Mapping[str, Any]) -> list[str]:
    gain, correlation = (
        _enough(found["alpha_gain_without"]),
        _enough(found["correlation_with_others"]),
    )
    flags = []
    if gain is not None and gain > GAIN_FLAG:
        flags.append(f"{question}: alpha rises by {number_text(gain, '.2f')} without this reviewer")
    if correlation is not None and correlation < CORRELATION_FLAG:
        flags.append(
            f"{question}: correlation with the others is {number_text(correlation, '.2f')}"
        )
    return flags


def _enough(estimate: Mapping[str, Any]) -> float | None:
    """Return the value where enough clips stand behind it."""
    return estimate["value"] if estimate["n"] >= FEWEST_TO_FLAG else None


def _without_each(votes: Tally, question: str) -> dict[str, Any]:
    """Return alpha of everybody and without each reviewer, and what alpha gains without each."""
    values, level = len(_values(votes, question)), level_of(votes, question)
    rows, configurations = votes.complete, votes.configuration[votes.complete]
    codes = votes.codes[question][rows]
    everybody = count_codes(codes, values)[:, :-1]

    def document(table: Integers) -> dict[str, Any]:
        return estimate_document(alpha(table, level, configurations=configurations))

    found: dict[str, Any] = {"everybody": document(everybody)}
    gains: list[Estimate | Undefined] = []
    for place, code in enumerate(votes.record.primary):
        table = count_codes(np.delete(codes, place, axis=1), values)[:, :-1]
        found[code] = document(table)
        gains.append(
            _gain(
                everybody,
                table,
                configurations,
                lambda counts: alpha_value(find_patterns(counts), level),
            )
        )
    return {"alpha": found, "gain": gains}


def _gain(
    everybody: Integers, without: Integers, configurations: Integers, value: Any
) -> Estimate | Undefined:
    """What alpha gains, with the interval of leaving out one configuration after the other."""
    n = int((without.sum(axis=1) > 1).sum())

    def gain(rows: Any) -> float:
        before, after = value(everybody[rows]), value(without[rows])
        return (
            float("nan")
            if isinstance(before, Undefined) or isinstance(after, Undefined)
            else after - before
        )

    found = gain(slice(None))
    if np.isnan(found):
        return Undefined("alpha is undefined", n)
    groups = np.unique(configurations)
    if len(groups) > MOST_LEFT_OUT:
        return without_interval(
            found, n, f"not computed for more than {MOST_LEFT_OUT} configurations"
        )
    left_out: Floats = np.array([gain(configurations != group) for group in groups])
    return jackknife_interval(found, left_out, n)


def _gates_without_each(votes: Tally) -> dict[str, Any]:
    """Return how many clips pass each gate with everybody, and with the same quorum among those who
    are left.
    """
    found: dict[str, Any] = {}
    for key, gate in read_gates(votes).items():
        yes = votes.record.book.values(key).index("yes")
        codes = votes.codes[key][votes.complete]
        found[key] = {
            "n": len(codes),
            "everybody": int(gate.passed.sum()),
            **{
                code: int(
                    (
                        (np.delete(codes, place, axis=1) == yes).sum(axis=1) >= votes.record.quorum
                    ).sum()
                )
                for place, code in enumerate(votes.record.primary)
            },
        }
    return found
