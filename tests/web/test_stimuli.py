"""The clips of a round as staff sees them: by opaque id, the reported ones first, however many
there are.
"""

from __future__ import annotations

from collections import Counter

import pytest

from measuring.sound.checks import heard, unheard
from review.progress import progress_of_round
from review.services.locking import report_unplayable
from tests.factories import make_locked_sheet, open_round, reviewers_of
from web.pages import stimuli
from web.pages.rounds import bars_of
from web.pages.stimuli import blind_clips

pytestmark = pytest.mark.django_db


def test_reported_clips_come_first_and_sheets_are_counted_for_what_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round_ = open_round(configurations=3, scenes=["r01-lift", "r01-squat"])
    rae, sol, *_ = reviewers_of(round_)
    mine, others = (
        [one.stimulus for one in who.memberships.get().assignments.select_related("stimulus")]
        for who in (rae, sol)
    )
    for who, stimulus in ((rae, mine[0]), (rae, mine[1]), (sol, others[0])):
        report_unplayable(reviewer=who, stimulus_id=stimulus.pk, reason="black")
    make_locked_sheet(rae, mine[2])
    reported = Counter(one.pk for one in (mine[0], mine[1], others[0]))
    ended = reported + Counter([mine[2].pk])
    names = sorted((one.pk for one in mine), key=lambda name: (-reported[name], name))
    expected = [(name, ended[name], reported[name]) for name in names]
    assert [(one.stimulus.pk, one.ended, one.unplayable) for one in blind_clips(round_)] == expected
    monkeypatch.setattr(stimuli, "STIMULI_SHOWN", 3)
    assert [
        (one.stimulus.pk, one.ended, one.unplayable) for one in blind_clips(round_)
    ] == expected[:3]
    bars = {bar.key: (bar.done, bar.total) for bar in bars_of(round_, progress_of_round(round_))}
    assert bars["sheets"] == (4, 6 * len(reviewers_of(round_)))
    assert unheard(round_).count() == 6
    assert heard(round_) is None
