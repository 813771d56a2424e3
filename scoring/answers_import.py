"""Answers collected elsewhere: one row per sheet, through the very checks of the form, all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from blinding.models import BlindingKey, Stimulus
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.protocol import Response, ResponseError
from fartbench.tables import Row, read_table
from generation.manifest import CellKey
from generation.models import Sample
from review.models import AnswerSheet, CohortMember, Reviewer, Source
from review.services import enter_sheet
from scoring.errors import AnswersRefused
from scoring.steps import refuse_unless

CELL_COLUMNS = ("configuration", "scene", "replicate")


@dataclass(frozen=True)
class _Entry:
    """A row that can be entered as it stands."""

    reviewer: Reviewer
    stimulus: Stimulus
    responses: Mapping[str, Response]


@dataclass(frozen=True)
class _Index:
    """What the rows of a file may name."""

    reviewers: Mapping[str, Reviewer]
    stimuli: Mapping[str, Stimulus]
    by_cell: Mapping[CellKey, Stimulus]
    without_clip: Mapping[CellKey, str]
    taken: frozenset[tuple[int, str]]


def import_answers(*, round_: Round, path: Path, actor: str, on_row: Callable[[], None] = lambda: None) -> int:
    """Enter a locked sheet for each row of ``path`` and return how many.

    A row names its reviewer by address or code, and its clip by cell (``configuration``, ``scene``, ``replicate``)
    or by ``stimulus``. Raises AnswersRefused, naming every fault, when a row breaks any rule of the form.
    """
    refuse_unless(round_, "import_answers", RoundState.REVIEWING)
    questions = tuple(question.key for question in round_.protocol.rules.questions)
    rows = read_table(path, required=("reviewer", *questions), optional=(*CELL_COLUMNS, "stimulus"))
    with transaction.atomic():
        entries, faults = _entries(round_, rows, questions)
        if faults:
            raise AnswersRefused(str(path), faults)
        for entry in entries:
            enter_sheet(
                reviewer=entry.reviewer, stimulus=entry.stimulus, responses=entry.responses, source=Source.IMPORTED
            )
            on_row()
        audit.record("answers imported", actor=actor, round_name=round_.name, sheets=len(entries))
    return len(entries)


def _entries(round_: Round, rows: list[Row], questions: tuple[str, ...]) -> tuple[list[_Entry], list[str]]:
    index = _index(round_)
    entries, faults = [], []
    first_seen: dict[tuple[int, str], int] = {}
    for row in rows:
        reviewer, stimulus, found = _who_and_what(row, index)
        if reviewer and stimulus:
            place = (reviewer.pk, stimulus.pk)
            if place in index.taken:
                found.append(f"row {row.number}: {row['reviewer']} has a sheet about this clip already")
            elif first_seen.setdefault(place, row.number) != row.number:
                found.append(f"row {row.number}: a second sheet; row {first_seen[place]} is about the same clip")
        responses: dict[str, Response] = {}
        if stimulus:
            responses, broken = _responses(round_, row, stimulus.scene, questions)
            found += broken
        faults += found
        if reviewer and stimulus and not found:
            entries.append(_Entry(reviewer, stimulus, responses))
    return entries, faults


def _index(round_: Round) -> _Index:
    members = CohortMember.objects.filter(round=round_).select_related("reviewer")
    reviewers = {key.lower(): m.reviewer for m in members for key in (m.reviewer.email, m.reviewer.code)}
    keys = dict(BlindingKey.objects.filter(stimulus__round=round_).values_list("sample_id", "stimulus_id"))
    stimuli = {stimulus.pk: stimulus for stimulus in Stimulus.objects.filter(round=round_)}
    by_cell, without_clip = {}, {}
    for sample in Sample.objects.filter(cell__round=round_).select_related("cell__configuration"):
        cell = CellKey(sample.cell.configuration.name, sample.cell.scene, sample.cell.replicate)
        if sample.pk in keys:
            by_cell[cell] = stimuli[keys[sample.pk]]
        else:
            without_clip[cell] = sample.get_state_display()
    sheets = AnswerSheet.objects.filter(stimulus__round=round_).values_list("reviewer_id", "stimulus_id")
    return _Index(reviewers, stimuli, by_cell, without_clip, frozenset(sheets))


def _who_and_what(row: Row, index: _Index) -> tuple[Reviewer | None, Stimulus | None, list[str]]:
    faults = []
    reviewer = index.reviewers.get(row["reviewer"].lower())
    if reviewer is None:
        faults.append(row.fault("reviewer", f"{row['reviewer']!r} is not in the cohort of this round"))
    stimulus, fault = _named_stimulus(row, index)
    if fault:
        faults.append(fault)
    return reviewer, stimulus, faults


def _named_stimulus(row: Row, index: _Index) -> tuple[Stimulus | None, str | None]:
    has_cell = any(row[column] for column in CELL_COLUMNS[:2])
    if row["stimulus"] and has_cell:
        return None, row.fault("stimulus", "a clip is named by its stimulus or by its cell, not by both")
    if row["stimulus"]:
        found = index.stimuli.get(row["stimulus"])
        return found, None if found else row.fault("stimulus", f"the round has no stimulus {row['stimulus']!r}")
    if not row["replicate"].isdecimal() and row["replicate"]:
        return None, row.fault("replicate", f"{row['replicate']!r} is not a whole number")
    cell = CellKey(row["configuration"], row["scene"], int(row["replicate"] or 1))
    if cell in index.without_clip:
        return None, f"row {row.number}: {cell} brought no clip to answer about ({index.without_clip[cell]})"
    found = index.by_cell.get(cell)
    return found, None if found else f"row {row.number}: the round has no cell {cell}"


def _responses(
    round_: Round, row: Row, scene: str, questions: tuple[str, ...]
) -> tuple[dict[str, Response], list[str]]:
    responses, faults = {}, []
    for question in questions:
        try:
            responses[question] = Response.parse(row[question])
        except ResponseError as error:
            faults.append(row.fault(question, str(error)))
    # A cell that could not be read has its fault already and is not also missing.
    broken = round_.protocol.form(scene).violations(responses, complete=False)
    return responses, faults + [row.fault(violation.question, violation.rule) for violation in broken]
