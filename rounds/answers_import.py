"""Answers collected elsewhere: one row per sheet, through the very checks of the form, all of it or
nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.db.models import F

from blinding.models import BlindingKey, Stimulus
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.protocol import Response, form_keys
from fartbench.rounds import refuse_unless
from fartbench.storable import whole_number
from fartbench.storage import file_sha256
from fartbench.tables import Row, read_table, row_number
from generation.manifest import CellKey
from generation.models import Sample
from review.models import CohortMember, Reviewer, Source
from review.services import SheetEntry, enter_sheets
from review.services.entering import entry_faults
from rounds.errors import AnswersRefused
from scoring.formats.label_studio import read_label_studio

TABLE, LABEL_STUDIO = "table", "label-studio"
FORMATS = (TABLE, LABEL_STUDIO)
CELL_COLUMNS = ("configuration", "scene", "replicate")
# A window's cell is named by its scenario: “scene” is a question of some forms.
SCENARIO_COLUMNS = ("configuration", "scenario", "replicate")
WINDOW_COLUMNS = ("form", "place", "end_s")
Place = tuple[CellKey, str, str]


@dataclass(frozen=True)
class _Index:
    """What the rows of a file may name."""

    cell_columns: tuple[str, str, str]
    reviewers: Mapping[str, Reviewer]
    stimuli: Mapping[str, Stimulus]
    by_place: Mapping[Place, Mapping[str, Stimulus]]  # then by the moment it ends at
    without_clip: Mapping[CellKey, str]


def import_answers(
    *,
    round_: Round,
    path: Path,
    actor: str,
    form: str = TABLE,
    accounts: Mapping[str, str] | None = None,
) -> int:
    """Enter a locked sheet for each row of ``path`` (or each annotation) and return how many.

    A row names its reviewer by address or code, and its clip by cell (``configuration``, ``scene``,
    ``replicate``) or by ``stimulus``; a window of a rollout by its ``scenario``, ``form`` and
    ``place``, and by its ``end_s`` where several horizons have it. What a row's form does not ask
    stays empty. ``form`` is one of FORMATS; ``accounts`` gives the reviewers of Label Studio's
    accounts. Raises AnswersRefused, naming every fault, when a row breaks any rule of the form.
    """
    refuse_unless(round_, "import_answers", RoundState.REVIEWING)
    if form == LABEL_STUDIO:
        rows = _annotated(round_, path, accounts or {})
    else:
        rows = _tabled(round_, path)
    with transaction.atomic():
        entries, faults = _entries(round_, rows)
        faults += entry_faults(round_, entries)
        if faults:
            raise AnswersRefused(str(path), sorted(faults, key=row_number))
        enter_sheets(round=round_, entries=entries, source=Source.IMPORTED)
        audit.record(
            "answers imported",
            actor=actor,
            round_name=round_.name,
            sheets=len(entries),
            file=file_sha256(path),
        )
    return len(entries)


def _tabled(round_: Round, path: Path) -> list[Row]:
    """Return the rows of a table, with the columns that the round's clips or windows need."""
    questions = _asked(round_)
    if round_.looks is None:
        required = ("reviewer", *questions)
        return read_table(path, required=required, optional=(*CELL_COLUMNS, "stimulus"))
    others = (*SCENARIO_COLUMNS, *WINDOW_COLUMNS, "stimulus", *questions)
    return read_table(path, required=("reviewer",), optional=others)


def _asked(round_: Round) -> tuple[str, ...]:
    """Return every question that some form of the round asks, in order."""
    keys = form_keys(round_.protocol.rules, round_.scenes)
    return tuple(
        dict.fromkeys(question for key in keys for question in round_.protocol.form(key).keys)
    )


def _annotated(round_: Round, path: Path, accounts: Mapping[str, str]) -> list[Row]:
    """Return each annotation as the row that it would be in a table."""
    annotations = read_label_studio(path, round_.protocol.rules, accounts)
    return [
        Row(
            number,
            {
                **annotation.answers,
                "reviewer": annotation.reviewer,
                "stimulus": annotation.stimulus,
            },
        )
        for number, annotation in enumerate(annotations, start=1)
    ]


