"""Makes the blind copies of a round: a copy of each clip, then one common size, ids and keys for all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable

from django.db import transaction
from django.utils import timezone

from blinding.copying import blind_copy
from blinding.errors import BlindCopyMissing, BlindingIsSettled, ClipsNotBlindable
from blinding.models import BlindCopy, BlindingKey, Stimulus
from blinding.padding import common_size, pad
from blinding.proof import prove
from fartbench import audit, jobs
from fartbench.errors import Refusal
from fartbench.media.errors import MediaRefusal
from fartbench.media.probe import frame_times, probe
from fartbench.models import Round, RoundState
from fartbench.rounds import move, where_it_stands
from fartbench.storage import blind_copies, file_sha256
from generation.models import Sample, SampleState

BLIND = "blind"
BEFORE_OPENING = (RoundState.GENERATING, RoundState.BLINDING)


def delivered(round_: Round) -> list[Sample]:
    """Return the samples of the round that brought a clip."""
    samples = Sample.objects.filter(cell__round=round_, state=SampleState.DELIVERED)
    return list(samples.select_related("cell__configuration", "clip").order_by("pk"))


def without_copy(round_: Round) -> list[Sample]:
    """Return the delivered samples that have no blind copy yet."""
    copied = BlindCopy.objects.filter(sample__cell__round=round_).values("sample_id")
    return [sample for sample in delivered(round_) if sample.pk not in {row["sample_id"] for row in copied}]


def blind_round(*, round_: Round, actor: str, on_clip: Callable[[], None] = lambda: None) -> int:
    """Make what is missing of the round's blind copies and return how many stimuli it has.

    A run that was interrupted goes on where it was. Raises ClipsNotBlindable, naming each clip that cannot be copied
    and why; copies of the others are kept for the next run. Raises BlindingIsSettled after the round was opened.
    """
    _begin(round_)
    faults = []
    for sample in without_copy(round_):
        try:
            make_copy(sample)
        except MediaRefusal as refusal:
            faults.append(f"{sample.cell}: {refusal.reason}")
        except Refusal as refusal:
            faults.append(f"{sample.cell}: {refusal}")
        on_clip()
    if faults:
        raise ClipsNotBlindable(f"Round {round_.name!r}", faults)
    return make_stimuli(round_=round_, actor=actor)


def _begin(round_: Round) -> None:
    if round_.state not in BEFORE_OPENING:
        raise BlindingIsSettled(
            "Blind copies are made after clips came in and before the round is opened. " + where_it_stands(round_)
        )
    if round_.state == RoundState.GENERATING:
        move(round_, to=RoundState.BLINDING, within=(RoundState.GENERATING,))


@transaction.atomic
def request_blinding(*, round_: Round, actor: str) -> int:
    """Leave the round's blind copies to the workers and return how many they have to make.

    Raises BlindingIsSettled when the round has no clips yet or was opened.
    """
    _begin(round_)
    samples = [sample.pk for sample in without_copy(round_)]
    jobs.enqueue(BLIND, samples, round_name=round_.name)
    if not samples:
        make_stimuli(round_=round_, actor=actor)
    return len(samples)


def blind_sample(subject: str, report: jobs.Report) -> None:  # noqa: ARG001 - a copy is made in one go
    """Make the blind copy of one sample; whoever makes the last one of a round makes its stimuli too."""
    sample = Sample.objects.select_related("cell__round", "clip").get(pk=subject)
    round_ = sample.cell.round
    if round_.state not in BEFORE_OPENING:
        return
    if not BlindCopy.objects.filter(sample=sample).exists():
        make_copy(sample)
    if not without_copy(round_):
        make_stimuli(round_=round_, actor=audit.SYSTEM)


def make_copy(sample: Sample) -> BlindCopy:
    """Make, prove and store the blind copy of one clip. From then on the sample cannot be replaced.

    Raises a Refusal with the reason when the clip cannot be copied.
    """
    assert sample.clip is not None, "a delivered sample has a clip"  # noqa: S101 - a database constraint says so
    store = blind_copies()
    with store.scratch(".mp4") as scratch:
        blind_copy(sample.clip.path, scratch)
        proof = prove(sample.clip.path, scratch)
        proof.insist(sample.clip.path)
        facts = probe(scratch).as_json() | {"frame_times": frame_times(scratch)}
        sha256, size = file_sha256(scratch), scratch.stat().st_size
        store.keep(scratch, sha256=sha256)
    with transaction.atomic():
        Sample.objects.filter(pk=sample.pk, frozen_at__isnull=True).update(frozen_at=timezone.now())
        copy, _ = BlindCopy.objects.get_or_create(
            sample=sample, defaults={"sha256": sha256, "size": size, "facts": facts, "proof": proof.as_json()}
        )
    return copy


def make_stimuli(*, round_: Round, actor: str) -> int:
    """Pad every copy of the round to one common size and give it an opaque id and a key; return how many there are.

    When nothing was added since the last time, nothing changes; otherwise all get new ids, for one common size.
    """
    copies = list(
        BlindCopy.objects.filter(sample__cell__round=round_).select_related("sample__cell").order_by("sha256")
    )
    if _is_made(round_, copies):
        return len(copies)
    size = common_size([copy.size for copy in copies])
    padded = {copy.sha256: _padded(copy, size) for copy in copies}
    with transaction.atomic():
        # Two workers may have made the last two copies at once: the second finds the work of the first.
        if Round.objects.select_for_update().get(pk=round_.pk).state in BEFORE_OPENING and not _is_made(round_, copies):
            _replace_stimuli(round_, copies, padded, size)
            audit.record("clips blinded", actor=actor, round_name=round_.name, stimuli=len(copies), bytes_each=size)
    return len(copies)


def _is_made(round_: Round, copies: list[BlindCopy]) -> bool:
    keyed = BlindingKey.objects.filter(stimulus__round=round_).values_list("sample_id", flat=True)
    return {copy.sample_id for copy in copies} == set(keyed)


def _replace_stimuli(round_: Round, copies: list[BlindCopy], padded: dict[str, str], size: int) -> None:
    BlindingKey.objects.filter(stimulus__round=round_).delete()
    Stimulus.objects.filter(round=round_).delete()
    for copy in copies:
        stimulus = Stimulus.objects.create(
            round=round_, scene=copy.sample.cell.scene, sha256=padded[copy.sha256], size=size, facts=copy.facts
        )
        BlindingKey.objects.create(stimulus=stimulus, sample_id=copy.sample_id)


def _padded(copy: BlindCopy, size: int) -> str:
    store = blind_copies()
    with store.scratch(".mp4") as scratch:
        shutil.copyfile(store.path(copy.sha256), scratch)
        pad(scratch, size)
        sha256 = file_sha256(scratch)
        store.keep(scratch, sha256=sha256)
    return sha256


def check_files(stimuli: Iterable[Stimulus]) -> None:
    """Raise BlindCopyMissing, naming each stimulus whose stored file is gone or not what it was."""
    faults = []
    for stimulus in stimuli:
        if not stimulus.path.is_file():
            faults.append(f"stimulus {stimulus.pk}: its blind copy is missing from storage")
        elif file_sha256(stimulus.path) != stimulus.sha256:
            faults.append(f"stimulus {stimulus.pk}: its blind copy was changed in storage")
    if faults:
        raise BlindCopyMissing("The blind copies", faults)
