"""A closed round as columns: all that scores, reports and releases are made from. No Django here.

The same record is read from the database and from the tables of a release, so that anyone who holds
a release can recompute everything in it. Answers are small whole numbers in arrays: a round of
millions of them fits in memory.
"""

from scoring.records.answers import MISSING, AnswerBook, Codes, Integers, Sheets
from scoring.records.round import PRIMARY, RoundRecord
from scoring.records.rows import (
    DELIVERED,
    NOT_REVIEWABLE,
    CellRecord,
    ConfigurationRecord,
    MeasuredRecord,
    ReviewerRecord,
    WindowRecord,
)
from scoring.records.tallying import Tally, count_codes, tally

__all__ = [
    "DELIVERED",
    "MISSING",
    "NOT_REVIEWABLE",
    "PRIMARY",
    "AnswerBook",
    "CellRecord",
    "Codes",
    "ConfigurationRecord",
    "Integers",
    "MeasuredRecord",
    "ReviewerRecord",
    "RoundRecord",
    "Sheets",
    "Tally",
    "WindowRecord",
    "count_codes",
    "tally",
]
