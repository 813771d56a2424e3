"""Reads how the reviewers of a round went about it, and joins it with how they answered."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

from fartbench.models import Round, RoundState
from fartbench.rounds import refuse_unless
from review.models import AnswerSheet, Role
from scoring.diagnostics.document import diagnostics_document
from scoring.records import tally
from scoring.records.reading import read_round
from scoring.records.sheet_reading import ROWS_AT_ONCE
from scoring.reports.shape import rounded


def reviewer_diagnostics(round_: Round) -> dict[str, Any]:
    """Return what is known of each reviewer of a closed round, as plain JSON.

    Raises StepOutOfOrder while the round is open, and RoundAltered.
    """
    refuse_unless(round_, "diagnose", RoundState.LOCKED, RoundState.PUBLISHED)
    return diagnostics_document(tally(read_round(round_)), read_conduct(round_))


def read_conduct(round_: Round) -> dict[str, dict[str, Any]]:
    """Return time per clip and playback of each reviewer of the primary cohort, by code."""
    seconds: dict[str, list[float]] = defaultdict(list)
    playback: dict[str, dict[str, int]] = defaultdict(
        lambda: {
            "measured": 0,
            "not_measured": 0,
            "left_as_unplayable": 0,
            "muted": 0,
            "replayed": 0,
        }
    )
    sheets = AnswerSheet.objects.filter(
        stimulus__round=round_, stimulus__retirement=None,
        reviewer__memberships__round=round_, reviewer__memberships__role=Role.PRIMARY,
    )  # fmt: skip
    rows = sheets.values_list(
        "reviewer__code", "started_at", "locked_at", "unplayable_at", "playback"
    )
    for code, started, locked, unplayable, report in rows.iterator(chunk_size=ROWS_AT_ONCE):
        counts = playback[code]
        if unplayable is not None:
            counts["left_as_unplayable"] += 1
        if locked is None:
            continue
        counts["measured" if report else "not_measured"] += 1
        if report:
            seconds[code].append((locked - started).total_seconds())
            counts["muted"] += report.get("muted_s", 0) > 0
            counts["replayed"] += report.get("plays", 0) > 1
    return {
        code: {"seconds_per_clip": _median(seconds[code]), "playback": counts}
        for code, counts in playback.items()
    }


def _median(found: list[float]) -> dict[str, Any]:
    """The median, of sheets whose playback was measured: imported ones took no time here."""
    return {"median": rounded(median(found)) if found else None, "n": len(found)}
