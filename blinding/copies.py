"""Makes, proves and stores the blind copy of one clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from blinding.common_format import CommonFormat
from blinding.errors import ClipTooLarge, NotPlayable, StoredClipChanged, TraceLeft
from blinding.looks import Look
from blinding.making import Made, make_normalised, make_plain
from blinding.models import BlindCopy
from fartbench.media.playable import is_playable
from fartbench.models import Round
from fartbench.stores import blind_copies
from generation.models import Clip, Sample


def missing_looks(sample: Sample, looks: Sequence[Look]) -> list[Look]:
    """Return one look for each blind copy that a clip does not have yet."""
    there = set(BlindCopy.objects.filter(sample=sample).values_list("windows", "shown"))
    return list({look.copy: look for look in looks if look.copy not in there}.values())


def make_copies(
    sample: Sample,
    round_: Round,
    looks: Sequence[Look],
    *,
    on_copy: Callable[[], None] = lambda: None,
) -> None:
    """Make what is missing of a clip's blind copies, one for each window that is looked at. Raises
    what make_copy raises.
    """
    for look in missing_looks(sample, looks):
        make_copy(sample, round_, look)
        on_copy()


def make_copy(sample: Sample, round_: Round, look: Look = Look()) -> BlindCopy:  # noqa: B008 - it never changes
    """Make, prove and store a blind copy of one clip, or of windows of it. From then on the sample
    cannot be replaced.

    Raises a Refusal with the reason when the clip cannot be copied, its coding does not play
    everywhere, its copy is too large for the protocol, or a trace of its maker is left.
    """
    if sample.clip is None:
        raise ValueError(f"{sample.cell} brought no clip")
    store = blind_copies()
    with store.scratch(".mp4") as scratch:
        made = _make(sample.clip, scratch, round_, look)
        if made.copy.raw_sha256 != sample.clip.sha256:
            raise StoredClipChanged(
                "its stored clip was changed after import: restore it from a backup"
            )
        _refuse_unfit(made, round_.protocol.rules.blinding.largest_bytes)
        store.keep(scratch, sha256=made.copy.blind_sha256)
    fields = {
        "sha256": made.copy.blind_sha256,
        "size": made.copy.blind_size,
        "facts": made.facts.as_json() | {"frame_times": made.frame_times},
        "technical": made.technical,
        "proof": made.proof,
        "removed": made.copy.removed,
    }
    with transaction.atomic():
        Sample.objects.filter(pk=sample.pk, frozen_at__isnull=True).update(frozen_at=timezone.now())
        return BlindCopy.objects.get_or_create(
            sample=sample, windows=look.windows, shown=look.shown, defaults=fields
        )[0]


def _make(clip: Clip, scratch: Path, round_: Round, look: Look) -> Made:
    if look.taken is None and not round_.is_normalised:
        return make_plain(clip.path, scratch)
    common = CommonFormat(**round_.protocol.rules.blinding.format.model_dump())
    return make_normalised(clip.path, scratch, common, look.taken)


def _refuse_unfit(made: Made, largest: int) -> None:
    """Refuse a copy that does not play everywhere, is larger than ``largest`` bytes, or holds a
    trace.
    """
    picture, sound = made.facts.video_codec, made.facts.audio_codec
    if not is_playable(picture, sound):
        raise NotPlayable(
            f"its coding ({picture}, {sound}) does not play in an MP4 file in every browser"
        )
    if made.copy.blind_size > largest:
        raise ClipTooLarge(
            f"the blind copy has {made.copy.blind_size} bytes and the protocol allows {largest}: "
            "every reviewer "
            "would download that much for each clip of the round"
        )
    if leaks := [
        finding for finding in made.findings if finding.flagged and not finding.may_be_chance
    ]:
        named = "; ".join(f"{leak.place}: {leak.value!r} ({leak.reason})" for leak in leaks[:5])
        raise TraceLeft(f"its blind copy still holds a trace: {named}")
