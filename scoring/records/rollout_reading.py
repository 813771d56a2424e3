"""Reads the windows of a round of rollouts, and what machines measured, from the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from django.db.models import Max, QuerySet

from blinding.models import BlindingKey
from fartbench.models import Round
from generation.models import Cell, Sample
from measuring.measurement import Measurement, Status
from measuring.models import MeasurementRow
from scoring.records import MeasuredRecord, WindowRecord

Places = Mapping[int, int]


def read_windows(round_: Round, place_of: Places) -> tuple[WindowRecord, ...]:
    """Return every window that was shown, in the order of the cells; ``place_of`` gives the place
    of a sample's.
    """
    keys = BlindingKey.objects.filter(stimulus__round=round_, stimulus__retirement=None).exclude(
        stimulus__unit=""
    )
    rows = keys.values_list(
        "sample_id", "stimulus_id", "stimulus__form", "stimulus__unit", "stimulus__place",
        "stimulus__end_s",
        "stimulus__sha256",
    )  # fmt: skip
    found = [
        WindowRecord(place_of[sample], stimulus, form, unit, place, end_s or 0.0, sha256)
        for sample, stimulus, form, unit, place, end_s, sha256 in rows
    ]
    return tuple(sorted(found, key=lambda one: (one.cell, one.form, one.end_s, one.place)))


def read_measurements(round_: Round, place_of: Places) -> tuple[MeasuredRecord, ...]:
    """Return what each tool brought when it last measured each rollout, in the order of the
    cells.
    """
    return _newest(
        MeasurementRow.objects.filter(sample__cell__round=round_, sample__counts=True), place_of
    )


def read_rollout(cell: Cell) -> tuple[MeasuredRecord, ...]:
    """Return what each tool brought when it last measured the rollout of one cell."""
    samples = Sample.objects.filter(cell=cell, counts=True).values_list("pk", flat=True)
    return _newest(MeasurementRow.objects.filter(sample__in=samples), dict.fromkeys(samples, 0))


def _newest(rows: QuerySet[MeasurementRow], place_of: Places) -> tuple[MeasuredRecord, ...]:
    runs = rows.order_by().values_list("sample_id", "job").annotate(Max("run"))
    newest = {(sample, job): run for sample, job, run in runs}
    found = [
        MeasuredRecord(place_of[row.sample_id], row.unit, row.place, measurement_of(row))
        for row in rows
        if row.run == newest[row.sample_id, row.job]
    ]
    return tuple(sorted(found, key=lambda one: (one.cell, one.found.metric, one.unit, one.place)))


def measurement_of(row: MeasurementRow) -> Measurement:
    """Return a row as what was measured."""
    return Measurement(
        metric=row.metric,
        value=row.value,
        unit=row.value_unit,
        tool=row.tool,
        version=row.version,
        status=cast("Status", row.status),
        reason=row.reason,
        evidence=row.evidence,
    )
