"""How long a sound packet lasts by what it says itself, without decoding it. No Django here.

A container may round the times of packets, or give none to those behind the first one of a block.
What a packet holds is exact. Sources: ISO/IEC 14496-3 §1.6.2.1 and §4.4.1 (AAC), RFC 6716 §3.1
(Opus), ISO/IEC 11172-3 §2.4.2.3 and 13818-3 §2.4.2.3 (MP3).
"""

from fractions import Fraction

from fartbench.media.bits import BitReader, OutOfBits

Bytes = bytes | memoryview

OPUS_RATE = 48_000
AAC_RATES = (
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
)  # fmt: skip
RATE_FOLLOWS = 15
SBR_OBJECTS = (5, 29)
"""The object types that wrap another one: spectral band replication, and parametric stereo on top
of it.
"""
LONG_FRAME, SHORT_FRAME = 1024, 960
MP3_RATES = (44_100, 48_000, 32_000)


def packet_seconds(codec: str, config: bytes, packet: Bytes) -> Fraction | None:
    """Return how long one packet lasts in seconds, or None when the packet does not say.

    ``config`` is the codec's set-up record (AAC: AudioSpecificConfig).
    """
    if codec == "aac":
        return aac_packet_seconds(config)
    if codec == "opus" and len(packet):
        return Fraction(opus_packet_samples(packet), OPUS_RATE) or None
    if codec == "mp3":
        return _mp3_packet_seconds(packet)
    return None


def aac_packet_seconds(config: bytes) -> Fraction | None:
    """Return how long each packet of an AAC stream lasts, or None for a set-up record that does not
    say.

    Spectral band replication doubles both the rate and the samples of a packet, so the core alone
    decides.
    """
    bits = BitReader(config)
    try:
        kind = _object_type(bits)
        rate = _rate(bits)
        bits.skip(4)  # the channels
        if kind in SBR_OBJECTS:
            _rate(bits)
            _object_type(bits)
        is_short = bits.flag()
    except OutOfBits:
        return None
    return Fraction(SHORT_FRAME if is_short else LONG_FRAME, rate) if rate else None


def _object_type(bits: BitReader) -> int:
    kind = bits.read(5)
    return 32 + bits.read(6) if kind == 31 else kind  # the escape value


def _rate(bits: BitReader) -> int:
    index = bits.read(4)
    if index == RATE_FOLLOWS:
        return bits.read(24)
    return AAC_RATES[index] if index < len(AAC_RATES) else 0


def opus_packet_samples(packet: Bytes) -> int:
    """Return how many samples at 48 kHz an Opus packet lasts (RFC 6716 §3.1); the packet has at
    least one byte.
    """
    kind = packet[0] >> 3
    if kind < 12:  # SILK only
        each = (480, 960, 1920, 2880)[kind & 3]
    elif kind < 16:  # hybrid
        each = (480, 960)[kind & 1]
    else:
        each = (120, 240, 480, 960)[kind & 3]
    code = packet[0] & 3
    if code < 3:
        return each * (2 if code else 1)
    return each * (packet[1] & 63 if len(packet) > 1 else 0)


def _mp3_packet_seconds(packet: Bytes) -> Fraction | None:
    if len(packet) < 4 or packet[0] != 0xFF or packet[1] & 0xE6 != 0xE2:  # sync word and layer III
        return None
    version, index = packet[1] >> 3 & 3, packet[2] >> 2 & 3
    if version == 1 or index == len(MP3_RATES):  # reserved
        return None
    halvings = {3: 0, 2: 1, 0: 2}[version]  # MPEG-1, MPEG-2, MPEG-2.5
    return Fraction(576 if halvings else 1152, MP3_RATES[index] >> halvings)
