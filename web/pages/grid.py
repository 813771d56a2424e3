"""The cells of a round by configuration and scene, for staff, with what became of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from blinding.models import NotReviewable
from fartbench.models import Round
from fartbench.protocol import Scene
from generation.models import Sample, SampleState


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
    samples = (
        Sample.objects.filter(cell__round=round_)
        .select_related("cell__configuration")
        .defer("truth")
    )
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
