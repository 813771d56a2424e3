"""What of a clip a normalised copy has to show and play: its frames made small, its sound in two
channels. No Django here; runs in the sandbox.

Frames are placed by our own reader's turn, mirror and pixel shape, and by the clock of libavformat.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from blinding.common_format import CommonFormat
from blinding.filters import LONGEST_GAP_S
from blinding.frame_likeness import NEARBY_S, ClipFrames
from blinding.small_frames import Shape, Shrinker, grid_of
from blinding.sound_likeness import RATE, Sound
from blinding.source_view import SourceView, decoded_frames, presented

UNNAMED = "NONE"
"""What libavutil calls a channel of which a file does not say where it is heard."""
USUAL = {2: "stereo", 3: "2.1", 4: "4.0", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"}
"""The layout that libavutil takes for so many channels without names."""
_HALF = 0.5**0.5
MIX = {
    "FL": (1.0, 0.0), "FR": (0.0, 1.0), "FC": (_HALF, _HALF), "LFE": (0.0, 0.0), "BL": (_HALF, 0.0),
    "BR": (0.0, _HALF), "SL": (_HALF, 0.0), "SR": (0.0, _HALF), "BC": (0.5, 0.5), "FLC": (1.0, 0.0),
    "FRC": (0.0, 1.0),
}  # fmt: skip
"""How much of each channel is heard on the left and on the right (ITU-R BS.775)."""


@dataclass(slots=True)
class PieceView:
    """A piece of a clip: its frames (none where they are not shown), the rows and columns of their
    cells, its sound.
    """

    frames: ClipFrames
    grid: tuple[int, int]
    sound: Sound


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece to be taken: where it begins on the file's clock and how long it is (s), and where to
    seek to.
    """

    begin: Fraction
    length: float
    seek: Fraction | None


def view_piece(  # noqa: PLR0917 - one value for each thing that decides what is shown
    path: Path, view: SourceView, shape: Shape, common: CommonFormat, piece: Piece, shown: str
) -> PieceView:
    """Decode a piece of a clip; raise NotAVideo when that fails half-way."""
    frames, grid = ClipFrames(), (1, 1)
    if shown != "audio":
        frames, grid = _frames(path, view, shape, common, piece)
    sound = np.zeros((round(piece.length * RATE), 2), np.float32)
    if shown != "video" and view.audio is not None:
        decoded = decoded_frames(path, view.demuxer, view.audio, seek=piece.seek)
        sound = heard(decoded, piece.begin + view.early, piece.length)
    return PieceView(frames, grid, sound)


def _frames(
    path: Path, view: SourceView, shape: Shape, common: CommonFormat, piece: Piece
) -> tuple[ClipFrames, tuple[int, int]]:
    frames, shrinker, before = ClipFrames(), Shrinker(), None
    grid = (1, 1)
    for frame in decoded_frames(path, view.demuxer, view.video, view.decoder, piece.seek):
        time = presented(frame) - piece.begin
        if time <= -NEARBY_S:
            before = frame  # the last one of these may be the one that a piece begins with
            continue
        if time > piece.length + float(NEARBY_S):
            break
        for one in [before, frame] if before is not None else [frame]:
            grid = grid if frames.cells else _grid(one, shape, common)
            _add(frames, one, presented(one) - piece.begin, shape, common, grid, shrinker)
        before = None
    if before is not None:
        grid = grid if frames.cells else _grid(before, shape, common)
        _add(frames, before, presented(before) - piece.begin, shape, common, grid, shrinker)
    return frames, grid


def _grid(frame: Any, shape: Shape, common: CommonFormat) -> tuple[int, int]:
    aspect = shape.aspect(frame.width, frame.height)
    box = common.fit(aspect)
    return grid_of(aspect, max(frame.width, frame.height) // 2, max(box.width, box.height) // 2)


def _add(  # noqa: PLR0917
    frames: ClipFrames,
    frame: Any,
    time: Fraction,
    shape: Shape,
    common: CommonFormat,
    grid: tuple[int, int],
    shrinker: Shrinker,
) -> None:
    full = frame.width, frame.height
    coded = grid[::-1] if shape.is_turned else grid
    cells = shrinker.cells(shrinker.working(frame), shape.region(*full), full, coded)
    frames.times.append(time)
    frames.cells.append(np.ascontiguousarray(shape.upright(cells)))
    frames.boxes.append(common.fit(shape.aspect(*full)))


def heard(frames: Iterable[Any], begin: Fraction, length: float) -> Sound:
    """Return what decoded sound frames play from ``begin`` (s, on their clock) on, for ``length``
    seconds.
    """
    sound = np.zeros((round(length * RATE), 2), np.float32)
    run: list[Any] = []
    due = start = Fraction(0)
    for frame in frames:
        is_timed = frame.pts is not None or frame.dts is not None
        time = (
            presented(frame) - begin if is_timed or not run else due
        )  # of a laced block only the first has a time
        if time > length:
            break
        is_other = run and (abs(time - due) > LONGEST_GAP_S or _form(frame) != _form(run[-1]))
        if is_other:
            _place(sound, run, start)
            run = []
        if not run:
            due = start = time
        run.append(frame)
        due += Fraction(frame.samples, frame.sample_rate)
    if run:
        _place(sound, run, start)
    return np.clip(sound, -1, 1)


def _form(frame: Any) -> tuple[str, str, int]:
    return frame.format.name, frame.layout.name, frame.sample_rate


def _channel_names(frame: Any) -> list[str]:
    """Return the names of a frame's channels; where the file names none, as PCM in Matroska, the
    usual ones.
    """
    channels = frame.layout.channels
    if {channel.name for channel in channels} == {UNNAMED} and len(channels) in USUAL:
        channels = av.AudioLayout(USUAL[len(channels)]).channels
    return [channel.name for channel in channels]


def _place(sound: Sound, run: list[Any], start: Fraction) -> None:
    """Write a run of frames that follow each other into the sound, from ``start`` seconds on."""
    # One plane of all channels: the binding counts the planes of eight channels wrongly.
    resampler = av.AudioResampler(format="flt", layout=run[0].layout, rate=RATE)
    channels = _channel_names(run[0])
    mix = [(1.0, 1.0)] if len(channels) == 1 else [MIX.get(name, (0.0, 0.0)) for name in channels]
    pieces = []
    for frame in [*run, None]:
        if frame is not None:
            frame.pts = None
        pieces += [out.to_ndarray().reshape(-1, len(channels)) for out in resampler.resample(frame)]
    samples = np.concatenate(pieces) @ np.array(mix, np.float32)
    first = round(start * RATE)
    samples = samples[max(-first, 0) :]
    first = max(first, 0)
    sound[first : first + len(samples)] = samples[: max(len(sound) - first, 0)]
