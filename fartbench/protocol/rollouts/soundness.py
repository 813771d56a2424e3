"""What parts of a protocol of rollouts must be so that nothing later stumbles over them. No Django
here.

These are not matters of taste, nor claims of a set (which are data, `authoring.claims`): an update
builds on an earlier one, a window lies inside its rollout, a metric reads what some form asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fartbench.protocol.parts import repeated
from fartbench.protocol.questions import NaRule, ValueRule
from fartbench.protocol.rollouts.forms import UnitForm
from fartbench.protocol.rollouts.metrics import Metric
from fartbench.protocol.rollouts.schema import Scenario, Update
from fartbench.protocol.rollouts.units import AT_UPDATES, units
from fartbench.protocol.rollouts.whole import Rollouts


def rollout_faults(rollouts: Rollouts) -> Iterator[str]:
    """Yield one sentence per fault, each starting with the path of what is wrong."""
    for scenario in rollouts.scenarios:
        path = f"scenarios.{scenario.key}"
        faults = [*_time_faults(scenario), *_update_faults(scenario)]
        # Windows are laid out by times and updates, so these come first.
        for fault in faults or _window_faults(rollouts, scenario):
            yield f"{path}.{fault}"
    if twice := repeated(kind.kind for kind in rollouts.units.kinds):
        yield f"units.kinds: {twice[0]!r} appears twice"
    for form in rollouts.forms.forms:
        for fault in _form_faults(rollouts, form):
            yield f"forms.{form.name}: {fault}"
    for metric in rollouts.metrics.metrics:
        for fault in _metric_faults(rollouts, metric):
            yield f"metrics.{metric.code}: {fault}"


def _time_faults(scenario: Scenario) -> Iterator[str]:
    if any(late <= early for early, late in pairwise(scenario.horizons_s)):
        yield "horizons_s: each is longer than the one before"
    if scenario.horizons_s[-1] != scenario.duration_s:
        yield f"horizons_s: the last is the whole rollout, {scenario.duration_s:g} s"
    if scenario.horizons_s[0] < scenario.interval_s:
        yield f"horizons_s: the first holds no interval of {scenario.interval_s:g} s"


def _update_faults(scenario: Scenario) -> Iterator[str]:
    wanted = [f"P{number}" for number in range(1, len(scenario.updates) + 1)]
    if [update.id for update in scenario.updates] != wanted:
        yield f"updates: their ids are {', '.join(wanted)}, in this order"
    times = [0.0, *(update.at_s for update in scenario.updates), scenario.duration_s]
    if any(late <= early for early, late in pairwise(times)):
        yield (
            f"updates: each comes later than the one before, between 0 and {scenario.duration_s:g} "
            "s"
        )
    for place, update in enumerate(scenario.updates):
        for fault in _one_update(update, wanted[:place]):
            yield f"updates.{update.id}.{fault}"


def _one_update(update: Update, earlier: list[str]) -> Iterator[str]:
    if update.depends_on is not None and update.depends_on not in earlier:
        yield (
            f"depends_on: {update.depends_on!r} is not an earlier update; there is "
            f"{', '.join(earlier) or 'none'}"
        )
    for part, text, other in (("visual", update.visual, "audio"), ("audio", update.audio, "video")):
        if text is None and update.modality != other:
            yield f"{part}: an update of modality {update.modality} says what is to change in it"


def _window_faults(rollouts: Rollouts, scenario: Scenario) -> Iterator[str]:
    for unit in units(rollouts.units, scenario, horizon_s=scenario.duration_s):
        if min(window.begin_s for window in unit.windows) < 0:
            yield (
                f"updates.{unit.place}.at_s: the window {unit.kind!r} would begin before the "
                "rollout"
            )


def _form_faults(rollouts: Rollouts, form: UnitForm) -> Iterator[str]:
    if (form.target or form.applies) and rollouts.units.kind(form.unit).windows not in AT_UPDATES:
        yield "target and applies speak of an update, and its windows are not at updates"
    if form.criteria is not None and form.criteria not in rollouts.metrics.criteria:
        yield f"the table of metrics has no criteria {form.criteria!r}"
    sets_of = {
        question.key: rollouts.forms.answer_sets[question.answers] for question in form.questions
    }
    order = list(sets_of)
    if twice := repeated(question.key for question in form.questions):
        yield f"question {twice[0]!r} appears twice"
    rules: tuple[NaRule | ValueRule, ...] = (*form.na_rules, *form.value_rules)
    for rule in rules:
        if (needed := rule.when) is None:
            continue
        if order.index(needed.question) >= order.index(rule.question):
            yield f"{needed.question!r} does not come before {rule.question!r}"
        if not sets_of[needed.question].has(needed.value):
            yield f"{needed.question!r} has no answer {needed.value!r}"


def _metric_faults(rollouts: Rollouts, metric: Metric) -> Iterator[str]:
    """Yield what a metric lacks to be computed: a form that asks what it reads, the metric that it
    is a change of.
    """
    if (metric.recipe == "endpoint_change") != (metric.of is not None):
        yield "a change between two ends names the metric that it is of, and only such a metric"
    if (metric.recipe == "if_established") != (metric.established_by is not None):
        yield (
            "a rating of how history is followed names the question that says whether there is "
            "any, and only it"
        )
    forms = [form for form in rollouts.forms.forms if form.unit == metric.unit]
    if metric.criteria is not None and not any(form.criteria == metric.criteria for form in forms):
        yield f"no form about {metric.unit} asks the criteria {metric.criteria!r}"
    wanted = set(metric.questions)
    if metric.established_by:
        wanted.add(metric.established_by)
    for form in forms:
        wanted -= {question.key for question in form.questions}
    if unasked := sorted(wanted):
        yield f"no form about {metric.unit} asks {unasked[0]!r}"
