"""Checks a set of scenarios claim by claim and names what is off. No Django here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from authoring.constraints import Claim, Constraints, Counts, Distinct, Every, Once, Rule, Total
from authoring.rules import RULES
from authoring.sets import ScenarioSet, read_set
from fartbench.protocol.rollouts import forms, units
from fartbench.protocol.rollouts.schema import Scenario, Update

SHOWN = 8  # scenarios that one finding names


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim that does not hold: which, what is off, and whether it only warns."""

    claim: str
    words: str
    warn_only: bool

    def __str__(self) -> str:
        return f"{'warning: ' if self.warn_only else ''}{self.claim}: {self.words}"


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a check: what was read, how many claims were looked at, and what is off."""

    checked: ScenarioSet
    claims: int
    findings: tuple[Finding, ...]

    @property
    def faults(self) -> list[Finding]:
        """The findings that refuse the set."""
        return [finding for finding in self.findings if not finding.warn_only]


def check_folder(folder: Path) -> Report:
    """Check a folder of scenarios. Raises DataError or ScenarioError when a file cannot be read at
    all, those of units and forms included where the folder has them.
    """
    folder_set = read_set(folder)
    for name, read in ((units.FILE, units.read_units), (forms.FILE, forms.read_forms)):
        if (folder / name).is_file():
            read(folder)
    whole = folder_set.about.extent == "whole"
    claims = [claim for claim in folder_set.constraints.claims if whole or _holds_for_a_part(claim)]
    return Report(folder_set, len(claims), tuple(check(folder_set.scenarios, claims)))


def check(
    scenarios: Sequence[Scenario], claims: Iterable[Claim] | Constraints
) -> Iterator[Finding]:
    """Yield a finding for each claim that does not hold.

    Keys that appear twice are a finding of their own.
    """
    repeated = [key for key, count in Counter(one.key for one in scenarios).items() if count > 1]
    if repeated:
        yield Finding(
            "keys", f"{_some(repeated)} is the key of more than one scenario", warn_only=False
        )
    for claim in claims.claims if isinstance(claims, Constraints) else claims:
        for words in _off(scenarios, claim):
            yield Finding(claim.id, words, claim.warn_only)


def _holds_for_a_part(claim: Claim) -> bool:
    return isinstance(claim, Rule | Every)


def _off(scenarios: Sequence[Scenario], claim: Claim) -> Iterator[str]:
    match claim:
        case Rule():
            yield from _rule(scenarios, claim)
        case Once():
            yield from _once(scenarios, claim)
        case Every():
            yield from _every(scenarios, claim)
        case Total() | Distinct() | Counts():
            for group, items in _groups(scenarios, claim):
                if words := _counted(items, claim):
                    yield f"{group}{words}"


def _counted(items: Sequence[Any], claim: Total | Distinct | Counts) -> str:
    """Return what is off with the items of one group, nothing when all is right."""
    if isinstance(claim, Total):
        if len(items) == claim.equals:
            return ""
        return f"there are {len(items)}, not {claim.equals}"
    counts = Counter(_shown(_value(item, claim.field)) for item in items)
    if isinstance(claim, Distinct):
        wrong = len(counts) != claim.equals
        if wrong:
            return f"{claim.field} takes {len(counts)} values, not {claim.equals}"
        return ""
    values = sorted({*counts, *claim.equals})
    differing = [value for value in values if counts[value] != claim.equals.get(value, 0)]
    return "; ".join(
        f"{value} occurs {counts[value]} times, not {claim.equals.get(value, 0)}"
        for value in differing
    )


def _once(scenarios: Sequence[Scenario], claim: Once) -> Iterator[str]:
    counts = Counter((_value(one, claim.field), _value(one, claim.per)) for one in scenarios)
    names = sorted({name for name, _ in counts})
    for value in claim.values:
        wrong = [f"{name} ({counts[name, value]})" for name in names if counts[name, value] != 1]
        if wrong:
            yield (
                f"each {claim.field} must have one scenario with {claim.per} {value}; not so "
                f"{_some(wrong)}"
            )


def _every(scenarios: Sequence[Scenario], claim: Every) -> Iterator[str]:
    wrong = []
    for name, item in _items(scenarios, claim):
        if _value(item, claim.field) not in claim.among:
            wrong.append(name)
    if wrong:
        among = " or ".join(_shown(value) for value in claim.among)
        yield f"{claim.field} must be {among}; it is not in {_some(wrong)}"


def _rule(scenarios: Sequence[Scenario], claim: Rule) -> Iterator[str]:
    for scenario in scenarios:
        for words in RULES[claim.rule](scenario, claim.values):
            yield f"{scenario.key}: {words}"


def _items(
    scenarios: Sequence[Scenario], claim: Total | Distinct | Counts | Every
) -> list[tuple[str, Any]]:
    """Return the scenarios or updates that a claim is about, with their names."""
    items = []
    for name, item in _all(scenarios, claim.of):
        if all(_value(item, field) in among for field, among in claim.where.items()):
            items.append((name, item))
    return items


def _all(scenarios: Sequence[Scenario], of: str) -> list[tuple[str, Any]]:
    if of == "scenarios":
        return [(one.key, one) for one in scenarios]
    return [
        (f"{one.key} {update.id}", _Placed(one, update))
        for one in scenarios
        for update in one.updates
    ]


def _groups(
    scenarios: Sequence[Scenario], claim: Total | Distinct | Counts
) -> list[tuple[str, list[Any]]]:
    """Return the claim's items by the values of ``per``; a value that none of them has is a group
    of none.
    """
    items = [item for _, item in _items(scenarios, claim)]
    if (per := claim.per) is None:
        return [("", items)]
    values = sorted({_shown(_value(item, per)) for _, item in _all(scenarios, claim.of)})
    return [
        (f"{per} {value}: ", [item for item in items if _shown(_value(item, per)) == value])
        for value in values
    ]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An update with the scenario it belongs to."""

    scenario: Scenario
    update: Update


def _value(item: Any, field: str) -> Any:
    """Return a field by its dotted name; an update's own, else its scenario's.

    Raises KeyError for an unknown one.
    """
    if isinstance(item, _Placed):
        if field in Update.model_fields:
            item = item.update
        else:
            item = item.scenario
    for part in field.split("."):
        if not hasattr(item, part):
            raise KeyError(f"scenarios have no field {field!r}")
        item = getattr(item, part)
    return item


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(_shown(part) for part in value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _some(names: Sequence[str]) -> str:
    if len(names) > SHOWN:
        more = f" and {len(names) - SHOWN} more"
    else:
        more = ""
    return f"{', '.join(names[:SHOWN])}{more}"
