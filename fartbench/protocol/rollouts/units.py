"""What of a rollout is looked at, unit by unit. No Django here.

Which units there are is data (``units.yaml``); a unit has one window, or two to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from fartbench.protocol.parts import Key, Part, Text
from fartbench.protocol.rollouts.reading import read_model
from fartbench.protocol.rollouts.schema import LONGEST_S, Scenario

FILE = "units.yaml"
AT_UPDATES = ("after", "around", "before_and_after", "source_and_after")
"""How windows lie whose place is an update."""
SLACK_S = 0.25
"""How much shorter than asked a rollout may be: less than half a second, the finest thing a window
is judged by.
"""


class Window(NamedTuple):
    """Seconds of media time, and what the window is to its unit: ``shown``, ``previous``,
    ``source`` or ``current``.
    """

    role: str
    begin_s: float
    end_s: float


class Unit(NamedTuple):
    """One thing to judge: its kind, its place in the rollout (an interval's number, an update's
    name), its windows.
    """

    kind: str
    place: str
    windows: tuple[Window, ...]

    @property
    def end_s(self) -> float:
        """The last moment that is looked at, in seconds."""
        return max(window.end_s for window in self.windows)


class UnitKind(Part):
    """A kind of unit: in which tracks, and how its windows lie.

    ``seconds`` is how far they reach from an update.
    """

    kind: Key
    text: Text
    tracks: tuple[Literal["progressive", "interactive"], ...] = Field(min_length=1)
    windows: Literal[
        "intervals",
        "whole",
        "ends",
        "first",
        "after",
        "around",
        "before_and_after",
        "source_and_after",
    ]
    seconds: float = Field(default=0, ge=0, le=LONGEST_S)

    @model_validator(mode="after")
    def _windows_at_updates_reach_somewhere(self) -> Self:
        if (self.windows in AT_UPDATES) != (self.seconds > 0):
            raise ValueError(
                f"{self.kind}: windows at updates say how many seconds they reach, and only those"
            )
        return self

    @property
    def is_compared(self) -> bool:
        """Say whether what one person answers about one unit is compared with what they answer
        about another.
        """
        return self.windows == "ends"


class UnitPlan(Part):
    """``units.yaml``: every kind of unit."""

    source: Text
    kinds: tuple[UnitKind, ...] = Field(min_length=1)

    def kind(self, key: str) -> UnitKind:
        """Return the kind of unit of this name. Raises KeyError when there is none."""
        for kind in self.kinds:
            if kind.kind == key:
                return kind
        raise KeyError(key)


def read_units(folder: Path) -> UnitPlan:
    """Read ``units.yaml``. Raises DataError or ScenarioError."""
    return read_model(folder / FILE, UnitPlan)


def units(plan: UnitPlan, scenario: Scenario, *, horizon_s: float) -> list[Unit]:
    """Return every unit of a scenario that ends within its first ``horizon_s`` seconds.

    Raises ValueError for a horizon that the scenario does not have.
    """
    if horizon_s not in scenario.horizons_s:
        raise ValueError(
            f"{scenario.key} is looked at over {scenario.horizons_s} s, not {horizon_s:g}"
        )
    found = (
        unit
        for kind in plan.kinds
        if scenario.track in kind.tracks
        for unit in LAYOUTS[kind.windows](kind, scenario, horizon_s)
    )
    return [unit for unit in found if unit.end_s <= horizon_s]


def _shown(kind: UnitKind, place: str, begin_s: float, end_s: float) -> Unit:
    return Unit(kind.kind, place, (Window("shown", begin_s, end_s),))


def _intervals(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:
    step = scenario.interval_s
    for number in range(1, int(horizon_s // step) + 1):
        yield _shown(kind, str(number), (number - 1) * step, number * step)


def _whole(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:  # noqa: ARG001
    yield _shown(kind, "full", 0.0, horizon_s)


def _ends(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:
    yield _shown(kind, "first", 0.0, scenario.interval_s)
    yield _shown(kind, "last", horizon_s - scenario.interval_s, horizon_s)


def _first(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:  # noqa: ARG001
    yield _shown(kind, "P0", 0.0, scenario.interval_s)


def _after(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:  # noqa: ARG001
    for update in scenario.updates:
        yield _shown(kind, update.id, update.at_s, update.at_s + kind.seconds)


def _around(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:  # noqa: ARG001
    for update in scenario.updates:
        yield _shown(kind, update.id, update.at_s - kind.seconds, update.at_s + kind.seconds)


def _before_and_after(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:  # noqa: ARG001
    for update in scenario.updates:
        at, reach = update.at_s, kind.seconds
        yield Unit(
            kind.kind,
            update.id,
            (Window("previous", at - reach, at), Window("current", at, at + reach)),
        )


def _source_and_after(kind: UnitKind, scenario: Scenario, horizon_s: float) -> Iterator[Unit]:  # noqa: ARG001
    for update in scenario.updates:
        if update.depends_on is not None:
            source, at, reach = scenario.update(update.depends_on).at_s, update.at_s, kind.seconds
            windows = Window("source", source, source + reach), Window("current", at, at + reach)
            yield Unit(kind.kind, update.id, windows)


LAYOUTS: dict[str, Callable[[UnitKind, Scenario, float], Iterator[Unit]]] = {
    "intervals": _intervals, "whole": _whole, "ends": _ends, "first": _first, "after": _after,
    "around": _around,
    "before_and_after": _before_and_after, "source_and_after": _source_and_after,
}  # fmt: skip
