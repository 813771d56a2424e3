"""What the pages of commissioning show."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from fartbench.models import Job, JobState, Round
from generation.dispatching import by_provider, committed
from generation.models import (
    Ceiling,
    Configuration,
    CostBasis,
    Origin,
    Sample,
    SampleState,
    Submission,
)
from generation.steps import KINDS

WAITING = (SampleState.PLANNED, SampleState.READY)
TROUBLE = (SampleState.BLOCKED, SampleState.LOST_UNCERTAIN, SampleState.UNCERTAIN)
SHOWN = 200


@dataclass
class Square:
    """The cells of one configuration and scene, by state."""

    states: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """How many cells there are."""
        return sum(self.states.values())

    @property
    def done(self) -> int:
        """How many have an outcome."""
        return sum(count for state, count in self.states.items() if state in SampleState.outcomes())

    @property
    def badges(self) -> list[tuple[str, int, str]]:
        """Each state with its label, count and tone."""
        return [
            (str(SampleState(state).label), count, tone(state))
            for state, count in sorted(self.states.items())
        ]


def tone(state: str) -> str:
    """Return the colour of a state: good, warn, bad or none."""
    if state == SampleState.DELIVERED:
        return "good"
    if state in TROUBLE or state in (SampleState.LOST, SampleState.FAILED):
        return "bad"
    if state in (SampleState.REFUSED, SampleState.NOT_GENERATED):
        return "warn"
    if state not in WAITING:
        return "accent"
    return ""


@dataclass
class Line:
    """One configuration of a round: its squares by scene, and what it has cost."""

    configuration: Configuration
    squares: list[Square]
    costs: list[tuple[str, Decimal | None, int]]

    @property
    def key(self) -> str:
        """Its name on the page, for the bar that is kept up to date."""
        return f"configuration-{self.configuration.pk}"

    @property
    def done(self) -> int:
        """How many cells have an outcome."""
        return sum(square.done for square in self.squares)

    @property
    def total(self) -> int:
        """How many cells it has."""
        return sum(square.total for square in self.squares)

    @property
    def coverage(self) -> dict[str, int]:
        """How many of its cells were delivered, refused, failed and so on."""
        together = sum((square.states for square in self.squares), Counter[str]())
        return {str(SampleState(state).label): count for state, count in sorted(together.items())}


def lines_of(round_: Round) -> list[Line]:
    """Return the round's configurations with their progress and costs."""
    squares: dict[tuple[int, str], Square] = defaultdict(Square)
    costs: dict[int, list[tuple[str, Decimal | None, int]]] = defaultdict(list)
    samples = Sample.objects.filter(cell__round=round_)
    for row in samples.values("cell__configuration", "cell__scene", "state").annotate(
        count=Count("pk")
    ):
        squares[row["cell__configuration"], row["cell__scene"]].states[row["state"]] += row["count"]
    paid = Sample.every.filter(cell__round=round_).exclude(cost_basis="")
    sums = paid.values("cell__configuration", "cost_basis").annotate(
        usd=Sum("cost_usd"), count=Count("pk")
    )
    for known in sums.order_by("cost_basis"):
        label = str(CostBasis(known["cost_basis"]).label)
        costs[known["cell__configuration"]].append((label, known["usd"], known["count"]))
    configurations = Configuration.objects.filter(cells__round=round_).distinct().order_by("name")
    return [
        Line(one, [squares[one.pk, scene] for scene in round_.scenes], costs[one.pk])
        for one in configurations
    ]


@dataclass(frozen=True)
class Spending:
    """What was spent and set aside under one ceiling, in US dollars.

    ``provider`` is empty for the round in all.
    """

    provider: str
    committed: Decimal
    ceiling: Decimal | None


def spending_of(round_: Round) -> list[Spending]:
    """Return the round's spending in all and by provider, each with its ceiling where there is
    one.
    """
    ceilings = dict(
        Ceiling.objects.filter(commissioning__round=round_).values_list("provider", "usd")
    )
    providers = by_provider(round_)
    names = sorted({*providers, *(name for name in ceilings if name)})
    whole = Spending("", committed(round_.pk), ceilings.get(""))
    return [
        whole,
        *(Spending(name, providers.get(name, Decimal(0)), ceilings.get(name)) for name in names),
    ]


def troubled(round_: Round) -> QuerySet[Sample]:
    """Return the samples that wait for an operator, or are in doubt."""
    return _listed(round_).filter(state__in=TROUBLE)


def without_clip(round_: Round) -> QuerySet[Sample]:
    """Return the results that brought no clip, with their reasons."""
    return _listed(round_).filter(state__in=SampleState.without_clip())


def retried(round_: Round) -> list[Submission]:
    """Return the tries that were not the first, the newest first."""
    tries = Submission.objects.filter(sample__cell__round=round_).filter(
        ~Q(answer_class="accepted")
    )
    return list(tries.select_related("sample__cell__configuration").order_by("-started_at")[:SHOWN])


def _listed(round_: Round) -> QuerySet[Sample]:
    samples = Sample.objects.filter(cell__round=round_).select_related(
        "cell__configuration", "cell__round"
    )
    return samples.defer("truth").order_by(
        "cell__configuration__name", "cell__scene", "cell__replicate"
    )


def in_doubt() -> QuerySet[Sample]:
    """Return every sample in doubt, of all rounds."""
    samples = Sample.objects.filter(state__in=(SampleState.UNCERTAIN, SampleState.LOST_UNCERTAIN))
    return samples.select_related("cell__configuration", "cell__round").prefetch_related(
        "submissions"
    )


def failed_jobs(round_: Round) -> list[Job]:
    """Return the steps that stand still because something here went wrong."""
    return list(
        Job.objects.filter(round_name=round_.name, kind__in=KINDS, state=JobState.FAILED)[:20]
    )


def progress_json(round_: Round) -> dict[str, Any]:
    """Return what the page's script asks for: the bars, and a stamp that changes when the page is
    out of date.
    """
    lines = lines_of(round_)
    bars = {line.key: [line.done, line.total] for line in lines}
    bars["all"] = [sum(line.done for line in lines), sum(line.total for line in lines)]
    return {"stamp": stamp_of(round_, lines), "bars": bars}


def simulated_samples(round_: Round) -> QuerySet[Sample]:
    """Return the results of a round that come from no real model."""
    return Sample.objects.filter(cell__round=round_, origin__in=Origin.simulated())


def stamp_of(round_: Round, lines: list[Line]) -> str:
    """Return a text that changes with every state of the round's cells."""
    states = sum((square.states for line in lines for square in line.squares), Counter[str]())
    return f"{round_.state}/" + ",".join(
        f"{state}:{count}" for state, count in sorted(states.items())
    )
