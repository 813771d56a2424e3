"""Flatulatory Scaling Efficiency: what a dearer configuration of a family brings for its price.

No Django here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from math import hypot
from typing import Any

from scoring.records import RoundRecord
from scoring.reports.costs import cost_of, why_no_costs
from scoring.reports.shape import estimate_document, rounded
from scoring.stats.estimate import Estimate, Undefined, without_interval

Document = Mapping[str, Any]


def scaling_by_family(record: RoundRecord, scores: Mapping[str, Document]) -> list[dict[str, Any]]:
    """Return for each family its configurations by mean cost, each compared with the next dearer
    one.

    The estimate is score points per US dollar of a clip, n the clips of both; undefined with the
    reason.
    """
    why = why_no_costs(record.cells)
    members: dict[str, list[str]] = defaultdict(list)
    for configuration in record.configurations:
        if configuration.family:
            members[configuration.family].append(configuration.name)
    costs = {name: _mean_cost(record, name) for names in members.values() for name in names}
    found = []
    for family, names in sorted(members.items()):
        for cheap, dear in pairwise(sorted(names, key=lambda name: (costs[name], name))):
            price = costs[dear] - costs[cheap]
            gain = (
                Undefined(f"not reported: {why}")
                if why
                else efficiency(scores[cheap], scores[dear], price)
            )
            line = {
                "family": family,
                "from": cheap,
                "to": dear,
                "points_per_dollar": estimate_document(gain),
            }
            found.append(line)
    return found


def _mean_cost(record: RoundRecord, name: str) -> float:
    costs = [cost_of(cell) for cell in record.cells if cell.configuration == name]
    # Rounded, so that equal costs that were added in another order are equal.
    return rounded(sum(costs) / len(costs)) if costs else 0.0


def efficiency(cheap: Document, dear: Document, price: float) -> Estimate | Undefined:
    """Return the difference of two scores by the difference of their costs, in US dollars.

    The interval of the difference is recovered from those of the two scores (MOVER: Zou & Donner
    2008, Statistics in Medicine 27); the costs are facts.
    """
    if cheap["value"] is None or dear["value"] is None:
        return Undefined("one of the two has no score")
    if price <= 0:
        return Undefined("the two cost the same")
    n, change = cheap["n"] + dear["n"], dear["value"] - cheap["value"]
    if cheap["low"] is None or dear["low"] is None:
        return without_interval(change / price, n, "one of the two scores has no interval")
    down = hypot(dear["value"] - dear["low"], cheap["high"] - cheap["value"])
    up = hypot(dear["high"] - dear["value"], cheap["value"] - cheap["low"])
    return Estimate(
        change / price, (change - down) / price, (change + up) / price, n, "MOVER of the two scores"
    )
