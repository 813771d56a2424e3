"""A round as an admin puts it together: laid out with its prompts rendered, and nothing bought
yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from fartbench import audit
from fartbench.models import ProtocolVersion, Round
from fartbench.rounds import create_round
from generation.cells import lay_out
from generation.configurations import estimate
from generation.configuring import named
from generation.errors import CannotCommission
from generation.prompting import render_prompts


@dataclass(frozen=True)
class Plan:
    """What a round is to have: names of configurations and keys of scenes."""

    name: str
    protocol: ProtocolVersion
    configurations: list[str]
    scenes: list[str]
    replicates: int

    @property
    def cells(self) -> int:
        """How many clips that makes."""
        return len(self.configurations) * len(self.scenes) * self.replicates

    @property
    def cost(self) -> Decimal:
        """What those with a listed price should cost, in US dollars."""
        return (
            sum((usd for _, usd in self._prices if usd is not None), Decimal(0))
            * len(self.scenes)
            * self.replicates
        )

    @property
    def unpriced(self) -> list[str]:
        """The configurations whose price nobody knows."""
        return [name for name, usd in self._prices if usd is None]

    @property
    def _prices(self) -> list[tuple[str, Decimal | None]]:
        return [
            (one.name, estimate(one.file) if one.file else None)
            for one in named(self.configurations)
        ]


@transaction.atomic
def plan_round(plan: Plan, *, actor: str) -> Round:
    """Make the round, lay out its cells and render its prompts.

    Raises CannotCommission for an empty plan.
    """
    if not plan.cells:
        raise CannotCommission("Choose at least one configuration and one scene.")
    if not 1 <= plan.replicates <= 20:  # noqa: PLR2004 - a slip of the keyboard, and an expensive one
        raise CannotCommission("A cell has 1 to 20 replicates.")
    scenes = [] if len(plan.scenes) == len(plan.protocol.rules.scenes) else plan.scenes
    round_ = create_round(
        name=plan.name,
        protocol=str(plan.protocol),
        actor=actor,
        replicates=plan.replicates,
        scenes=scenes,
    )
    configurations = named(plan.configurations)
    for configuration in configurations:
        lay_out(round_, configuration)
    render_prompts(
        protocol=round_.protocol, configurations=configurations, scenes=round_.scenes, actor=actor
    )
    audit.record(
        "round planned",
        actor=actor,
        round_name=round_.name,
        configurations=plan.configurations,
        cells=plan.cells,
    )
    return round_
