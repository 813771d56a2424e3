"""A rollout's file as plug-ins see it: pictures and sound of a stretch, decoded in the sandbox.

No Django here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fartbench.media.bounds import BOUNDS
from fartbench.media.presentation import picture_ticks, span
from fartbench.media.probe import probe
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sampling import colour_pictures, whole_sound
from fartbench.media.sandbox import call_apart
from fartbench.media.sandbox_policy import place_for
from measuring.plug_ins.spectrograms import resampled

SECONDS = 120.0


class RolloutFile:
    """A rollout on disk.

    Raises NotAVideo, UnsafeMedia or MediaToolDied for one that cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.seconds = probe(path).duration_s
        self._sound: tuple[NDArray[np.float32], int] | None = None

    def pictures(self, times_s: Sequence[float]) -> NDArray[np.uint8]:
        """Return the pictures (n, height, width, 3) shown at these times; before the first, that
        one.
        """
        return np.asarray(_array(self._path, "pictures", list(times_s)), np.uint8)

    def sound(self, begin_s: float, end_s: float, rate: int) -> NDArray[np.float32]:
        """Return the sound (channels, n) of a stretch at ``rate`` hertz; silence where there is
        none.
        """
        if self._sound is None:
            array = _array(self._path, "sound", [])
            self._sound = array[:, 1:], int(array[0, 0])
        samples, own = self._sound
        piece = samples[:, round(begin_s * own) : round(end_s * own)]
        piece = np.pad(piece, ((0, 0), (0, round((end_s - begin_s) * own) - piece.shape[1])))
        return resampled(piece, own, rate)


def _array(path: Path, what: str, times: list[float]) -> NDArray[Any]:
    with place_for("array.npy", path) as target:
        call_apart(_write_here, path, str(target), what, times, seconds=SECONDS)
        array: NDArray[Any] = np.load(target, allow_pickle=False)
        return array


def _write_here(path: Path, target: str, what: str, times: list[float]) -> None:
    """Write pictures, or the rate and the samples of the sound, to an array on disk.

    Runs in the sandbox.
    """
    with open_bytes(path) as data:
        movie = read_movie(path, data)
        video, audio = movie.main("video"), movie.main("audio")
        assert video is not None  # noqa: S101 - read_movie refuses a file without one
        begin = span(video)[0]
        if what == "pictures":
            ticks = np.array(picture_ticks(video), np.float64) / video.timescale + float(
                video.shift - begin
            )
            places = np.maximum(np.searchsorted(ticks, np.array(times) + 1e-6, "right") - 1, 0)
            pictures = colour_pictures(path, data, video, BOUNDS, wanted=set(places.tolist()))
            np.save(target, np.stack([pictures[place] for place in places.tolist()]))
        elif audio is None or not audio.samples:
            np.save(target, np.array([[48_000]], np.float32))
        else:
            sound = whole_sound(path, data, audio, begin, BOUNDS)
            rates = np.full((sound.samples.shape[1], 1), sound.rate, np.float32)
            np.save(target, np.concatenate([rates, sound.samples.T], axis=1))
