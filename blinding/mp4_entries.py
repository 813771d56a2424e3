"""Sample entries of a blind copy, built from numbers alone. No Django here."""

from struct import pack

from blinding.mp4_writer import box, full_box
from blinding.scrub.coded import Coded
from fartbench.media.movie import Track

RECORDS = {
    "avc1": b"avcC", "avc3": b"avcC", "hvc1": b"hvcC", "hev1": b"hvcC", "av01": b"av1C",
    "vp09": b"vpcC", "Opus": b"dOps",
}  # fmt: skip
SQUARE = (1, 1)
LARGEST_CODE = 255
"""Codes of colours have one byte in every codec."""
RESOLUTION = 0x480000
"""72 dots per inch, the value that the standard's template has."""


def picture_entry(coded: Coded, track: Track, size: tuple[int, int]) -> bytes:
    """Return the sample entry of a picture track of ``size`` (coded width and height).

    The shape of a pixel is written where the raw container gives one and the bitstream does not
    give the same to every player; where only the bitstream gives one, each player continues reading
    it there.
    """
    fixed = pack(">6xH16xHHIIIH32xHh", 1, *size, RESOLUTION, RESOLUTION, 0, 1, 24, -1)
    parts = [box(RECORDS[coded.entry], coded.record)]
    if track.colour is not None and max(track.colour[:3]) <= LARGEST_CODE:
        primaries, transfer, matrix, full_range = track.colour
        parts.append(
            box(
                b"colr",
                b"nclx",
                pack(">HHHB", primaries, transfer, matrix, 0x80 if full_range else 0),
            )
        )
    grading = ((b"mdcv", coded.mastering or track.mastering), (b"clli", coded.light or track.light))
    parts += [box(kind, numbers) for kind, numbers in grading if numbers]
    if track.aspect_declared and {track.pixel_aspect, track.coded_aspect} != {SQUARE}:
        parts.append(box(b"pasp", pack(">II", *track.pixel_aspect)))
    return box(coded.entry.encode(), fixed, *parts)


def sound_entry(coded: Coded, codec: str, channels: int, rate: int) -> bytes:
    """Return the sample entry of a sound track."""
    fixed = pack(">6xH8xHHIHH", 1, channels, 16, 0, rate if rate < 1 << 16 else 0, 0)
    inner = (
        box(RECORDS[coded.entry], coded.record)
        if coded.entry in RECORDS
        else _esds(codec, coded.record)
    )
    return box(coded.entry.encode(), fixed, inner)


def _esds(codec: str, config: bytes) -> bytes:
    """Return the elementary stream descriptor (ISO/IEC 14496-1 §7.2.6.5) without rates or buffer
    sizes.
    """
    kind = 0x6B if codec == "mp3" else 0x40
    specific = _descriptor(5, config) if config else b""
    decoder = _descriptor(4, pack(">BB3xII", kind, 0x15, 0, 0) + specific)
    return full_box(b"esds", 0, 0, _descriptor(3, bytes(3) + decoder + _descriptor(6, b"\2")))


def _descriptor(tag: int, body: bytes) -> bytes:
    return bytes([tag, 0x80, 0x80, 0x80, len(body)]) + body
