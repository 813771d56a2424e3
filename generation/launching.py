"""Launching: what a round has not asked for yet, what that should cost, and asking for it under a
ceiling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.db.models import Count

from fartbench.models import Round
from generation import buying
from generation.commissioning import commission
from generation.configurations import estimate
from generation.dispatching import committed
from generation.errors import CannotCommission
from generation.models import Ceiling, Configuration, Sample, SampleState
from generation.providers.registry import is_built_in, is_known


@dataclass(frozen=True)
class LaunchLine:
    """A configuration with cells that nobody asked for: how many, and what each should cost in US
    dollars (None where nobody knows, 0 for the built-in renderer).
    """

    configuration: Configuration
    clips: int
    each: Decimal | None

    @property
    def total(self) -> Decimal | None:
        """What all of them should cost."""
        return None if self.each is None else self.each * self.clips

    @property
    def is_free(self) -> bool:
        """Say whether the built-in renderer draws them."""
        return self.each == 0


@dataclass(frozen=True)
class Budget:
    """What launching some of a round's configurations would mean, in US dollars.

    ``spent`` are known costs, and listed prices of what is on order; ``ceiling`` is the one of the
    round in all, None without one.
    """

    lines: Sequence[LaunchLine]
    spent: Decimal
    ceiling: Decimal | None

    @property
    def clips(self) -> int:
        """How many clips would be asked for."""
        return sum(line.clips for line in self.lines)

    @property
    def estimate(self) -> Decimal:
        """What they should cost by listed prices."""
        return sum((line.total or Decimal(0) for line in self.lines), Decimal(0))

    @property
    def left(self) -> Decimal | None:
        """What may still be bought under the ceiling; None without one."""
        return None if self.ceiling is None else max(Decimal(0), self.ceiling - self.spent)

    @property
    def is_free(self) -> bool:
        """Say whether nothing of it is bought."""
        return all(line.is_free for line in self.lines)


def launch_lines(round_: Round) -> list[LaunchLine]:
    """Return the configurations of a round with cells that nobody asked for, by name."""
    waiting = Sample.objects.filter(
        cell__round=round_, state=SampleState.PLANNED, generation_seed=""
    )
    counts = dict(waiting.order_by().values_list("cell__configuration").annotate(clips=Count("pk")))
    rows = Configuration.objects.filter(pk__in=counts).order_by("name")
    return [
        LaunchLine(row, counts[row.pk], _price(row))
        for row in rows
        if row.provider and is_known(row.provider)
    ]


def _price(row: Configuration) -> Decimal | None:
    if is_built_in(row.provider):
        return Decimal(0)
    return estimate(row.file) if row.file else None


def budget_of(round_: Round, lines: Sequence[LaunchLine]) -> Budget:
    """Return what launching these would mean."""
    ceiling = Ceiling.objects.filter(commissioning__round=round_, provider="").first()
    return Budget(lines, committed(round_.pk), ceiling.usd if ceiling else None)


@transaction.atomic
def launch(
    *, round_: Round, lines: Sequence[LaunchLine], ceiling: Decimal | None, actor: str
) -> int:
    """Set the round's ceiling (US dollars, of everything it spends) and ask for the clips of these
    configurations; return how many cells wait. Without a ceiling only the built-in renderer is
    asked.

    Raises CannotCommission for none, for a paid one without a ceiling, or for a ceiling that leaves
    nothing to spend; and what `generation.commissioning.commission` does.
    """
    budget = budget_of(round_, lines)
    if not lines:
        raise CannotCommission("Choose at least one configuration.")
    if not budget.is_free:
        if ceiling is None:
            raise CannotCommission("Set a ceiling: nothing is bought without one.")
        if ceiling <= budget.spent:
            raise CannotCommission(
                f"The ceiling of ${ceiling:.2f} leaves nothing to spend: ${budget.spent:.2f} are "
                "spent or on order."
            )
        buying.set_ceilings(round_, {"": ceiling}, actor)
    return commission(
        round_=round_, configurations=[line.configuration for line in lines], actor=actor
    )
