"""Each column of each table is edited, and each table loses and gains a row: guards refuse that,
and with the guards lifted it is noticed.

What is not refused, or not noticed, is listed here with the reason. A new column that is neither
fails its test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.apps import apps
from django.db import models, transaction
from django.db.models import Q

from blinding.models import BlindCopy, BlindingKey, NotReviewable
from fartbench import audit
from fartbench.models import Round
from generation.models import Chunk, PromptDelivery, Sample
from generation.verdicts import give_verdict, waive_verdicts
from measuring.models import MeasurementRow
from measuring.rollouts import MEASURED, measured_digest
from operations.backup import verifying
from review.models import Answer, AnswerSheet, MistakeReport, Retirement, Vote
from review.services import give_consent
from rounds.changes import declare_not_reviewable
from tests.factories import make_protocol, make_training_clips
from tests.kept import kept
from tests.scoring.every_edit import (
    Edit,
    additions,
    is_noticed,
    is_refused,
    removals,
    updates,
)
from tests.scoring.rows import make_published_round
from tests.scoring.test_tampering import make_closed
from tests.streamav.rollout_record import FOLDER, streamav

pytestmark = pytest.mark.django_db
WHOLE = ("fartbench", "generation", "blinding", "review", "judging", "measuring", "scoring")

# Tables that move no result: what is under way, who may come in, and remarks that staff make.
NOT_RESULTS = {
    "fartbench_job", "fartbench_entrytry", "fartbench_workerbeat", "fartbench_callcount",
    "fartbench_servicekey", "generation_rawview",
    "generation_submission", "generation_sampleevent", "generation_provideraccount",
    "generation_commissioning", "generation_ceiling", "generation_prompt", "generation_promptaudit",
    "review_invite", "review_reviewer", "review_trainingclip", "review_mistakereport",
    "judging_judgeaccount", "judging_judgeceiling", "judging_judgetry", "scoring_soundcheck",
    "scoring_candidateverdict", "generation_family",
}  # fmt: skip
# Times and counts that no result is made from; guards refuse to change most of them.
MOVES_NOTHING = {
    "fartbench_protocolversion.loaded_at", "fartbench_round.created_at",
    "generation_configuration.created_at", "generation_clip.stored_at", "generation_sample.turn",
    "generation_sample.not_before", "review_cohortmember.consented_at",
    "review_cohortmember.sound_checked_at", "review_cohortmember.sound_check",
    "review_cohortmember.practised", "review_orderplan.drawn_at", "review_pair.planned_at",
    "review_vote.revision", "review_vote.changed_at", "review_vote.unplayable_reason",
    "review_answersheet.revision", "review_answersheet.changed_at",
    "review_answersheet.unplayable_reason", "review_answersheet.set_aside_at",
    "blinding_blindcopy.technical", "blinding_blindcopy.removed", "review_form.frozen_at",
    "fartbench_protocolversion.frozen_at", "review_retirement.retired_at",
    "blinding_notreviewable.declared_at", "generation_sample.prompt_id",
    "scoring_measurementrow.measured_at", "review_consenttext.loaded_at",
    "review_consenttext.protocol_id",
}  # fmt: skip
# Rows that belong to no opened round until another row says so.
ADDED_FREELY = {
    "review_consenttext", "fartbench_protocolversion", "generation_configuration", "generation_clip", "fartbench_audithead",
}  # fmt: skip
# No guard can know whether the program itself makes the change; the trail tells.
NOT_REFUSED = {
    "generation_cell.limitation": "it may be written until the round is published",
    "fartbench_round: a row more": "a round is made at any time",
    "fartbench_auditentry: a row more": "entries are added at any time",
    "generation_scenarioverdict: a row more": "verdicts are given at any time",
    "judging_judge: a row more": "a judge may be frozen until the round is published",
    "judging_judgerun: a row more": "a judge may be frozen until the round is published",
    "scoring_measurementrow: a row more": "a round is measured after its close",
    "review_consent: a row more": "somebody may agree at any time",
    "review_form: a row more": "forms of other scenes are written when another round opens",
    "review_retirement: a row more": "a clip may be retired while the round is open",
}


def make_rows() -> str:
    name = make_closed(before_opening=_describe, while_open=_remark)
    round_ = Round.objects.get(name=name)
    _measure(round_)
    make_training_clips(round_.protocol)
    _give_verdicts()
    make_published_round(scenes=["r01-lift"], configurations=("alpha", "beta"), name="shown")
    return name


def _describe(round_: Round) -> None:
    """Store of a clip what is known of one that came as a stream."""
    sample = Sample.objects.filter(cell__round=round_).order_by("pk").first()
    left_out = BlindingKey.objects.get(
        stimulus__round=round_,
        sample__cell__configuration__name="gamma",
        stimulus__scene="r01-squat",
    )
    NotReviewable.objects.create(sample=left_out.sample, reason="it cannot be read")
    left_out.delete()
    left_out.stimulus.delete()
    BlindCopy.objects.create(sample=sample, sha256="c" * 64, size=1, facts={}, technical={})
    Chunk.objects.create(
        sample=sample, index=0, frame_start=0, frames=24, media_s=0, wall_s=1, source="logged"
    )
    PromptDelivery.objects.create(
        sample=sample, step="P1", due_s=0, media_s=0, wall_s=1, in_chunk=0
    )


def _remark(round_: Round) -> None:
    member = round_.members.order_by("place").first()
    round_.members.filter(pk=member.pk).update(consented_at=None)
    give_consent(member)
    sheet = AnswerSheet.objects.filter(stimulus__round=round_).order_by("pk").first()
    MistakeReport.objects.create(sheet=sheet, text="the wrong key")
    last = BlindingKey.objects.filter(stimulus__round=round_).order_by("pk").last()
    declare_not_reviewable(
        round_=round_, stimulus_id=last.stimulus_id, reason="no sound", actor="test"
    )


def _measure(round_: Round) -> None:
    sample = Sample.objects.filter(cell__round=round_).order_by("pk").first()
    with transaction.atomic():
        MeasurementRow.objects.create(
            sample=sample, job="signals", run=1, metric="FPS", unit="full", value=24.0,
            value_unit="Hz", status="computed", tool="t", version="1",
        )  # fmt: skip
        audit.record(
            MEASURED, round_name=round_.name, cell=str(sample.cell), job="signals", run=1,
            digest=measured_digest(sample.pk, "signals", 1),
        )  # fmt: skip


def _give_verdicts() -> None:
    protocol = make_protocol(FOLDER)
    scenario = streamav().protocol.rollouts.scenarios[0].key
    give_verdict(protocol=protocol, scenario=scenario, expert="ann", verdict="accept")
    give_verdict(protocol=protocol, scenario=scenario, expert="bob", verdict="reject", words="no")
    round_ = Round.objects.create(name="rollouts", protocol=protocol)
    waive_verdicts(round_=round_, reason="a pilot", actor="ada")


round_name = kept(make_rows)
TABLES = {
    model._meta.db_table: model for app in WHOLE for model in apps.get_app_config(app).get_models()
}


@pytest.fixture(autouse=True)
def _no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_content_faults", lambda _: iter(()))


def faults() -> list[str]:
    return list(verifying.data_faults())


def row_of(table: str) -> models.Model:
    row = TABLES[table]._base_manager.order_by("pk").first()
    assert row is not None, f"no test makes a row of {table}"
    return row


def edits(row: models.Model) -> Iterator[tuple[str, Callable[[], Iterator[Edit]]]]:
    table = row._meta.db_table
    for field in row._meta.concrete_fields:
        if not isinstance(field, models.AutoField):
            yield f"{table}.{field.column}", lambda field=field: updates(row, field)
    yield f"{table}: a row less", lambda: removals(row)
    yield f"{table}: a row more", lambda: additions(row)


def first_possible(outcomes: Iterator[bool | None]) -> bool | None:
    return next((outcome for outcome in outcomes if outcome is not None), None)


@pytest.mark.parametrize("table", sorted(TABLES.keys() - NOT_RESULTS))
def test_guards_refuse_it_and_without_them_it_is_noticed(table: str, round_name: str) -> None:
    check_edits_of(row_of(table))


@pytest.mark.parametrize("model", [AnswerSheet, Answer, Vote])
def test_what_was_said_of_a_retired_clip_is_kept_as_well(
    model: type[models.Model], round_name: str
) -> None:
    retired = Retirement.objects.get().stimulus
    sheet = AnswerSheet.objects.filter(stimulus=retired, locked_at__isnull=False).first()
    vote = Vote.objects.filter(
        Q(task__pair__first=retired) | Q(task__pair__second=retired), locked_at__isnull=False
    ).first()
    check_edits_of({AnswerSheet: sheet, Answer: sheet.answers.first(), Vote: vote}[model])


def check_edits_of(row: models.Model) -> None:
    assert faults() == []
    freely = {f"{name}: a row more" for name in ADDED_FREELY}
    unrefused, unnoticed = set(), set()
    for name, made in edits(row):
        if name in freely or name in MOVES_NOTHING:
            continue
        if first_possible(is_refused(edit) for edit in made()) is False:
            unrefused.add(name)
        if first_possible(is_noticed(edit, faults) for edit in made()) is False:
            unnoticed.add(name)
    assert unrefused <= NOT_REFUSED.keys()
    assert not unnoticed
