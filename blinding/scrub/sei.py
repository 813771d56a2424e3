"""Messages in H.264 and HEVC that say something of how frames are shown. No Django here.

Sources: ITU-T H.264 §7.3.2.3.1 and annex D, ITU-T H.265 §7.3.2.4 and annex D, which number these
messages alike.
"""

from collections.abc import Iterable, Iterator

from blinding.scrub.coded import Bytes, CannotScrub
from fartbench.media.bits import BitReader, OutOfBits

CHANGES_SHOWN = {
    19: "film grain",
    47: "a display orientation",
    165: "an alpha plane",
}
"""Messages that change what is shown: leaving them out would show another clip."""
MASTERING, LIGHT = 137, 144
LENGTHS = {MASTERING: 24, LIGHT: 4}
"""How long the messages are that say what a picture was graded for, which the boxes “mdcv” and
“clli” repeat.
"""
RECOVERY_POINT = 6
MOST_FRAMES = 1 << 16
"""The largest number after which frame numbers of H.264 begin again (MaxFrameNum)."""
FLAGS = 4
"""Bits behind the number of frames: exact match, broken link and two of changing slice groups."""
H264_SEI = 6
STOP = 0x80


def messages(unit: Bytes, header: int) -> Iterator[tuple[int, bytes]]:
    """Yield type and payload of each message of a unit, whose header has ``header`` bytes, as far
    as it can be read.
    """
    data = bytes(unit[header:]).replace(b"\0\0\3", b"\0\0")
    at = 0
    while at + 2 <= len(data) and data[at] != STOP:
        kind, at = _number(data, at)
        size, at = _number(data, at)
        yield kind, data[at : at + size]
        at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends: each byte of 255 says that more follows."""
    value = 0
    while at < len(data) and data[at] == 0xFF:
        value, at = value + 255, at + 1
    return value + (data[at] if at < len(data) else 0), at + 1


def refuse_what_changes(unit: Bytes, header: int) -> None:
    """Raise CannotScrub for a message without which another clip would be shown."""
    for kind, _ in messages(unit, header):
        if kind in CHANGES_SHOWN:
            raise CannotScrub(
                f"the stream carries {CHANGES_SHOWN[kind]} that changes the picture shown"
            )


def grading(units: Iterable[Bytes], header: int) -> tuple[bytes, bytes]:
    """Return what a picture was graded for, as payloads of “mdcv” and “clli”; empty when no message
    says so.
    """
    numbers = dict[int, bytes]()
    for unit in units:
        for kind, payload in messages(unit, header):
            if LENGTHS.get(kind) == len(payload):
                numbers.setdefault(kind, payload)
    return numbers.get(MASTERING, b""), numbers.get(LIGHT, b"")


def recovery_point(unit: Bytes) -> bytes:
    """Return an H.264 unit that holds the recovery point of another one and nothing else; empty
    when it has none.

    Decoders show frames from a recovery point on (ITU-T H.264 §D.2.8); without it they pass over
    the frames between a key frame that is not an IDR frame and the next IDR frame. The message is
    written anew from its numbers.
    """
    for kind, payload in messages(unit, 1):
        if kind == RECOVERY_POINT:
            return _recovery_unit(payload)
    return b""


def _recovery_unit(payload: bytes) -> bytes:
    bits = BitReader(payload)
    try:
        frames, flags = bits.unsigned(), bits.read(FLAGS)
    except OutOfBits:
        return b""  # no decoder reads it either
    if frames >= MOST_FRAMES:
        return b""
    code = f"{frames + 1:b}"
    written = "0" * (len(code) - 1) + code + f"{flags:0{FLAGS}b}"
    if len(written) % 8:
        written += "1" + "0" * (-(len(written) + 1) % 8)
    body = int(written, 2).to_bytes(len(written) // 8, "big")
    return bytes([H264_SEI, RECOVERY_POINT, len(body)]) + body + bytes([STOP])
