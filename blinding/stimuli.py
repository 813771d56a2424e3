"""Makes stimuli of a round's blind copies: one common size, an opaque id and a key for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.db import transaction

from blinding.errors import BlindCopyMissing
from blinding.looks import WHOLE, Look, looks_of
from blinding.models import BlindCopy, BlindingKey, NotReviewable, Stimulus
from blinding.padding import common_size, padded_copy
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.stores import blind_copies

ROWS_AT_ONCE = 200
BEFORE_OPENING = (RoundState.GENERATING, RoundState.BLINDING)
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
    looks = looks_of(round_)
    excluded = NotReviewable.objects.filter(sample__cell__round=round_).values("sample")
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
    drop_stimuli(round_)
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


def drop_stimuli(round_: Round) -> None:
    """Delete a round's stimuli and their keys."""
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
