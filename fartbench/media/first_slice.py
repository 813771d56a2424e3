"""The beginning of an H.264 frame, which is all that says how frames look. No Django here.

A decoder that is given it sets itself up as for the whole frame: size, format and colours follow
from the parameter set that the first slice names in its header. Source: ITU-T H.264 §7.3.
"""

from fartbench.media.movie import Track

SLICES = (1, 5)
"""The types of units that hold a slice, of another frame than an IDR one and of an IDR frame."""
ENOUGH = 256
"""How much of a slice (bytes) is taken; its header is shorter."""
SET_UP_RECORD = 7
"""The bytes that an avcC record has at least."""


def begin_of_frame(data: memoryview, track: Track) -> bytes | None:
    """Return the first frame of a track up to where its first slice has begun, with lengths before
    its units as in the file.

    Returns None for other codecs, units behind start codes, and what is damaged.
    """
    if track.codec != "h264" or len(track.config) < SET_UP_RECORD or track.config[0] != 1:
        return None
    width = (track.config[4] & 3) + 1
    sample = track.samples[0]
    frame = data[sample.offset : sample.offset + sample.size]
    at = 0
    while at + width < len(frame):
        start = at + width
        size = int.from_bytes(frame[at:start], "big")
        if not size or start + size > len(frame):
            return None
        if frame[start] & 31 in SLICES:
            begun = bytes(frame[start : start + min(size, ENOUGH)])
            return bytes(frame[:at]) + len(begun).to_bytes(width, "big") + begun
        at = start + size
    return None
