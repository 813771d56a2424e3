"""The answers of a round's primary cohort, brought from sheets into cells. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.errors import NothingWhole
from scoring.records.answers import MISSING, Codes, Integers
from scoring.records.round import RoundRecord


@dataclass(frozen=True)
class Tally:
    """The answers of the primary cohort by cell.

    codes: for each question (cells, reviewers) answer codes, ``MISSING`` where a sheet is not
    locked; complete: (cells,) whether the whole cohort has locked a sheet; configuration and scene:
    (cells,) places in ``names`` and in the record's scenes.
    """

    record: RoundRecord
    codes: Mapping[str, Codes]
    complete: NDArray[np.bool_]
    delivered: NDArray[np.bool_]
    configuration: Integers
    scene: Integers
    names: tuple[str, ...]

    def counts(self, question: str) -> Integers:
        """Return (cells, values + 1) how many of the cohort gave each value, and in the last column
        N/A.
        """
        return count_codes(self.codes[question], len(self.record.book.values(question)))

    def numbers(self, question: str) -> NDArray[np.float64]:
        """Return (cells, reviewers) the numbers of a scale, nan for N/A and for what is missing."""
        values = np.array([float(value) for value in self.record.book.values(question)])
        codes = self.codes[question]
        known = (codes >= 0) & (codes < len(values))
        return np.where(known, values[np.where(known, codes, 0)], np.nan)

    def without(self, reviewer: int) -> dict[str, Codes]:
        """Return the codes of each question as if one reviewer's answers were missing."""
        return {
            question: np.delete(codes, reviewer, axis=1) for question, codes in self.codes.items()
        }


def count_codes(codes: Codes, values: int) -> Integers:
    """Return (rows, values + 1) how often each value is in a row of codes, and in the last
    column N/A.
    """
    columns = [(codes == value).sum(axis=1) for value in range(values)]
    return np.stack([*columns, (codes >= values).sum(axis=1)], axis=1)


def tally(record: RoundRecord) -> Tally:
    """Bring the sheets of the primary cohort into cells x reviewers.

    Raises NothingWhole for a round of rollouts, where one reviewer has many sheets in a cell.
    """
    if record.protocol.rollouts is not None:
        raise NothingWhole(
            f"Round {record.name!r} has rollouts, which are judged window by window: see its "
            "columns (“score”), not "
            "what is counted over whole clips."
        )
    sheet_of = _sheet_of(record)
    there = sheet_of != MISSING
    names = tuple(sorted({cell.configuration for cell in record.cells}))
    number = {name: place for place, name in enumerate(names)}
    scenes = {key: place for place, key in enumerate(record.scenes)}
    codes = {
        question: _taken(record.sheets.answers[:, column], sheet_of, there)
        for column, question in enumerate(record.book.questions)
    }
    delivered = [bool(cell.stimulus) for cell in record.cells]
    configuration = [number[cell.configuration] for cell in record.cells]
    scene = [scenes[cell.scene] for cell in record.cells]
    return Tally(
        record=record,
        codes=codes,
        complete=there.sum(axis=1) == record.cohort,
        delivered=np.array(delivered, dtype=bool),
        configuration=np.array(configuration, dtype=np.int64),
        scene=np.array(scene, dtype=np.int64),
        names=names,
    )


def _sheet_of(record: RoundRecord) -> Integers:
    """(cells, cohort) which sheet a reviewer of the primary cohort locked on a cell."""
    place = {code: number for number, code in enumerate(record.primary)}
    seat = np.array(
        [place.get(reviewer.code, MISSING) for reviewer in record.reviewers], dtype=np.int64
    )
    seats = seat[record.sheets.reviewer]
    counted = seats != MISSING
    found = np.full((len(record.cells), max(len(place), record.cohort)), MISSING, dtype=np.int64)
    found[record.sheets.cell[counted], seats[counted]] = np.flatnonzero(counted)
    return found


def _taken(answers: Codes, sheet_of: Integers, there: NDArray[np.bool_]) -> Codes:
    if not len(answers):
        return np.full(sheet_of.shape, MISSING, dtype=np.int8)
    return np.where(there, answers[np.where(there, sheet_of, 0)], np.int8(MISSING))
