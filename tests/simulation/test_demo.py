"""The demonstration: made once, finished after any interruption, and never taken for a real result.

Drawing is left out: each clip is a tiny one with the truth that its real one would have.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from math import comb
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.core.management import CommandError, call_command
from django.db.models import Count
from django.test import Client
from django.urls import reverse

from fartbench import jobs
from fartbench.models import AuditEntry, Job, JobState, Round, RoundState
from generation import commissioning
from generation.models import Clip, Sample
from judging.models import JudgeTry
from review.models import AnswerSheet, Source, Vote
from review.pairs.selectors import due_tasks, live_tasks
from scoring.models import Release
from simulation import local
from simulation.configurations import local_configurations
from simulation.demo import judges as demo_judges
from simulation.demo import rounds as demo
from simulation.demo.accounts import ready_accounts
from tests.factories import tiny_clip
from tests.servers import free_ports
from web.pages.published import newest_release


def tiny_render(take: local.Take, out: Path, **_: Any) -> local.Truth:
    """Write a clip whose bytes follow from its take, as the real renderer's do."""
    free = (16).to_bytes(4, "big") + b"free" + take.seed.to_bytes(8, "big")
    out.write_bytes(
        tiny_clip(number=take.seed - FIRST_SEED, seconds=1.0) + free
    )  # no two rounds show one clip
    return local.truth_of(take)


FIRST_SEED = 100


EMBEDDED = pytest.mark.engine("sqlite")  # the demonstration runs on the embedded default


@pytest.fixture
def _tiny_clips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "render", tiny_render)
    seeds = count(FIRST_SEED)
    monkeypatch.setattr(commissioning, "new_seed", lambda: next(seeds))


def work() -> None:
    while claim := jobs.claim_next():
        jobs.run(claim)
    assert not Job.objects.filter(state=JobState.FAILED).exists(), list(
        Job.objects.values_list("error", flat=True)
    )


def make_everything() -> str:
    rounds = demo.make_rounds()
    work()
    demo.blind(rounds)
    work()
    links = {}
    for round_ in rounds:
        round_.refresh_from_db()
        links[round_.name] = demo.open_and_answer(round_)
    demo.finish(rounds[2])
    demo.finish(rounds[0])
    return ready_accounts(rounds[1], links[demo.OPEN]).invite


def counts() -> dict[str, int]:
    return {
        model.__name__: model.objects.count()
        for model in (Round, Sample, Clip, AnswerSheet, Vote, Release, Job, AuditEntry)
    }


def test_a_seed_cannot_be_guessed() -> None:
    seeds = [commissioning.new_seed() for _ in range(100)]
    assert len(set(seeds)) == 100
    assert max(seeds) > 2**60


@EMBEDDED
@pytest.mark.django_db
@pytest.mark.usefixtures("_tiny_clips")
def test_it_has_a_finished_round_and_an_open_one_and_a_second_run_adds_nothing(
    admin_client: Client,
) -> None:
    invite = make_everything()
    finished, waiting = Round.objects.get(name="demo"), Round.objects.get(name="demo-open")
    assert (finished.state, waiting.state) == (RoundState.PUBLISHED, RoundState.REVIEWING)
    samples = Sample.objects.filter(cell__round=finished)
    assert samples.values("cell__configuration").distinct().count() >= 6
    assert sorted(samples.exclude(state="delivered").values_list("state", flat=True)) == [
        "failed",
        "refused",
    ]
    # The open round shows no clip that the published one has shown.
    shared = Clip.objects.annotate(rounds=Count("samples__cell__round", distinct=True)).filter(
        rounds__gt=1
    )
    assert not shared.exists()
    # Simulated answers are marked, and so is the release.
    assert set(AnswerSheet.objects.values_list("source", flat=True)) == {Source.SIMULATED}
    assert all(release.demonstration for release in Release.objects.all())
    release = Release.objects.get(round=finished)
    order = [line["configuration"] for line in release.scores["leaderboard"]]
    assert (order[0], order[-1]) == ("local-maestro", "local-potato")
    assert_a_small_pilot_is_shown()
    waiting = Round.objects.get(name="demo-pairs")
    mine = live_tasks(waiting).filter(member__reviewer__email=demo.YOU)
    assert (waiting.state, mine.count(), due_tasks([waiting.pk]).count()) == (
        RoundState.REVIEWING,
        3,
        3,
    )
    assert_seeds_are_published_and_shown_nowhere_before(admin_client)
    before = counts()
    assert make_everything() == invite
    assert counts() == before


def assert_seeds_are_published_and_shown_nowhere_before(client: Client) -> None:
    seeds = dict(
        Sample.objects.order_by().values_list("cell__round__name", "generation_seed").distinct()
    )
    assert len(set(seeds.values())) == len(seeds) == 4
    details = str(
        list(
            AuditEntry.objects.filter(action="clips commissioned").values_list("details", flat=True)
        )
    )
    assert not any(seed in details for seed in seeds.values())
    clips = (Release.objects.get(round__name="demo").folder / "clips.csv").read_text()
    assert f",{seeds['demo']}," in clips
    sample = Sample.objects.filter(cell__round__name="demo-open").first()
    page = client.get(reverse("admin:generation_sample_change", args=[sample.pk])).content.decode()
    assert "Generation seed" not in page


