"""Where rounds stand, for staff. Nothing here says what was answered, or whose clip a stimulus is."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q

from blinding.models import NotReviewable, Stimulus
from blinding.services import copies_of
from fartbench import jobs
from fartbench.models import Job, JobState, Round, RoundState
from fartbench.protocol import Scene
from generation.models import Sample, SampleState
from judging.selectors import questions_of
from review.models import AnswerSheet, Assignment, Role, Source
from review.pairs.selectors import due_tasks, live_tasks
from review.selectors import MemberProgress, progress_of_round
from scoring.sound.checks import heard, is_under_way
from scoring.steps import Step, due_step, due_steps

# A worker says every few seconds that it is alive.
WORKER_SILENT_S = 30
STIMULI_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Bar:
    """How far something is."""

    key: str
    label: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round in the list: ``bar`` is what its state waits for."""

    round: Round
    bar: Bar | None
    due: Step | None


def round_lines(rounds: list[Round]) -> list[RoundLine]:
    """Return a line for each round, in a fixed number of queries."""
    cells = _count_by_round(Sample.objects.filter(cell__round__in=rounds), "cell__round")
    settled = _count_by_round(
        Sample.objects.filter(cell__round__in=rounds, state__in=SampleState.outcomes()), "cell__round"
    )
    sheets = _count_by_round(_asked().filter(member__round__in=rounds), "member__round")
    ended = _count_by_round(_ended().filter(stimulus__round__in=rounds), "stimulus__round")
    due, lines = due_steps(rounds), []
    for round_ in rounds:
        bar = Bar("cells", "cells with an outcome", settled[round_.pk], cells[round_.pk])
        if round_.opened_at:
            bar = Bar("sheets", "sheets ended", ended[round_.pk], sheets[round_.pk])
        lines.append(RoundLine(round_, bar if bar.total else None, due[round_.pk]))
    return lines


def _count_by_round(rows: Any, key: str) -> Counter[int]:
    return Counter(dict(rows.order_by().values_list(key).annotate(rows=Count("pk"))))


def _asked() -> Any:
    return Assignment.objects.filter(member__role=Role.PRIMARY, stimulus__retirement=None)


def _ended() -> Any:
    ended = AnswerSheet.objects.exclude(locked_at=None, unplayable_at=None)
    return ended.filter(stimulus__retirement=None)


@dataclass(frozen=True, slots=True)
class GridCell:
    """The results of one configuration in one scene, one for each replicate."""

    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class GridRow:
    """A configuration's cells."""

    configuration: Any
    cells: tuple[GridCell, ...]


@dataclass(frozen=True)
class Grid:
    """The cells of a round by configuration and scene, with their outcomes."""

    scenes: tuple[Scene, ...]
    rows: tuple[GridRow, ...]
    samples: tuple[Sample, ...]

    @property
    def outcomes(self) -> list[tuple[str, int]]:
        """How many cells there are of each outcome, the most frequent first."""
        return Counter(sample.get_state_display() for sample in self.samples).most_common()

    @property
    def settled(self) -> int:
        return sum(sample.has_outcome for sample in self.samples)

    @property
    def waiting(self) -> list[Sample]:
        return [sample for sample in self.samples if not sample.has_outcome]

    @property
    def without_clip(self) -> list[Sample]:
        return [sample for sample in self.samples if sample.state in SampleState.without_clip()]

    @property
    def spent(self) -> Decimal | None:
        """What is known to have been spent, in US dollars."""
        costs = [sample.cost_usd for sample in self.samples if sample.cost_usd is not None]
        return sum(costs, Decimal(0)) if costs else None


