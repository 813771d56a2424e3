"""Rounds of Core v0.1 as columns for tests: no database."""

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
from tests.factories import CORE_V01, pilot_answers

Answers = Mapping[str, str]
SCENES = tuple(f"fb-c0{number}" for number in range(1, 9))


@cache
def core_v01() -> ProtocolFile:
    """Return the protocol's file, read once."""
    return load_protocol(CORE_V01)


def make_pilot(
    *,
    configurations: Sequence[str] = ("alpha", "beta", "gamma"),
    scenes: Sequence[str] = SCENES,
    replicates: int = 1,
    reviewers: int = 3,
    answers: Mapping[tuple[str, str, int], Sequence[Answers] | Answers] | None = None,
    cells: Mapping[tuple[str, str, int], Mapping[str, str]] | None = None,
    tracks: Mapping[str, str] | None = None,
    families: Mapping[str, str] | None = None,
) -> RoundRecord:
    """Return a pilot in which every clip complies and every dimension is 3.

    ``answers`` are changes to the sheets of a clip (configuration, scene, replicate), for all
    reviewers or for each; ``cells`` are changes to the cell's record.
    """
    loaded, found = core_v01(), []
    for name in sorted(configurations):
        for scene in scenes:
            for replicate in range(1, replicates + 1):
                changes = dict((cells or {}).get((name, scene, replicate), {}))
                outcome = changes.pop("outcome", DELIVERED)
                stimulus = f"s-{name}-{scene}-{replicate}" if outcome == DELIVERED else ""
                raw = "0" * 64 if stimulus else ""
                found.append(
                    CellRecord(
                        name,
                        scene,
                        replicate,
                        outcome,
                        stimulus=stimulus,
                        raw_sha256=raw,
                        **changes,
                    )
                )
    book = AnswerBook(loaded.protocol)
    places, codes = [], []
    for place, cell in enumerate(found):
        for reviewer in range(reviewers if cell.stimulus else 0):
            given = (answers or {}).get((cell.configuration, cell.scene, cell.replicate), {})
            own = given if isinstance(given, Mapping) else given[reviewer]
            sheet = pilot_answers(cell.scene, **own)
            places.append((place, reviewer))
            codes.append(
                [book.codes(question)[str(sheet[question])] for question in book.questions]
            )
    return RoundRecord(
        name="p1",
        protocol=loaded.protocol,
        protocol_digest=loaded.digest,
        scenes=tuple(scenes),
        replicates=replicates,
        seed="seed of p1",
        opened_at="2026-01-01T00:00:00Z",
        closed_at="2026-02-01T00:00:00Z",
        incomplete_reason="",
        cells=tuple(found),
        configurations=tuple(
            ConfigurationRecord(name, name.title(), family, "imported", "", track, False)
            for name in sorted(configurations)
            for family, track in [
                ((families or {}).get(name, ""), (tracks or {}).get(name, "core-av"))
            ]
        ),
        reviewers=tuple(ReviewerRecord(f"R-{number}", "primary") for number in range(reviewers)),
        sheets=Sheets(
            cell=np.array([cell for cell, _ in places], dtype=np.int64),
            reviewer=np.array([reviewer for _, reviewer in places], dtype=np.int64),
            answers=np.array(codes, dtype=np.int8).reshape(-1, len(book.questions)),
            source=["imported"] * len(places),
            measured=[False] * len(places),
            locked_at=["2026-01-15T12:00:00Z"] * len(places),
            digest=[f"{number:064x}" for number in range(len(places))],
        ),
    )
