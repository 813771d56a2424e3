"""Has the blind copies of a round made, and decides which of its clips get one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from django.db import transaction

from blinding.copies import make_copies, missing_looks
from blinding.errors import (
    BlindingIsSettled,
    ClipsNotBlindable,
    ExclusionRefused,
    NothingToNormalise,
)
from blinding.looks import looks_of
from blinding.models import BlindCopy, NotReviewable
from blinding.selectors import without_copy
from blinding.stimuli import BEFORE_OPENING, drop_stimuli, make_stimuli
from fartbench import audit, jobs
from fartbench.errors import Refusal
from fartbench.media.errors import MediaRefusal
from fartbench.models import Round, RoundState
from fartbench.rounds import move, where_it_stands
from fartbench.storage import StorageAway, StorageFull
from generation.models import Sample, SampleState

BLIND = "blind"


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
    drop_stimuli(round_)
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
