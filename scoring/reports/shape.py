"""How numbers stand in a report: never without their n, never NaN. No Django here."""

from __future__ import annotations

import math
from typing import Any

from fartbench.numbers import number_text
from scoring.stats.estimate import Estimate, Undefined

# More digits than any reader needs, and fewer than differ between two builds of a numerical
# library.
DIGITS = 10


def rounded(value: float) -> float:
    """Return a number to ten significant digits. ValueError for what is not finite: it must not
    reach a document.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number that a report may show.")
    return float(number_text(value, f".{DIGITS}g"))


def estimate_document(estimate: Estimate | Undefined) -> dict[str, Any]:
    """Return ``{value, low, high, n, method, note}``; value and limits are null when undefined, and
    note says why.
    """
    if isinstance(estimate, Undefined):
        return {
            "value": None,
            "low": None,
            "high": None,
            "n": estimate.n,
            "method": "",
            "note": estimate.reason,
        }
    low, high = (
        None if limit is None else rounded(limit) for limit in (estimate.low, estimate.high)
    )
    return {
        "value": rounded(estimate.value),
        "low": low,
        "high": high,
        "n": estimate.n,
        "method": estimate.method,
        "note": estimate.note,
    }
