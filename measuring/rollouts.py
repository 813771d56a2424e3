"""Measures the rollouts of a closed round: signals and logs, and the models whose weights are
installed.

Each rollout is measured by several jobs: ``signals``, and one for each plug-in. A job's rows are
written at once and never changed; one that failed, or whose weights came later, is measured again
in a further run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from fartbench import audit, jobs
from fartbench.models import Job, JobState, Round, RoundState
from fartbench.protocol import digest_of
from fartbench.protocol.rollouts.metrics import MetricTable
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.rounds import refuse_unless
from generation.models import Sample, SampleState
from measuring.errors import NothingToMeasure
from measuring.measurement import Measurement
from measuring.models import MeasurementRow
from measuring.plug_ins.port import Seen
from measuring.plug_ins.registry import PLUG_INS
from measuring.units import SIGNALS, measured_units, missing

MEASURE = "measure"
MEASURED = "rollout measured"  # the audit trail's word for what one job brought about one rollout


@dataclass(frozen=True, slots=True)
class Task:
    """A job that a rollout is due for; ``run`` counts how often it will then have been done."""

    sample: int
    job: str
    run: int

    @property
    def subject(self) -> str:
        """The task as the key of a job."""
        return f"{self.sample}:{self.job}:{self.run}"


def due_tasks(round_: Round) -> list[Task]:
    """Return what is still to be measured: what never was, what failed, and what lacked weights
    that are there now.

    Raises NothingToMeasure for a round whose protocol has no rollouts.
    """
    rollouts = round_.protocol.rules.rollouts
    if rollouts is None:
        raise NothingToMeasure(
            f"Round {round_.name!r} has clips and no rollouts, so there is nothing to measure."
        )
    newest = _newest_runs(round_)
    samples = Sample.objects.filter(cell__round=round_, state=SampleState.DELIVERED).select_related(
        "cell"
    )
    tasks = []
    for sample in samples.order_by("pk"):
        for job in jobs_for(rollouts.metrics, rollouts.scenario(sample.cell.scene)):
            run, statuses = newest.get((sample.pk, job), (0, frozenset()))
            if not run or _again(job, statuses):
                tasks.append(Task(sample.pk, job, run + 1))
    # One model after another, each for all rollouts: so that each is loaded once.
    order = [SIGNALS, *PLUG_INS]
    return sorted(tasks, key=lambda task: order.index(task.job))


def jobs_for(table: MetricTable, scenario: Scenario) -> list[str]:
    """Return the jobs that measure a scenario's rollout."""
    plugged = [
        metric.plug_in for metric in table.metrics if metric.plug_in and metric.applies_to(scenario)
    ]
    return [SIGNALS, *plugged]


def _again(job: str, statuses: frozenset[str]) -> bool:
    """Say whether a job that was done is to be done again."""
    if "evaluator_failure" in statuses:
        return True
    return job != SIGNALS and "unavailable" in statuses and not missing(PLUG_INS[job])


def _newest_runs(round_: Round) -> dict[tuple[int, str], tuple[int, frozenset[str]]]:
    runs: dict[tuple[int, str], tuple[int, frozenset[str]]] = {}
    rows = MeasurementRow.objects.filter(sample__cell__round=round_).order_by("run")
    for sample, job, run, status in rows.values_list("sample_id", "job", "run", "status"):
        known_run, statuses = runs.get((sample, job), (0, frozenset()))
        runs[sample, job] = (run, statuses | {status} if run == known_run else frozenset({status}))
    return runs


def measure_round(
    *,
    round_: Round,
    actor: str,
    on_task: Callable[[], None] = lambda: None,
    seen: Seen = lambda _: None,
) -> int:
    """Measure what is due, here and now, and return how many jobs were done; each is kept at once.

    ``on_task`` is called after each, ``seen`` with the share of it that a model has looked at. An
    interrupted run continues where it stopped. Raises StepOutOfOrder while the round is open,
    NothingToMeasure, and MediaToolDied when a file's reader was killed.
    """
    tasks = _due_when_closed(round_)
    for task in tasks:
        _do(task, seen)
        on_task()
    if tasks:
        with transaction.atomic():
            audit.record("rollouts measured", actor=actor, round_name=round_.name, jobs=len(tasks))
    return len(tasks)


@transaction.atomic
def request_measuring(*, round_: Round, actor: str) -> int:
    """Leave what is due to the workers, and return how many jobs they have then.

    Asking again while they are at work changes nothing. Raises as `measure_round` does.
    """
    tasks = _due_when_closed(round_)
    waiting = set(_under_way(round_).values_list("subject", flat=True))
    new = [task.subject for task in tasks if task.subject not in waiting]
    if new:
        jobs.enqueue(MEASURE, new, round_name=round_.name)
        audit.record(
            "rollouts left to be measured", actor=actor, round_name=round_.name, jobs=len(new)
        )
    return len(tasks)


def run_measuring(subject: str, report: jobs.Report) -> None:
    """Do a job that `request_measuring` left, unless the command did so in the meantime."""
    sample, job, run = subject.split(":")
    _do(Task(int(sample), job, int(run)), report)


def is_under_way(round_: Round) -> bool:
    """Say whether workers still have rollouts of the round to measure."""
    return _under_way(round_).exists()


def _under_way(round_: Round) -> QuerySet[Job]:
    waiting = (JobState.DUE, JobState.RUNNING)
    return Job.objects.filter(kind=MEASURE, round_name=round_.name, state__in=waiting)


def _due_when_closed(round_: Round) -> list[Task]:
    refuse_unless(round_, "measure", RoundState.LOCKED, RoundState.PUBLISHED)
    return due_tasks(round_)


def _do(task: Task, seen: Seen) -> None:
    sample = Sample.objects.select_related(
        "cell__round__protocol", "cell__configuration", "clip"
    ).get(pk=task.sample)
    units = list(measured_units(sample, task.job, seen))
    with transaction.atomic():
        done = MeasurementRow.objects.select_for_update().filter(
            sample=sample, job=task.job, run=task.run
        )
        if done.exists():
            return
        MeasurementRow.objects.bulk_create(_row(sample, task, *unit) for unit in units)
        audit.record(
            MEASURED,
            round_name=sample.cell.round.name,
            cell=str(sample.cell),
            job=task.job,
            run=task.run,
            digest=measured_digest(sample.pk, task.job, task.run),
        )


def measured_digest(sample: int, job: str, run: int) -> str:
    """Return the lower-case hex SHA-256 of all rows that one job wrote about one rollout in one
    run.
    """
    rows = MeasurementRow.objects.filter(sample=sample, job=job, run=run).order_by(
        "metric", "unit", "place"
    )
    columns = (
        "metric",
        "unit",
        "place",
        "value",
        "value_unit",
        "status",
        "reason",
        "tool",
        "version",
        "evidence",
    )
    return digest_of([list(row) for row in rows.values_list(*columns)])


def _row(sample: Sample, task: Task, unit: str, place: str, found: Measurement) -> MeasurementRow:
    return MeasurementRow(
        sample=sample,
        job=task.job,
        run=task.run,
        metric=found.metric,
        unit=unit,
        place=place,
        value=found.value,
        value_unit=found.unit,
        status=found.status,
        reason=found.reason,
        tool=found.tool,
        version=found.version,
        evidence=dict(found.evidence),
    )
