"""Ratings as tools for crowdsourced ITU-T P.910 tests write them: a table per clip, one per worker.
No Django here.

Each rating scale is a test of its own there, so each gets its own pair of files. Facts are no
ratings and stay out, and an N/A is no vote.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fartbench.numbers import exact_number
from scoring.records import CellRecord, RoundRecord, Tally, tally
from scoring.release.rows import RowOfCells
from scoring.release.writers import write_csv
from scoring.stats.intervals import student_t

WORKER_HEADER = ("HITId", "workerid", "file", "short_file_name", "vote", "condition")


def write_p910(folder: Path, record: RoundRecord) -> None:
    """Write ``SCALE_votes_per_clip.csv`` and ``SCALE_votes_per_worker.csv`` for each rating
    scale.
    """
    votes = tally(record)
    for question in record.protocol.questions:
        if record.protocol.is_scale(question):
            rows = list(_clips(votes, question.key))
            write_csv(
                folder / f"{question.key}_votes_per_clip.csv",
                _clip_header(len(votes.record.primary)),
                rows,
            )
            write_csv(
                folder / f"{question.key}_votes_per_worker.csv",
                WORKER_HEADER,
                _workers(votes, question.key),
            )


def _clip_header(reviewers: int) -> list[str]:
    numbered = [f"vote_{number}" for number in range(1, reviewers + 1)]
    return ["file_url", "short_file_name", *numbered, "n", "MOS", "std", "95%CI", "condition"]


def _clips(votes: Tally, question: str) -> Iterator[RowOfCells]:
    """Yield a row per clip: its votes by the places of the cohort, their mean, standard deviation
    and half interval.
    """
    width = len(votes.record.primary)
    for cell, row in zip(votes.record.cells, votes.numbers(question), strict=True):
        if not cell.stimulus:
            continue
        given = row[~np.isnan(row)]
        shown = ["" if math.isnan(value) else exact_number(value) for value in row[:width]]
        yield (*_file(cell), *shown, given.size, *_moments(given), _condition(cell))


def _moments(given: np.ndarray) -> tuple[str, str, str]:
    if not given.size:
        return "", "", ""
    if given.size == 1:
        return exact_number(given[0]), "", ""
    std = float(given.std(ddof=1))
    half = student_t(given.size - 1) * std / math.sqrt(given.size)
    return f"{given.mean():.10g}", f"{std:.10g}", f"{half:.10g}"


def _workers(votes: Tally, question: str) -> Iterator[RowOfCells]:
    """Yield a row per vote; a reviewer's whole round is one HIT."""
    record = votes.record
    numbers = votes.numbers(question)
    for place, reviewer in enumerate(record.primary):
        for cell, value in zip(record.cells, numbers[:, place], strict=True):
            if cell.stimulus and not math.isnan(value):
                yield (
                    f"{record.name}-{reviewer}",
                    reviewer,
                    *_file(cell),
                    exact_number(value),
                    _condition(cell),
                )


def _file(cell: CellRecord) -> tuple[str, str]:
    return f"{cell.stimulus}.mp4", cell.stimulus


def _condition(cell: CellRecord) -> str:
    """Return what was tested: the configuration in a scene."""
    return f"{cell.configuration}/{cell.scene}"
