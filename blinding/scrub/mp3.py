"""MP3: frame headers, side information and coded sound may stay; ancillary bytes are set to zero. No Django here.

Source: ISO/IEC 11172-3 §2.4.1 and 13818-3 §2.4.1: what lies between the coded sound of one frame and the next is
ancillary.
"""

from collections import Counter

from blinding.scrub.coded import Bytes, CannotScrub, Coded
from fartbench.media.bits import BitReader, OutOfBits


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
    rebuilt: list[list[Bytes]] = [[head + clean[a:b]] for head, a, b in zip(heads, starts, ends, strict=True)]
    return Coded("mp4a", b"", rebuilt, Counter({"MP3 ancillary byte": changed} if changed else {}))


def _side(frame: bytes) -> tuple[int, int, list[int]]:
    """Return where the side information of a frame ends, how far back its sound begins, and the bits of each granule
    and channel."""
    if len(frame) < 4 or frame[0] != 0xFF or frame[1] & 0xE6 != 0xE2:  # sync word and layer III
        raise CannotScrub("a sound packet is no MP3 frame")
    first = frame[1] >> 3 & 3 == 3  # MPEG-1
    mono = frame[3] >> 6 == 3
    at = 4 if frame[1] & 1 else 6
    size = (17 if mono else 32) if first else (9 if mono else 17)
    bits = BitReader(frame[at : at + size])
    try:
        back = bits.read(9 if first else 8)
        bits.skip((5 if mono else 3) + (4 if mono else 8) if first else (1 if mono else 2))
        lengths = []
        for _ in range((2 if first else 1) * (1 if mono else 2)):
            lengths.append(bits.read(12))
            bits.skip(47 if first else 51)
    except OutOfBits as fault:
        raise CannotScrub("a sound packet is damaged") from fault
    return at + size, back, lengths


def _keep(stream: bytearray, used: list[tuple[int, int]]) -> tuple[bytes, int]:
    """Return the stream with every bit outside ``used`` set to zero, and how many bytes that changed."""
    clean = bytearray(len(stream))
    for start, end in used:
        low, high = max(0, start) // 8, min(len(stream), (end + 7) // 8)
        clean[low:high] = stream[low:high]
        if end % 8 and 0 < high <= len(stream) and end <= 8 * len(stream):
            clean[high - 1] &= 0xFF << (8 - end % 8) & 0xFF
    return bytes(clean), sum(a != b for a, b in zip(stream, clean, strict=True))
