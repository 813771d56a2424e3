"""How numbers stand in a report: never without their n, never NaN. No Django here."""

from __future__ import annotations

import math
from typing import Any

from fartbench.numbers import number_text
from scoring.report_classes.base import ReportedEstimate
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


def reported(estimate: Estimate | Undefined) -> ReportedEstimate:
    """Return an estimate as reports write it."""
    if isinstance(estimate, Undefined):
        return ReportedEstimate(
            value=None, low=None, high=None, n=estimate.n, method="", note=estimate.reason
        )
    return ReportedEstimate(
        value=rounded(estimate.value),
        low=None if estimate.low is None else rounded(estimate.low),
        high=None if estimate.high is None else rounded(estimate.high),
        n=estimate.n,
        method=estimate.method,
        note=estimate.note,
    )


def estimate_document(estimate: Estimate | Undefined) -> dict[str, Any]:
    """Return ``{value, low, high, n, method, note}``, the JSON of `reported`."""
    return reported(estimate).model_dump()
