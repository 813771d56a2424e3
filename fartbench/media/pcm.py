"""The samples of a decoded frame of sound, read safely. Runs in the sandbox. No Django here."""

from typing import Any

import numpy as np
from av.audio.frame import AudioFrame
from numpy.typing import NDArray

MOST_CHANNELS = 8
"""What FFmpeg's frames hold pointers to by themselves.

With more channels, PyAV would read past the end of a table.
"""
TYPES = {"u8": "u1", "s16": "i2", "s32": "i4", "flt": "f4", "dbl": "f8"}


class UnreadableSound(ValueError):
    """A frame of sound that cannot be read; the message says why."""


def interleaved_or_planes(frame: AudioFrame) -> list[NDArray[Any]]:
    """Return a frame's samples as one array for each channel (planar formats), or as a single
    interleaved one.

    PyAV counts the planes of a frame up to the first empty pointer. With eight channels there is
    none, and the plane that it finds behind the last one is not memory of ours: reading it ends the
    process. So the channels are counted. Raises UnreadableSound for over eight channels and for
    formats that no decoder used here gives.
    """
    channels = frame.layout.nb_channels
    kind = TYPES.get(frame.format.packed.name)
    if channels > MOST_CHANNELS:
        raise UnreadableSound(
            f"it has {channels} channels; a clip may have at most {MOST_CHANNELS}"
        )
    if kind is None or not channels:
        raise UnreadableSound(f"it decodes to samples of the format {frame.format.name}")
    if not frame.samples:
        return [np.zeros(0, kind)] * (channels if frame.format.is_planar else 1)
    planes: Any = frame.planes[: channels if frame.format.is_planar else 1]
    count = frame.samples * (1 if frame.format.is_planar else channels)
    return [np.frombuffer(plane, kind, count) for plane in planes]


def channels_last(frame: AudioFrame) -> NDArray[Any]:
    """Return a frame's samples as an array (samples, channels); raises as interleaved_or_planes()
    does.
    """
    arrays = interleaved_or_planes(frame)
    if frame.format.is_planar:
        return np.stack(arrays, axis=1)
    return arrays[0].reshape(-1, frame.layout.nb_channels)
