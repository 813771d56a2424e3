"""Commissioned clips: each cell gets one result, whoever works and however often; real workers,
real Redis.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from blinding.models import Stimulus
from blinding.services import request_blinding
from fartbench import jobs
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.models import Job, JobState, Round
from generation.commissioning import commission, generate
from generation.errors import CannotCommission, ClipsAreSettled
from generation.models import Clip, Configuration, Sample, SampleState
from simulation.configurations import local_configurations
from tests import factories

SEED = 5


def commissioned(*names: str, scenes: list[str]) -> Round:
    local_configurations()
    round_ = factories.make_round(scenes=scenes)
    commission(
        round_=round_,
        configurations=Configuration.objects.filter(name__in=names),
        seed=SEED,
        actor="test",
    )
    return round_


def report(_part: float) -> None:
    pass


def wait_for(condition: Callable[[], bool], *, seconds: float = 600) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, list(Job.objects.values("kind", "state", "error"))
        time.sleep(0.1)


@pytest.mark.django_db
class TestOneCell:
    def test_a_clip_comes_with_its_known_truth_and_costs_nothing(self) -> None:
        round_ = commissioned("local-maestro", scenes=["r01-lift"])
        sample = Sample.objects.get(cell__round=round_)
        generate(str(sample.pk), report)
        sample.refresh_from_db()
        assert sample.state == SampleState.DELIVERED
        assert sample.clip is not None
        assert (sample.clip.facts["width"], sample.clip.facts["height"]) == (1280, 720)
        assert sample.clip.facts["duration_s"] == pytest.approx(8, abs=0.1)
        assert sample.truth["scene"] == "r01-lift"
        assert sample.cost_usd == 0

    @pytest.mark.parametrize(
        ("name", "scene", "state"),
        [("local-modest", "r01-squat", "refused"), ("local-butterfingers", "r01-chair", "failed")],
    )
    def test_a_refusal_and_a_failure_are_results_with_reasons(
        self, name: str, scene: str, state: str
    ) -> None:
        round_ = commissioned(name, scenes=[scene])
        sample = Sample.objects.get(cell__round=round_)
        generate(str(sample.pk), report)
        sample.refresh_from_db()
        assert (sample.state, sample.clip) == (state, None)
        assert sample.reason

    def test_commissioning_again_adds_nothing(self) -> None:
        round_ = commissioned("local-modest", scenes=["r01-squat"])
        generate(str(Sample.objects.get().pk), report)
        again = commission(
            round_=round_,
            configurations=Configuration.objects.filter(name="local-modest"),
            seed=SEED,
            actor="test",
        )
        assert (again, Sample.objects.count(), Job.objects.count()) == (0, 1, 1)

    def test_a_result_that_is_there_is_never_asked_for_again(self) -> None:
        round_ = commissioned("local-maestro", scenes=["r01-lift"])
        Sample.objects.update(state=SampleState.REFUSED, reason="by hand")
        generate(str(Sample.objects.get(cell__round=round_).pk), report)
        assert (Sample.objects.get().state, Clip.objects.count()) == ("refused", 0)

    def test_a_missing_ffmpeg_is_said_and_the_cell_still_waits(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commissioned("local-maestro", scenes=["r01-lift"])
        monkeypatch.setenv("FFMPEG_BINARY", "/nowhere/ffmpeg")
        ffmpeg_binary.cache_clear()
        claim = jobs.claim_next()
        assert claim is not None
        jobs.run(claim)
        monkeypatch.undo()
        ffmpeg_binary.cache_clear()
        job = Job.objects.get()
        assert job.state == JobState.FAILED
        assert "/nowhere/ffmpeg" in job.error
        assert "FFMPEG_BINARY" in job.error
        assert Sample.objects.get().state == SampleState.PLANNED

    def test_what_nobody_here_makes_is_refused(self) -> None:
        made = Configuration.objects.create(name="elsewhere", label="Elsewhere")
        with pytest.raises(CannotCommission, match="elsewhere"):
            commission(round_=factories.make_round(), configurations=[made], seed=1, actor="test")

    def test_an_open_round_takes_no_more_clips(self) -> None:
        with pytest.raises(ClipsAreSettled):
            commission(
                round_=factories.open_round(),
                configurations=local_configurations(),
                seed=1,
                actor="test",
            )


@contextmanager
def processes(
    command: list[str], environment: dict[str, str], count: int
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run ``count`` workers in process groups of their own, and end all of them."""
    running = [
        subprocess.Popen(command, env=environment, start_new_session=True) for _ in range(count)
    ]
    try:
        yield running
    finally:
        for process in running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in running:
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


MANAGE = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py")]


def all_settled(round_: Round) -> bool:
    return not Sample.objects.filter(cell__round=round_, state=SampleState.PLANNED).exists()


@pytest.mark.engine(
    "sqlite"
)  # the one process of the embedded default; make chaos-generation kills those of PostgreSQL
@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_of_a_render_loses_nothing(
    process_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    round_ = commissioned("local-maestro", scenes=["r01-lift", "r01-toast"])
    with processes([*MANAGE, "work"], process_environment, 1) as (victim,):
        wait_for(lambda: Job.objects.filter(state=JobState.RUNNING, progress__gt=0.1).exists())
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
    assert not all_settled(round_)
    # The lease would run out by itself; the test does not wait for it.
    Job.objects.filter(state=JobState.RUNNING).update(due_at="2026-01-01T00:00:00Z")
    with processes([*MANAGE, "work"], process_environment, 2):
        wait_for(lambda: all_settled(round_))
    assert Sample.objects.filter(state=SampleState.DELIVERED).count() == Clip.objects.count() == 2
    assert all(clip.path.is_file() for clip in Clip.objects.all())


@pytest.mark.engine("postgres")  # what many workers are for
@pytest.mark.django_db(transaction=True)
def test_celery_workers_on_redis_do_the_same_steps(
    process_environment: dict[str, str],
    redis_broker: str,
    monkeypatch: pytest.MonkeyPatch,
    settings: object,
) -> None:
    environment = process_environment | {"CELERY_BROKER_URL": redis_broker}
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "fartbench.celery",
        "worker",
        "--concurrency",
        "1",
        "--pool",
        "prefork",
        "-l",
        "error",
    ]
    round_ = commissioned("local-modest", "local-butterfingers", scenes=["r01-squat", "r01-chair"])
    with (
        processes([*command, "-n", "one@%h"], environment, 1),
        processes(
            [*command, "-n", "two@%h", "-B", "-s", f"{environment['DATA_DIR']}/beat"],
            environment,
            1,
        ),
    ):
        wait_for(lambda: all_settled(round_))
        request_blinding(round_=round_, actor="test")
        wait_for(lambda: Stimulus.objects.filter(round=round_).count() == 2)
    assert sorted(Sample.objects.values_list("state", flat=True)) == [
        "delivered",
        "delivered",
        "failed",
        "refused",
    ]
    assert len(set(Stimulus.objects.values_list("size", flat=True))) == 1
