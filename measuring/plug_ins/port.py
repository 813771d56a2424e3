"""What a metric that takes weights needs, and what comes of it when that is not there. No Django
here.

Weights are never fetched: anyone who runs an installation puts them into a folder, under the
licences they come with. What was used is named in the measurement by the hash of its files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fartbench.errors import Refusal
from measuring.measurement import Measurement

INTERVAL_S = 30.0
STRETCH_S = 5.0
SHORTLY = 1e-4
PACKAGES = ("safetensors", "torch")


class Media(Protocol):
    """A rollout that is looked at piece by piece; times in seconds from its start."""

    seconds: float

    def pictures(self, times_s: Sequence[float]) -> NDArray[np.uint8]:
        """Return the pictures (n, height, width, 3), uint8 RGB, that are shown at these times, in
        their order.
        """
        ...

    def sound(self, begin_s: float, end_s: float, rate: int) -> NDArray[np.float32]:
        """Return the sound (channels, n), float32 from -1 to 1, at ``rate`` hertz."""
        ...


Seen = Callable[[float], None]
Evaluate = Callable[[Media], list[float]]
"""One value for each 30 s interval, or a single one for the whole."""

File = str | tuple[str, ...]
"""The name of a file, or names of which one is enough."""


@dataclass(frozen=True)
class PlugIn:
    """A metric's model: the files and packages it takes, and how it is loaded from a folder.

    ``scope`` tells whether it gives a value for each interval or one for the whole rollout.
    ``licence`` is that of the weights and of the package, as their authors state it.
    """

    key: str
    metric: str
    unit: str
    files: tuple[File, ...]
    scope: str
    licence: str
    source: str
    load: Callable[[Path, str], Evaluate]
    packages: tuple[str, ...] = PACKAGES
    version: str = "1"

    def missing(self, folder: Path) -> list[str]:
        """Return the files and packages that are not there."""
        files = []
        for names, path in self.paths(folder).items():
            if path is None:
                files.append(" or ".join(f"{self.key}/{name}" for name in names))
        return files + [f"the package {name}" for name in self.packages if find_spec(name) is None]

    def paths(self, folder: Path) -> dict[tuple[str, ...], Path | None]:
        """Return where each file is, by the names it may have; None where it is not."""
        paths = {}
        for file in self.files:
            names = (file,) if isinstance(file, str) else file
            candidates = (folder / self.key / name for name in names)
            paths[names] = next(filter(Path.is_file, candidates), None)
        return paths


@dataclass(frozen=True)
class Plugged:
    """What a plug-in brought: a measurement of the whole, and the values of the intervals where it
    has any.
    """

    measurement: Measurement
    intervals: tuple[float, ...] = ()


def measure(
    plug_in: PlugIn, media: Media, folder: Path, device: str = "auto", seen: Seen = lambda _: None
) -> Plugged:
    """Measure a rollout with one plug-in whose weights are looked for in ``folder``.

    ``seen`` is given what share of the rollout has been looked at. Weights or packages that are not
    there make it ``unavailable``; a model that fails, ``evaluator_failure``.
    """
    if missing := plug_in.missing(folder):
        return _none(plug_in, "unavailable", f"no weights: {', '.join(missing)} is not there")
    try:
        marks = fingerprint(plug_in, folder)
        values = _loaded(plug_in, folder, device, marks)(Watched(media, seen))
    except (
        ArithmeticError,
        LookupError,
        OSError,
        Refusal,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        reason = str(error) if isinstance(error, Refusal) else f"{type(error).__name__}: {error}"
        return _none(plug_in, "evaluator_failure", reason)
    version = f"{plug_in.version}+{marks}"
    if not values:
        return _none(
            plug_in,
            "unavailable",
            f"the rollout's {media.seconds:.1f} s hold no whole interval of 30 s",
        )
    value = sum(values) / len(values)
    if not isfinite(value):
        return _none(plug_in, "evaluator_failure", f"the model gave {value}")
    intervals = tuple(values) if plug_in.scope == "interval" else ()
    measurement = Measurement(
        plug_in.metric, value, plug_in.unit, plug_in.key, version, evidence={"values": values}
    )
    return Plugged(measurement, intervals)


class Watched:
    """A rollout that tells how far it has been looked at, as a share from 0 to 1 that only
    grows.
    """

    def __init__(self, media: Media, seen: Seen) -> None:
        self._media, self._seen, self._share = media, seen, 0.0
        self.seconds = media.seconds

    def pictures(self, times_s: Sequence[float]) -> NDArray[np.uint8]:
        """Return the rollout's pictures."""
        self._tell(times_s[0])
        return self._media.pictures(times_s)

    def sound(self, begin_s: float, end_s: float, rate: int) -> NDArray[np.float32]:
        """Return the rollout's sound."""
        self._tell(begin_s)
        return self._media.sound(begin_s, end_s, rate)

    def _tell(self, begin_s: float) -> None:
        if (share := begin_s / self.seconds) > self._share:
            self._share = share
            self._seen(share)


def fingerprint(plug_in: PlugIn, folder: Path) -> str:
    """Return twelve hex digits of the SHA-256 over the weight files' own."""
    whole = hashlib.sha256()
    for path in plug_in.paths(folder).values():
        if path is not None:
            about = path.stat()
            whole.update(_digest(path, about.st_size, about.st_mtime_ns))
    return whole.hexdigest()[:12]


@lru_cache(maxsize=64)
def _digest(path: Path, size: int, written_ns: int) -> bytes:  # noqa: ARG001 - a file that was written again is another
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").digest()


def intervals(media: Media) -> list[tuple[float, float]]:
    """Return the whole 30 s intervals of a rollout."""
    return [
        (INTERVAL_S * n, INTERVAL_S * (n + 1))
        for n in range(int((media.seconds + 0.25) // INTERVAL_S))
    ]


def stretches(begin_s: float, end_s: float) -> list[tuple[float, float]]:
    """Return pieces of 5 s of an interval, so that only their pictures are in memory at a time."""
    begins = [begin_s + STRETCH_S * n for n in range(int((end_s - begin_s) // STRETCH_S))]
    return [(begin, begin + STRETCH_S) for begin in begins]


def regular(begin_s: float, end_s: float, per_s: float) -> list[float]:
    """Return times: the begin, then ``per_s`` a second before the end."""
    return [begin_s + n / per_s for n in range(max(1, round((end_s - begin_s) * per_s)))]


def sampled(media: Media, begin_s: float, end_s: float, per_s: float) -> NDArray[np.uint8]:
    """Return pictures as ffmpeg's ``fps`` filter takes them, which authors' code passes through: of
    each step the last one before its middle.
    """
    return media.pictures([at + 0.5 / per_s - SHORTLY for at in regular(begin_s, end_s, per_s)])


@lru_cache(maxsize=1)
def _loaded(plug_in: PlugIn, folder: Path, device: str, marks: str) -> Evaluate:  # noqa: ARG001 - other weights, another model
    return plug_in.load(folder / plug_in.key, device)


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


def readiness(plug_ins: Iterable[PlugIn], folder: Path | None, device: str) -> list[str]:
    """Return a line for each plug-in: that it can run, or what it still lacks."""
    if folder is None:
        return ["No folder of weights is set, so the metrics that take a model are unavailable."]
    lines = []
    for plug_in in plug_ins:
        missing = plug_in.missing(folder)
        if missing:
            what = f"unavailable, without {', '.join(missing)}"
        else:
            what = f"ready, on the device {device!r}"
        lines.append(f"{plug_in.metric:8} {plug_in.key}: {what}")
    return lines
