"""Blind pairs of windows: the same place of two rollouts of one scenario, under the words of what
was asked for.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from blinding.models import Stimulus
from fartbench.models import Round, RoundState
from review.models import Pair, PairTask
from review.pairs.planning import plan_pairs
from review.pairs.selectors import tasks_of
from tests import factories
from tests.streamav.small import write_protocol

pytestmark = pytest.mark.django_db
WINDOWS = (
    ("small-i", "update-video", "update", "P1", 2.0, "A red disc comes."),
    ("small-i", "update-video", "update", "P2", 3.0, "The disc turns blue."),
    ("small-p", "full-video.small-p", "full", "full", 4.0, ""),
    ("small-p", "full-video.small-p", "full", "full", 2.0, ""),
)  # fmt: skip
SYSTEMS = ("a", "b", "c")


@pytest.fixture
def round_(tmp_path: Path) -> Round:
    """An open round with windows of three systems, its pairs planned, and nothing else to do."""
    made = factories.make_round(
        protocol=factories.make_protocol(write_protocol(tmp_path / "small"))
    )
    factors = {}
    for system in SYSTEMS:
        for scene, form, unit, place, end_s, target in WINDOWS:
            sha256, size = factories.stored_copy(factories.tiny_clip())
            context = {"shown": "video", "target": target, "windows": []}
            one = Stimulus.objects.create(
                round=made, scene=scene, form=form, unit=unit, place=place, end_s=end_s,
                context=context,
                sha256=sha256, size=size, facts={"duration_s": 1.2, "has_audio": True},
            )  # fmt: skip
            factors[one.pk] = system
    factories.make_cohort(made)
    made.state, made.opened_at = RoundState.REVIEWING, timezone.now()
    made.save()
    made.members.update(consented_at=timezone.now(), sound_checked_at=timezone.now())
    plan_pairs(
        round=made, factors=factors, leagues=dict.fromkeys(factors, ""), actor="test", most=3
    )
    return made


def test_windows_meet_at_one_place_and_each_question_has_its_own(round_: Round) -> None:
    pairs = list(Pair.objects.select_related("first", "second"))
    assert {pair.question for pair in pairs} == {
        "vif",
        "vid",
        "vq-d",
        "vuf",
        "pvrl",
    }  # of the forms that are there
    for pair in pairs:
        shown = [(one.form, one.place, one.end_s) for one in (pair.first, pair.second)]
        assert shown[0] == shown[1]
        assert shown[0][0] == (
            "update-video" if pair.question in {"vuf", "pvrl"} else "full-video.small-p"
        )
    assert {pair.first.end_s for pair in pairs if pair.question == "vif"} == {4.0}
    assert PairTask.objects.count() == 3 * len(pairs)


def test_the_page_of_a_pair_says_what_was_asked_for(round_: Round) -> None:
    reviewer = factories.reviewers_of(round_)[0]
    client = Client()
    client.force_login(reviewer.user)
    due = tasks_of(reviewer, round_).select_related("pair__first").first()
    shown = client.get(f"/review/pairs/{due.pair_id}/").content.decode()
    asked = due.pair.first.context["target"] or round_.protocol.rules.scene(due.pair.scene).setting
    assert asked in shown
    assert "Picture alone: nothing is heard here" in shown
