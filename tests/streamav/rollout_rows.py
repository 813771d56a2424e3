"""Stores a round of rollouts that was made as columns: the same round as rows, closed, without
files or rendering.
"""

from __future__ import annotations

from itertools import count

from django.db import connection, transaction
from django.utils import timezone

from blinding.models import BlindingKey, Stimulus
from fartbench import writeonce
from fartbench.models import Round, RoundState
from fartbench.protocol import Response
from fartbench.protocols import freeze
from generation.models import Cell, Clip, Configuration, Sample
from measuring.models import MeasurementRow
from review.models import AnswerSheet, Form
from review.services import set_cohort, write_forms
from review.services.locking import end_as_locked
from scoring.records import MISSING, RoundRecord
from tests.bench.bench_rounds import insert_answers, record_locks
from tests.factories import make_protocol, make_round, reviewers_of
from tests.streamav.rollout_record import FOLDER

BATCH = 2_000
_numbers = count(1)


def store(record: RoundRecord, *, name: str = "rollouts") -> Round:
    """Return the round of a record as rows, closed.

    Opaque ids, codes of reviewers and digests are made anew.
    """
    round_ = make_round(name=name, protocol=make_protocol(FOLDER), scenes=list(record.scenes))
    set_cohort(
        round=round_,
        emails=[f"{name}-{number}@example.org" for number in range(len(record.reviewers))],
        actor="test",
    )
    writeonce.uninstall()  # rows come in bulk, and not by the way that the guards watch
    try:
        with transaction.atomic():
            samples = _samples(round_, record)
            _sheets(round_, record, _stimuli(round_, record, samples))
            _measurements(record, samples)
            round_.state, round_.opened_at, round_.closed_at = (
                RoundState.LOCKED,
                timezone.now(),
                timezone.now(),
            )
            round_.save()
            freeze(round_.protocol)
    finally:
        writeonce.install()
    return Round.objects.select_related("protocol").get(pk=round_.pk)


def _samples(round_: Round, record: RoundRecord) -> list[Sample]:
    named = {
        one.name: Configuration.objects.get_or_create(
            name=one.name, defaults={"label": one.label, "track": one.track}
        )[0]
        for one in record.configurations
    }
    cells = Cell.objects.bulk_create(
        Cell(
            round=round_,
            configuration=named[one.configuration],
            scene=one.scene,
            replicate=one.replicate,
        )
        for one in record.cells
    )
    clips = Clip.objects.bulk_create(
        Clip(sha256=f"{next(_numbers):064x}", size=1, facts={}) for _ in cells
    )
    return Sample.objects.bulk_create(
        Sample(
            cell=cell, clip=clip if not one.reason else None, state=one.outcome, reason=one.reason
        )
        for one, cell, clip in zip(record.cells, cells, clips, strict=True)
    )


def _stimuli(round_: Round, record: RoundRecord, samples: list[Sample]) -> list[Stimulus]:
    stimuli = Stimulus.objects.bulk_create(
        (
            Stimulus(
                round=round_, scene=record.cells[one.cell].scene, form=one.form, unit=one.unit,
                place=one.place,
                end_s=one.end_s, sha256=f"{number:064x}", size=1, facts={},
            )
            for number, one in enumerate(record.windows)
        ),
        batch_size=BATCH,
    )  # fmt: skip
    BlindingKey.objects.bulk_create(
        (
            BlindingKey(stimulus=stimulus, sample=samples[one.cell])
            for stimulus, one in zip(stimuli, record.windows, strict=True)
        ),
        batch_size=BATCH,
    )
    return stimuli


def _sheets(round_: Round, record: RoundRecord, stimuli: list[Stimulus]) -> None:
    write_forms(round_.protocol, round_.scenes)
    forms = {form.scene: form for form in Form.objects.filter(protocol=round_.protocol)}
    reviewers, book = reviewers_of(round_), record.book
    texts = [book.texts(question) for question in book.questions]
    sheets, given = [], []
    for place, window in enumerate(record.sheets.window):
        stimulus, reviewer = stimuli[window], reviewers[record.sheets.reviewer[place]]
        codes = zip(book.questions, texts, record.sheets.answers[place].tolist(), strict=True)
        responses = {key: Response.parse(of[code]) for key, of, code in codes if code != MISSING}
        sheet = AnswerSheet(
            reviewer=reviewer, stimulus=stimulus, form=forms[stimulus.form_key], source="simulated"
        )
        end_as_locked(sheet, reviewer.code, round_.protocol, responses, timezone.now())
        sheets.append(sheet)
        given.append(responses)
    AnswerSheet.objects.bulk_create(sheets, batch_size=BATCH)
    insert_answers(connection, sheets, given)
    record_locks(round_, sheets)


def _measurements(record: RoundRecord, samples: list[Sample]) -> None:
    MeasurementRow.objects.bulk_create(
        (
            MeasurementRow(
                sample=samples[one.cell], job="signals", run=1, metric=one.found.metric,
                unit=one.unit,
                place=one.place, value=one.found.value, value_unit=one.found.unit,
                status=one.found.status,
                reason=one.found.reason, tool=one.found.tool, version=one.found.version,
                evidence=dict(one.found.evidence),
            )
            for one in record.measurements
        ),
        batch_size=BATCH,
    )  # fmt: skip
