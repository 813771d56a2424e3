"""What a judge's answers depend on: its sensitivity runs against its frozen one. No Django here.

They calibrate nothing and never replace the frozen run.
"""

from __future__ import annotations

import numpy as np

from scoring.records import MISSING, Tally
from scoring.report_classes.judges import Sensitivity
from scoring.reports.groups import share_of
from scoring.reports.judge_answers import JudgeAnswers
from scoring.reports.shape import reported
from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import Floats, jackknife_interval


def sensitivity_of(
    votes: Tally, frozen: JudgeAnswers, varied: JudgeAnswers
) -> dict[str, Sensitivity]:
    """Return for each question how often the answer stayed the same, and for scales how far the
    ratings moved.
    """
    protocol = votes.record.protocol
    answers = {}
    for question in protocol.questions:
        kept = reported(_kept(votes, frozen, varied, question.key))
        if protocol.is_scale(question):
            moved = reported(_moved(votes, frozen, varied, question.key))
            answers[question.key] = Sensitivity(kept=kept, moved=moved)
        else:
            answers[question.key] = Sensitivity(kept=kept)
    return answers


def _kept(
    votes: Tally, frozen: JudgeAnswers, varied: JudgeAnswers, question: str
) -> Estimate | Undefined:
    one, other = frozen.codes[question], varied.codes[question]
    both = np.flatnonzero((one != MISSING) & (other != MISSING))
    return share_of(one[both] == other[both], votes.configuration[both])


def _moved(
    votes: Tally, frozen: JudgeAnswers, varied: JudgeAnswers, question: str
) -> Estimate | Undefined:
    """The mean of varied less frozen ratings, with the jackknife over configurations."""
    change: Floats = varied.ratings(question) - frozen.ratings(question)
    both = np.flatnonzero(~np.isnan(change))
    if not both.size:
        return Undefined("no clip was rated in both runs")
    names, member = np.unique(votes.configuration[both], return_inverse=True)
    sums = np.bincount(member, weights=change[both], minlength=names.size)
    rest = both.size - np.bincount(member, minlength=names.size)
    total = float(change[both].sum())
    left_out = np.divide(total - sums, rest, out=np.full(names.size, np.nan), where=rest > 0)
    return jackknife_interval(total / both.size, left_out, both.size)
