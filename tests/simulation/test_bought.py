"""All configurations bought from the stand-ins, and the stand-ins as a command."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from django.conf import settings

from generation.models import Sample, SampleState
from simulation.demo.bought import NoStandIn, commission_everything, running_stand_in
from simulation.stand_ins.providers.clips import Clips
from simulation.stand_ins.providers.ledger import Job
from tests import factories
from tests.generation import buying
from tests.servers import free_ports

# Both engines have the states of a sample elsewhere; this is about what goes over the wire.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


def test_every_configuration_delivers_through_its_own_adapter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    factories.make_protocol()
    with buying.running_stand_in(monkeypatch) as stand_in:
        wanted = {
            "name": "all",
            "protocol": "core-r01@1.0.0",
            "actor": "test",
            "scenes": ["r01-lift"],
        }
        commission_everything(**wanted)  # type: ignore[arg-type]
        buying.work()
        commission_everything(**wanted)  # type: ignore[arg-type]
        buying.work()
    assert Counter(Sample.objects.values_list("state", flat=True)) == {SampleState.DELIVERED: 25}
    assert len(stand_in.ledger.jobs()) == 25
    assert set(Sample.objects.values_list("provider", flat=True)) == {
        "ark", "dashscope", "fal", "gemini", "minimax", "openai", "runway", "vertex", "xai",
    }  # fmt: skip


def test_it_never_buys_for_money(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STAND_IN_URL", raising=False)
    with pytest.raises(NoStandIn, match="stand_in_providers"):
        commission_everything(name="all", protocol="core-r01@1.0.0", actor="test")


def test_the_stand_ins_run_as_a_command() -> None:
    (port,) = free_ports(1)
    with running_stand_in(port=port) as url:
        assert os.environ["STAND_IN_URL"] == url
    assert "STAND_IN_URL" not in os.environ


def test_clips_of_the_stand_ins_are_of_their_scene_and_each_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clips = Clips(settings.DATA_DIR / "stand-in-test")
    drawn: list[str] = []

    def draw(scene: object, variant: int) -> object:
        drawn.append(f"{scene}-{variant}")
        path = clips.folder / "drawn.mp4"
        path.write_bytes(factories.tiny_clip(seconds=1.0))
        return path

    monkeypatch.setattr(clips, "_drawn", draw)
    prompts = ("The inside of a closed lift.", "A quiet gym.", "A quiet study.", "A dinner table.")
    jobs = [
        Job("fal", f"fal-{number}", "m", prompt, None, "", None)
        for number, prompt in enumerate(prompts)
    ]
    assert len({clips.of(job) for job in jobs}) == 4
    assert drawn == ["r01-lift-0", "r01-squat-0", "r01-chair-0", "r01-toast-0"]
