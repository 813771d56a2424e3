"""Opus: the header's numbers may stay, packet padding may not. No Django here.

Sources: RFC 6716 §3.2 (packets), RFC 7845 §5.1 (OpusHead), Encapsulation of Opus in ISO BMFF §4.3.2
(dOps).
"""

from collections import Counter
from dataclasses import dataclass
from struct import pack, unpack_from

from blinding.scrub.coded import Bytes, CannotScrub, Coded

RATE = 48000


@dataclass(frozen=True, slots=True)
class Head:
    """The numbers of an Opus header that a decoder uses: channels, samples to skip (48 kHz), gain
    (Q7.8 dB), channel mapping.
    """

    channels: int
    skip: int
    gain: int
    family: int
    mapping: bytes


def read_head(config: bytes) -> Head:
    """Return the header from OpusHead (WebM) or dOps (MP4); raise CannotScrub for a layout browsers
    do not play.
    """
    little = config.startswith(b"OpusHead")
    body = config[8:] if little else config
    if len(body) < 11:  # the fixed part
        raise CannotScrub("its Opus header is missing or damaged")
    channels, skip, _, gain, family = unpack_from("<BHIhB" if little else ">BHIhB", body, 1)
    mapping = bytes(body[11 : 13 + channels]) if family else b""
    if family not in (0, 1):
        raise CannotScrub(
            f"its Opus channels are mapped by family {family}, which names no loudspeakers, so "
            "browsers place them "
            "differently"
        )
    if not channels or (family and len(mapping) != 2 + channels):
        raise CannotScrub("its Opus channel mapping is damaged")
    return Head(channels, skip, gain, family, mapping)


def scrub_opus(config: bytes, samples: list[memoryview]) -> Coded:
    """Return an Opus stream with a rebuilt header and packets without padding."""
    head = read_head(config)
    record = (
        pack(">BBHIhB", 0, head.channels, head.skip, RATE, head.gain, head.family) + head.mapping
    )
    removed: Counter[str] = Counter()
    single = not head.family or head.mapping[0] == 1
    return Coded(
        "Opus",
        record,
        [[_unpadded(sample, removed) if single else sample] for sample in samples],
        removed,
    )


def _unpadded(packet: memoryview, removed: Counter[str]) -> Bytes:
    """Return a packet without its padding."""
    start, padding = _padding(packet)
    if not start:
        return packet
    removed["Opus packet padding"] += 1
    return bytes([packet[0], packet[1] & 0xBF]) + bytes(packet[start : len(packet) - padding])


def padding_of(packet: memoryview) -> memoryview:
    """Return the padding bytes of a packet."""
    _, padding = _padding(packet)
    return packet[len(packet) - padding :]


def _padding(packet: memoryview) -> tuple[int, int]:
    """Return where the frames of a packet with padding begin and how long the padding is (RFC 6716
    §3.2.5); else zeros.
    """
    if len(packet) < 3 or packet[0] & 3 != 3 or not packet[1] & 0x40:
        return 0, 0
    at, padding = 2, 0
    while at < len(packet) and packet[at] == 255:  # 254 bytes and more to follow
        padding, at = padding + 254, at + 1
    if at >= len(packet):
        raise CannotScrub("a sound packet is damaged")
    padding += packet[at]
    if at + 1 + padding > len(packet):
        raise CannotScrub("a sound packet is damaged")
    return at + 1, padding
