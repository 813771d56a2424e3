"""A clip that a published round has shown, or an open one asks about, is found in whatever file it
comes again.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from threading import Event
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from blinding.models import BlindCopy, BlindingKey, Stimulus
from fartbench.errors import Refusal
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.models import Round, RoundState
from generation.models import Sample
from rounds import opening as rounds
from rounds.errors import CannotOpen
from scoring.errors import ClipsUnderReview
from scoring.release import publishing
from tests.factories import CORE_R01, make_protocol
from tests.manifests import Lab
from tests.scoring.rows import answer_all, make_filled_round, make_locked_round, make_open_round
from tests.small_lab import REVIEWERS

SCENES = ["r01-lift"]


def sample_of(round_: Round) -> Sample:
    return Sample.objects.select_related("clip").get(cell__round=round_)


def copy_of(
    round_: Round, *, sha256: str, picture: str = "", sound: str = "", raw: str = ""
) -> None:
    """Give the round's sample a blind copy with these digests; ``raw`` is that of the picture of
    the raw clip.
    """
    proof = {
        "raw_picture_sha256": raw or picture, "blind_picture_sha256": picture,
        "raw_sound_sha256": sound, "blind_sound_sha256": sound,
    } if picture else None  # fmt: skip
    BlindCopy.objects.create(
        sample=sample_of(round_), sha256=sha256, size=1, facts={}, technical={}, proof=proof
    )


def same_raw_file(one: Round, other: Round) -> None:
    Sample.objects.filter(cell__round=other).update(clip=sample_of(one).clip)


def same_copy(one: Round, other: Round) -> None:
    copy_of(one, sha256="a" * 64)
    copy_of(other, sha256="a" * 64)


def same_padded_copy(one: Round, other: Round) -> None:
    key = BlindingKey.objects.get(stimulus__round=one)
    Stimulus.objects.filter(round=other).update(sha256=key.stimulus.sha256)


def same_picture_and_sound(one: Round, other: Round) -> None:
    copy_of(one, sha256="a" * 64, picture="p", sound="s")
    copy_of(other, sha256="b" * 64, picture="p", sound="s")


def same_picture_without_sound(one: Round, other: Round) -> None:
    copy_of(one, sha256="a" * 64, picture="p")
    copy_of(other, sha256="b" * 64, picture="p")


def same_raw_picture_re_encoded(one: Round, other: Round) -> None:
    copy_of(one, sha256="a" * 64, picture="p1", raw="p", sound="s")
    copy_of(other, sha256="b" * 64, picture="p2", raw="p", sound="s")


SAME = (
    same_raw_file, same_copy, same_padded_copy, same_picture_and_sound, same_picture_without_sound,
    same_raw_picture_re_encoded,
)  # fmt: skip


def filled(**wanted: Any) -> Round:
    return make_filled_round(configurations=("alpha",), scenes=SCENES, **wanted)


@pytest.mark.django_db
class TestRows:
    @pytest.mark.parametrize("same", SAME)
    def test_opening_is_refused_after_another_round_showed_it(self, same: Any) -> None:
        first, second = filled(), filled()
        let_clips_change()
        same(first, second)
        publish_all(first)
        with pytest.raises(
            CannotOpen, match=f"the published round '{first.name}' has shown this clip already"
        ):
            rounds.open_round(round_=second, actor="test")
        assert Round.objects.get(pk=second.pk).state == RoundState.BLINDING

    @pytest.mark.parametrize("same", SAME)
    def test_publishing_is_refused_while_another_round_asks_about_it(self, same: Any) -> None:
        first, second = filled(), filled()
        let_clips_change()
        same(first, second)
        rounds.open_round(round_=second, actor="test")
        with pytest.raises(
            ClipsUnderReview, match=f"round '{second.name}' is open and asks about this clip"
        ):
            publish_all(first)

    @pytest.mark.parametrize("same", SAME)
    def test_a_pilots_clip_is_development_data(self, same: Any) -> None:
        pilot = make_filled_round(
            configurations=("alpha",),
            protocol=make_protocol(CORE_R01.parents[1] / "core-v0.1" / "0.1.0"),
            scenes=["fb-c01"], cohort=False,
        )  # fmt: skip
        second = filled()
        let_clips_change()
        same(pilot, second)
        with pytest.raises(CannotOpen, match=f"development data of the pilot round '{pilot.name}'"):
            rounds.open_round(round_=second, actor="test")

    def test_the_same_picture_with_another_sound_is_another_clip(self) -> None:
        first, second = filled(), filled()
        copy_of(first, sha256="a" * 64, picture="p", sound="one")
        copy_of(second, sha256="b" * 64, picture="p", sound="other")
        publish_all(first)
        rounds.open_round(round_=second, actor="test")
        assert Round.objects.get(pk=second.pk).state == RoundState.REVIEWING


def let_clips_change() -> None:
    """Let a test give one clip to two samples, as when two manifests name one file."""
    with connection.cursor() as cursor:
        end = " ON generation_sample" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER guard_generation_sample_is_frozen{end}")


def publish_all(round_: Round) -> None:
    rounds.open_round(round_=round_, actor="test")
    answer_all(round_)
    rounds.close_round(round_=round_, actor="test")
    rounds.publish(round_=round_, actor="test")


@pytest.mark.django_db
def test_the_same_streams_in_another_container_are_found(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = Lab(tmp_path / "one", configurations=("alpha",), scenes=("r01-lift",))
    two = Lab(tmp_path / "two", configurations=("beta",), scenes=("r01-lift",))
    source, target = one.folder / str(one.rows[0]["file"]), two.folder / "again.mov"
    run(
        [str(ffmpeg_binary()), "-v", "error", "-i", str(source), "-c", "copy", str(target)],
        check=True,
    )
    assert source.read_bytes() != target.read_bytes()
    two.rows[0]["file"] = target.name
    call_command("load_protocol", str(CORE_R01))
    for name, lab in (("r1", one), ("r2", two)):
        call_command("create_round", name, "--protocol", "core-r01@1.0.0", "--scene", "r01-lift")
        call_command("import_clips", name, str(lab.manifest()))
        call_command("blind", name)
        call_command("set_cohort", name, *(f"{name}-{address}" for address in REVIEWERS))
    raw = set(Sample.objects.values_list("clip__sha256", flat=True))
    assert len(raw) == 2
    publish_all(Round.objects.get(name="r1"))
    with pytest.raises(
        (CommandError, Refusal), match="the published round 'r1' has shown this clip already"
    ):
        rounds.open_round(round_=Round.objects.get(name="r2"), actor="test")


@pytest.mark.engine("postgres")  # SQLite has one writer: there the second waits for the first
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_publishing_beside_an_opening(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = make_locked_round(configurations=("alpha",), scenes=SCENES)
        second = filled()
        same_padded_copy(first, second)
        looked, published, draw = Event(), Event(), rounds.plan_orders

        def slow(**wanted: Any) -> Any:
            looked.set()
            assert published.wait(30)
            return draw(**wanted)

        monkeypatch.setattr(rounds, "plan_orders", slow)
        with ThreadPoolExecutor(1) as pool:
            opening = pool.submit(in_own_connection, rounds.open_round, second)
            assert looked.wait(30)
            rounds.publish(round_=first, actor="test")
            published.set()
            with pytest.raises(CannotOpen, match="has shown this clip already"):
                opening.result(60)

    def test_opening_beside_a_publishing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = make_locked_round(configurations=("alpha",), scenes=SCENES)
        second = filled()
        same_padded_copy(first, second)
        looked, opened, make = Event(), Event(), publishing.documents_of

        def slow(record: Any) -> Any:
            looked.set()
            assert opened.wait(30)
            return make(record)

        monkeypatch.setattr(publishing, "documents_of", slow)
        with ThreadPoolExecutor(1) as pool:
            release = pool.submit(in_own_connection, rounds.publish, first)
            assert looked.wait(30)
            rounds.open_round(round_=second, actor="test")
            opened.set()
            with pytest.raises(ClipsUnderReview, match="asks about this clip"):
                release.result(60)
        assert (
            make_open_round(configurations=("beta",), scenes=SCENES).state == RoundState.REVIEWING
        )


def in_own_connection(step: Any, round_: Round) -> Any:
    try:
        return step(round_=round_, actor="test")
    finally:
        connection.close()