def _entries(round_: Round, rows: list[Row]) -> tuple[list[SheetEntry], list[str]]:
    index = _index(round_)
    questions = _asked(round_)
    entries, faults = [], []
    for row in rows:
        reviewer = index.reviewers.get(row["reviewer"].lower())
        if reviewer is None:
            faults.append(
                row.fault("reviewer", f"{row['reviewer']!r} is not in the cohort of this round")
            )
        stimulus, fault = _named_stimulus(row, index)
        if fault:
            faults.append(fault)
        responses = {
            question: Response.parse(row[question]) for question in questions if row[question]
        }
        if reviewer and stimulus:
            entries.append(SheetEntry(reviewer, stimulus, responses, label=f"row {row.number}"))
        elif stimulus:
            form = round_.protocol.form(stimulus.form_key)
            broken = form.violations(form.completed(responses))
            faults += [f"row {row.number}: {violation}" for violation in broken]
    return entries, faults


def _index(round_: Round) -> _Index:
    members = CohortMember.objects.filter(round=round_).select_related("reviewer")
    reviewers = {
        key.lower(): m.reviewer for m in members for key in (m.reviewer.email, m.reviewer.code)
    }
    # Retired ones come first, so that their replacement is what remains.
    every = Stimulus.objects.filter(round=round_).order_by(F("retirement").asc(nulls_last=True))
    stimuli = {stimulus.pk: stimulus for stimulus in every}
    by_place: dict[Place, dict[str, Stimulus]] = defaultdict(dict)
    by_sample: dict[int, list[Stimulus]] = defaultdict(list)
    keys = dict(
        BlindingKey.objects.filter(stimulus__round=round_).values_list("stimulus_id", "sample_id")
    )
    for stimulus in stimuli.values():
        by_sample[keys[stimulus.pk]].append(stimulus)
    without_clip = {}
    for sample in Sample.objects.filter(cell__round=round_).select_related("cell__configuration"):
        cell = CellKey(sample.cell.configuration.name, sample.cell.scene, sample.cell.replicate)
        for found in by_sample[sample.pk]:
            by_place[cell, found.form, found.place][_seconds(found.end_s)] = found
        if not by_sample[sample.pk]:
            without_clip[cell] = sample.get_state_display()
    columns = CELL_COLUMNS if round_.looks is None else SCENARIO_COLUMNS
    return _Index(columns, reviewers, stimuli, by_place, without_clip)


def _named_stimulus(row: Row, index: _Index) -> tuple[Stimulus | None, str | None]:
    configuration, scene, _ = index.cell_columns
    has_cell = bool(row[configuration] or row[scene])
    if row["stimulus"] and has_cell:
        return None, row.fault(
            "stimulus", "a clip is named by its stimulus or by its cell, not by both"
        )
    if row["stimulus"]:
        found = index.stimuli.get(row["stimulus"])
        return found, None if found else row.fault(
            "stimulus", f"the round has no stimulus {row['stimulus']!r}"
        )
    replicate = whole_number(row["replicate"] or "1")
    if replicate is None:
        return None, row.fault("replicate", f"{row['replicate']!r} is not a whole number")
    cell = CellKey(row[configuration], row[scene], replicate)
    if cell in index.without_clip:
        return (
            None,
            f"row {row.number}: {cell} brought no clip to answer about "
            f"({index.without_clip[cell]})",
        )
    return _window(row, index, cell)


def _window(row: Row, index: _Index, cell: CellKey) -> tuple[Stimulus | None, str | None]:
    """Return the stimulus of a cell; of a rollout the window that the row names."""
    form, place, end_s = (row[column] for column in WINDOW_COLUMNS)
    there = index.by_place.get((cell, form, place), {})
    found = [there[end_s]] if end_s in there else [] if end_s else list(there.values())
    where = f"{cell}{f' {form} {place} {end_s}'.rstrip()}"
    if len(found) > 1:
        return None, row.fault("end_s", f"{where} ends at {' or '.join(there)} s: say which")
    return (found[0], None) if found else (None, f"row {row.number}: the round has no cell {where}")


def _seconds(end_s: float | None) -> str:
    return "" if end_s is None else f"{end_s:g}"
