"""What reviewers said beside their answers: mistakes noticed in locked sheets, and clips that would not play."""

from __future__ import annotations

from dataclasses import dataclass

from fartbench.models import Round
from review.models import AnswerSheet, MistakeReport


@dataclass(frozen=True, slots=True)
class Comment:
    """What a reviewer (by code) said of a stimulus (by opaque id)."""

    reviewer: str
    stimulus: str
    text: str


def comments_of(round_: Round) -> list[Comment]:
    """Return every comment of a round: mistakes first, each kind in the order in which it was made."""
    mistakes = MistakeReport.objects.filter(sheet__stimulus__round=round_).order_by("pk")
    unplayable = AnswerSheet.objects.filter(stimulus__round=round_, unplayable_at__isnull=False).order_by("pk")
    return [
        *(
            Comment(found.sheet.reviewer.code, found.sheet.stimulus_id, found.text)
            for found in mistakes.select_related("sheet__reviewer")
        ),
        *(
            Comment(sheet.reviewer.code, sheet.stimulus_id, f"would not play: {sheet.unplayable_reason}")
            for sheet in unplayable.select_related("reviewer")
        ),
    ]
