"""Clips made elsewhere: a manifest becomes cells, samples and stored clips, all of it or nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from fartbench import audit
from fartbench.media.errors import MediaRefusal
from fartbench.media.probe import MediaFacts, probe
from fartbench.models import Round
from fartbench.protocol.schema import Clip as ClipRule
from fartbench.scenarios.sampling import asked_of
from fartbench.scenarios.units import SLACK_S
from fartbench.storage import file_sha256, raw_clips
from fartbench.tables import row_number
from generation.cells import begin_collecting, configuration_named, lay_out, refuse_when_settled, samples_of
from generation.errors import ManifestRefused
from generation.manifest import CellKey, ManifestRow, read_manifest
from generation.models import Clip, Sample, SampleState
from generation.verdicts import refuse_unreviewed


@dataclass
class ImportReport:
    """What an import did. ``notes`` are worth knowing and no faults; ``waiting`` cells have no outcome yet."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: int = 0
    provisional: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Arrival:
    """A clip that was copied to the store's disk, hashed and probed, and waits for the rest of the manifest."""

    copy: Path
    sha256: str
    facts: MediaFacts


def import_clips(
    *,
    round_: Round,
    manifest: Path,
    actor: str,
    replace: bool = False,
    reason: str = "",
    on_row: Callable[[], None] = lambda: None,
) -> ImportReport:
    """Take in the clips and outcomes of ``manifest``; ``on_row`` is called after each row's file was looked at.

    Raises ManifestRefused, naming every bad row, when any is bad; then nothing was changed. A cell with the same
    bytes and outcome is left as it is; another outcome or other bytes need ``replace`` and a ``reason``, and are
    refused once the cell has a blind copy. Raises NotReviewed before experts passed the round's scenarios.
    """
    refuse_when_settled(round_)
    refuse_unreviewed(round_)
    if replace and not reason.strip():
        raise ManifestRefused(str(manifest), ["--replace needs --reason: say why results are replaced"])
    read = read_manifest(manifest, scenes=round_.scenes, replicates=round_.replicates)
    store = raw_clips()
    with store.scratch() as scratch:
        arrivals, faults = _arrivals(read.rows, scratch.parent, on_row)
        _refuse(manifest, [*read.faults, *faults])
        with transaction.atomic():
            report, faults = _take_in(round_, read.rows, arrivals, replace=replace)
            _refuse(manifest, faults)
            _record(round_, report, actor=actor, reason=reason)
            # Last in the transaction: a full disk undoes the rows. A file without a row does no harm.
            for arrival in arrivals.values():
                store.keep(arrival.copy, sha256=arrival.sha256)
    report.waiting = [str(cell) for cell, sample in samples_of(round_).items() if not sample.has_outcome]
    return report


def _refuse(manifest: Path, faults: list[str]) -> None:
    if faults:
        raise ManifestRefused(str(manifest), sorted(faults, key=row_number))


def _arrivals(
    rows: list[ManifestRow], folder: Path, on_row: Callable[[], None]
) -> tuple[dict[CellKey, _Arrival], list[str]]:
    arrivals, faults = {}, []
    for row in rows:
        if row.file is not None:
            try:
                arrivals[row.cell] = _arrival(row.file, folder / f"row{row.number}")
            except MediaRefusal as refusal:
                faults.append(f"row {row.number}, file: {row.file.name!r}: {refusal.reason}")
        on_row()
    return arrivals, faults


def _arrival(source: Path, copy: Path) -> _Arrival:
    # The copy is what gets probed, hashed and kept, so that a file changing meanwhile cannot slip through.
    shutil.copyfile(source, copy)
    return _Arrival(copy, file_sha256(copy), probe(copy))


