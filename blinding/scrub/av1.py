"""AV1: sequence headers, frame headers, frames and tile groups may stay; no metadata, padding or
unknown OBU. No Django here.

Sources: AV1 Bitstream & Decoding Process §5.3, AV1 Codec ISO Media File Format Binding §2.3.
"""

from collections import Counter
from collections.abc import Iterator

from blinding.scrub.coded import Bytes, CannotScrub, Coded, refuse_text
from fartbench.media.hdr import fixed_mastering_numbers

SEQUENCE, METADATA = 1, 5
LIGHT, MASTERING = b"\1", b"\2"
"""The types of the metadata messages on what a picture was graded for, and how many bytes follow
the type.
"""
LIGHT_BYTES, MASTERING_BYTES = 4, 24
KEPT = frozenset({SEQUENCE, 3, 4, 6, 7})
NAMES = {2: "delimiter", 5: "metadata", 8: "tile list", 15: "padding"}


def split(sample: memoryview) -> Iterator[tuple[int, bytes, memoryview]]:
    """Yield each OBU as its type, its header without the size flag, and its payload."""
    at, end = 0, len(sample)
    while at < end:
        first = sample[at]
        header = bytes(sample[at : at + (2 if first & 4 else 1)])
        at += len(header)
        size = end - at
        if first & 2:
            size, at = leb128(sample, at)
        if at + size > end:
            raise CannotScrub("a coded picture is damaged: an OBU runs past its end")
        yield first >> 3 & 15, bytes([first & 0xFC]) + header[1:], sample[at : at + size]
        at += size


def leb128(data: Bytes, at: int) -> tuple[int, int]:
    """Return a little-endian base-128 number and where it ends (AV1 §4.10.5)."""
    value = 0
    for index in range(8):
        if at + index >= len(data):
            break
        value |= (data[at + index] & 0x7F) << 7 * index
        if not data[at + index] & 0x80:
            return value, at + index + 1
    raise CannotScrub("a coded picture is damaged: a size is cut off")


def _sized(header: bytes, payload: Bytes) -> list[Bytes]:
    size, rest = b"", len(payload)
    while rest > 0x7F:  # seven bits a byte
        size, rest = size + bytes([rest & 0x7F | 0x80]), rest >> 7
    return [bytes([header[0] | 2]) + header[1:] + size + bytes([rest]), payload]


def scrub_av1(config: bytes, samples: list[memoryview]) -> Coded:
    """Return an AV1 stream with the OBUs that a decoder needs."""
    if len(config) < 4 or config[0] != 0x81:  # av1C version 1
        raise CannotScrub("its AV1 set-up record (av1C) is missing or damaged")
    removed: Counter[str] = Counter()
    rebuilt = [_rebuild(sample, removed) for sample in samples]
    headers = [
        _sized(h, p)
        for kind, h, p in [*split(memoryview(config)[4:]), *split(samples[0])]
        if kind == SEQUENCE
    ]
    if not headers:
        raise CannotScrub("it has no AV1 sequence header")
    sequence = b"".join(headers[0])
    refuse_text(sequence, "the sequence header")
    record = config[:3] + b"\0" + sequence
    if len(config) > len(record):
        removed["bytes in the set-up record"] += len(config) - len(record)
    messages = [
        bytes(p)
        for kind, _, p in [*split(memoryview(config)[4:]), *split(samples[0])]
        if kind == METADATA
    ]
    return Coded("av01", record, rebuilt, removed, *_grading(messages))


def _grading(messages: list[bytes]) -> tuple[bytes, bytes]:
    """Return what a picture was graded for, as payloads of “mdcv” and “clli”; empty when no message
    says so.
    """
    mastering = light = b""
    for message in messages:
        if message[:1] == MASTERING and len(message) > MASTERING_BYTES:
            mastering = mastering or fixed_mastering_numbers(message, 1)
        elif message[:1] == LIGHT and len(message) > LIGHT_BYTES:
            light = light or message[1 : 1 + LIGHT_BYTES]
    return mastering, light


def _rebuild(sample: memoryview, removed: Counter[str]) -> list[Bytes]:
    pieces: list[Bytes] = []
    for kind, header, payload in split(sample):
        if kind in KEPT:
            pieces += _sized(header, payload)
        else:
            removed[NAMES.get(kind, "unknown OBU")] += 1
    if not pieces:
        raise CannotScrub("a sample holds no coded picture")
    return pieces
