"""Rollouts through the ordinary queue: built-in ones with declared chunks, streams with logged
ones, each once.
"""

from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.utils import IntegrityError
from django.test import Client
from django.urls import reverse

from fartbench import jobs
from fartbench.models import Round
from fartbench.protocols import store_protocol
from fartbench.rounds import create_round
from generation.commissioning import commission
from generation.configuring import load_configurations, named
from generation.models import Chunk, Prompt, PromptDelivery, ProviderAccount, Sample, SampleState
from generation.providers.registry import provider
from generation.verdicts import waive_verdicts
from simulation.configurations import built_in_systems
from simulation.local.rollouts import RolloutPlan
from simulation.stand_ins.providers.streaming import Behaviour, StreamingStandIn
from tests.generation.buying import run_one, work
from tests.streamav.small import STREAM, write_protocol

PLAN = RolloutPlan(width=160, height=90)


@pytest.fixture
def round_(tmp_path: Path, db: None, monkeypatch: pytest.MonkeyPatch) -> Round:
    monkeypatch.setattr(
        jobs, "RENEW_EVERY_S", 3600.0
    )  # a test's rows are in a transaction that no thread sees into
    store_protocol(write_protocol(tmp_path / "protocol"), actor="test")
    made = create_round(name="R", protocol="small-streamav@0.1.0", actor="test")
    waive_verdicts(round_=made, reason="a test", actor="test")
    return made


def ask(round_: Round, tmp_path: Path) -> Sample:
    (tmp_path / "standin-stream.yaml").write_text(STREAM, encoding="utf-8")
    load_configurations(folder=tmp_path / "standin-stream.yaml", actor="test")
    configurations = named(["standin-stream"])
    ProviderAccount.objects.create(provider="websocket", min_interval_s=0.0)
    commission(round_=round_, configurations=configurations, actor="test")
    return Sample.objects.get(cell__scene="small-i")


def test_built_in_rollouts_have_the_chunks_that_are_declared_and_none_where_nobody_knows(
    round_: Round,
) -> None:
    systems = [one for one in built_in_systems() if one.name in {"stream-steady", "stream-fading"}]
    commission(round_=round_, configurations=systems, seed=3, actor="test")
    work(seconds=120)
    assert set(Sample.objects.values_list("state", flat=True)) == {SampleState.DELIVERED}
    steady = Sample.objects.get(cell__configuration__name="stream-steady", cell__scene="small-i")
    assert list(steady.chunks.values_list("frame_start", "frames", "source")) == [
        (0, 25, "geometry"), (25, 24, "geometry"), (49, 24, "geometry"), (73, 23, "geometry"),
    ]  # fmt: skip
    # P1 at 1 s comes in the first chunk, which lasts a picture longer; it holds from the second on.
    given = list(
        steady.prompt_deliveries.values_list("step", "due_s", "media_s", "wall_s", "in_chunk")
    )
    assert given == [("P1", 1.0, 1.0, None, 1), ("P2", 2.0, 2.0, None, 2)]
    assert not Chunk.objects.filter(sample__cell__configuration__name="stream-fading").exists()
    assert steady.truth["boundaries"] == [25, 49, 73]
    with pytest.raises(IntegrityError, match="generation_chunk_is_frozen"):
        steady.chunks.update(frames=1)


def test_a_stream_is_ordered_once_and_its_chunks_are_kept_as_they_came(
    round_: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StreamingStandIn(Behaviour(PLAN)) as stand_in:
        monkeypatch.setenv("STREAM_URL", stand_in.url)
        sample = ask(round_, tmp_path)
        work(seconds=120)
    sample.refresh_from_db()
    assert sample.state == SampleState.DELIVERED
    assert sample.clip.facts["frame_count"] == 4 * 24
    chunks = list(sample.chunks.all())
    assert [chunk.frames for chunk in chunks] == [25, 24, 24, 23]
    assert {chunk.source for chunk in chunks} == {"logged"}
    assert [chunk.wall_s for chunk in chunks] == sorted(chunk.wall_s for chunk in chunks)
    assert [(one.step, one.in_chunk) for one in sample.prompt_deliveries.all()] == [
        ("P1", 1),
        ("P2", 2),
    ]
    ours = [
        order for order in stand_in.seen if order["token"] == str(sample.submissions.get().token)
    ]
    assert len(ours) == 1 and ours[0]["prompt"].startswith("A small landscape")


def test_the_prompts_of_a_stream_wait_for_nobody(
    round_: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    monkeypatch.setenv("STREAM_URL", "ws://127.0.0.1:9")
    ask(round_, tmp_path)
    assert not Prompt.objects.filter(frozen_at=None).exists()
    client.force_login(User.objects.create_superuser("root"))
    listed = client.get(reverse("generation-prompts", args=[round_.name])).content.decode()
    assert listed.count("word for word its scenario") == len(round_.scenes)
    prompt = Prompt.objects.get(scene="small-i")
    shown = client.get(reverse("generation-prompt", args=[prompt.pk]), follow=True).content.decode()
    assert "The disc turns blue." in shown


def test_a_stream_that_breaks_is_a_failure_and_what_came_is_kept(
    round_: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StreamingStandIn(Behaviour(PLAN, break_after=2)) as stand_in:
        monkeypatch.setenv("STREAM_URL", stand_in.url)
        sample = ask(round_, tmp_path)
        work(seconds=120)
    sample.refresh_from_db()
    assert sample.state == SampleState.FAILED and "broken after 2 chunks" in sample.reason
    assert [chunk.frames for chunk in sample.chunks.all()] == [25, 24]
    assert [one.in_chunk for one in PromptDelivery.objects.filter(sample=sample)] == [1, None]
    assert sample.clip is None


def test_a_stream_whose_worker_was_lost_is_never_opened_again(
    round_: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StreamingStandIn(Behaviour(PLAN)) as stand_in:
        monkeypatch.setenv("STREAM_URL", stand_in.url)
        sample = ask(round_, tmp_path)
        monkeypatch.setattr(provider("websocket"), "fetch", vanish)
        work(seconds=120)
    sample.refresh_from_db()
    assert (sample.state, stand_in.seen) == (SampleState.LOST, [])
    assert "never opened again" in sample.reason


def test_a_stream_that_is_listened_to_takes_a_place_of_its_account(
    round_: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STREAM_URL", "ws://127.0.0.1:1")  # nothing is opened before it is fetched
    ask(round_, tmp_path)
    ProviderAccount.objects.update(max_in_flight=1)
    for kind in ("dispatch", "submit", "look", "dispatch"):
        run_one(kind)
    states = Counter(Sample.objects.values_list("state", flat=True))
    assert states == {SampleState.OUTPUT_READY: 1, SampleState.READY: 1}
    Sample.objects.filter(state=SampleState.OUTPUT_READY).update(
        state=SampleState.LOST, reason="a test"
    )
    run_one("dispatch")
    assert Sample.objects.filter(state=SampleState.QUEUED).count() == 1


def vanish(*_: object) -> None:
    """Do what a killed worker does: nothing more, and its job is due again."""
    raise jobs.NotYet(0)
