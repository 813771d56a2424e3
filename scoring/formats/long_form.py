"""One row per answer with the rating as a number, as R and pandas like it: NA is missing to both.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scoring.records import RoundRecord
from scoring.release.rows import RowOfCells
from scoring.release.writers import write_csv

NAME = "long.csv"
MISSING = "NA"
HEADER = ("round", "configuration", "family", "track", "scene", "replicate", "clip", "reviewer",
          "role", "question",
          "kind", "value", "rating", "na_reason")  # fmt: skip


def write_long_form(folder: Path, record: RoundRecord) -> None:
    """Write ``long.csv``."""
    write_csv(folder / NAME, HEADER, _rows(record))


def _rows(record: RoundRecord) -> Iterator[RowOfCells]:
    configurations = {configuration.name: configuration for configuration in record.configurations}
    questions = [
        (
            question,
            "rating" if record.protocol.is_scale(record.protocol.question(question)) else "fact",
            record.book.responses(question),
        )
        for question in record.book.questions
    ]
    sheets = record.sheets
    places = zip(
        sheets.cell.tolist(), sheets.reviewer.tolist(), sheets.answers.tolist(), strict=True
    )
    for cell_place, reviewer_place, answers in places:
        cell, reviewer = record.cells[cell_place], record.reviewers[reviewer_place]
        about = configurations[cell.configuration]
        first = (
            record.name,
            cell.configuration,
            about.family or MISSING,
            about.track,
            cell.scene,
            cell.replicate,
        )
        for (question, kind, responses), code in zip(questions, answers, strict=True):
            value, reason = responses[code].value, responses[code].na_reason
            rating = value if kind == "rating" and value is not None else MISSING
            yield (*first, cell.stimulus, reviewer.code, reviewer.role, question, kind,
                   value or MISSING, rating,
                   reason or MISSING)  # fmt: skip
