"""One measured value, or the reason why there is none. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Status = Literal[
    "computed", "not_applicable", "unavailable", "generation_failure", "evaluator_failure"
]
"""``not_applicable``: the metric has nothing to look at here. ``unavailable``: it could be
measured, and what it takes is not there (boundaries that nobody can observe, weights that are not
installed). The failures say whose they are.
"""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A metric of one unit of a rollout. ``value`` is None unless the status is ``computed``:
    nothing replaces it.

    ``tool`` and ``version`` are what measured; ``evidence`` is what the value came from, as plain
    JSON.
    """

    metric: str
    value: float | None
    unit: str
    tool: str
    version: str
    status: Status = "computed"
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.value is not None) != (self.status == "computed") or (self.value is None) != bool(
            self.reason
        ):
            raise ValueError(f"{self.metric}: a value, or else a status and its reason")

    @classmethod
    def without(
        cls, metric: str, status: Status, reason: str, *, unit: str, tool: str, version: str
    ) -> Self:
        """Return a measurement that brought no value, and why."""
        return cls(metric, None, unit, tool, version, status, reason)
