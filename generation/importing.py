"""Clips made elsewhere: a manifest becomes cells, samples and stored clips, all of it or
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from fartbench import audit
from fartbench.media.probe import MediaFacts
from fartbench.models import Round
from fartbench.stores import raw_clips
from fartbench.tables import row_number
from generation.arrivals import Arrival, collect_arrivals
from generation.cells import (
    begin_collecting,
    configuration_named,
    lay_out,
    refuse_when_settled,
    samples_of,
)
from generation.clip_notes import clip_notes
from generation.errors import ManifestRefused
from generation.expectations import expected_of
from generation.manifest import CellKey, ManifestRow, read_manifest
from generation.models import Clip, Origin, Sample, SampleState
from generation.verdicts import refuse_unreviewed


@dataclass
class ImportReport:
    """What an import did. ``notes`` are worth knowing and no faults; ``waiting`` cells have no
    outcome yet.
    """

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: int = 0
    provisional: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Delivery:
    """A manifest, and where what it names lies.

    Without a ``folder`` a row may name any file that this program can read, as a command may. With
    one, only files inside it exist, and messages name the manifest as it is called there. ``facts``
    are those of files that were looked at before, by SHA-256 (hex): they are not looked at again.
    """

    manifest: Path
    folder: Path | None = None
    facts: Mapping[str, MediaFacts] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The manifest, as the person knows it who sent it."""
        return str(self.manifest.relative_to(self.folder) if self.folder else self.manifest)


def import_clips(
    *,
    round_: Round,
    manifest: Path,
    actor: str,
    replace: bool = False,
    reason: str = "",
    on_row: Callable[[], None] = lambda: None,
) -> ImportReport:
    """Take in the clips and outcomes of ``manifest``, as `take_in` does."""
    return take_in(
        round_=round_,
        delivery=Delivery(manifest),
        actor=actor,
        replace=replace,
        reason=reason,
        on_row=on_row,
    )


def take_in(
    *,
    round_: Round,
    delivery: Delivery,
    actor: str,
    replace: bool = False,
    reason: str = "",
    on_row: Callable[[], None] = lambda: None,
    dry_run: bool = False,
) -> ImportReport:
    """Take in the clips and outcomes of a delivery; ``on_row`` is called after each row's file was
    looked at.

    Raises ManifestRefused, naming every bad row, when any is bad; then nothing was changed. A cell
    with the same bytes and outcome is left as it is; another outcome or other bytes need
    ``replace`` and a ``reason``, and are refused once the cell has a blind copy. Raises NotReviewed
    before experts passed the round's scenarios. With ``dry_run`` the report says what would be
    done, and nothing is changed.
    """
    refuse_when_settled(round_)
    refuse_unreviewed(round_)
    if replace:
        _refuse_replacing_without_reason(delivery, reason)
    read = read_manifest(
        delivery.manifest,
        scenes=round_.scenes,
        replicates=round_.replicates,
        inside=delivery.folder,
    )
    store = raw_clips()
    with store.scratch() as scratch:
        arrivals, faults = collect_arrivals(read.rows, scratch.parent, on_row, delivery.facts)
        _refuse(delivery, [*read.faults, *faults])
        with transaction.atomic():
            report, faults = _take_in(round_, read.rows, arrivals, replace=replace)
            _refuse(delivery, faults)
            report.waiting = _waiting(round_)
            if dry_run:
                transaction.set_rollback(True)
                return report
            _record(round_, report, actor=actor, reason=reason)
            # Last in the transaction: a full disk undoes the rows. A file without a row does no
            # harm.
            for arrival in arrivals.values():
                store.keep(arrival.copy, sha256=arrival.sha256)
    return report


def _refuse_replacing_without_reason(delivery: Delivery, reason: str) -> None:
    if not reason.strip():
        raise ManifestRefused(
            delivery.name, ["say why results are replaced: --replace needs --reason"]
        )


