"""MP3: frame headers, side information and coded sound may stay; ancillary bytes are set to zero.
No Django here.

Source: ISO/IEC 11172-3 §2.4.1 and 13818-3 §2.4.1: what lies between the coded sound of one frame
and the next is ancillary.
"""

from collections import Counter
from typing import NamedTuple

from blinding.scrub.coded import Bytes, CannotScrub, Coded
from fartbench.media.bits import BitReader, OutOfBits


class Layout(NamedTuple):
    """The side information of a frame: its bytes, then in bits how far back the sound begins, what
    lies between that and the first part, and what follows the length of a part; a part is a granule
    of a channel.
    """

    size: int
    back: int
    between: int
    parts: int
    rest: int


LAYOUTS = {
    (True, True): Layout(size=17, back=9, between=9, parts=2, rest=47),
    (True, False): Layout(size=32, back=9, between=11, parts=4, rest=47),
    (False, True): Layout(size=9, back=8, between=1, parts=1, rest=51),
    (False, False): Layout(size=17, back=8, between=2, parts=2, rest=51),
}
"""The layouts by whether a frame is MPEG-1 and whether it is mono."""


def scrub_mp3(samples: list[memoryview]) -> Coded:
    """Return an MP3 stream in which no byte is left that a decoder does not read as sound."""
    stream = bytearray()
    heads: list[bytes] = []
    starts: list[int] = []
    used: list[tuple[int, int]] = []
    for sample in samples:
        data = bytes(sample)
        side_end, back, lengths = _side(data)
        begin = 8 * (len(stream) - back)
        used.append((begin, begin + sum(lengths)))
        starts.append(len(stream))
        heads.append(data[:side_end])
        stream += data[side_end:]
    clean, changed = _keep(stream, used)
    ends = [*starts[1:], len(stream)]
    rebuilt: list[list[Bytes]] = [
        [head + clean[a:b]] for head, a, b in zip(heads, starts, ends, strict=True)
    ]
    return Coded("mp4a", b"", rebuilt, Counter({"MP3 ancillary byte": changed} if changed else {}))


def _side(frame: bytes) -> tuple[int, int, list[int]]:
    """Return where the side information of a frame ends, how far back its sound begins, and the
    bits of each granule and channel.
    """
    if len(frame) < 4 or frame[0] != 0xFF or frame[1] & 0xE0 != 0xE0:  # the sync word
        raise CannotScrub("a sound packet is not an MP3 frame")
    if frame[1] & 0x06 != 0x02:  # layer III
        raise CannotScrub(
            "not every browser plays MPEG layer I or II sound in MP4; normalising the round "
            "re-encodes it"
        )
    is_mpeg_1, is_mono = frame[1] >> 3 & 3 == 3, frame[3] >> 6 == 3
    layout = LAYOUTS[is_mpeg_1, is_mono]
    at = 4 if frame[1] & 1 else 6
    bits = BitReader(frame[at : at + layout.size])
    lengths = []
    try:
        back = bits.read(layout.back)
        bits.skip(layout.between)
        for _ in range(layout.parts):
            lengths.append(bits.read(12))
            bits.skip(layout.rest)
    except OutOfBits as fault:
        raise CannotScrub("a sound packet is damaged") from fault
    return at + layout.size, back, lengths


def _keep(stream: bytearray, used: list[tuple[int, int]]) -> tuple[bytes, int]:
    """Return the stream with every bit outside ``used`` set to zero, and how many bytes that
    changed.
    """
    clean = bytearray(len(stream))
    for start, end in used:
        low, high = max(0, start) // 8, min(len(stream), (end + 7) // 8)
        clean[low:high] = stream[low:high]
        if end % 8 and 0 < high <= len(stream) and end <= 8 * len(stream):
            clean[high - 1] &= 0xFF << (8 - end % 8) & 0xFF
    return bytes(clean), sum(a != b for a, b in zip(stream, clean, strict=True))
