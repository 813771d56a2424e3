"""Where rounds stand, for staff. Nothing here says what was answered, or whose clip a stimulus
is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count

from blinding.selectors import copies_of
from fartbench.models import Round, RoundState
from generation.models import Sample, SampleState
from generation.selectors import simulated_samples
from judging.selectors import questions_of
from measuring.sound.checks import heard, is_under_way
from review.models import AnswerSheet, Assignment, Role, Source
from review.pairs.selectors import due_tasks, live_tasks
from review.progress import MemberProgress, progress_of_round
from rounds.due import Due, due_step, due_steps
from web.pages.grid import Grid, grid_of
from web.pages.steps import Next, next_of


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
    due: Next | None


def round_lines(rounds: list[Round]) -> list[RoundLine]:
    """Return a line for each round, in a fixed number of queries."""
    cells = _count_by_round(Sample.objects.filter(cell__round__in=rounds), "cell__round")
    settled = _count_by_round(
        Sample.objects.filter(cell__round__in=rounds, state__in=SampleState.outcomes()),
        "cell__round",
    )
    sheets = _count_by_round(_asked().filter(member__round__in=rounds), "member__round")
    ended = _count_by_round(_ended().filter(stimulus__round__in=rounds), "stimulus__round")
    due, lines = due_steps(rounds), []
    for round_ in rounds:
        bar = Bar("cells", "cells with an outcome", settled[round_.pk], cells[round_.pk])
        if round_.opened_at:
            bar = Bar("sheets", "sheets ended", ended[round_.pk], sheets[round_.pk])
        lines.append(RoundLine(round_, bar if bar.total else None, next_of(round_, due[round_.pk])))
    return lines


def _count_by_round(rows: Any, key: str) -> Counter[int]:
    return Counter(dict(rows.order_by().values_list(key).annotate(rows=Count("pk"))))


def _asked() -> Any:
    return Assignment.objects.filter(member__role=Role.PRIMARY, stimulus__retirement=None)


def _ended() -> Any:
    ended = AnswerSheet.objects.exclude(locked_at=None, unplayable_at=None)
    return ended.filter(stimulus__retirement=None)


def bars_of(round_: Round, members: list[MemberProgress], grid: Grid | None = None) -> list[Bar]:
    """Return how far the round is in each of its parts; ``members`` is how far each of them is."""
    grid = grid or grid_of(round_)
    bars = [
        Bar("cells", "cells with an outcome", grid.settled, len(grid.samples)),
        Bar("copies", "blind copies", *copies_of(round_)),
    ]
    if round_.opened_at:
        primary = [member for member in members if member.is_primary]
        ended, asked = (
            sum(member.done for member in primary),
            sum(member.total for member in primary),
        )
        bars.append(Bar("sheets", "sheets ended", ended, asked))
        bars.append(_bar_of_votes(round_))
        bars.append(Bar("judges", "questions to AI judges", *questions_of(round_)))
    if counts := heard(round_):
        bars.append(Bar("sounds", "clips listened to", *counts))
    return [bar for bar in bars if bar.total]


def _bar_of_votes(round_: Round) -> Bar:
    total = live_tasks(round_).count()
    return Bar("votes", "votes on pairs", total - due_tasks([round_.pk]).count(), total)


def simulated_reviewers(round_: Round) -> set[str]:
    """Return the codes of the round's scripted reviewers."""
    return set(
        round_.members.filter(reviewer__simulated=True).values_list("reviewer__code", flat=True)
    )


def is_simulated(round_: Round) -> bool:
    """Say whether any clip of the round comes from no real model, or a script filled in a sheet."""
    sheets = AnswerSheet.objects.filter(stimulus__round=round_, source=Source.SIMULATED)
    return sheets.exists() or simulated_samples(round_).exists()


@dataclass(frozen=True)
class Progress:
    """What the page of a round asks for again and again.

    ``stamp`` changes when the page should be loaded anew.
    """

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
    members = progress_of_round(round_)
    return Progress(stamp_of(round_, due), bars_of(round_, members), members)


def stamp_of(round_: Round, due: Due | None) -> str:
    """Return what a page compares to notice that another step has become due."""
    listening = "listening" if is_under_way(round_) else ""
    return f"{round_.state} {due.key if due else ''} {listening}".strip()


@dataclass(frozen=True, slots=True)
class StepMark:
    """A state of a round in the row of states: past, current, or to come."""

    label: str
    place: str
    at: datetime | None


def state_marks(round_: Round) -> list[StepMark]:
    """Return every state, and which of them is the round's."""
    at = {
        RoundState.DRAFT: round_.created_at,
        RoundState.REVIEWING: round_.opened_at,
        RoundState.LOCKED: round_.closed_at,
        RoundState.PUBLISHED: round_.published_at,
    }
    states = list(RoundState)
    here = states.index(RoundState(round_.state))
    places = ["done"] * here + ["here"] + ["ahead"] * (len(states) - here - 1)
    return [
        StepMark(state.label, place, at.get(state))
        for state, place in zip(states, places, strict=True)
    ]
