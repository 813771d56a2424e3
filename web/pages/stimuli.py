"""The clips of a round by their opaque ids, for staff, and what reviewers reported of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from blinding.models import Stimulus
from fartbench.models import Round
from review.comments import live_clips, unplayable_sheets
from review.models import AnswerSheet

STIMULI_SHOWN = 200


@dataclass(frozen=True, slots=True)
class BlindClip:
    """A stimulus of the round by its opaque id: how many reviewers are done with it, and how many
    could not play it.
    """

    stimulus: Stimulus
    ended: int
    unplayable: int


def blind_clips(round_: Round) -> list[BlindClip]:
    """Return the first stimuli of the round in the order of their random ids, those that would not
    play before all.
    """
    live = live_clips(round_).defer("facts")
    reported = AnswerSheet.objects.filter(stimulus__in=live, unplayable_at__isnull=False).order_by()
    unplayable = Counter(reported.values_list("stimulus", flat=True))
    first = sorted(
        live.in_bulk(list(unplayable)).values(), key=lambda one: (-unplayable[one.pk], one.pk)
    )
    first += live.exclude(pk__in=list(unplayable)).order_by("pk")[
        : max(0, STIMULI_SHOWN - len(first))
    ]
    # Sheets are counted for what is shown alone: a round of rollouts has a hundred thousand
    # windows.
    ended = Counter(
        AnswerSheet.objects.filter(
            Q(locked_at__isnull=False) | Q(unplayable_at__isnull=False), stimulus__in=first
        )
        .order_by()
        .values_list("stimulus", flat=True)
    )
    return [
        BlindClip(stimulus, ended[stimulus.pk], unplayable[stimulus.pk])
        for stimulus in first[:STIMULI_SHOWN]
    ]


@dataclass(frozen=True, slots=True)
class UnplayableReport:
    """What a reviewer said about a clip that would not play."""

    stimulus: str
    scene: str
    reviewer: str
    reason: str
    at: datetime | None


def unplayable_reports(round_: Round) -> list[UnplayableReport]:
    """Return what reviewers said about clips that would not play, the newest first."""
    return [
        UnplayableReport(
            sheet.stimulus_id,
            round_.protocol.rules.scene(sheet.stimulus.scene).title,
            sheet.reviewer.code,
            sheet.unplayable_reason,
            sheet.unplayable_at,
        )
        for sheet in unplayable_sheets(round_).order_by("-unplayable_at")
    ]
