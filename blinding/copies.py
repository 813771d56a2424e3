"""Makes, proves and stores the blind copy of one clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from blinding.copying import CopyResult, blind_copy
from blinding.errors import ClipTooLarge, NotPlayable, StoredClipChanged, TraceLeft
from blinding.fingerprint import technical_facts
from blinding.leaks.finding import Finding
from blinding.leakscan import scan
from blinding.looks import Look
from blinding.models import BlindCopy
from blinding.normalise import CommonFormat, normalise
from blinding.windows import cut
from fartbench.media.probe import frame_times, probe
from fartbench.models import Round
from fartbench.storage import blind_copies
from generation.models import Clip, Sample

# What Chromium and Firefox both play in MP4, without help from the system; None is a clip without sound.
PLAYABLE_PICTURE = frozenset({"h264", "av1", "vp9"})
PLAYABLE_SOUND = frozenset({"aac", "mp3", "opus", None})


def missing_looks(sample: Sample, looks: Sequence[Look]) -> list[Look]:
    """Return one look for each blind copy that a clip does not have yet."""
    there = set(BlindCopy.objects.filter(sample=sample).values_list("windows", "shown"))
    return list({look.copy: look for look in looks if look.copy not in there}.values())


def make_copies(
    sample: Sample, round_: Round, looks: Sequence[Look], *, on_copy: Callable[[], None] = lambda: None
) -> None:
    """Make what is missing of a clip's blind copies, one for each window that is looked at. Raises what make_copy
    raises."""
    for look in missing_looks(sample, looks):
        make_copy(sample, round_, look)
        on_copy()


def make_copy(sample: Sample, round_: Round, look: Look = Look()) -> BlindCopy:  # noqa: B008 - it never changes
    """Make, prove and store a blind copy of one clip, or of windows of it. From then on the sample cannot be replaced.

    Raises a Refusal with the reason when the clip cannot be copied, its coding does not play everywhere, its copy is
    too large for the protocol, or a trace of its maker is left.
    """
    if sample.clip is None:
        raise ValueError(f"{sample.cell} brought no clip")
    store = blind_copies()
    with store.scratch(".mp4") as scratch:
        made, proof = _write(sample.clip, scratch, round_, look)
        if made.raw_sha256 != sample.clip.sha256:
            raise StoredClipChanged("its stored clip was changed after import: restore it from a backup")
        _refuse_unfit(made, scratch, round_)
        fields = {
            "sha256": made.blind_sha256,
            "size": made.blind_size,
            "facts": probe(scratch).as_json() | {"frame_times": frame_times(scratch)},
            "technical": technical_facts(scratch),
            "proof": proof,
            "removed": made.removed,
        }
        store.keep(scratch, sha256=made.blind_sha256)
    with transaction.atomic():
        Sample.objects.filter(pk=sample.pk, frozen_at__isnull=True).update(frozen_at=timezone.now())
        return BlindCopy.objects.get_or_create(sample=sample, windows=look.windows, shown=look.shown, defaults=fields)[
            0
        ]


def _write(clip: Clip, scratch: Path, round_: Round, look: Look) -> tuple[CopyResult, dict[str, object] | None]:
    common = CommonFormat(**round_.protocol.rules.blinding.format.model_dump())
    if look.taken is not None:
        return cut(clip.path, scratch, taken=look.taken, format=common), None
    if round_.is_normalised:
        return normalise(clip.path, scratch, format=common), None
    from blinding.proof import prove  # noqa: PLC0415 - loads decoders, which a web process does without

    made = blind_copy(clip.path, scratch)
    proof = prove(clip.path, scratch)
    proof.insist(clip.path)
    return made, proof.as_json()


def _refuse_unfit(made: CopyResult, copy: Path, round_: Round) -> None:
    facts, largest = probe(copy), round_.protocol.rules.blinding.largest_bytes
    if facts.video_codec not in PLAYABLE_PICTURE or facts.audio_codec not in PLAYABLE_SOUND:
        raise NotPlayable(
            f"its coding ({facts.video_codec}, {facts.audio_codec}) does not play in an MP4 file in every browser"
        )
    if made.blind_size > largest:
        raise ClipTooLarge(
            f"the blind copy has {made.blind_size} bytes and the protocol allows {largest}: every reviewer "
            "would download that much for each clip of the round"
        )
    if leaks := [finding for finding in scan(copy) if finding.flagged and not _may_be_chance(finding)]:
        named = "; ".join(f"{leak.place}: {leak.value!r} ({leak.reason})" for leak in leaks[:5])
        raise TraceLeft(f"its blind copy still holds a trace: {named}")


def _may_be_chance(finding: Finding) -> bool:
    # In coded picture and sound, bytes that happen to be readable and name nothing are no reason to stop a round.
    return finding.place in {"media data", "sound packet"} and finding.reason == "free text"
