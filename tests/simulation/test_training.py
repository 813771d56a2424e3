"""Training clips as the built-in renderer makes them: true to their explained answers, and without
a trace.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from blinding.leakscan import scan
from fartbench.media.probe import probe
from fartbench.models import Job
from fartbench.protocol import Response, form_for, load_protocol
from review.errors import TrainingRefused
from review.models import TrainingClip
from review.training import TRAINING, request_training
from simulation import training
from simulation.local import Scene, Sound, truth_of
from tests.factories import CORE_R01, make_protocol
from tests.review.second_instrument import write_second_instrument

RULES = load_protocol(CORE_R01).protocol


@pytest.fixture
def short_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render two short, small clips: what is tested is what becomes of them."""
    small = {"width": 32, "height": 18, "frame_rate": 4, "duration": 1.0}
    monkeypatch.setattr(
        training, "TAKES", tuple(replace(take, **small) for take in training.TAKES[:2])
    )


def test_the_takes_cover_what_a_reviewer_should_have_met() -> None:
    found = {
        take.scene: training.solutions_of(form_for(RULES, take.scene), truth_of(take))
        for take in training.TAKES
    }
    assert {key: one.answer for key, one in found[Scene.LIFT].items()} == {
        "event": "yes", "cause": "yes", "detail": "yes", "sound": "5", "timing": "5", "people": "5",
    }  # fmt: skip
    assert found[Scene.TOAST]["cause"].answer == "no"
    assert found[Scene.CHAIR]["event"].answer == "no"
    assert found[Scene.CHAIR]["cause"].answer == "na:no_event"
    assert found[Scene.CHAIR]["cause"].accepts(Response(value="no"))
    assert "2.0 s" in found[Scene.CHAIR]["detail"].reason


@pytest.mark.parametrize("take", training.TAKES, ids=lambda take: take.scene)
@pytest.mark.parametrize(
    "change", [{}, {"sound": Sound.MISSING}, {"events": 2}, {"realism": 0.0}, {"jitter": 8.0}]
)
def test_every_solution_is_one_that_the_form_allows_and_has_a_reason(
    take: Any, change: dict[str, Any]
) -> None:
    form = form_for(RULES, take.scene)
    solutions = training.solutions_of(form, truth_of(replace(take, **change)))
    assert (
        form.violations({key: Response.parse(one.answer) for key, one in solutions.items()}) == []
    )
    assert all(
        one.reason.endswith(".") and one.answer not in one.fair for one in solutions.values()
    )


@pytest.mark.django_db
def test_the_command_draws_them_once_without_a_trace(short_takes: None) -> None:
    protocol = make_protocol()
    call_command("make_training", str(protocol))
    clips = list(TrainingClip.objects.all())
    call_command("make_training", str(protocol))
    assert clips == list(TrainingClip.objects.all())
    assert [clip.scene for clip in clips] == ["r01-lift", "r01-toast"]
    for clip in clips:
        assert probe(clip.path).has_audio
        assert not [finding for finding in scan(clip.path) if finding.flagged]


@pytest.mark.django_db
def test_a_page_leaves_them_to_the_workers(short_takes: None) -> None:
    protocol = make_protocol()
    request_training(protocol=protocol, round_name="spring")
    assert not TrainingClip.objects.exists()
    job = Job.objects.get(kind=TRAINING)
    training.run_training(job.subject, lambda _part: None)
    assert TrainingClip.objects.filter(protocol=protocol).count() == 2


@pytest.mark.django_db
def test_a_protocol_of_other_scenes_or_questions_is_refused(tmp_path: Path) -> None:
    protocol = make_protocol(write_second_instrument(tmp_path))
    with pytest.raises(TrainingRefused, match="draws no scene"):
        training.make_training(protocol=protocol, actor="test")
