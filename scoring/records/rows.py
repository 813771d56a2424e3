"""What a round consists of, row by row: cells, configurations, reviewers, windows, measurements.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass

from measuring.measurement import Measurement

DELIVERED = "delivered"
SIMULATED = "simulated"
"""The source of a sheet or vote that a script answered."""
PRETENDED = frozenset({"stand_in", "drawn"})
"""The origins of clips that no real model made."""
NOT_REVIEWABLE = "not_reviewable"


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One cell and what became of it. ``outcome`` is a sample's state or ``not_reviewable``;
    unknown texts are empty.

    ``stimulus`` is set exactly when there is a clip that reviewers were asked about; times are ISO
    8601 in UTC.
    """

    configuration: str
    scene: str
    replicate: int
    outcome: str
    reason: str = ""
    stimulus: str = ""
    raw_sha256: str = ""
    blind_sha256: str = ""
    cost_usd: str = ""
    seed: str = ""
    model_version: str = ""
    generated_at: str = ""
    cost_basis: str = ""
    limitation: str = ""
    origin: str = ""

    def __str__(self) -> str:
        return f"{self.configuration}/{self.scene}/{self.replicate}"


@dataclass(frozen=True, slots=True)
class ConfigurationRecord:
    """A configuration of the round. ``family`` is its name, or empty."""

    name: str
    label: str
    family: str
    provider: str
    model_id: str
    track: str
    provisional: bool


@dataclass(frozen=True, slots=True)
class ReviewerRecord:
    """A reviewer by code. Only those of the role ``primary`` enter scores."""

    code: str
    role: str


@dataclass(frozen=True, slots=True)
class WindowRecord:
    """A part of a cell's rollout that was shown on its own, under its own opaque id.

    ``form`` is the key of what is asked about it; ``unit`` and ``place`` say which part it is;
    ``end_s`` is the last moment of the rollout that it shows, in seconds.
    """

    cell: int
    stimulus: str
    form: str
    unit: str
    place: str
    end_s: float
    blind_sha256: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredRecord:
    """What a machine measured of a cell's rollout: of one unit of it, or of the whole where
    ``place`` is empty.
    """

    cell: int
    unit: str
    place: str
    found: Measurement
