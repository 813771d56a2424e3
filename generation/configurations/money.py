"""What a clip costs, and how that is known. The four bases are kept apart. No Django here."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from generation.configurations.schema import ConfigurationFile, PriceRule
from generation.providers.port import Usage

Basis = Literal["reported", "computed", "estimated", "unknown"]
TICKS_PER_USD = Decimal(10) ** 10  # xAI reports costs in ten-thousand-millionths of a dollar


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost in US dollars; ``usd`` is None exactly when it is unknown.

    ``rule`` is the price rule's id.
    """

    basis: Basis
    usd: Decimal | None
    rule: str


def estimate(configuration: ConfigurationFile) -> Decimal | None:
    """Return what one clip should cost by the listed price, in US dollars; None when no price is
    known.
    """
    return configuration.price.for_seconds(configuration.fixed.duration_s)


def cost_of(rule: PriceRule, usage: Usage, *, seconds: float) -> Cost:
    """Return the cost of an accepted sample by the best basis there is: reported, then computed,
    then estimated.
    """
    if usage.usd is not None:
        return Cost("reported", usage.usd, rule.id)
    if usage.usd_ticks is not None:
        return Cost("reported", Decimal(usage.usd_ticks) / TICKS_PER_USD, rule.id)
    if usage.output_tokens is not None and rule.per_million_tokens is not None:
        return Cost(
            "computed", Decimal(rule.per_million_tokens) * usage.output_tokens / 1_000_000, rule.id
        )
    listed = rule.for_seconds(seconds)
    if listed is None:
        return Cost("unknown", None, rule.id)
    return Cost("estimated", listed, rule.id)