def grid_of(round_: Round) -> Grid:
    """Return the round's cells, in one query."""
    samples = Sample.objects.filter(cell__round=round_).select_related("cell__configuration").defer("truth")
    by_cell: dict[Any, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    every = list(samples.order_by("cell__configuration__name", "cell__scene", "cell__replicate"))
    for sample in every:
        by_cell[sample.cell.configuration][sample.cell.scene].append(sample)
    scenes = tuple(round_.protocol.rules.scene(key) for key in round_.scenes)
    rows = tuple(
        GridRow(configuration, tuple(GridCell(tuple(found[scene.key])) for scene in scenes))
        for configuration, found in by_cell.items()
    )
    return Grid(scenes, rows, tuple(every))


def excluded_clips(round_: Round) -> list[NotReviewable]:
    """Return the delivered clips that nobody is asked about, with the reasons."""
    found = NotReviewable.objects.filter(sample__cell__round=round_)
    return list(found.select_related("sample__cell__configuration").order_by("pk"))


def bars_of(round_: Round, grid: Grid | None = None) -> list[Bar]:
    """Return how far the round is in each of its parts."""
    grid = grid or grid_of(round_)
    bars = [
        Bar("cells", "cells with an outcome", grid.settled, len(grid.samples)),
        Bar("copies", "blind copies", *copies_of(round_)),
    ]
    if round_.opened_at:
        asked = _asked().filter(member__round=round_).count()
        ended = _ended().filter(stimulus__round=round_, reviewer__memberships__in=_primary(round_)).count()
        bars.append(Bar("sheets", "sheets ended", ended, asked))
        bars.append(_bar_of_votes(round_))
        bars.append(Bar("judges", "questions to AI judges", *questions_of(round_)))
    if counts := heard(round_):
        bars.append(Bar("sounds", "clips listened to", *counts))
    return [bar for bar in bars if bar.total]


def _bar_of_votes(round_: Round) -> Bar:
    total = live_tasks(round_).count()
    return Bar("votes", "votes on pairs", total - due_tasks([round_.pk]).count(), total)


def _primary(round_: Round) -> Any:
    return round_.members.filter(role=Role.PRIMARY)


def simulated_reviewers(round_: Round) -> set[str]:
    """Return the codes of the round's scripted reviewers."""
    return set(round_.members.filter(reviewer__simulated=True).values_list("reviewer__code", flat=True))


def has_simulated_answers(round_: Round) -> bool:
    """Say whether any sheet of the round was filled in by a script."""
    return AnswerSheet.objects.filter(stimulus__round=round_, source=Source.SIMULATED).exists()


@dataclass(frozen=True)
class Progress:
    """What the page of a round asks for again and again. ``stamp`` changes when the page should be loaded anew."""

    stamp: str
    bars: list[Bar]
    members: list[MemberProgress]

    def as_json(self) -> dict[str, Any]:
        of_round = {bar.key: [bar.done, bar.total] for bar in self.bars}
        of_members = {member.code: [member.done, member.total] for member in self.members}
        return {"stamp": self.stamp, "bars": of_round | of_members}


def progress_of(round_: Round) -> Progress:
    """Return how far the round and each of its reviewers are."""
    due = due_step(round_)
    return Progress(stamp_of(round_, due), bars_of(round_), progress_of_round(round_))


def stamp_of(round_: Round, due: Step | None) -> str:
    """Return what a page compares to notice that another step has become due."""
    listening = "listening" if is_under_way(round_) else ""
    return f"{round_.state} {due.command if due else ''} {listening}".strip()


@dataclass(frozen=True, slots=True)
class BlindClip:
    """A stimulus of the round by its opaque id: how many reviewers are done with it, and how many could not play it."""

    stimulus: Stimulus
    ended: int
    unplayable: int


def blind_clips(round_: Round) -> list[BlindClip]:
    """Return the first stimuli of the round in the order of their random ids, those that would not play before all."""
    unplayable = Count("sheets", filter=Q(sheets__unplayable_at__isnull=False))
    ended = Count("sheets", filter=Q(sheets__locked_at__isnull=False) | Q(sheets__unplayable_at__isnull=False))
    found = round_.stimuli.filter(retirement=None).defer("facts").annotate(ended=ended, unplayable=unplayable)
    return [
        BlindClip(stimulus, stimulus.ended, stimulus.unplayable)
        for stimulus in found.order_by("-unplayable", "pk")[:STIMULI_SHOWN]
    ]


@dataclass(frozen=True, slots=True)
class UnplayableReport:
    """What a reviewer said about a clip that would not play."""

    stimulus: str
    scene: str
    reviewer: str
    reason: str
    at: datetime | None


def unplayable_reports(round_: Round) -> list[UnplayableReport]:
    """Return what reviewers said about clips that would not play, the newest first."""
    sheets = AnswerSheet.objects.filter(
        stimulus__round=round_, stimulus__retirement=None, unplayable_at__isnull=False
    ).select_related("reviewer", "stimulus")
    return [
        UnplayableReport(
            sheet.stimulus_id,
            round_.protocol.rules.scene(sheet.stimulus.scene).title,
            sheet.reviewer.code,
            sheet.unplayable_reason,
            sheet.unplayable_at,
        )
        for sheet in sheets.order_by("-unplayable_at")
    ]


@dataclass(frozen=True, slots=True)
class StepMark:
    """A state of a round in the row of states: behind it, where it stands, or ahead."""

    label: str
    place: str
    at: datetime | None


def state_marks(round_: Round) -> list[StepMark]:
    """Return every state with where the round stands."""
    at = {
        RoundState.DRAFT: round_.created_at,
        RoundState.REVIEWING: round_.opened_at,
        RoundState.LOCKED: round_.closed_at,
        RoundState.PUBLISHED: round_.published_at,
    }
    states = list(RoundState)
    here = states.index(RoundState(round_.state))
    places = ["done"] * here + ["here"] + ["ahead"] * (len(states) - here - 1)
    return [StepMark(state.label, place, at.get(state)) for state, place in zip(states, places, strict=True)]


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with work of one kind, and how many pieces of it failed so."""

    kind: str
    error: str
    count: int


def failed_jobs(round_: Round) -> list[Failure]:
    """Return the work on this round that failed: what went wrong, each thing once, the most frequent first."""
    failed = Job.objects.filter(round_name=round_.name, state=JobState.FAILED).order_by()
    found = failed.values_list("kind", "error").annotate(count=Count("pk")).order_by("-count", "kind", "error")
    return [Failure(*row) for row in found[:STIMULI_SHOWN]]


@dataclass(frozen=True, slots=True)
class Silence:
    """Work is waiting and no worker is there. ``seconds`` is None when none was ever seen."""

    waiting: int
    seconds: int | None


def worker_silence() -> Silence | None:
    """Return what is wrong with the workers, or None when one is alive or nothing waits for one."""
    waiting = jobs.waiting()
    if not waiting:
        return None
    seconds = jobs.last_beat_s()
    if seconds is not None and seconds < WORKER_SILENT_S:
        return None
    return Silence(waiting, None if seconds is None else int(seconds))
