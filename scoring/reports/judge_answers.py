"""A judge's answers brought into the cells of a round, for comparison with the votes of people.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.records import MISSING, Codes, RoundRecord
from scoring.records.judges import ANSWERED, ENDED, JudgeRecord

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JudgeAnswers:
    """One judge over all cells of a round.

    ``codes`` by question: (cells,) codes of the record's `AnswerBook`, MISSING where there is no
    answer. ``asked``: (cells,) whether the judge was asked and whatever came of it is known.
    """

    judge: JudgeRecord
    record: RoundRecord
    codes: dict[str, Codes]
    asked: NDArray[np.bool_]

    def ratings(self, question: str) -> Floats:
        """Return (cells,) ratings on a scale, nan for N/A and for what is missing."""
        values = np.array([float(value) for value in self.record.book.values(question)])
        codes = self.codes[question]
        known = (codes >= 0) & (codes < len(values))
        return np.where(known, values[np.where(known, codes, 0)], np.nan)


def read_judge(record: RoundRecord, judge: JudgeRecord) -> JudgeAnswers:
    """Bring the runs of a judge into cells."""
    codes_of = {question: record.book.codes(question) for question in record.book.questions}
    codes = {question: np.full(len(record.cells), MISSING, dtype=np.int8) for question in codes_of}
    asked = np.zeros(len(record.cells), dtype=bool)
    for run in judge.runs:
        asked[run.cell] = run.state in ENDED
        if run.state == ANSWERED:
            for question, table in codes_of.items():
                codes[question][run.cell] = table[run.answers[question]]
    return JudgeAnswers(judge, record, codes, asked)
