"""Reviewers, their assignments, and answers as rows. Nothing here knows configurations."""

from review.answering import Source
from review.models.clips import Assignment, OrderPlan, Retirement, TrainingClip
from review.models.consent import Consent, ConsentText
from review.models.forms import AllowedAnswer, Form, FormQuestion
from review.models.pairs import Pair, PairTask, Vote
from review.models.people import CohortMember, Invite, Reviewer, Role
from review.models.sheets import Answer, AnswerSheet, MistakeReport

__all__ = [
    "AllowedAnswer",
    "Answer",
    "AnswerSheet",
    "Assignment",
    "CohortMember",
    "Consent",
    "ConsentText",
    "Form",
    "FormQuestion",
    "Invite",
    "MistakeReport",
    "OrderPlan",
    "Pair",
    "PairTask",
    "Retirement",
    "Reviewer",
    "Role",
    "Source",
    "TrainingClip",
    "Vote",
]
