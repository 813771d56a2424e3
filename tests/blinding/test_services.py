"""The blind copies of a round: one size, opaque ids, proofs, and no way from a copy to its maker."""

import shutil
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from blinding import services
from blinding.errors import BlindCopyMissing, BlindingIsSettled, ClipsNotBlindable
from blinding.models import BlindCopy, BlindingKey, Stimulus
from fartbench import jobs
from fartbench.models import AuditEntry, Job, JobState, Round, RoundState
from fartbench.storage import StorageFull, blind_copies
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
    lab.rows = [{"configuration": "gamma", "scene": "r01-lift", "replicate": 1, "file": "big.mp4", "outcome": "ok"}]
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
    reachable = {relation.related_model for relation in Stimulus._meta.get_fields() if relation.is_relation}
    assert BlindingKey not in reachable
    assert not any("key" in field.name or "sample" in field.name for field in Stimulus._meta.get_fields())


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


def test_a_full_disk_leaves_no_copy_and_a_rerun_finishes(round_: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_kwargs: object) -> None:
        raise StorageFull("No space left on device")

    monkeypatch.setattr(type(blind_copies()), "keep", full)
    with pytest.raises(ClipsNotBlindable, match="No space left"):
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
        services.check_files(Stimulus.objects.filter(round=round_))
    assert any(gone.pk in fault and "missing" in fault for fault in caught.value.faults)
    assert any(changed.pk in fault and "changed" in fault for fault in caught.value.faults)
