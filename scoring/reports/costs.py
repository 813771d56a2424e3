"""What the cells of a round cost, and why that may not be said. No Django here."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.records import CellRecord

# What was never accepted for inference can have cost nothing.
NOT_ACCEPTED = "not_generated"
UNKNOWN = {"", "unknown"}


def cost_of(cell: CellRecord) -> float:
    """Return a cell's cost in US dollars; 0 for one that was never accepted."""
    return float(cell.cost_usd) if cell.cost_usd else 0.0


def why_no_costs(cells: Sequence[CellRecord]) -> str:
    """Return why figures per dollar are not reported, or an empty text.

    Every accepted sample needs a cost, and all of them on one basis (ours): credits, promotions and
    unpriced routes would make a figure worse than none.
    """
    accepted = [cell for cell in cells if cell.outcome != NOT_ACCEPTED]
    without = sum(not cell.cost_usd or cell.cost_basis in UNKNOWN for cell in accepted)
    bases = sorted({cell.cost_basis for cell in accepted if cell.cost_usd} - UNKNOWN)
    if not accepted:
        return "nothing was generated"
    if without:
        return f"{without} of {len(accepted)} accepted samples have no known cost"
    return f"costs are on several bases ({', '.join(bases)})" if len(bases) > 1 else ""
