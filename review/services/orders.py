"""The orders in which the members of a round see its clips, drawn once and stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from django.db import transaction

from fartbench import audit
from fartbench.models import Round
from fartbench.round_secret import secret_of
from review.errors import OrdersRefused
from review.models import Assignment, OrderPlan
from review.order import ClipFactors
from review.order_shares import shared_orders
from review.services.cohort import primary_members


@transaction.atomic
def plan_orders(
    *,
    round: Round,
    factors: Mapping[str, str],
    actor: str = audit.SYSTEM,
    effort: float = 1.0,
) -> OrderPlan:
    """Draw and store the orders of the whole primary cohort; the balance figures are kept with
    them. Where a round says how many look at each stimulus, each member gets a share of them.

    ``factors`` gives every stimulus of the round an opaque label of what made it: equal labels
    never follow each other where that can be avoided, and the review never learns what they stand
    for. Raises OrdersRefused.
    """
    if OrderPlan.objects.filter(round=round).exists():
        raise OrdersRefused(
            f"The orders of round {round} are drawn already; an order never changes."
        )
    clips = _clips_of(round, factors)
    members, looks = primary_members(round), round.looks.looks if round.looks else 0
    drawn = shared_orders(
        clips,
        len(members),
        looks,
        secret_of(round),
        together=_compared(round, factors),
        effort=effort,
    )
    Assignment.objects.bulk_create(
        Assignment(member=member, stimulus_id=name, position=position)
        for member, order in zip(members, drawn.orders, strict=True)
        for position, name in enumerate(order, start=1)
    )
    plan = OrderPlan.objects.create(round=round, balance=asdict(drawn.balance))
    audit.record(
        "orders drawn", actor=actor, round_name=round.name, clips=len(clips), orders=len(members)
    )
    return plan


def _clips_of(round_: Round, factors: Mapping[str, str]) -> list[ClipFactors]:
    """Return every stimulus of a round with its factors. Raises OrdersRefused unless each has
    exactly one.
    """
    scenes = dict(round_.stimuli.values_list("id", "scene"))
    if set(scenes) != set(factors):
        raise OrdersRefused(
            f"Round {round_} has {len(scenes)} stimuli and {len(factors)} factors were given; each "
            "needs exactly one."
        )
    return [
        ClipFactors(id=name, configuration=factors[name], scene=scene)
        for name, scene in scenes.items()
    ]


def _compared(round_: Round, factors: Mapping[str, str]) -> dict[str, str]:
    """Return a label for each stimulus that is compared with others of its rollout: both ends,
    asked with one form.
    """
    rollouts = round_.protocol.rules.rollouts
    kinds = (
        [] if rollouts is None else [kind.kind for kind in rollouts.units.kinds if kind.is_compared]
    )
    rows = round_.stimuli.filter(unit__in=kinds).values_list("id", "scene", "form")
    return {name: f"{factors[name]}|{scene}|{form}" for name, scene, form in rows}