def _waiting(round_: Round) -> list[str]:
    """Return the cells of the round that have no outcome."""
    return [str(cell) for cell, sample in samples_of(round_).items() if not sample.has_outcome]


def _refuse(delivery: Delivery, faults: list[str]) -> None:
    if faults:
        raise ManifestRefused(delivery.name, sorted(faults, key=row_number))


def _take_in(
    round_: Round, rows: list[ManifestRow], arrivals: dict[CellKey, Arrival], *, replace: bool
) -> tuple[ImportReport, list[str]]:
    report, faults = ImportReport(), []
    for name in dict.fromkeys(row.cell.configuration for row in rows):
        configuration, made = configuration_named(name)
        lay_out(round_, configuration)
        if made:
            report.provisional.append(name)
    samples = samples_of(round_)
    for row in rows:
        sample, arrival = samples[row.cell], arrivals.get(row.cell)
        if not sample.has_outcome and not sample.at_rest:
            faults.append(
                f"row {row.number}: {row.cell} is “{sample.get_state_display()}”: work on it is "
                "under way"
            )
            continue
        if not sample.has_outcome:
            report.added.append(str(row.cell))
        elif _is_same(sample, row, arrival, details=replace):
            _note_unchanged(sample, row, report)
            continue
        elif fault := _not_replaceable(sample, row, replace=replace):
            faults.append(fault)
            continue
        else:
            report.replaced.append(str(row.cell))
        _settle(sample, row, arrival)
        report.notes += _notes(row, arrival, round_)
    return report, faults


def _is_same(sample: Sample, row: ManifestRow, arrival: Arrival | None, *, details: bool) -> bool:
    same_clip = (sample.clip.sha256 if sample.clip else None) == (
        arrival.sha256 if arrival else None
    )
    return sample.state == row.state and same_clip and (not details or _has_details(sample, row))


def _has_details(sample: Sample, row: ManifestRow) -> bool:
    return all(getattr(sample, name) == value for name, value in row.details.items())


def _note_unchanged(sample: Sample, row: ManifestRow, report: ImportReport) -> None:
    report.unchanged += 1
    if not _has_details(sample, row):
        report.notes.append(
            f"row {row.number}: {row.cell} stays as it is; to take in its other details, replace "
            "it and give a reason (--replace --reason)."
        )


def _not_replaceable(sample: Sample, row: ManifestRow, *, replace: bool) -> str | None:
    if sample.frozen_at is not None:
        return f"row {row.number}: {row.cell} has its blind copy and can no longer be replaced"
    if not replace:
        return (
            f"row {row.number}: {row.cell} has another result already "
            f"(“{sample.get_state_display()}”); "
            "to replace it, ask for that and give a reason (--replace --reason)"
        )
    return None


def _notes(row: ManifestRow, arrival: Arrival | None, round_: Round) -> list[str]:
    """Return what is worth knowing of a row's clip, each note with the row's number and cell."""
    if arrival is None:
        return []
    notes = clip_notes(arrival.facts, expected_of(round_, row.cell.scene))
    return [f"row {row.number}: {row.cell} {note}" for note in notes]


def _settle(sample: Sample, row: ManifestRow, arrival: Arrival | None) -> None:
    sample.clip = _clip(arrival) if arrival else None
    sample.state = SampleState(row.state)
    sample.origin = Origin.IMPORTED
    for name, value in row.details.items():
        setattr(sample, name, value)
    sample.save()


def _clip(arrival: Arrival) -> Clip:
    return Clip.objects.get_or_create(
        sha256=arrival.sha256,
        defaults={"size": arrival.copy.stat().st_size, "facts": arrival.facts.as_json()},
    )[0]


def _record(round_: Round, report: ImportReport, *, actor: str, reason: str) -> None:
    if report.added or report.replaced:
        begin_collecting(round_)
        changes = {"added": report.added, "replaced": report.replaced, "reason": reason}
        audit.record("clips imported", actor=actor, round_name=round_.name, **changes)
