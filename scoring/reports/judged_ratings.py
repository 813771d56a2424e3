"""Whether a judge's ratings are near people's, and whether it tells clips apart at all. No Django
here.

The consensus of people is the unrounded median of their numeric ratings, where there are enough of
them. A small mean absolute error can be had by saying the middle of every clip, so it is never
shown without what the best constant would reach and without within-scene Somers' D
(`scoring.stats.discrimination`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fartbench.protocol.judges import Calibration
from scoring.records import Tally
from scoring.report_classes.judges import BestConstant, Discrimination, JudgedScale
from scoring.reports.judge_answers import JudgeAnswers
from scoring.reports.shape import reported, rounded
from scoring.stats.discrimination import Ordering, somers_d
from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import jackknife_interval

Floats = NDArray[np.float64]


def judged_ratings(
    votes: Tally, answers: JudgeAnswers, rules: Calibration
) -> dict[str, JudgedScale]:
    """Return every scale of the protocol."""
    protocol = votes.record.protocol
    scales = [question.key for question in protocol.questions if protocol.is_scale(question)]
    return {question: _scale(votes, answers, question, rules) for question in scales}


def human_consensus(votes: Tally, question: str, fewest: int) -> Floats:
    """Return (cells,) unrounded medians of at least ``fewest`` numeric ratings of a complete
    cohort, else nan.
    """
    ratings = votes.numbers(question)
    enough = votes.complete & (np.count_nonzero(~np.isnan(ratings), axis=1) >= fewest)
    found = np.full(len(ratings), np.nan)
    if enough.any():
        found[enough] = np.nanmedian(ratings[enough], axis=1)
    return found


def _scale(votes: Tally, answers: JudgeAnswers, question: str, rules: Calibration) -> JudgedScale:
    human, judge = human_consensus(votes, question, rules.fewest_ratings), answers.ratings(question)
    rated = ~np.isnan(human) & answers.asked
    both = np.flatnonzero(rated & ~np.isnan(judge))
    clips, missing = int(rated.sum()), int(rated.sum()) - len(both)
    off = np.abs(human[both] - judge[both])
    configurations = votes.configuration[both]
    criterion = _criterion(off, clips, missing, rules)
    ordering = somers_d(human[both], judge[both], votes.scene[both], configurations)
    demonstrated, why = _demonstrated(ordering, rules)
    words = "demonstrated" if demonstrated else "not demonstrated"
    if why:
        words += f" (not estimable: {why})"
    return JudgedScale(
        n=len(both),
        clips=clips,
        missing=missing,
        not_asked=int((~np.isnan(human) & ~answers.asked).sum()),
        mae=reported(_mae(off, configurations)),
        best_constant=_best_constant(human[both], off, configurations),
        criterion=criterion,
        discrimination=Discrimination(
            d=reported(ordering.d),
            ordered_rightly=reported(_chance(ordering.d)),
            pairs=ordering.pairs,
            configurations=ordering.configurations,
            demonstrated=demonstrated,
            not_estimable=why,
        ),
        reads=f"MAE criterion {criterion} · useful discrimination {words}",
    )


def _criterion(off: Floats, clips: int, missing: int, rules: Calibration) -> str:
    share = rules.most_missing
    if not off.size or missing * share.of > share.part * clips:
        return f"not estimable ({missing} of {clips} ratings missing)"
    # Medians are whole or half points, so twice the sum is a whole number and is compared as one.
    twice = round(2 * float(off.sum()))
    return "met" if twice <= 2 * rules.mae_at_most * off.size else "not met"


def _mae(off: Floats, configurations: NDArray[np.int64]) -> Estimate | Undefined:
    if not off.size:
        return Undefined("no clip was rated by both")
    names, member = np.unique(configurations, return_inverse=True)
    sums = np.bincount(member, weights=off, minlength=names.size)
    sizes = np.bincount(member, minlength=names.size)
    rest = off.size - sizes
    left_out = np.divide(off.sum() - sums, rest, out=np.full(names.size, np.nan), where=rest > 0)
    return jackknife_interval(float(off.mean()), left_out, off.size, bounds=(0.0, np.inf))


def _best_constant(human: Floats, off: Floats, configurations: NDArray[np.int64]) -> BestConstant:
    """Return the constant with the least error, its error, and how much less the judge's is:
    ``skill`` of 1. Both have the interval of the jackknife over configurations.
    """
    if not human.size:
        none = reported(Undefined("no clip was rated by both"))
        return BestConstant(rating=None, mae=none, skill=none)
    error, skill = _against_constant(human, off)
    without = [
        _against_constant(human[rest], off[rest])
        for rest in (configurations != name for name in np.unique(configurations))
        if rest.any()
    ]
    errors, skills = [one for one, _ in without], [other for _, other in without]
    if np.isnan(skill):
        skill_estimate: Estimate | Undefined = Undefined(
            "people gave every clip the same rating", human.size
        )
    else:
        skill_estimate = jackknife_interval(skill, skills, human.size, bounds=(-np.inf, 1.0))
    return BestConstant(
        rating=rounded(float(np.median(human))),
        mae=reported(jackknife_interval(error, errors, human.size, bounds=(0.0, np.inf))),
        skill=reported(skill_estimate),
    )


def _against_constant(human: Floats, off: Floats) -> tuple[float, float]:
    """Return the least error of a constant, and the judge's skill (nan where that error is 0)."""
    error = float(np.abs(human - np.median(human)).mean())
    return error, 1 - float(off.mean()) / error if error > 0 else np.nan


def _demonstrated(ordering: Ordering, rules: Calibration) -> tuple[bool, str]:
    needed = rules.discrimination
    if ordering.configurations < needed.fewest_configurations:
        return False, f"{ordering.configurations} configurations"
    if ordering.pairs < needed.fewest_pairs:
        return False, f"{ordering.pairs} pairs"
    found = ordering.d
    if ordering.is_constant and isinstance(found, Estimate):
        return found.value > 0, ""
    if isinstance(found, Undefined) or found.low is None:
        return False, found.reason if isinstance(found, Undefined) else found.note
    return found.low > 0, ""


def _chance(d: Estimate | Undefined) -> Estimate | Undefined:
    """Return D as the chance of ordering a pair rightly, ties counting half."""
    if isinstance(d, Undefined):
        return d
    low, high = (None if limit is None else (limit + 1) / 2 for limit in (d.low, d.high))
    return replace(d, value=(d.value + 1) / 2, low=low, high=high)
