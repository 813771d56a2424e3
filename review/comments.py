"""What reviewers said beside their answers: mistakes noticed in locked sheets, and clips that would
not play.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from blinding.models import Stimulus
from fartbench.models import Round
from review.models import AnswerSheet, MistakeReport


@dataclass(frozen=True, slots=True)
class Comment:
    """What a reviewer (by code) said of a stimulus (by opaque id)."""

    reviewer: str
    stimulus: str
    text: str


def live_clips(round_: Round) -> QuerySet[Stimulus]:
    """Return the stimuli of a round that count: a retired copy does not."""
    return round_.stimuli.filter(retirement=None)


def unplayable_sheets(round_: Round) -> QuerySet[AnswerSheet]:
    """Return the sheets that ended because a clip of the round that counts would not play."""
    sheets = AnswerSheet.objects.filter(
        stimulus__in=live_clips(round_), unplayable_at__isnull=False
    )
    return sheets.select_related("reviewer", "stimulus")


def comments_of(round_: Round) -> list[Comment]:
    """Return every comment on the clips of a round: mistakes first, each kind in the order in which
    it was made.

    What was said of a copy that was retired is left out, as its answers are.
    """
    mistakes = MistakeReport.objects.filter(sheet__stimulus__in=live_clips(round_)).order_by("pk")
    unplayable = unplayable_sheets(round_).order_by("pk")
    return [
        *(
            Comment(found.sheet.reviewer.code, found.sheet.stimulus_id, found.text)
            for found in mistakes.select_related("sheet__reviewer")
        ),
        *(
            Comment(
                sheet.reviewer.code, sheet.stimulus_id, f"would not play: {sheet.unplayable_reason}"
            )
            for sheet in unplayable
        ),
    ]
