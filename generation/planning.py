"""A round as an admin puts it together: made, laid out, and on its way to its clips. Nothing is
bought here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from django.db import transaction

from fartbench import audit
from fartbench.models import ProtocolVersion, Round
from fartbench.rounds import Looks, create_round
from generation.built_in import make_missing, names_for
from generation.cells import lay_out
from generation.commissioning import commission
from generation.configurations import estimate
from generation.configuring import named
from generation.errors import CannotCommission
from generation.prompting import render_prompts
from generation.verdicts import unreviewed

MOST_REPLICATES = 20
"""More is a slip of the keyboard, and an expensive one."""


class Source(StrEnum):
    """Where the clips of a round come from."""

    OWN = "own"
    PROVIDERS = "providers"
    BUILT_IN = "built_in"


@dataclass(frozen=True)
class Plan:
    """What a round is to have: names of configurations and keys of scenes.

    ``configurations`` count for providers alone: own clips name theirs, and the built-in renderer
    brings its own. ``looks`` is for rollouts.
    """

    name: str
    protocol: ProtocolVersion
    configurations: list[str]
    scenes: list[str]
    replicates: int
    source: Source = Source.PROVIDERS
    looks: Looks = field(default_factory=Looks)

    @property
    def cells(self) -> int:
        """How many clips that makes."""
        scenes = min(len(self.scenes), self.looks.sample or len(self.scenes))
        return len(self.configurations) * scenes * self.replicates

    @property
    def cost(self) -> Decimal:
        """What those with a listed price should cost, in US dollars."""
        known = sum((usd for _, usd in self._prices if usd is not None), Decimal(0))
        return known * self.cells / max(len(self.configurations), 1)

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
    """Make the round. For providers its cells are laid out and its prompts rendered; the built-in
    renderer is asked for its clips at once, unless experts have to accept the scenarios first.

    Raises CannotCommission for an empty plan, and what `fartbench.rounds.create_round` does.
    """
    _refuse_empty(plan)
    scenes = [] if len(plan.scenes) == len(plan.protocol.rules.scenes) else plan.scenes
    round_ = create_round(
        name=plan.name,
        protocol=str(plan.protocol),
        actor=actor,
        replicates=plan.replicates,
        scenes=scenes,
        looks=plan.looks,
    )
    if plan.source == Source.PROVIDERS:
        _lay_out_for_providers(plan, round_, actor)
    elif plan.source == Source.BUILT_IN:
        _ask_built_in(round_, actor)
    return round_


def _refuse_empty(plan: Plan) -> None:
    if not plan.scenes or (plan.source == Source.PROVIDERS and not plan.configurations):
        raise CannotCommission("Choose at least one configuration and one scene.")
    if not 1 <= plan.replicates <= MOST_REPLICATES:
        raise CannotCommission(f"A cell has 1 to {MOST_REPLICATES} replicates.")
    if plan.source == Source.BUILT_IN and not names_for(plan.protocol.rules):
        raise CannotCommission(
            f"The built-in renderer does not draw the scenes of {plan.protocol}. Choose where the "
            "clips come from."
        )


def _lay_out_for_providers(plan: Plan, round_: Round, actor: str) -> None:
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


def _ask_built_in(round_: Round, actor: str) -> None:
    names = names_for(round_.protocol.rules)
    make_missing(names)
    configurations = named(names)
    if not unreviewed(round_):
        commission(round_=round_, configurations=configurations, actor=actor)
        return
    for configuration in configurations:
        lay_out(round_, configuration)
