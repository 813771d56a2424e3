"""How much there is to judge. No Django here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fartbench.protocol.rollouts.metrics import Metric, MetricTable
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.units import Unit, UnitPlan, units

# A unit that is not a metric's own but is judged by its checklist, for the appendix (§D.1).
INITIAL = {"initial": ("VIF", "AIF")}


def calls(
    table: MetricTable, plan: UnitPlan, scenarios: Iterable[Scenario], *, horizon_s: float
) -> Counter[str]:
    """Return how many forms there are to fill in for each metric: one for each unit that it reads.

    Metrics that read the same form count once, under the first of them (VUF stands for PVUAR and
    PVRL). A checklist without any criterion asks for nothing.
    """
    found: Counter[str] = Counter()
    metrics = [
        metric
        for metric in table.metrics
        if metric.computed in {"answers", "mixed"} and metric.of is None
    ]
    for scenario in scenarios:
        for unit in units(plan, scenario, horizon_s=horizon_s):
            asked = [metric for metric in metrics if _reads(metric, unit)]
            asked += [table.metric(code) for code in INITIAL.get(unit.kind, ())]
            found.update(
                metric.code for metric in asked if _is_asked(table, metric, scenario, unit)
            )
    return found


def _reads(metric: Metric, unit: Unit) -> bool:
    return metric.unit == unit.kind and metric.recipe not in {"achieved", "latency"}


def _is_asked(table: MetricTable, metric: Metric, scenario: Scenario, unit: Unit) -> bool:
    if metric.criteria is not None:
        checklist = (
            scenario.video_checklist if metric.criteria == "video" else scenario.audio_checklist
        )
        return any(checklist.get(key) is not None for key in table.questions(metric))
    return not metric.modalities or scenario.update(unit.place).modality in metric.modalities
