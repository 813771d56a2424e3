"""What a clip is recognised by, in whatever file it came: raw file, blind copies, decoded picture
and sound.

Two samples that share one of these show the same clip. A container, a name or padding changes none
of the last three.
"""

from __future__ import annotations

from collections import defaultdict

from django.db.models import QuerySet

from blinding.models import BlindCopy, BlindingKey
from generation.models import Sample

Mark = tuple[str, ...]
_DIGESTS = tuple(
    f"proof__{side}_{part}_sha256" for side in ("raw", "blind") for part in ("picture", "sound")
)


def marks_of(samples: QuerySet[Sample]) -> dict[int, set[Mark]]:
    """Return the marks of each of these samples that has a clip, by the sample's key, in three
    queries.
    """
    found: dict[int, set[Mark]] = defaultdict(set)
    keys = samples.filter(clip__isnull=False).order_by().values("pk")
    for sample, sha256 in (
        Sample.every.filter(pk__in=keys).order_by().values_list("pk", "clip__sha256")
    ):
        found[sample].add(("file", str(sha256)))
    copies = BlindCopy.objects.filter(sample__in=keys).order_by()
    for sample, sha256, *digests in copies.values_list("sample_id", "sha256", *_DIGESTS).iterator():
        found[sample].add(("file", sha256))
        for picture, sound in (digests[:2], digests[2:]):
            if picture:
                found[sample].add(("shown", picture, sound or ""))
    stimuli = BlindingKey.objects.filter(sample__in=keys).order_by()
    for sample, sha256 in stimuli.values_list("sample_id", "stimulus__sha256").iterator():
        found[sample].add(("file", sha256))
    return found


def shared(samples: QuerySet[Sample], others: QuerySet[Sample]) -> dict[int, int]:
    """Return those of ``samples`` that show a clip of ``others`` too, each with one of those that
    it shares it with.
    """
    whose = {mark: other for other, marks in marks_of(others).items() for mark in marks}
    return {
        sample: whose[common]
        for sample, marks in marks_of(samples).items()
        if (common := next((mark for mark in sorted(marks) if mark in whose), None))
    }
