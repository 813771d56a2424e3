"""Rounds of rollouts as rows: read back as they were answered, published, and refused while they
may change.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from fartbench.models import Round
from fartbench.protocol.rollouts.schema import Scenario
from measuring.measurement import Measurement
from measuring.models import MeasurementRow
from rounds import opening as rounds
from rounds.due import due_step
from scoring.errors import ReleaseBlocked, RoundAltered
from scoring.records import MeasuredRecord, WindowRecord
from scoring.records.reading import read_round
from scoring.release.kinds import documents_of
from scoring.release.rollouts.pages import columns_document, rollout_document
from scoring.release.verifying import verify_release
from tests.streamav.rollout_record import make_round, signals, streamav
from tests.streamav.rollout_rows import store
from tests.streamav.scripts import drawn

pytestmark = pytest.mark.django_db
SCENARIOS = [one.key for one in streamav().protocol.rollouts.scenarios]


def measured(place: int, _name: str, scenario: Scenario) -> list[MeasuredRecord]:
    return signals(place, scenario, score=80.0 + place / 10, fps=10.0 + place)


def small(**wanted: Any) -> Any:
    return make_round(
        drawn, scenarios=SCENARIOS[:2], **{"measured": measured, "reviewers": 2, **wanted}
    )


def figures(scores: dict[str, Any]) -> Any:
    """Return the columns of a scores document."""
    return [(one["configuration"], one["columns"]) for one in scores["readings"][0]["systems"]]


def test_rows_are_read_back_as_what_was_answered_and_measured() -> None:
    record = small(failed={("beta", SCENARIOS[1]): "no stream"})
    found = read_round(store(record))
    assert figures(documents_of(found).scores) == figures(documents_of(record).scores)
    assert [replace(one, stimulus="", blind_sha256="") for one in found.windows] == sorted(
        (replace(one, stimulus="", blind_sha256="") for one in record.windows),
        key=lambda one: (one.cell, one.form, one.end_s, one.place),
    )


def test_reading_a_round_takes_as_many_queries_for_any_number_of_windows() -> None:
    counts = []
    for number in (1, 2):
        round_ = store(
            make_round(drawn, scenarios=SCENARIOS[:number], measured=measured),
            name=f"round-{number}",
        )
        with CaptureQueriesContext(
            connection,
        ) as queries:
            read_round(round_)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_changed_answer_is_refused_before_anything_is_added_up() -> None:
    from fartbench import writeonce  # noqa: PLC0415

    round_ = store(small())
    writeonce.uninstall()
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE review_answer SET value = '5' WHERE question = 'visual_fidelity' AND value "
                "= '3'"
            )
    finally:
        writeonce.install()
    with pytest.raises(RoundAltered, match="is not what was locked"):
        read_round(round_)


def test_a_measurement_never_changes() -> None:
    store(small())
    for change in (
        lambda: MeasurementRow.objects.update(value=1.0),
        lambda: MeasurementRow.objects.all().delete(),
    ):
        with pytest.raises(IntegrityError, match="scoring_measurementrow_is"), transaction.atomic():
            change()


def test_a_round_that_was_not_measured_says_so_and_is_not_published() -> None:
    round_ = store(small(measured=lambda *_: []))
    assert due_step(round_).key == "measure"
    with pytest.raises(
        ReleaseBlocked, match=r"alpha/.*it was not measured; run “measure rollouts”"
    ):
        rounds.publish(round_=round_, actor="test")
    round_.refresh_from_db()
    assert round_.state == "locked"


def test_an_evaluator_that_failed_blocks_the_release_until_a_later_run_brings_a_value() -> None:
    def broken(place: int, name: str, scenario: Scenario) -> list[MeasuredRecord]:
        failed = Measurement.without(
            "VA", "evaluator_failure", "out of memory", unit="points", tool="va", version="1"
        )
        return [*measured(place, name, scenario), MeasuredRecord(place, "interval", "", failed)]

    round_ = store(small(measured=broken))
    with pytest.raises(
        ReleaseBlocked, match=r"alpha, VA: provisional, an evaluator failed \(out of memory\)"
    ):
        rounds.publish(round_=round_, actor="test")
    again(round_)
    release = rounds.publish(round_=round_, actor="test")
    assert verify_release(release.folder).digest == release.digest


def again(round_: Round) -> None:
    """Store a further run of each rollout's measurements, in which nothing failed."""
    MeasurementRow.objects.bulk_create(
        MeasurementRow(
            sample_id=row.sample_id, job=row.job, run=2, metric=row.metric, unit=row.unit,
            place=row.place,
            value=0.5 if row.value is None else row.value, value_unit=row.value_unit,
            status="computed",
            tool=row.tool, version=row.version, evidence=row.evidence,
        )
        for row in MeasurementRow.objects.filter(sample__cell__round=round_)
    )  # fmt: skip


@pytest.mark.engine("sqlite")  # rows of this kind are read on both engines above
def test_thirteen_systems_by_24_scenarios_from_rows_to_a_release_that_verifies() -> None:
    """The whole simulated evaluation: 312 rollouts with scripted answers to 10,946 forms."""
    names = [f"system-{number:02}" for number in range(13)]

    def script(name: str, scene: str, window: WindowRecord, reviewer: int) -> dict[str, str]:
        return drawn(name, scene, window, reviewer, quality=2 + int(name[-2:]) / 6)

    record = make_round(
        script,
        configurations=names,
        measured=lambda place, name, one: signals(place, one, score=80 + int(name[-2:])),
    )
    round_ = store(record)
    release = rounds.publish(round_=round_, actor="test")
    assert verify_release(release.folder).answers == record.sheets.answers.size
    assert json.loads((release.folder / "scores.json").read_bytes()) == release.scores
    table = release.document(columns_document("people", "180", "all"))["systems"]
    assert len(table) == 13
    assert all(len(columns) == 32 for columns in table.values())
    values = [table[name]["VQ"]["value"] for name in names]
    assert values[0] < values[6] < values[12]
    assert release.document(rollout_document(names[0], SCENARIOS[0], 1))["windows"]
    curve = release.document("trajectories")["readings"]["people"]["VQ"][names[0]]
    assert curve["degradation"]["value"] > 0
