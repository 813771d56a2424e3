"""Rounds as columns for tests of scores and reports: no database, any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from fartbench.protocol import ProtocolFile, load_protocol
from scoring.records import (
    DELIVERED,
    AnswerBook,
    CellRecord,
    ConfigurationRecord,
    ReviewerRecord,
    RoundRecord,
    Sheets,
)
from tests.factories import CORE_R01

SCENES = ("r01-lift", "r01-squat", "r01-chair", "r01-toast")
ALL_RIGHT = {
    "event": "yes",
    "cause": "yes",
    "detail": "yes",
    "sound": "4",
    "timing": "4",
    "people": "5",
}
Place = tuple[str, str]  # configuration, scene


@cache
def core_r01() -> ProtocolFile:
    """Return the protocol's file, read once."""
    return load_protocol(CORE_R01)


def make_record(
    *,
    configurations: Sequence[str] = ("alpha", "beta", "gamma", "delta"),
    replicates: int = 1,
    votes: Mapping[Place, Mapping[str, Sequence[str]]] | None = None,
    refused: Mapping[Place, str] | None = None,
    reviewers: int = 4,
    locked: int | None = None,
) -> RoundRecord:
    """Return a round in which everybody answers `ALL_RIGHT`.

    ``votes`` are each reviewer's answers to a question of a cell's clips; ``refused`` cells have
    their reason; ``locked`` is how many of the cohort locked their sheets.
    """
    loaded = core_r01()
    cells = tuple(
        CellRecord(name, scene, replicate, "refused", (refused or {})[name, scene])
        if (name, scene) in (refused or {})
        else CellRecord(name, scene, replicate, DELIVERED, stimulus=f"s-{name}-{scene}-{replicate}")
        for name in sorted(configurations)
        for scene in SCENES
        for replicate in range(1, replicates + 1)
    )
    places = [
        (number, reviewer)
        for number, cell in enumerate(cells)
        if cell.stimulus
        for reviewer in range(reviewers if locked is None else locked)
    ]
    book = AnswerBook(loaded.protocol)
    answers = [
        [
            book.codes(question)[_answer(question, cells[cell], reviewer, votes or {})]
            for question in book.questions
        ]
        for cell, reviewer in places
    ]  # fmt: skip
    return RoundRecord(
        name="r1",
        protocol=loaded.protocol,
        protocol_digest=loaded.digest,
        scenes=SCENES,
        replicates=replicates,
        seed="seed of r1",
        opened_at="2026-01-01T00:00:00Z",
        closed_at="2026-02-01T00:00:00Z",
        incomplete_reason="",
        cells=cells,
        configurations=tuple(
            ConfigurationRecord(name, name.title(), "", "imported", "", "core-av", True)
            for name in configurations
        ),
        reviewers=tuple(ReviewerRecord(f"R-{number}", "primary") for number in range(reviewers)),
        sheets=Sheets(
            cell=np.array([cell for cell, _ in places], dtype=np.int64),
            reviewer=np.array([reviewer for _, reviewer in places], dtype=np.int64),
            answers=np.array(answers, dtype=np.int8).reshape(-1, len(book.questions)),
            source=["imported"] * len(places),
            measured=[False] * len(places),
            locked_at=["2026-01-15T12:00:00Z"] * len(places),
            digest=[f"{number:064x}" for number in range(len(places))],
        ),
    )


def _answer(
    question: str,
    cell: CellRecord,
    reviewer: int,
    votes: Mapping[Place, Mapping[str, Sequence[str]]],
) -> str:
    given = votes.get((cell.configuration, cell.scene), {}).get(question)
    return given[reviewer] if given else ALL_RIGHT[question]
