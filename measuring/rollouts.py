"""Measures the rollouts of a closed round: signals and logs, and the models whose weights are
installed.

Each rollout is measured by several jobs: ``signals``, and one for each plug-in. A job's rows are
written at once and never changed; one that failed, or whose weights came later, is measured again
in a further run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from fartbench import audit, jobs
from fartbench.media.errors import MediaRefusal
from fartbench.models import Job, JobState, Round, RoundState
from fartbench.protocol import digest_of
from fartbench.protocol.rollouts.metrics import MetricTable
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.rounds import refuse_unless
from generation.models import Chunk, Sample, SampleState
from measuring.continuity import Window, signal_part
from measuring.errors import NothingToMeasure
from measuring.marks import MARKS
from measuring.measurement import Measurement
from measuring.models import MeasurementRow
from measuring.pace import Timing
from measuring.plug_ins.port import Plugged, PlugIn, Seen, measure, readiness
from measuring.plug_ins.registry import PLUG_INS
from measuring.signals import TOOL, VERSION, Boundaries, Signals, measure_signals

MEASURE = "measure"
MEASURED = "rollout measured"  # the audit trail's word for what one job brought about one rollout
SIGNALS = "signals"
NEAR_S = 0.1  # a prompt's window is centred on the nearest picture

Unit = tuple[str, str, Measurement]
"""The kind of unit, which one (nothing for the whole), and what was measured of it."""


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
    return job != SIGNALS and "unavailable" in statuses and not _missing(PLUG_INS[job])


def _newest_runs(round_: Round) -> dict[tuple[int, str], tuple[int, frozenset[str]]]:
    found: dict[tuple[int, str], tuple[int, frozenset[str]]] = {}
    rows = MeasurementRow.objects.filter(sample__cell__round=round_).order_by("run")
    for sample, job, run, status in rows.values_list("sample_id", "job", "run", "status"):
        known_run, statuses = found.get((sample, job), (0, frozenset()))
        found[sample, job] = (run, statuses | {status} if run == known_run else frozenset({status}))
    return found


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
    found = list(_measured(sample, task.job, seen))
    with transaction.atomic():
        done = MeasurementRow.objects.select_for_update().filter(
            sample=sample, job=task.job, run=task.run
        )
        if done.exists():
            return
        MeasurementRow.objects.bulk_create(_row(sample, task, *unit) for unit in found)
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


def _measured(sample: Sample, job: str, seen: Seen) -> Iterator[Unit]:
    rollouts = sample.cell.round.protocol.rules.rollouts
    assert rollouts is not None and sample.clip is not None  # noqa: S101 - only such samples are due
    table, scenario = rollouts.metrics, rollouts.scenario(sample.cell.scene)
    if job == SIGNALS:
        yield from signal_units(table, scenario, sample.clip.path, *known_of(sample))
    else:
        (metric,) = (one for one in table.metrics if one.plug_in == job)
        yield from _plugged(PLUG_INS[job], metric.unit, sample.clip.path, seen)


def known_of(sample: Sample) -> tuple[Boundaries, Timing | None]:
    """Return where a rollout's chunks meet and how fast they came, as far as that is known."""
    chunks = list(Chunk.objects.filter(sample=sample).order_by("index"))
    if not chunks:
        return Boundaries.unknown(
            "no chunk was logged, and the configuration declares no geometry"
        ), None
    places = tuple(chunk.frame_start for chunk in chunks[1:])
    frames = sum(chunk.frames for chunk in chunks)
    return Boundaries(places, chunks[0].source), Timing(frames, chunks[-1].wall_s, chunks[0].wall_s)


def signal_units(
    table: MetricTable,
    scenario: Scenario,
    path: Path,
    boundaries: Boundaries,
    timing: Timing | None,
) -> Iterator[Unit]:
    """Yield what picture, sound and log say of a rollout; a file that cannot be read is an
    evaluator's failure.
    """
    mixed = [
        metric
        for metric in table.metrics
        if metric.computed == "mixed" and metric.applies_to(scenario)
    ]
    prompts_s = {update.id: update.at_s for update in scenario.updates}
    try:
        found = measure_signals(
            path, boundaries=boundaries, prompts_s=list(prompts_s.values()), timing=timing
        )
    except MediaRefusal as refusal:
        for metric in table.metrics:
            if metric.computed in {"signals", "mixed"} and metric.applies_to(scenario):
                yield (
                    metric.unit,
                    "",
                    _without(metric.code, "evaluator_failure", str(refusal), metric.value_unit),
                )
        return
    units = {metric.code: metric.unit for metric in table.metrics}
    for one in found.measurements:
        yield units[one.metric], "", one
    for metric in mixed:
        for place, at_s in prompts_s.items():
            yield metric.unit, place, _at_prompt(metric.code, found, at_s)
    flags = [flag.as_json() for flag in found.flags]
    yield (
        "full",
        "",
        Measurement(MARKS, float(len(flags)), "marks", TOOL, VERSION, evidence={"flags": flags}),
    )


def _at_prompt(code: str, found: Signals, at_s: float) -> Measurement:
    window: Window | None = next(
        (one for one in found.prompts if abs(one.at_s - at_s) < NEAR_S), None
    )
    if window is None:
        native = found.measurements[0]
        why = (
            native.reason
            if "sampled" in native.reason
            else "the rollout has no whole window around it"
        )
        return _without(code, "unavailable", why, "points")
    return Measurement(
        code, signal_part(window), "points", TOOL, VERSION, evidence=window.as_json()
    )


def _without(code: str, status: Any, reason: str, unit: str) -> Measurement:
    return Measurement.without(code, status, reason, unit=unit, tool=TOOL, version=VERSION)


def _plugged(plug_in: PlugIn, unit: str, path: Path, seen: Seen) -> Iterator[Unit]:
    found = _plug(plug_in, path, seen)
    for number, value in enumerate(found.intervals, 1):
        whole = found.measurement
        yield (
            unit,
            str(number),
            Measurement(whole.metric, value, whole.unit, whole.tool, whole.version),
        )
    if not found.intervals:
        yield unit, "", found.measurement


def _plug(plug_in: PlugIn, path: Path, seen: Seen) -> Plugged:
    if missing := _missing(plug_in):
        return _nothing(plug_in, "unavailable", f"no weights: {', '.join(missing)} is not there")
    try:
        from measuring.plug_ins.reading import RolloutFile  # noqa: PLC0415 - a web process does without it

        media = RolloutFile(path)
    except MediaRefusal as refusal:
        return _nothing(plug_in, "evaluator_failure", str(refusal))
    return measure(plug_in, media, Path(settings.WEIGHTS_DIR), settings.WEIGHTS_DEVICE, seen)


def _nothing(plug_in: PlugIn, status: Any, reason: str) -> Plugged:
    about = {"unit": plug_in.unit, "tool": plug_in.key, "version": plug_in.version}
    return Plugged(Measurement.without(plug_in.metric, status, reason, **about))


def models() -> list[str]:
    """Return a line for each metric that takes a model: whether it can be measured, or what is
    missing.
    """
    folder = Path(settings.WEIGHTS_DIR) if settings.WEIGHTS_DIR else None
    return readiness(PLUG_INS.values(), folder, settings.WEIGHTS_DEVICE)


def _missing(plug_in: PlugIn) -> list[str]:
    """Return what a plug-in still lacks; without a folder of weights, that folder."""
    return plug_in.missing(Path(settings.WEIGHTS_DIR)) if settings.WEIGHTS_DIR else ["WEIGHTS_DIR"]
