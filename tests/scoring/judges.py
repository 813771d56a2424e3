"""AI judges for rounds as columns: whatever a test wants each to have said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fartbench.protocol import digest_of
from scoring.records import CellRecord, RoundRecord
from scoring.records.judges import ANSWERED, FROZEN, JudgeRecord, JudgeRunRecord

Says = Callable[[CellRecord], Mapping[str, str] | str]


def make_judge(
    record: RoundRecord, says: Says, *, name: str = "judge", variant: str = FROZEN
) -> JudgeRecord:
    """Return a judge of every delivered cell.

    ``says`` gives its answers, or the state in which it ended instead.
    """
    content: dict[str, Any] = {
        "judge": {"label": name.title(), "service": "gemini", "model": name},
        "variant": variant,
    }
    runs = []
    for place, cell in enumerate(record.cells):
        if not cell.stimulus:
            continue
        said = says(cell)
        if isinstance(said, str):
            runs.append(JudgeRunRecord(cell=place, state=said, reason="because"))
        else:
            runs.append(
                JudgeRunRecord(
                    cell=place,
                    state=ANSWERED,
                    model_version=name,
                    answers=said,
                    cost_usd="0.002400",
                )
            )
    return JudgeRecord(
        name, variant, digest_of(content), "2026-01-02T00:00:00Z", content, tuple(runs)
    )


def judged(record: RoundRecord, *judges: JudgeRecord) -> RoundRecord:
    """Return the round with these judges."""
    return replace(record, judges=judges)
