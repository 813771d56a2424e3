"""Makes the blind copies of a round: a copy of each clip, then one common size, ids and keys for
all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import count

from django.db import transaction

from blinding.copies import make_copies, missing_looks
from blinding.errors import (
    BlindCopyMissing,
    BlindingIsSettled,
    ClipsNotBlindable,
    ExclusionRefused,
    NothingToNormalise,
)
from blinding.looks import WHOLE, Look, looks_of
from blinding.models import BlindCopy, BlindingKey, NotReviewable, Stimulus
from blinding.padding import common_size, padded_copy
from fartbench import audit, jobs
from fartbench.errors import Refusal
from fartbench.media.errors import MediaRefusal
from fartbench.models import Round, RoundState
from fartbench.rounds import move, where_it_stands
from fartbench.storage import StorageAway, StorageFull
from fartbench.stores import blind_copies
from generation.models import Sample, SampleState

BLIND = "blind"
ROWS_AT_ONCE = 200
BEFORE_OPENING = (RoundState.GENERATING, RoundState.BLINDING)


def to_review(round_: Round) -> list[Sample]:
    """Return the samples of the round that brought a clip which is to be reviewed."""
    excluded = NotReviewable.objects.filter(sample__cell__round=round_).values("sample")
    samples = Sample.objects.filter(cell__round=round_, state=SampleState.DELIVERED).exclude(
        pk__in=excluded
    )
    return list(samples.select_related("cell__configuration", "clip").order_by("pk"))


def without_copy(round_: Round) -> list[Sample]:
    """Return the samples to be reviewed that have no blind copy yet, or not of every window that is
    looked at.
    """
    wanted = {scene: {look.copy for look in looks} for scene, looks in looks_of(round_).items()}
    there: dict[int, set[tuple[str, str]]] = defaultdict(set)
    copies = BlindCopy.objects.filter(sample__cell__round=round_).values_list(
        "sample_id", "windows", "shown"
    )
    for sample, windows, shown in copies:
        there[sample].add((windows, shown))
    return [
        sample for sample in to_review(round_) if not wanted[sample.cell.scene] <= there[sample.pk]
    ]


def copies_of(round_: Round) -> tuple[int, int]:
    """Return how many blind copies are there of the round's clips that are reviewed, and how many
    there are to be.

    A clip has one, a rollout one of each window that is looked at.
    """
    wanted = {
        scene: len({look.copy for look in looks}) for scene, looks in looks_of(round_).items()
    }
    excluded = NotReviewable.objects.filter(sample__cell__round=round_).values("sample")
    samples = Sample.objects.filter(cell__round=round_, state=SampleState.DELIVERED).exclude(
        pk__in=excluded
    )
    made = BlindCopy.objects.filter(sample__in=samples).count()
    return made, sum(wanted[scene] for scene in samples.values_list("cell__scene", flat=True))


def blind_round(*, round_: Round, actor: str, on_copy: Callable[[], None] = lambda: None) -> int:
    """Make what is missing of the round's blind copies and return how many stimuli it has.

    A run that was interrupted continues where it stopped. Raises ClipsNotBlindable, naming each
    clip that cannot be copied and why; copies of the others are kept for the next run. Raises
    BlindingIsSettled after the round was opened, StorageFull or StorageAway when copies cannot be
    stored.
    """
    _begin(round_)
    faults, looks = [], looks_of(round_)
    for sample in without_copy(round_):
        try:
            make_copies(sample, round_, looks[sample.cell.scene], on_copy=on_copy)
        except (StorageFull, StorageAway):
            raise  # says nothing about the clip, and the next one would not fare better
        except MediaRefusal as refusal:
            faults.append(f"{sample.cell}: {refusal.reason}")
        except Refusal as refusal:
            faults.append(f"{sample.cell}: {refusal}")
    if faults:
        re_encoded = round_.is_normalised or round_.protocol.rules.rollouts is not None
        raise ClipsNotBlindable(round_.name, faults, re_encoded=re_encoded)
    return make_stimuli(round_=round_, actor=actor)


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


def blind_sample(subject: str, report: jobs.Report) -> None:
    """Make the blind copies of one sample; anyone who makes the last one of a round makes its
    stimuli too.
    """
    sample = Sample.objects.select_related("cell__round__protocol", "clip").get(pk=subject)
    round_ = sample.cell.round
    if round_.state not in BEFORE_OPENING:
        return
    looks = looks_of(round_)[sample.cell.scene]
    made, missing = count(1), len(missing_looks(sample, looks))
    make_copies(sample, round_, looks, on_copy=lambda: report(next(made) / missing))
    if not without_copy(round_):
        make_stimuli(round_=round_, actor=audit.SYSTEM)


@transaction.atomic
def normalise_round(*, round_: Round, reason: str, actor: str) -> None:
    """Have every clip of the round re-encoded to the protocol's common format: a single one would
    be marked.

    Copies that were made are dropped; “blind” makes them anew. Raises BlindingIsSettled after the
    round was opened, NothingToNormalise without a reason.
    """
    _begin(round_)
    if not reason.strip():
        raise NothingToNormalise("Say why the round is normalised: the reason is empty.")
    if round_.is_normalised:
        return
    round_.normalised_because = reason.strip()
    round_.save(update_fields=["normalised_because"])
    _drop_stimuli(round_)
    BlindCopy.objects.filter(sample__cell__round=round_).delete()
    jobs.forget(BLIND, round_name=round_.name)
    audit.record("round normalised", actor=actor, round_name=round_.name, reason=reason)


@transaction.atomic
def exclude_clip(*, round_: Round, sample: Sample, reason: str, actor: str) -> None:
    """Declare a delivered clip that cannot be blinded not reviewable; its configuration is then
    listed unranked.

    Raises BlindingIsSettled after the round was opened, ExclusionRefused without a reason or for a
    clip with a copy.
    """
    _begin(round_)
    if not reason.strip():
        raise ExclusionRefused(f"Say why {sample.cell} is not reviewable: the reason is empty.")
    if sample.state != SampleState.DELIVERED or sample not in without_copy(round_):
        raise ExclusionRefused(
            f"{sample.cell} has no clip to leave out, or has its blind copy already."
        )
    BlindCopy.objects.filter(sample=sample).delete()
    NotReviewable.objects.get_or_create(sample=sample, defaults={"reason": reason.strip()})
    audit.record(
        "clip excluded", actor=actor, round_name=round_.name, cell=str(sample.cell), reason=reason
    )


def _begin(round_: Round) -> None:
    if round_.state not in BEFORE_OPENING:
        raise BlindingIsSettled(
            "Blind copies are made after clips came in and before the round is opened. "
            + where_it_stands(round_)
        )
    if round_.state == RoundState.GENERATING:
        move(round_, to=RoundState.BLINDING, within=(RoundState.GENERATING,))


Piece = tuple[Look, BlindCopy]


def make_stimuli(*, round_: Round, actor: str) -> int:
    """Pad every copy of the round to the common size of its kind, give each look an opaque id and a
    key; return how many there are.

    When nothing was added since the last time, nothing changes; otherwise all get new ids, for
    common sizes.
    """
    pieces = _pieces(round_)
    if not pieces or _is_made(round_, pieces):
        return len(pieces)
    sizes = _common_sizes(pieces)
    padded = {(copy.sha256, sizes[look.unit]): "" for look, copy in pieces}
    for look, copy in pieces:
        place = copy.sha256, sizes[look.unit]
        padded[place] = padded[place] or _padded(copy, sizes[look.unit])
    with transaction.atomic():
        # Two workers may have made the last two copies at once: the second finds the work of the
        # first.
        if Round.objects.select_for_update().get(
            pk=round_.pk
        ).state in BEFORE_OPENING and not _is_made(round_, pieces):
            _replace_stimuli(round_, pieces, padded, sizes)
            size = sizes.get(WHOLE, sizes)
            audit.record(
                "clips blinded",
                actor=actor,
                round_name=round_.name,
                stimuli=len(pieces),
                bytes_each=size,
            )
    return len(pieces)


def _pieces(round_: Round) -> list[Piece]:
    """Return what is looked at of each clip that has all of its copies, with the copy."""
    looks, excluded = (
        looks_of(round_),
        NotReviewable.objects.filter(sample__cell__round=round_).values("sample"),
    )
    found: dict[int, dict[tuple[str, str], BlindCopy]] = defaultdict(dict)
    copies = BlindCopy.objects.filter(sample__cell__round=round_).exclude(sample__in=excluded)
    for copy in copies.select_related("sample__cell").order_by("sha256"):
        found[copy.sample_id][copy.windows, copy.shown] = copy
    return [
        (look, there[look.copy])
        for there in found.values()
        for look in looks[next(iter(there.values())).sample.cell.scene]
        if look.copy in there
    ]


def _common_sizes(pieces: list[Piece]) -> dict[str, int]:
    """Return the one size (bytes) for all stimuli of each kind of window: a few seconds need not be
    as large as a whole rollout.
    """
    sizes: dict[str, list[int]] = defaultdict(list)
    for look, copy in pieces:
        sizes[look.unit].append(copy.size)
    return {unit: common_size(found) for unit, found in sizes.items()}


def _is_made(round_: Round, pieces: list[Piece]) -> bool:
    keyed = BlindingKey.objects.filter(stimulus__round=round_).values_list(
        "sample_id", "stimulus__form", "stimulus__place", "stimulus__end_s"
    )
    return {(copy.sample_id, look.form, look.place, look.end_s) for look, copy in pieces} == set(
        keyed
    )


def _replace_stimuli(
    round_: Round, pieces: list[Piece], padded: dict[tuple[str, int], str], sizes: dict[str, int]
) -> None:
    _drop_stimuli(round_)
    stimuli = [
        Stimulus(
            round=round_,
            scene=copy.sample.cell.scene,
            form=look.form,
            unit=look.unit,
            place=look.place,
            end_s=look.end_s,
            context=look.context,
            sha256=padded[copy.sha256, sizes[look.unit]],
            size=sizes[look.unit],
            facts=copy.facts,
        )
        for look, copy in pieces
    ]
    Stimulus.objects.bulk_create(stimuli, batch_size=ROWS_AT_ONCE)
    BlindingKey.objects.bulk_create(
        (
            BlindingKey(stimulus=stimulus, sample_id=copy.sample_id)
            for stimulus, (_, copy) in zip(stimuli, pieces, strict=True)
        ),
        batch_size=ROWS_AT_ONCE,
    )


def _drop_stimuli(round_: Round) -> None:
    BlindingKey.objects.filter(stimulus__round=round_).delete()
    Stimulus.objects.filter(round=round_).delete()


def _padded(copy: BlindCopy, size: int) -> str:
    store = blind_copies()
    with store.scratch(".mp4") as scratch:
        sha256 = padded_copy(store.path(copy.sha256), scratch, size)
        store.keep(scratch, sha256=sha256)
    return sha256


def check_files(stimuli: Iterable[Stimulus]) -> None:
    """Raise BlindCopyMissing, naming each stimulus whose stored file is gone or not what it was."""
    faults, store = [], blind_copies()
    for stimulus in stimuli:
        found = store.stored_sha256(stimulus.sha256)
        if found is None:
            faults.append(f"stimulus {stimulus.pk}: its blind copy is missing from storage")
        elif found != stimulus.sha256:
            faults.append(f"stimulus {stimulus.pk}: its blind copy was changed in storage")
    if faults:
        raise BlindCopyMissing("The blind copies", faults)
