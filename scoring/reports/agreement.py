"""Reviewer agreement on each question: votes, alpha and applicability. No Django here.

Alpha is nominal over the answers of a choice and ordinal over a scale with all its values; N/A is
missing there, and whether a question applies at all has a nominal alpha of its own
(`scoring.stats.agreement` has the sources).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from scoring.records import Integers, Tally
from scoring.report_classes.base import Everywhere
from scoring.report_classes.people import AgreementReport, AnswersGiven
from scoring.reports.groups import every_row, rows_by_scene
from scoring.reports.shape import reported
from scoring.stats.agreement import Level, alpha, applicability_counts
from scoring.stats.estimate import Estimate, Undefined

# Krippendorff's lowest limit for tentative conclusions (Content Analysis, 2019, ch. 12).
TENTATIVE = 0.667
FEWEST_TO_FLAG = 10


def agreement_report(votes: Tally) -> AgreementReport:
    """Return each question pooled over the scenes, and apart in each scene."""
    questions = votes.record.book.questions
    return AgreementReport(
        questions={question: _question(votes, question) for question in questions}
    )


def _question(votes: Tally, question: str) -> Everywhere[AnswersGiven]:
    return Everywhere[AnswersGiven](
        overall=answers_given(votes, question, every_row(votes)),
        by_scene={
            scene: answers_given(votes, question, rows) for scene, rows in rows_by_scene(votes)
        },
    )


def answers_given(votes: Tally, question: str, rows: Integers) -> AnswersGiven:
    """Return how the cohort agreed on one question over these cells."""
    complete = rows[votes.complete[rows]]
    table = votes.counts(question)[complete]
    configurations = votes.configuration[complete]
    level = level_of(votes, question)
    agreement = alpha(table[:, :-1], level, configurations=configurations)
    applicability = applicability_counts(table[:, :-1], table[:, -1])
    applies = alpha(applicability, Level.NOMINAL, configurations=configurations)
    cohort, quorum = votes.record.cohort, votes.record.quorum
    highest = table.max(axis=1, initial=0)
    return AnswersGiven(
        clips=len(complete),
        answers=_answers(votes, question, table),
        unanimous=int((highest == cohort).sum()),
        majority=int(((highest >= quorum) & (highest < cohort)).sum()),
        split=int((highest < quorum).sum()),
        patterns=_patterns(table),
        level=level.value,
        alpha=reported(agreement),
        applicability_alpha=reported(applies),
        revise_wording=should_be_reworded(agreement),
    )


def _answers(votes: Tally, question: str, table: Integers) -> dict[str, int]:
    """Return how often each answer was given; of numbers, which are many, those that were."""
    protocol = votes.record.protocol
    counts = dict(
        zip([*votes.record.book.values(question), "na"], table.sum(axis=0).tolist(), strict=True)
    )
    is_number = protocol.answer_set(protocol.question(question)).is_number
    return {answer: count for answer, count in counts.items() if count or not is_number}


def level_of(votes: Tally, question: str) -> Level:
    """Return how far apart different answers to a question are."""
    protocol = votes.record.protocol
    kind = protocol.answer_set(protocol.question(question)).kind
    return Level.NOMINAL if kind in {"choice", "flag"} else Level.ORDINAL


def should_be_reworded(found: Estimate | Undefined) -> bool:
    """Say whether reviewers disagree beyond chance of the sample (ours).

    The whole interval of alpha lies below Krippendorff's limit for tentative conclusions, on 10
    clips or more. Where there is no interval alpha itself is taken; where answers are few or most
    are the same, it may be low by chance and says nothing.
    """
    if (
        isinstance(found, Undefined)
        or found.n < FEWEST_TO_FLAG
        or (found.high is not None and found.note)
    ):
        return False
    return (found.value if found.high is None else found.high) < TENTATIVE


def _patterns(table: Integers) -> dict[str, int]:
    """Return how often the votes on a clip fell in each pattern, such as ``3-1``."""
    shapes, times = np.unique(-np.sort(-table, axis=1), axis=0, return_counts=True)
    patterns: Counter[str] = Counter()
    for shape, count in zip(shapes.tolist(), times.tolist(), strict=True):
        patterns["-".join(str(size) for size in shape if size)] += count
    return dict(patterns)
