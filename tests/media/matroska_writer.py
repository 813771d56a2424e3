"""Writing small Matroska files whose sound lies in blocks as other programs lay it: laced,
jittering, cut off.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path

from tests.media.sound import Sound, picture

LACINGS = {"none": 0, "xiph": 1, "fixed": 2, "ebml": 3}


@dataclass
class Block:
    """One block of sound packets: when it is heard (ms), how they are laced, and what is dropped at
    its end (ns).

    ``drop_first`` writes what is dropped before the packets, as GStreamer does.
    """

    time: int
    packets: Sequence[bytes]
    lacing: str = "none"
    discard: int = 0
    drop_first: bool = False


@dataclass
class SoundTrack:
    """A track's own fields; ``default_duration`` and ``delay`` are in nanoseconds, 0 for none."""

    sound: Sound
    blocks: list[Block] = field(default_factory=list)
    default_duration: int = 0
    delay: int = 0


def in_blocks(sound: Sound, lacing: str, *, each: int = 8, start: int = 0) -> list[Block]:
    """Return a sound's packets in laced blocks, whose times are rounded to milliseconds as programs
    do.
    """
    blocks = []
    for first in range(0, len(sound.packets), each):
        packets = sound.packets[first : first + each]
        time = start + round(1000 * first * sound.packet_samples / sound.rate)
        blocks.append(Block(time, packets, lacing if len(packets) > 1 else "none"))
    return blocks


def write_matroska(path: Path, track: SoundTrack) -> Path:
    """Write the usual picture and one track of sound."""
    config, frames = picture()
    video = _element(0xAE, _number(0xD7, 1), _number(0x73C5, 1), _number(0x83, 1), _element(0x86,
                                                                                            b"V_MPEG4/ISO/AVC"),
                     _element(0x63A2, config), _element(0xE0, _number(0xB0, 160), _number(0xBA,
                                                                                          96)))  # fmt: skip
    sound = track.sound
    audio = [
        _number(0xD7, 2),
        _number(0x73C5, 2),
        _number(0x83, 2),
        _element(0x86, sound.matroska_name.encode()),
    ]
    audio += [_element(0x63A2, sound.config)] if sound.config else []
    audio += [_number(0x23E383, track.default_duration)] if track.default_duration else []
    audio += [_number(0x56AA, track.delay)] if track.delay else []
    audio.append(
        _element(0xE1, _element(0xB5, struct.pack(">d", sound.rate)), _number(0x9F, sound.channels))
    )
    latest = accumulate(
        (time for time, _, _ in frames), max
    )  # frames stay in the order of decoding
    timed = [
        (at, _picture_block(time, data, key))
        for at, (time, data, key) in zip(latest, frames, strict=True)
    ]
    latest = accumulate((block.time for block in track.blocks), max)
    timed += [(at, _sound_block(block)) for at, block in zip(latest, track.blocks, strict=True)]
    cluster = _element(
        0x1F43B675, _number(0xE7, 0), *[data for _, data in sorted(timed, key=lambda row: row[0])]
    )
    info = _element(
        0x1549A966, _number(0x2AD7B1, 1_000_000), _element(0x4D80, b"x"), _element(0x5741, b"x")
    )
    head = _element(
        0x1A45DFA3, _element(0x4282, b"matroska"), _number(0x4287, 4), _number(0x4285, 2)
    )
    tracks = _element(0x1654AE6B, video, _element(0xAE, *audio))
    path.write_bytes(head + _element(0x18538067, info, tracks, cluster))
    return path


def _element(ident: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    size = (len(body) | 1 << 56).to_bytes(8, "big")
    return ident.to_bytes((ident.bit_length() + 7) // 8, "big") + size + body


def _number(ident: int, value: int) -> bytes:
    return _element(ident, value.to_bytes(8, "big"))


def _picture_block(time: int, data: bytes, key: bool) -> bytes:
    return _element(0xA3, b"\x81" + struct.pack(">hB", time, 0x80 if key else 0) + data)


def _sound_block(block: Block) -> bytes:
    lace = LACINGS[block.lacing]
    body = b"\x82" + struct.pack(">hB", block.time, (0 if block.discard else 0x80) | lace << 1)
    if lace:
        body += bytes([len(block.packets) - 1]) + _lace_sizes(block)
    body += b"".join(block.packets)
    if block.discard:
        drop = block.discard.to_bytes(8, "big", signed=True)
        parts = [_element(0xA1, body), _element(0x75A2, drop)]
        return _element(0xA0, *(reversed(parts) if block.drop_first else parts))
    return _element(0xA3, body)


def _lace_sizes(block: Block) -> bytes:
    sizes = [len(packet) for packet in block.packets]
    if block.lacing == "fixed":
        assert len(set(sizes)) == 1, "fixed-size lacing is for packets of one size"
        return b""
    if block.lacing == "xiph":
        return b"".join(b"\xff" * (size // 255) + bytes([size % 255]) for size in sizes[:-1])
    first = (sizes[0] | 0x4000).to_bytes(2, "big")
    steps = [after - before for before, after in pairwise(sizes[:-1])]
    return first + b"".join((step + 0x1FFF | 0x4000).to_bytes(2, "big") for step in steps)
