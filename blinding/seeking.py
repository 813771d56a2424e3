"""Where decoding may begin so that everything from a moment on comes out as if it had begun at the
start. No Django here.

What a container calls a key frame is not enough: frames after it may still be built on frames
before it. So the coded data itself is asked. Sources: ITU-T H.264 §7.4.1 and §D.2.8 (recovery
point), ITU-T H.265 §7.4.2.2, RFC 6386 §9.1, the VP9 bitstream specification §6.2, the AV1 bitstream
specification §5.9.2.
"""

from collections.abc import Callable
from fractions import Fraction

from blinding.scrub.coded import CannotScrub
from blinding.scrub.nal import split
from fartbench.media.movie import Track

ROLL_S = Fraction(1)
"""How long before a window reading begins at the latest: sound decoders settle within it (Opus asks
for 80 ms).
"""
AFTER = Fraction(2, 1_000_000)
"""Programs seek in whole microseconds; this much later is still the same frame, and rounding cannot
miss it.
"""
_IDR, _SEI, _RECOVERY_POINT = 5, 6, 6
_FIRST_TWO_BITS = 0xC0
_AVCC_LENGTHS, _HVCC_LENGTHS = 4, 21
"""Where a set-up record says how long the length before each unit is (ISO/IEC 14496-15)."""
_VP9_MARKER, _VP9_PROFILE_3 = 2, 0x30
_AV1_SHOWN_KEY_FRAME = 0x10
_CODED_H264 = frozenset(range(1, 6))
_CODED_HEVC, _IRAP_HEVC = frozenset(range(32)), frozenset(range(16, 24))


def seek_time(data: memoryview, video: Track, begin: Fraction) -> Fraction | None:
    """Return the time (s, on the file's clock) to seek to so that all from ``begin`` on decodes as
    from the start.

    None means that reading has to begin at the start of the file.
    """
    entry = _ENTRIES.get(video.codec)
    if video.obstacle or entry is None:
        return None
    latest = (begin - ROLL_S - video.shift) * video.timescale
    for place in range(len(video.samples) - 1, 0, -1):
        sample = video.samples[place]
        may_begin = sample.sync and sample.pts <= latest
        if may_begin and entry(video, data[sample.offset : sample.offset + sample.size]):
            return video.time(sample) + AFTER
    return None


def _h264(track: Track, sample: memoryview) -> bool:
    if len(track.config) <= _AVCC_LENGTHS:
        return False
    try:
        units = list(split(sample, (track.config[_AVCC_LENGTHS] & 3) + 1))
    except CannotScrub:
        return False
    kinds = [unit[0] & 31 for unit in units]
    if _IDR in kinds:
        return all(kind == _IDR for kind in kinds if kind in _CODED_H264)
    return any(_is_exact_recovery(bytes(unit)) for unit in units if unit[0] & 31 == _SEI)


def _is_exact_recovery(unit: bytes) -> bool:
    """Say whether an SEI unit begins with a recovery point from which every frame shown later is
    exact.

    Its message must be the first of the unit; its first bit says that no further frame is needed,
    its second that frames are exact.
    """
    _header, kind, _size, bits = unit[:4].ljust(4, b"\0")
    return kind == _RECOVERY_POINT and bits & _FIRST_TWO_BITS == _FIRST_TWO_BITS


def _hevc(track: Track, sample: memoryview) -> bool:
    if len(track.config) <= _HVCC_LENGTHS:
        return False
    try:
        kinds = [unit[0] >> 1 & 63 for unit in split(sample, (track.config[_HVCC_LENGTHS] & 3) + 1)]
    except CannotScrub:
        return False
    coded = [kind for kind in kinds if kind in _CODED_HEVC]
    return bool(coded) and all(kind in _IRAP_HEVC for kind in coded)


def _vp8(_track: Track, sample: memoryview) -> bool:
    return bool(len(sample)) and not sample[0] & 1


def _vp9(_track: Track, sample: memoryview) -> bool:
    """Say whether a VP9 frame is a key frame that is shown; profile 3 has one bit more before the
    flags.
    """
    if not len(sample) or sample[0] >> 6 != _VP9_MARKER:
        return False
    flags = sample[0] >> (0 if sample[0] & _VP9_PROFILE_3 == _VP9_PROFILE_3 else 1) & 7
    return flags == 1  # no existing frame is shown, it is a key frame, and it is shown itself


def _av1(_track: Track, sample: memoryview) -> bool:
    """Say whether the first frame of a temporal unit is a key frame that is shown."""
    at = 0
    while at < len(sample):
        kind, has_extension, has_size = (
            sample[at] >> 3 & 15,
            sample[at] >> 2 & 1,
            sample[at] >> 1 & 1,
        )
        at += 1 + has_extension
        size, at = _leb128(sample, at) if has_size else (len(sample) - at, at)
        if kind in (3, 6) and at < len(sample):  # a frame header, or a frame with its header
            return sample[at] & 0xF0 == _AV1_SHOWN_KEY_FRAME  # no existing frame, key frame, shown
        at += size
    return False


def _leb128(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for count in range(8):
        if at + count >= len(data):
            break
        value |= (data[at + count] & 0x7F) << 7 * count
        if not data[at + count] & 0x80:
            return value, at + count + 1
    return value, len(data)


_ENTRIES: dict[str, Callable[[Track, memoryview], bool]] = {
    "h264": _h264,
    "hevc": _hevc,
    "vp8": _vp8,
    "vp9": _vp9,
    "av1": _av1,
}
