"""What every provider of clips can do, in its own words or another's. No Django here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

Report = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Commission:
    """One clip that is asked for: the model and its fixed parameters, the scene, and the seed where one is exposed."""

    model_id: str
    parameters: Mapping[str, Any]
    scene: str
    replicate: int
    seed: int


@dataclass(frozen=True, slots=True)
class Delivered:
    """A clip was written. ``truth`` is its known ground truth, where the provider knows it; cost in US dollars."""

    model_version: str
    cost_usd: Decimal | None = None
    truth: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """The provider declined, with its reason. A result, never asked for again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider tried and brought nothing, with its reason. A result, never asked for again."""

    reason: str


Outcome = Delivered | Refused | Failed


class Provider(Protocol):
    """A source of clips."""

    def deliver(self, commission: Commission, out: Path, report: Report) -> Outcome:
        """Write the clip to ``out``, or say why there is none; ``report`` takes progress from 0 to 1.

        What goes wrong on this side of the provider (no ffmpeg, a full disk) is raised and may be tried again.
        """
        ...
