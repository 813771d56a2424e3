"""Judges over windows: what it takes is told before, forms have their frame rate, nothing is asked
twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from blinding.models import Stimulus
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.rounds import Looks, create_round
from judging.models import Judge, JudgeRun, RunState
from judging.planning import judging_plan
from judging.working import chosen_models
from simulation.stand_ins.judges import StandInJudges
from tests import factories
from tests.judging.judged import clip, request, running_judges, work
from tests.streamav.small import FOLDER, write_protocol

pytestmark = pytest.mark.django_db
JUDGE = "gemini-3.1-pro"
WINDOWS = (
    # scene, form, unit, place, end_s, context
    ("small-i", "update-video", "update", "P1", 2.0, {"shown": "video",
                                                      "target": "A red disc comes."}),
    ("small-i", "prompt-video", "prompt", "P1", 1.5, {"shown": "video",
                                                      "target": "A red disc comes. It beeps."}),
    ("small-i", "dependency-both", "dependency", "P2", 3.0, {
        "shown": "both", "target": "The disc turns blue.",
        "windows": [{"role": "source", "begin_s": 0, "end_s": 1}, {"role": "current", "begin_s": 2,
                                                                   "end_s": 3}],
    }),
    ("small-p", "full-video.small-p", "full", "full", 4.0, {"shown": "video", "target": ""}),
)  # fmt: skip
RIGHT = {
    "update-video": {
        "video_started": "yes", "video_onset_latency": "0.5", "video_target_latency": "1",
        "video_fulfilment": "4",
    },
    "prompt-video": {
        "generation_break": "no", "deformation": "no", "object_disappears": "no",
        "visual_continuity": "5",
    },
    "dependency-both": {"source_state_established": "no",
                        "dependency_following": "na:source_not_established"},
    "full-video.small-p": {"scene": "5", "activity": "4"},
}  # fmt: skip


@pytest.fixture
def small(tmp_path: Path) -> ProtocolVersion:
    return factories.make_protocol(write_protocol(tmp_path / "small"))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInJudges]:
    with running_judges(monkeypatch) as running:
        yield running


def round_of_windows(protocol: ProtocolVersion, *, systems: int = 1) -> Round:
    """Return a round open for review with some windows of each system."""
    round_ = factories.make_round(protocol=protocol)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.REVIEWING, opened_at=timezone.now())
    for number in range(systems * len(WINDOWS)):
        scene, form, unit, place, end_s, context = WINDOWS[number % len(WINDOWS)]
        sha256, size = factories.stored_copy(clip(number))
        Stimulus.objects.create(
            round=round_, scene=scene, form=form, unit=unit, place=place, end_s=end_s,
            context=context,
            sha256=sha256, size=size, facts={"duration_s": 1.2, "has_audio": True},
        )  # fmt: skip
    round_.refresh_from_db()
    return round_


def models_of(round_: Round) -> list:
    return chosen_models(round_, [], [])


def test_a_whole_run_of_one_system_is_counted_before_anything_is_made() -> None:
    factories.make_protocol(FOLDER)
    round_ = create_round(name="whole", protocol="streamav@0.1.0", actor="test")
    plan = judging_plan(round_, models_of(round_))
    assert plan.of_each_system
    assert plan.covered == (746, 746)
    shares = {share.form: share for share in plan.shares}
    # 12 scenarios of either track: six intervals each, five updates in the interactive ones.
    assert (shares["interval-video"].questions, shares["prompt-video"].questions) == (
        24 * 6,
        12 * 5,
    )
    assert (
        shares["interval-video"].frames_per_second,
        shares["prompt-video"].frames_per_second,
    ) == (2, 6)
    assert shares["full-video"].seconds == 12 * 180
    assert (
        shares["retention-audio"].seconds == 60 * 61
    )  # two windows of 30 s with a card between them
    (found,) = plan.estimates
    assert (found.questions, found.ended) == (746, 0)
    frames = sum(share.seconds * share.frames_per_second for share in plan.shares)
    read = 258 * frames + 32 * found.seconds + 746 * 2000
    assert float(found.usd) == pytest.approx((2 * read + 12 * 746 * 2000) / 1e6, abs=0.01)


def test_a_sample_says_how_much_of_the_whole_it_is() -> None:
    factories.make_protocol(FOLDER)
    looks = Looks(sample=8, kinds=("interval",))
    round_ = create_round(name="part", protocol="streamav@0.1.0", actor="test", looks=looks)
    plan = judging_plan(round_, models_of(round_))
    assert (plan.scenes, plan.of_scenes, plan.covered) == (8, 24, (96, 746))


def test_the_plan_is_told_in_words_and_freezes_nothing(
    small: ProtocolVersion, capsys: pytest.CaptureFixture[str]
) -> None:
    round_ = round_of_windows(small, systems=2)
    call_command("judge", round_.name, "--plan", "--ceiling", "5")
    said = capsys.readouterr().out
    assert (
        "prompt-video          2 questions, 0.00 h of video at 6 frames a second; 1 of 2 places"
        in said
    )
    assert f"{JUDGE}: 8 questions, 0.00 h of video; $0." in said
    assert "2026-10-11" in said
    assert not Judge.objects.exists()
    assert not hasattr(Round.objects.get(pk=round_.pk), "judge_ceiling")


def test_each_window_is_asked_with_its_form_its_words_and_its_frame_rate(
    small: ProtocolVersion, stand_in: StandInJudges
) -> None:
    round_ = round_of_windows(small)
    stand_in.truths.update({one.sha256: RIGHT[one.form] for one in round_.stimuli.all()})
    request(round_, JUDGE)
    work()
    assert set(JudgeRun.objects.values_list("state", flat=True)) == {RunState.ANSWERED}
    asked = {}
    for run in JudgeRun.objects.select_related("stimulus"):
        body = next(
            json.loads(one.body) for one in stand_in.asked if one.sha256 == run.stimulus.sha256
        )
        asked[run.stimulus.form] = (*body["contents"][0]["parts"], run.answers)
    rates = {
        form: (part.get("videoMetadata") or part["video_metadata"])["fps"]
        for form, (part, _, _) in asked.items()
    }
    assert rates == {
        "update-video": 2,
        "prompt-video": 6,
        "dependency-both": 2,
        "full-video.small-p": 2,
    }
    text = asked["update-video"][1]["text"]
    assert "What was asked for: A red disc comes." in text
    assert "Picture alone: nothing is heard" in text
    pieces = asked["dependency-both"][1]["text"]
    assert (
        "card between them: 0 to 1 s is the earlier part that this builds on, 2 to 3 s is from "
        "after" in pieces
    )
    assert "Is it a landscape?" in asked["full-video.small-p"][1]["text"]
    assert set(asked["full-video.small-p"][2]) == {"scene", "activity"}
    assert {form: answers for form, (_, _, answers) in asked.items()} == RIGHT


def test_a_reply_that_contradicts_itself_is_invalid(
    small: ProtocolVersion, stand_in: StandInJudges
) -> None:
    round_ = round_of_windows(small)
    late = RIGHT["update-video"] | {"video_target_latency": "0"}  # reached before it begins
    stand_in.truths.update({one.sha256: late for one in round_.stimuli.filter(form="update-video")})
    request(round_, JUDGE)
    work()
    assert JudgeRun.objects.get(stimulus__form="update-video").state == RunState.INVALID


def test_what_has_ended_is_not_planned_or_asked_again(
    small: ProtocolVersion, stand_in: StandInJudges
) -> None:
    round_ = round_of_windows(small, systems=2)
    (judge,) = request(round_, JUDGE)
    for run in judge.runs.all()[:5]:
        JudgeRun.objects.filter(pk=run.pk).update(state=RunState.BLOCKED, ended_at=timezone.now())
    (found,) = judging_plan(round_, models_of(round_)).estimates
    assert (found.questions, found.ended) == (3, 5)
    request(round_, JUDGE)
    work()
    assert len(stand_in.asked) == 3
    (found,) = judging_plan(round_, models_of(round_)).estimates
    assert (found.questions, found.usd) == (0, Decimal(0))
