"""Whether the rows of an opened round are what the entries of the audit trail tell of them."""

from __future__ import annotations

from collections.abc import Iterator

from fartbench.models import Round
from fartbench.times import utc
from generation.models import Cell, Sample
from judging.models import JudgeRun, RunState
from judging.record import ANSWERED, run_digest
from measuring.models import MeasurementRow
from measuring.rollouts import MEASURED, measured_digest
from review.models import AnswerSheet, Vote
from scoring.assigning import assignment_faults, recorded
from scoring.planned_trail import planned_faults
from scoring.rule_rows import rule_faults
from scoring.trail_entries import Place, Values, differences, entries, text, texts


def round_faults(round_: Round) -> Iterator[str]:
    """Yield a sentence for each way in which the rows of an opened round are not what its entries
    tell of.
    """
    yield from differences(
        "the sheet of {1} on {0}", _locked_sheets(round_), _recorded_locks(round_)
    )
    yield from differences(
        "the vote of {1} on pair {0}", _locked_votes(round_), _recorded_votes(round_)
    )
    yield from (
        f"round {round_.name}: {fault}"
        for fault in (*_step_faults(round_), *rule_faults(round_), *assignment_faults(round_))
    )
    if recorded(round_.name):  # older versions recorded neither judges' answers nor measurements
        yield from differences(
            "what judge {0} ({1}) said of {2}", _ended_runs(round_), _recorded_runs(round_)
        )
        yield from differences(
            "measurement {2} of {0} by {1}", _measurements(round_), _recorded_measurements(round_)
        )
        yield from planned_faults(round_)
    yield from differences(
        "the note about {0}", _limitations(round_), _recorded_limitations(round_)
    )


def _step_faults(round_: Round) -> Iterator[str]:
    """Yield how the times, reason and secret of a round differ from the entries of its steps, as
    far as those say.
    """
    columns = {
        "round opened": {"opened_at": utc(round_.opened_at)},
        "round closed": {
            "closed_at": utc(round_.closed_at),
            "reason": round_.incomplete_reason,
            "secret": round_.secret or "not known: SECRET_KEY was changed",
        },
        "round published": {"published_at": utc(round_.published_at)},
    }
    for entry in entries(*columns).filter(round_name=round_.name).order_by("sequence"):
        for name, value in columns[entry.action].items():
            if isinstance(entry.details, dict) and entry.details.get(name, value) != value:
                what = name.replace("_", " ")
                yield (
                    f"its {what} is {value!r}, and entry {entry.sequence} says "
                    f"{entry.details[name]!r}"
                )
    state = "published" if round_.published_at else "locked" if round_.closed_at else "reviewing"
    if round_.state != state:
        yield f"its state is {round_.state!r}, and its times say {state!r}"
    published = entries("round published").filter(round_name=round_.name).exists()
    if published != (round_.published_at is not None):
        yield (
            f"it {'was' if published else 'was not'} published by its entries, and its row says "
            "otherwise"
        )


def _locked_sheets(round_: Round) -> dict[Place, Values]:
    locked = AnswerSheet.objects.filter(locked_at__isnull=False, stimulus__round=round_)
    rows = locked.values_list(
        "stimulus_id", "reviewer__code", "digest", "started_at", "impression_at"
    )
    return {
        (stimulus, reviewer): {
            "digest": digest,
            "started_at": utc(started),
            "impression_at": utc(impression),
        }
        for stimulus, reviewer, digest, started, impression in rows.iterator()
    }


def _locked_votes(round_: Round) -> dict[Place, Values]:
    locked = Vote.objects.filter(locked_at__isnull=False, task__pair__round=round_)
    rows = locked.values_list(
        "task__pair_id", "task__member__reviewer__code", "digest", "started_at"
    )
    return {
        (pair, reviewer): {"digest": digest, "started_at": utc(at)}
        for pair, reviewer, digest, at in rows.iterator()
    }


def _recorded_votes(round_: Round) -> dict[Place, Values]:
    rows = entries("vote locked").filter(round_name=round_.name).values_list("actor", "details")
    return {
        (text(said, "pair"), reviewer): texts(said, "digest", "started_at")
        for reviewer, said in rows.iterator()
    }


def _recorded_locks(round_: Round) -> dict[Place, Values]:
    rows = entries("sheet locked").filter(round_name=round_.name).values_list("actor", "details")
    return {
        (text(said, "stimulus"), reviewer): texts(said, "digest", "started_at", "impression_at")
        for reviewer, said in rows.iterator()
    }


def _ended_runs(round_: Round) -> dict[Place, Values]:
    runs = JudgeRun.objects.filter(judge__round=round_, state__in=RunState.ended()).select_related(
        "judge"
    )
    return {_place_of(run): {"digest": run_digest(run)} for run in runs.iterator()}


def _place_of(run: JudgeRun) -> Place:
    return run.judge.name, str(run.judge.variant), run.stimulus_id


def _recorded_runs(round_: Round) -> dict[Place, Values]:
    rows = (
        entries(ANSWERED)
        .filter(round_name=round_.name)
        .order_by("sequence")
        .values_list("details", flat=True)
    )
    found: dict[Place, Values] = {
        (text(said, "judge"), text(said, "variant"), text(said, "stimulus")): texts(said, "digest")
        for said in rows
    }
    # A question that was lost may be asked again: until it is answered, no run has ended.
    again = (
        JudgeRun.objects.filter(judge__round=round_)
        .exclude(state__in=RunState.ended())
        .select_related("judge")
    )
    for run in again:
        found.pop(_place_of(run), None)
    return found


def _measurements(round_: Round) -> dict[Place, Values]:
    rows = MeasurementRow.objects.filter(sample__cell__round=round_)
    runs = rows.order_by("sample", "job", "run").values_list("sample", "job", "run").distinct()
    samples = Sample.every.filter(cell__round=round_).select_related("cell__configuration")
    cells = {sample.pk: str(sample.cell) for sample in samples}
    return {
        (cells[sample], job, str(run)): {"digest": measured_digest(sample, job, run)}
        for sample, job, run in runs
    }


def _recorded_measurements(round_: Round) -> dict[Place, Values]:
    rows = entries(MEASURED).filter(round_name=round_.name).values_list("details", flat=True)
    return {
        (text(said, "cell"), text(said, "job"), text(said, "run")): texts(said, "digest")
        for said in rows
    }


def _limitations(round_: Round) -> dict[Place, Values]:
    cells = Cell.objects.filter(round=round_).exclude(limitation="").select_related("configuration")
    return {(str(cell),): {"note": cell.limitation} for cell in cells}


def _recorded_limitations(round_: Round) -> dict[Place, Values]:
    rows = entries("cell limited").filter(round_name=round_.name).order_by("sequence")
    notes = {
        (text(said, "cell"),): texts(said, "note")
        for said in rows.values_list("details", flat=True)
    }
    return {cell: note for cell, note in notes.items() if note.get("note")}