def _take_in(
    round_: Round, rows: list[ManifestRow], arrivals: dict[CellKey, _Arrival], *, replace: bool
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
            faults.append(f"row {row.number}: {row.cell} is “{sample.get_state_display()}”: work on it is under way")
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
        report.notes += _departures(row, arrival, round_.protocol.rules.clip)
        report.notes += _missing_windows(row, arrival, round_)
    return report, faults


def _is_same(sample: Sample, row: ManifestRow, arrival: _Arrival | None, *, details: bool) -> bool:
    same_clip = (sample.clip.sha256 if sample.clip else None) == (arrival.sha256 if arrival else None)
    return sample.state == row.state and same_clip and (not details or _has_details(sample, row))


def _has_details(sample: Sample, row: ManifestRow) -> bool:
    return all(getattr(sample, name) == value for name, value in row.details.items())


def _note_unchanged(sample: Sample, row: ManifestRow, report: ImportReport) -> None:
    report.unchanged += 1
    if not _has_details(sample, row):
        report.notes.append(
            f"row {row.number}: {row.cell} stays as it is; “--replace --reason” would take in its other details"
        )


def _not_replaceable(sample: Sample, row: ManifestRow, *, replace: bool) -> str | None:
    if sample.frozen_at is not None:
        return f"row {row.number}: {row.cell} has its blind copy and can no longer be replaced"
    if not replace:
        return (
            f"row {row.number}: {row.cell} has another result already (“{sample.get_state_display()}”); "
            "give --replace and --reason to replace it"
        )
    return None


def _departures(row: ManifestRow, arrival: _Arrival | None, asked: ClipRule) -> Iterator[str]:
    """Say where a clip is not what the protocol asks for. It is a result all the same: nobody trims or repairs it."""
    if arrival is None:
        return
    facts, about = arrival.facts, f"row {row.number}: {row.cell}"
    if not facts.has_audio and asked.audio == "native":
        yield f"{about} has no sound track; it stands as the result"
    if abs(facts.duration_s - asked.duration_s) > asked.duration_tolerance_s:
        yield (
            f"{about} lasts {facts.duration_s:.1f} s, and {asked.duration_s:g} s were asked for, give or take "
            f"{asked.duration_tolerance_s:g} s; it stands as the result"
        )
    if not asked.has_shape(facts.width, facts.height):
        yield f"{about} is {facts.width} x {facts.height}, which is not {asked.aspect_ratio}; it stands as the result"


def _missing_windows(row: ManifestRow, arrival: _Arrival | None, round_: Round) -> Iterator[str]:
    """Say where a rollout ends before what is judged of it does."""
    rollouts, looks = round_.protocol.rules.rollouts, round_.looks
    if arrival is None or rollouts is None or looks is None or arrival.facts.duration_s >= max(looks.horizons):
        return
    last_s = max(one.unit.end_s for one in asked_of(rollouts, looks, rollouts.scenario(row.cell.scene)))
    if arrival.facts.duration_s + SLACK_S < last_s:
        yield (
            f"row {row.number}: {row.cell} lasts {arrival.facts.duration_s:.1f} s and is judged up to {last_s:g} s, so "
            "“blind” will refuse it: bring a whole one with --replace and --reason, or leave it out with “exclude_clip”"
        )


def _settle(sample: Sample, row: ManifestRow, arrival: _Arrival | None) -> None:
    sample.clip = _clip(arrival) if arrival else None
    sample.state = SampleState(row.state)
    for name, value in row.details.items():
        setattr(sample, name, value)
    sample.save()


def _clip(arrival: _Arrival) -> Clip:
    return Clip.objects.get_or_create(
        sha256=arrival.sha256, defaults={"size": arrival.copy.stat().st_size, "facts": arrival.facts.as_json()}
    )[0]


def _record(round_: Round, report: ImportReport, *, actor: str, reason: str) -> None:
    if report.added or report.replaced:
        begin_collecting(round_)
        changes = {"added": report.added, "replaced": report.replaced, "reason": reason}
        audit.record("clips imported", actor=actor, round_name=round_.name, **changes)
