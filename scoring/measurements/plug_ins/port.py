"""What a metric that takes weights needs, and what comes of it when that is not there. No Django here.

Weights are never fetched: whoever runs an installation puts them into a folder, under the licences they come with. What
was used is named in the measurement by the hash of its files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoring.measurements.measurement import Measurement

INTERVAL_S = 30.0


class Media(Protocol):
    """A rollout that is looked at piece by piece; times in seconds from its start."""

    seconds: float

    def pictures(self, begin_s: float, end_s: float, per_s: float) -> NDArray[np.uint8]:
        """Return pictures (n, height, width, 3), uint8 RGB: the one at ``begin_s``, then ``per_s`` a second."""
        ...

    def sound(self, begin_s: float, end_s: float, rate: int) -> NDArray[np.float32]:
        """Return the sound (n,), float32 from -1 to 1, mono, at ``rate`` hertz."""
        ...


Evaluate = Callable[[Media], list[float]]
"""One value for each 30 s interval, or a single one for the whole."""


@dataclass(frozen=True)
class PlugIn:
    """A metric's model: the files and packages it takes, and how it is loaded from a folder.

    ``scope`` tells whether it gives a value for each interval or one for the whole rollout. ``licence`` is that of the
    weights and of the package, as their authors state it.
    """

    key: str
    metric: str
    unit: str
    files: tuple[str, ...]
    packages: tuple[str, ...]
    scope: str
    licence: str
    source: str
    load: Callable[[Path], Evaluate]
    version: str = "1"

    def missing(self, folder: Path) -> list[str]:
        """Return the files and packages that are not there."""
        files = [f"{self.key}/{name}" for name in self.files if not (folder / self.key / name).exists()]
        return files + [f"the package {name}" for name in self.packages if find_spec(name) is None]


@dataclass(frozen=True)
class Plugged:
    """What a plug-in brought: a measurement of the whole, and the values of the intervals where it has any."""

    measurement: Measurement
    intervals: tuple[float, ...] = ()


def measure(plug_in: PlugIn, media: Media, folder: Path) -> Plugged:
    """Measure a rollout with one plug-in whose weights are looked for in ``folder``.

    Weights or packages that are not there make it ``unavailable``; a model that fails, ``evaluator_failure``.
    """
    if missing := plug_in.missing(folder):
        return _none(plug_in, "unavailable", f"no weights: {', '.join(missing)} is not there")
    marks = fingerprint(plug_in, folder)
    try:
        values = _loaded(plug_in, folder, marks)(media)
    except (ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        return _none(plug_in, "evaluator_failure", f"{type(error).__name__}: {error}")
    version = f"{plug_in.version}+{marks}"
    value = sum(values) / len(values)
    intervals = tuple(values) if plug_in.scope == "interval" else ()
    found = Measurement(plug_in.metric, value, plug_in.unit, plug_in.key, version, evidence={"values": values})
    return Plugged(found, intervals)


def fingerprint(plug_in: PlugIn, folder: Path) -> str:
    """Return twelve hex digits of the SHA-256 over the weight files' own."""
    whole = hashlib.sha256()
    for name in plug_in.files:
        path = folder / plug_in.key / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            with file.open("rb") as data:
                whole.update(hashlib.file_digest(data, "sha256").digest())
    return whole.hexdigest()[:12]


def intervals(media: Media) -> list[tuple[float, float]]:
    """Return the whole 30 s intervals of a rollout."""
    return [(INTERVAL_S * n, INTERVAL_S * (n + 1)) for n in range(int((media.seconds + 0.25) // INTERVAL_S))]


@lru_cache(maxsize=2)
def _loaded(plug_in: PlugIn, folder: Path, marks: str) -> Evaluate:  # noqa: ARG001 - other weights, another model
    return plug_in.load(folder / plug_in.key)


def _none(plug_in: PlugIn, status: str, reason: str) -> Plugged:
    return Plugged(
        Measurement.without(
            plug_in.metric,
            "unavailable" if status == "unavailable" else "evaluator_failure",
            reason,
            unit=plug_in.unit,
            tool=plug_in.key,
            version=plug_in.version,
        )
    )


def available(plug_ins: Sequence[PlugIn], folder: Path) -> dict[str, list[str]]:
    """Return, by key, what each plug-in still lacks; an empty list is one that can run."""
    return {plug_in.key: plug_in.missing(folder) for plug_in in plug_ins}
