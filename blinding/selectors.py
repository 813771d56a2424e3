"""Which clips of a round are blinded, and which of their copies are there."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import QuerySet

from blinding.looks import looks_of
from blinding.models import BlindCopy, NotReviewable
from fartbench.models import Round
from generation.models import Sample, SampleState


def to_review(round_: Round) -> list[Sample]:
    """Return the samples of the round that brought a clip which is to be reviewed."""
    samples = _reviewed(round_).select_related("cell__configuration", "clip")
    return list(samples.order_by("pk"))


def _reviewed(round_: Round) -> QuerySet[Sample]:
    excluded = NotReviewable.objects.filter(sample__cell__round=round_).values("sample")
    delivered = Sample.objects.filter(cell__round=round_, state=SampleState.DELIVERED)
    return delivered.exclude(pk__in=excluded)


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
    samples = _reviewed(round_)
    made = BlindCopy.objects.filter(sample__in=samples).count()
    return made, sum(wanted[scene] for scene in samples.values_list("cell__scene", flat=True))
