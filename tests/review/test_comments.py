"""What reviewers said of clips counts for the clips that count, wherever it is shown."""

from __future__ import annotations

import pytest

from review.comments import comments_of
from review.models import MistakeReport, Retirement
from review.services import report_unplayable
from tests.factories import make_locked_sheet, open_round, reviewers_of
from web.pages.stimuli import blind_clips, unplayable_reports

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


def test_what_was_said_of_a_retired_copy_is_left_out_everywhere() -> None:
    round_ = open_round(configurations=2, scenes=["r01-lift"])
    rae, ben = reviewers_of(round_)[:2]
    for assignment in rae.memberships.get().assignments.order_by("position"):
        report_unplayable(reviewer=rae, stimulus_id=assignment.stimulus_id, reason="black")
    for assignment in (
        ben.memberships.get().assignments.order_by("position").select_related("stimulus")
    ):
        MistakeReport.objects.create(
            sheet=make_locked_sheet(ben, assignment.stimulus), text="the wrong key"
        )
    retired, live = round_.stimuli.order_by("pk")
    assert len(comments_of(round_)) == 4
    Retirement.objects.create(
        stimulus=retired, outcome=Retirement.Outcome.NOT_REVIEWABLE, reason="black"
    )
    reports = unplayable_reports(round_)
    said = [(comment.reviewer, comment.text) for comment in comments_of(round_)]
    assert said == [(ben.code, "the wrong key"), (rae.code, "would not play: black")]
    assert {comment.stimulus for comment in comments_of(round_)} == {live.pk}
    assert [report.stimulus for report in reports] == [live.pk]
    assert [(clip.stimulus.pk, clip.unplayable) for clip in blind_clips(round_)] == [(live.pk, 1)]
