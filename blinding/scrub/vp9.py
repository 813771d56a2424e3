"""VP9: frames carry no messages; the set-up record is made from the first key frame's header. No
Django here.

Sources: VP9 Bitstream & Decoding Process §6.2, VP Codec ISO Media File Format Binding §2.
"""

from blinding.scrub.coded import CannotScrub, Coded
from fartbench.media.bits import BitReader, OutOfBits

SRGB = 7
_LEVELS = (
    (36864, 10),
    (73728, 11),
    (122880, 20),
    (245760, 21),
    (552960, 30),
    (983040, 31),
    (2228224, 40),
    (8912896, 50),
    (35651584, 60),
)
"""Largest luma picture size per level (VP9 levels, annex A), in pixels."""


def scrub_vp9(config: bytes, samples: list[memoryview], pixels: int) -> Coded:  # noqa: ARG001 - the old record is not needed
    """Return a VP9 stream under a set-up record of its profile, level, depth and chroma layout."""
    profile, depth, layout, full = read_key_frame(bytes(samples[0][:32]))
    level = next((level for most, level in _LEVELS if pixels <= most), 61)
    record = b"\1\0\0\0" + bytes([profile, level, depth << 4 | layout << 1 | full, 2, 2, 2, 0, 0])
    return Coded("vp09", record, [[sample] for sample in samples])


def read_key_frame(frame: bytes) -> tuple[int, int, int, int]:
    """Return profile, bit depth, chroma layout (vpcC code) and full-range flag of a key frame."""
    bits = BitReader(frame)
    try:
        if bits.read(2) != 2:  # the frame marker
            raise CannotScrub("its first picture is no VP9 frame")
        profile = bits.read(1) | bits.read(1) << 1
        if profile == 3:
            bits.skip(1)
        if bits.flag() or bits.flag():
            raise CannotScrub("its first picture is no VP9 key frame")
        bits.skip(2)
        if bits.read(24) != 0x498342:  # the sync code
            raise CannotScrub("its first picture is no VP9 key frame")
        return profile, *_colour(bits, profile)
    except OutOfBits as fault:
        raise CannotScrub("its first picture is cut off") from fault


def _colour(bits: BitReader, profile: int) -> tuple[int, int, int]:
    depth = (12 if bits.flag() else 10) if profile >= 2 else 8
    if bits.read(3) == SRGB:
        return depth, 3, 1
    full = bits.read(1)
    if profile in (0, 2):
        return depth, 1, full
    across, down = bits.flag(), bits.flag()
    return (
        depth,
        {(True, True): 1, (True, False): 2, (False, False): 3}.get((across, down), 3),
        full,
    )
