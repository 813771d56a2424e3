"""How much there is to judge, and a part of it that is evenly chosen. No Django here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from fartbench.errors import Refusal
from fartbench.scenarios.metrics import Metric, MetricTable
from fartbench.scenarios.schema import Scenario
from fartbench.scenarios.units import Unit, UnitPlan, units

# A unit that is not a metric's own but is judged by its checklist, for the appendix (§D.1).
INITIAL = {"initial": ("VIF", "AIF")}


class TooFew(Refusal):
    """A part was asked for that is larger than the whole, or cannot be even."""


def calls(table: MetricTable, plan: UnitPlan, scenarios: Iterable[Scenario], *, horizon_s: float) -> Counter[str]:
    """Return how many forms there are to fill in for each metric: one for each unit that it reads.

    Metrics that read the same form count once, under the first of them (VUF stands for PVUAR and PVRL). A checklist
    without any criterion asks for nothing.
    """
    found: Counter[str] = Counter()
    metrics = [metric for metric in table.metrics if metric.computed in {"answers", "mixed"} and metric.of is None]
    for scenario in scenarios:
        for unit in units(plan, scenario, horizon_s=horizon_s):
            asked = [metric for metric in metrics if _reads(metric, unit)]
            asked += [table.metric(code) for code in INITIAL.get(unit.kind, ())]
            found.update(metric.code for metric in asked if _is_asked(table, metric, scenario, unit))
    return found


def _reads(metric: Metric, unit: Unit) -> bool:
    return metric.unit == unit.kind and metric.recipe not in {"achieved", "latency"}


def _is_asked(table: MetricTable, metric: Metric, scenario: Scenario, unit: Unit) -> bool:
    if metric.criteria is not None:
        checklist = scenario.video_checklist if metric.criteria == "video" else scenario.audio_checklist
        return any(checklist.get(key) is not None for key in table.questions(metric))
    return not metric.modalities or scenario.update(unit.place).modality in metric.modalities


def media_seconds(scenarios: Iterable[Scenario]) -> float:
    """Return how many seconds one system is to generate."""
    return sum(scenario.duration_s for scenario in scenarios)


def even_part(scenarios: Sequence[Scenario], count: int, *, seed: int) -> list[Scenario]:
    """Return ``count`` scenarios, as many of each track and as evenly as can be from scene domains; equal seeds agree.

    Raises TooFew.
    """
    tracks = sorted({scenario.track for scenario in scenarios})
    share, odd = divmod(count, len(tracks))
    if odd:
        raise TooFew(f"{count} scenarios cannot be shared evenly between {' and '.join(tracks)}.")
    chosen = [one for track in tracks for one in _from_track(scenarios, track, share, seed)]
    return sorted(chosen, key=lambda scenario: scenario.key)


def _from_track(scenarios: Sequence[Scenario], track: str, share: int, seed: int) -> list[Scenario]:
    random = Random(f"{seed}/{track}")  # noqa: S311 - for an even choice that can be repeated
    domains: dict[str, list[Scenario]] = {}
    for scenario in sorted(scenarios, key=lambda one: one.key):
        if scenario.track == track:
            domains.setdefault(scenario.scene_domain, []).append(scenario)
    if sum(map(len, domains.values())) < share:
        raise TooFew(f"There are fewer than {share} {track} scenarios.")
    for found in domains.values():
        random.shuffle(found)
    order = sorted(domains)
    random.shuffle(order)
    turns = (domains[name][turn] for turn in range(share) for name in order if turn < len(domains[name]))
    return [scenario for scenario, _ in zip(turns, range(share), strict=False)]
