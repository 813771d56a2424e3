"""The blind copies of a round: one size, opaque ids, proofs, and no way from a copy to its
maker.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from blinding import copies, services
from blinding.common_format import CommonFormat
from blinding.errors import (
    BlindCopyMissing,
    BlindingIsSettled,
    ClipsNotBlindable,
    ExclusionRefused,
    NothingToNormalise,
)
from blinding.models import BlindCopy, BlindingKey, NotReviewable, Stimulus, opaque_id
from blinding.reports import fingerprint_of
from blinding.stimuli import check_files
from fartbench import jobs
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.models import AuditEntry, Job, JobState, Round, RoundState
from fartbench.storage import StorageFull
from fartbench.stores import blind_copies
from generation.importing import import_clips
from generation.models import Sample
from tests import factories
from tests.manifests import Lab

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, scenes=("r01-lift", "r01-squat"))


@pytest.fixture
def round_(lab: Lab) -> Round:
    made = factories.make_round(scenes=list(lab.scenes))
    import_clips(round_=made, manifest=lab.manifest(), actor="test")
    return made


def blind(round_: Round) -> int:
    return services.blind_round(round_=round_, actor="test")


def test_every_clip_gets_a_copy_of_one_size_with_a_proof(round_: Round) -> None:
    assert blind(round_) == 4
    stimuli = list(Stimulus.objects.filter(round=round_))
    assert {stimulus.path.stat().st_size for stimulus in stimuli} == {stimuli[0].size}
    assert round_.state == RoundState.BLINDING
    for copy in BlindCopy.objects.all():
        assert copy.proof["holds"] is True, copy.proof
        assert copy.proof["raw_picture_sha256"] == copy.proof["blind_picture_sha256"]
        assert copy.facts["frame_times"][0] == 0
    assert Sample.objects.filter(frozen_at=None).count() == 0


def test_the_file_holds_nothing_of_its_origin(round_: Round) -> None:
    blind(round_)
    for stimulus in Stimulus.objects.filter(round=round_):
        data = stimulus.path.read_bytes()
        assert not any(word in data for word in (b"Lavf", b"x264", b"alpha", b"beta", b"Lavc"))


def test_a_second_run_changes_nothing(round_: Round) -> None:
    blind(round_)
    before = set(Stimulus.objects.values_list("id", "sha256"))
    entries = AuditEntry.objects.count()
    assert blind(round_) == 4
    assert set(Stimulus.objects.values_list("id", "sha256")) == before
    assert AuditEntry.objects.count() == entries


def test_a_clip_that_comes_later_gives_all_new_ids_and_one_size(round_: Round, lab: Lab) -> None:
    blind(round_)
    before = set(Stimulus.objects.values_list("id", flat=True))
    lab.rows = [
        {
            "configuration": "gamma",
            "scene": "r01-lift",
            "replicate": 1,
            "file": "big.mp4",
            "outcome": "ok",
        }
    ]
    (lab.folder / "big.mp4").write_bytes(factories.tiny_clip(number=9, seconds=4.0))
    import_clips(round_=round_, manifest=lab.manifest(), actor="test")
    assert blind(round_) == 5
    assert not before & set(Stimulus.objects.values_list("id", flat=True))
    assert len(set(Stimulus.objects.filter(round=round_).values_list("size", flat=True))) == 1


def test_ids_say_nothing_and_no_relation_leads_to_the_key(round_: Round) -> None:
    blind(round_)
    stimulus = Stimulus.objects.filter(round=round_).first()
    assert stimulus is not None
    assert len(stimulus.pk) >= 22
    reachable = {
        relation.related_model for relation in Stimulus._meta.get_fields() if relation.is_relation
    }
    assert BlindingKey not in reachable
    assert not any(
        "key" in field.name or "sample" in field.name for field in Stimulus._meta.get_fields()
    )


def test_a_clip_that_cannot_be_copied_is_named_and_the_others_are_kept(
    round_: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = Sample.objects.get(cell__configuration__name="beta", cell__scene="r01-squat")
    assert victim.clip is not None
    hidden = victim.clip.path.with_suffix(".hidden")
    victim.clip.path.chmod(0o644)
    original = victim.clip.path.read_bytes()
    shutil.move(victim.clip.path, hidden)
    victim.clip.path.write_bytes(original[:1000])
    with pytest.raises(ClipsNotBlindable, match="beta/r01-squat/1: ") as caught:
        blind(round_)
    assert len(caught.value.faults) == 1
    assert BlindCopy.objects.count() == 3
    assert not Stimulus.objects.filter(round=round_).exists()
    shutil.move(hidden, victim.clip.path)
    assert blind(round_) == 4


def test_a_full_disk_leaves_no_copy_and_a_rerun_finishes(
    round_: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_kwargs: object) -> None:
        raise StorageFull("No space left on device")

    monkeypatch.setattr(type(blind_copies()), "keep", full)
    with pytest.raises(StorageFull, match="No space left"):
        blind(round_)
    assert not BlindCopy.objects.exists()
    monkeypatch.undo()
    assert blind(round_) == 4


def test_workers_make_the_copies_and_the_last_one_makes_the_stimuli(round_: Round) -> None:
    assert services.request_blinding(round_=round_, actor="test") == 4
    while claim := jobs.claim_next():
        assert not Stimulus.objects.filter(round=round_).exists()
        jobs.run(claim)
    assert set(Job.objects.values_list("state", flat=True)) == {JobState.DONE}
    assert Stimulus.objects.filter(round=round_).count() == 4


def test_after_opening_copies_are_settled_in_program_and_database() -> None:
    opened = factories.open_round()
    with pytest.raises(BlindingIsSettled, match="Open for review"):
        blind(opened)
    stimulus = Stimulus.objects.filter(round=opened).first()
    assert stimulus is not None
    with pytest.raises(IntegrityError, match="blinding_stimulus_is_frozen"), transaction.atomic():
        Stimulus.objects.filter(pk=stimulus.pk).update(sha256="0" * 64)


def test_a_missing_or_changed_copy_is_named(round_: Round) -> None:
    blind(round_)
    gone, changed, *_ = Stimulus.objects.filter(round=round_)
    gone.path.unlink()
    changed.path.chmod(0o644)
    changed.path.write_bytes(b"other bytes")
    with pytest.raises(BlindCopyMissing) as caught:
        check_files(Stimulus.objects.filter(round=round_))
    assert any(gone.pk in fault and "missing" in fault for fault in caught.value.faults)
    assert any(changed.pk in fault and "changed" in fault for fault in caught.value.faults)


def from_ffmpeg(path: Path, *coding: str) -> None:
    """Write a second of picture and sound in the coding that is named."""
    inputs = [
        "-f",
        "lavfi",
        "-i",
        "testsrc2=s=192x108:r=24:d=1",
        "-f",
        "lavfi",
        "-i",
        "sine=f=300:d=1",
    ]
    command = [str(ffmpeg_binary()), "-nostdin", "-v", "error", "-y", *inputs, *coding, str(path)]
    subprocess.run(command, check=True)


class TestClipsThatCannotBeCopied:
    @pytest.fixture
    def round_(self, lab: Lab) -> Round:
        """A round in which one clip is HEVC, which Chromium does not play."""
        hevc = (
            "-c:v",
            "libx265",
            "-x265-params",
            "log-level=none",
            "-preset",
            "ultrafast",
            "-pix_fmt",
            "yuv420p",
        )
        from_ffmpeg(lab.folder / "beta-r01-squat.mp4", *hevc, "-tag:v", "hvc1", "-c:a", "aac")
        made = factories.make_round(scenes=list(lab.scenes))
        import_clips(round_=made, manifest=lab.manifest(), actor="test")
        return made

    def test_the_clip_is_named_with_its_reason_and_both_ways_out(self, round_: Round) -> None:
        with pytest.raises(ClipsNotBlindable) as caught:
            blind(round_)
        said = str(caught.value)
        assert "beta/r01-squat/1: its coding (hevc, aac) does not play" in said
        assert "“normalise " in said
        assert "exclude_clip" in said

    def test_the_round_is_normalised_as_a_whole(
        self, round_: Round, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        small = CommonFormat(
            width=64, height=36, frame_rate="12/1", seconds=1.0, video_bit_rate=100_000
        )
        monkeypatch.setattr(copies, "CommonFormat", lambda **_: small)
        with pytest.raises(ClipsNotBlindable):
            blind(round_)
        services.normalise_round(round_=round_, reason="one clip is HEVC", actor="test")
        assert not BlindCopy.objects.exists()
        assert blind(round_) == 4
        facts = [copy.facts for copy in BlindCopy.objects.all()]
        assert {(f["width"], f["height"], f["frame_rate"], f["video_codec"]) for f in facts} == {
            (64, 36, "12/1", "h264")
        }
        assert fingerprint_of(round_)["told_apart"] is False
        assert AuditEntry.objects.filter(action="round normalised").count() == 1

    def test_normalising_needs_a_reason(self, round_: Round) -> None:
        with pytest.raises(NothingToNormalise):
            services.normalise_round(round_=round_, reason=" ", actor="test")

    def test_or_the_clip_is_left_out_and_counted(self, round_: Round) -> None:
        with pytest.raises(ClipsNotBlindable):
            blind(round_)
        sample = Sample.objects.get(cell__configuration__name="beta", cell__scene="r01-squat")
        services.exclude_clip(round_=round_, sample=sample, reason="HEVC", actor="test")
        assert blind(round_) == 3
        assert NotReviewable.objects.get().reason == "HEVC"

    def test_a_clip_with_its_copy_is_not_left_out(self, round_: Round) -> None:
        with pytest.raises(ClipsNotBlindable):
            blind(round_)
        sample = Sample.objects.get(cell__configuration__name="alpha", cell__scene="r01-squat")
        with pytest.raises(ExclusionRefused, match="has its blind copy"):
            services.exclude_clip(round_=round_, sample=sample, reason="ugly", actor="test")


def test_a_copy_larger_than_the_protocol_allows_is_named(
    round_: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = round_.protocol.rules
    small = rules.model_copy(
        update={"blinding": rules.blinding.model_copy(update={"largest_bytes": 1000})}
    )
    monkeypatch.setattr(type(round_.protocol), "rules", small)
    with pytest.raises(ClipsNotBlindable, match="the protocol allows 1000"):
        blind(round_)


def test_a_clip_changed_in_storage_is_not_copied(round_: Round) -> None:
    sample = Sample.objects.get(cell__configuration__name="beta", cell__scene="r01-squat")
    assert sample.clip is not None
    sample.clip.path.chmod(0o644)
    original = sample.clip.path.read_bytes()
    sample.clip.path.write_bytes(factories.tiny_clip(number=77, seconds=1.0))
    with pytest.raises(ClipsNotBlindable, match="changed after import"):
        blind(round_)
    sample.clip.path.write_bytes(original)


def test_the_fingerprint_names_what_gives_a_configuration_away(round_: Round, lab: Lab) -> None:
    for scene in lab.scenes:
        (lab.folder / f"gamma-{scene}.mp4").write_bytes(
            factories.tiny_clip(number=5, seconds=1.0, fps=16)
        )
    lab.rows = [
        {
            "configuration": "gamma",
            "scene": scene,
            "replicate": 1,
            "file": f"gamma-{scene}.mp4",
            "outcome": "ok",
        }
        for scene in lab.scenes
    ]
    import_clips(round_=round_, manifest=lab.manifest("gamma.csv"), actor="test")
    blind(round_)
    found = fingerprint_of(round_)
    gamma = next(one for one in found["configurations"] if one["configuration"] == "gamma")
    assert "frame_rate" in gamma["given_away_by"]
    assert gamma["shared_with"] == 0


def test_a_fingerprint_of_too_few_files_says_so(round_: Round) -> None:
    assert "two configurations" in fingerprint_of(round_)["not_estimable"]


def test_an_opaque_id_never_looks_like_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-begins-with-a-dash", "--so-does-this", "fine-id"])
    monkeypatch.setattr("blinding.models.secrets.token_urlsafe", lambda _: next(drawn))
    assert opaque_id() == "fine-id"
