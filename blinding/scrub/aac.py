"""AAC: the AudioSpecificConfig is cut to its own fields, fill and data elements before the sound
are taken out. No Django here.

Source: ISO/IEC 14496-3 §1.6.2.1 (AudioSpecificConfig), §4.4.1.1 (program_config_element) and
§4.4.2.1 (raw_data_block).
"""

from collections import Counter

from blinding.scrub.coded import Bytes, CannotScrub, Coded
from fartbench.media.bits import BitReader, OutOfBits, without_bits

DATA, PROGRAM, FILL = 4, 5, 6
FREE_FILL = frozenset({0, 1, 2})
"""Extension types of a fill element that carry nothing for the sound."""


def scrub_aac(config: bytes, samples: list[memoryview]) -> Coded:
    """Return an AAC stream without the data and fill elements that come before the sound of a
    packet.
    """
    removed: Counter[str] = Counter()
    record = trim_config(config)
    if len(record) < len(config):
        removed["bytes in the set-up record"] += len(config) - len(record)
    return Coded("mp4a", record, [[_rebuild(sample, removed)] for sample in samples], removed)


def trim_config(config: bytes) -> bytes:
    """Return the fields of an AudioSpecificConfig that a decoder reads, and nothing after them."""
    bits = BitReader(config)
    try:
        kind = _object_type(bits)
        _rate(bits)
        channels = bits.read(4)
        if kind in (5, 29):
            _rate(bits)
            kind = _object_type(bits)
        if kind not in (1, 2, 3, 4):
            raise CannotScrub(f"its AAC object type {kind} does not play in browsers")
        bits.skip(1)
        if bits.flag():
            bits.skip(14)
        bits.skip(1)
        if channels == 0:
            config, bits = _without_comment(config, bits)
    except OutOfBits as fault:
        raise CannotScrub("its AAC set-up record is missing or damaged") from fault
    end = _extension_end(bits)
    return without_bits(config, end, bits.length)


def _without_comment(config: bytes, bits: BitReader) -> tuple[bytes, BitReader]:
    """Take the comment out of the channel record that follows, as layouts beside the usual ones
    have; return the record without it and a reader that has passed it.
    """
    bits.skip(4 + 2 + 4)  # its number, object type and rate
    front, side, back, low, other = (
        bits.read(4),
        bits.read(4),
        bits.read(4),
        bits.read(2),
        bits.read(3),
    )
    coupled = bits.read(4)
    for length in (4, 4, 3):  # the two mixdown elements, and how surround is mixed down
        if bits.flag():
            bits.skip(length)
    bits.skip(5 * (front + side + back) + 4 * (low + other) + 5 * coupled)
    bits.skip(-bits.at % 8)
    at = bits.at // 8
    end = at + 1 + bits.read(8)
    if end > len(config):
        raise OutOfBits("the comment is cut off")
    config = config[:at] + b"\0" + config[end:]
    return config, BitReader(config, 8 * (at + 1))


def _object_type(bits: BitReader) -> int:
    kind = bits.read(5)
    return 32 + bits.read(6) if kind == 31 else kind  # the escape value


def _rate(bits: BitReader) -> None:
    if bits.read(4) == 15:  # the rate follows in full
        bits.skip(24)


def _extension_end(bits: BitReader) -> int:
    """Return where the backward-compatible SBR and PS signalling ends, or the position now when
    there is none.
    """
    end = bits.at
    try:
        if bits.read(11) != 0x2B7 or bits.read(5) != 5:  # sync word and SBR's object type
            return end
        has_sbr = bits.flag()
        if has_sbr:
            _rate(bits)
        end = bits.at
        if has_sbr and bits.read(11) == 0x548:  # the PS sync word
            end = bits.at + 1
    except OutOfBits:
        return end
    else:
        return end


def _rebuild(sample: memoryview, removed: Counter[str]) -> Bytes:
    if sample[0] >> 5 not in (DATA, PROGRAM, FILL):
        return sample
    data = bytes(sample)
    try:
        end = leading_elements(data)
    except OutOfBits as fault:
        raise CannotScrub("a sound packet is damaged") from fault
    removed["AAC fill or data element"] += 1
    # A packet ends in three set bits and less than a byte of padding: a byte of zeros after the
    # shift is no part of it.
    return without_bits(data, 0, end).rstrip(b"\0")


def leading_elements(data: bytes, *, refuse: bool = True) -> int:
    """Return how many bits the fill and data elements before the first channel of a packet take.

    With ``refuse``, raise CannotScrub for one whose removal would change the sound; without, stop
    before it.
    """
    bits = BitReader(data)
    while True:
        at = bits.at
        kind = bits.read(3)
        if kind == FILL:
            _pass_fill(bits, data, refuse)
        elif kind == DATA:
            bits.skip(4)
            aligned = bits.flag()
            size = bits.read(8)
            size += bits.read(8) if size == 255 else 0  # the escape value
            bits.skip(-bits.at % 8 if aligned else 0)
            bits.skip(8 * size)
        elif kind == PROGRAM and refuse:
            raise CannotScrub(
                "a sound packet holds a free-form channel record, which can hold text"
            )
        else:
            return at


def _pass_fill(bits: BitReader, data: bytes, refuse: bool) -> None:
    size = bits.read(4)
    size += bits.read(8) - 1 if size == 15 else 0  # the escape value
    start = bits.at
    if not size:
        return
    if bits.read(4) not in FREE_FILL and refuse:
        raise CannotScrub("a sound packet begins with a fill element that changes the sound")
    bits.at = start
    bits.skip(8 * size)
    payload = without_bits(data, 0, start + 4)[:8]
    if payload.startswith(b"libfaac") and refuse:
        raise CannotScrub(
            "its sound carries the text “libfaac”, by which decoders skip the silence at the "
            "start; "
            "taking it out would change the sound"
        )