def assert_a_small_pilot_is_shown() -> None:
    pilot = Release.objects.get(round__name="demo-pilot")
    assert Sample.objects.filter(cell__round=pilot.round).count() == 24
    assert pilot.scores["maturity"] == "pilot"
    scores = {
        line["configuration"]: Fraction(line["fartscore"]) for line in pilot.scores["leaderboard"]
    }
    assert max(scores, key=lambda name: scores[name]) == "local-maestro"
    interval = pilot.document("configuration/local-maestro")["score_interval"]
    assert interval["low"] is not None
    assert_its_pairs_are_voted_on(pilot)
    assert newest_release() == Release.objects.get(round__name="demo"), (
        "the site speaks of the round of Core R01"
    )


def assert_its_pairs_are_voted_on(pilot: Release) -> None:
    (question,) = pilot.document("preference")["questions"].values()
    # Each two configurations that have a clip of a test meet once in it, before three reviewers.
    delivered = Sample.objects.filter(cell__round=pilot.round, state="delivered").values_list(
        "cell__scene", flat=True
    )
    there = delivered.annotate(configurations=Count("cell__configuration", distinct=True))
    meetings = sum(comb(n, 2) for n in there.values_list("configurations", flat=True))
    assert (question["pairs"], question["votes"]) == (meetings, 3 * meetings)
    (table,) = question["groups"]
    assert table["configurations"][0]["configuration"] == "local-maestro", "the best is preferred"
    assert set(Vote.objects.values_list("source", flat=True)) == {Source.SIMULATED}


class Interrupted(BaseException):
    """Ctrl-C, or anything else that ends a run where it is."""


@EMBEDDED
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_tiny_clips")
def test_scripted_judges_answer_it_and_are_named_as_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demo, "_configurations", lambda _name: local_configurations()[:1])
    round_ = demo.make_rounds()[0]
    work()
    demo.blind([round_])
    work()
    round_.refresh_from_db()
    demo.open_and_answer(round_)
    for _ in range(2):
        demo_judges.let_judges_answer(round_)
    assert JudgeTry.objects.count() == 4 * 4, (
        "three judges and one without sound on four clips, once"
    )
    demo.finish(round_)
    report = round_.releases.get().document("human_ai_agreement")
    assert {judge["label"] for judge in report["judges"]} == {
        "Simulated: knows the truth", "Simulated: believes every source", "Simulated: says the "
                                                                          "middle",
    }  # fmt: skip
    assert [run["variant"] for run in report["sensitivity"]] == ["muted"]
    assert demo_judges.questions_left(round_) == 0
    assert "STAND_IN_JUDGES_URL" not in os.environ


@EMBEDDED
@pytest.mark.django_db
@pytest.mark.usefixtures("_tiny_clips")
def test_runs_that_are_interrupted_at_every_stage_are_finished_by_the_last() -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise Interrupted

    for stage in (
        "commission",
        "request_blinding",
        "open_round",
        "enter_sheets",
        "close_round",
        "publish",
    ):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Interrupted):
            patch.setattr(demo, stage, interrupt)
            make_everything()
    make_everything()
    assert Round.objects.get(name="demo").state == RoundState.PUBLISHED
    assert AnswerSheet.objects.filter(stimulus__round__name="demo").count() == 22 * 4
    assert AnswerSheet.objects.filter(stimulus__round__name="demo-open").count() == 11 * 3
    assert Release.objects.count() == 2


def test_a_port_in_use_is_said_before_anything_is_made(settings: Any, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings.BASE_URL = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(CommandError, match="PORT=") as caught:
            call_command("demo")
    assert caught.value.returncode == 1


def test_a_missing_ffmpeg_is_said_before_anything_is_made(tmp_path: Path) -> None:
    command = [sys.executable, str(Path(project.BASE_DIR) / "manage.py"), "demo", "--no-serve"]
    environment = {
        **os.environ,
        "DATA_DIR": str(tmp_path / "data"),
        "FFMPEG_BINARY": "/nowhere/ffmpeg",
    }
    del environment["DATABASE_URL"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1
    assert "No ffmpeg program at “/nowhere/ffmpeg”" in done.stderr
    assert not (tmp_path / "data" / "db.sqlite3").exists()


def wait_until(condition: Callable[[], bool], seconds: float = 600) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@EMBEDDED
@pytest.mark.django_db(transaction=True)
def test_serving_runs_web_server_and_worker_and_ends_both(
    process_environment: dict[str, str], tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    address = f"http://127.0.0.1:{port}"
    code = "import django; django.setup(); from simulation.demo.serving import serve; serve()"
    environment = process_environment | {"BASE_URL": address, "PYTHONPATH": str(project.BASE_DIR)}

    def answers() -> bool:
        try:
            return urllib.request.urlopen(f"{address}/login/", timeout=20).status == 200  # noqa: S310
        except OSError:  # not listening yet, or busy starting
            return False

    server = subprocess.Popen([sys.executable, "-c", code], env=environment)
    try:
        wait_until(answers)
        wait_until(lambda: jobs.last_beat_s() is not None)
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        assert len(children) == 2
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=600) == 0
    assert not any(Path(f"/proc/{child}").exists() for child in children)
