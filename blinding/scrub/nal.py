"""H.264 and HEVC: slices and the parameter sets they need may stay; no delimiter, filler or unknown
unit, and of the messages (SEI) the recovery point alone. No Django here.

Sources: ITU-T H.264 §7.4.1, ITU-T H.265 §7.4.2, ISO/IEC 14496-15 §5.3.3 (avcC) and §8.3.3 (hvcC).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from blinding.scrub.annex_b import begins_with_start_code, split_at_start_codes
from blinding.scrub.coded import Bytes, CannotScrub, Coded, refuse_text
from blinding.scrub.sei import grading, recovery_point, refuse_what_changes


@dataclass(frozen=True, slots=True)
class Rules:
    """Which unit types of one codec may stay: coded slices, parameter sets, and end marks (which
    have no payload).
    """

    header: int
    slices: frozenset[int]
    parameters: tuple[int, ...]
    ends: frozenset[int]
    sei: frozenset[int]
    names: dict[int, str]


H264 = Rules(
    1,
    frozenset({1, 2, 3, 4, 5}),
    (7, 8, 13),
    frozenset({10, 11}),
    frozenset({6}),
    {6: "SEI", 9: "delimiter", 12: "filler"},
)
HEVC = Rules(
    2,
    frozenset({*range(10), *range(16, 22)}),
    (32, 33, 34),
    frozenset({36, 37}),
    frozenset({39, 40}),
    {35: "delimiter", 38: "filler", 39: "SEI", 40: "SEI"},
)
FILLER = 12
SMALLEST_FILLER = 6
IDR_SLICE = 5
NO_SETS = b"\1\0\0\0\xff\xe0\0"
"""An H.264 set-up record without parameter sets."""


def unit_type(unit: Bytes, rules: Rules) -> int:
    """Return a unit's type; an HEVC unit of another layer than the base counts as unknown (-1)."""
    if rules.header == 1:
        return unit[0] & 31
    layer = (unit[0] & 1) << 5 | unit[1] >> 3
    return unit[0] >> 1 & 63 if layer == 0 else -1


def split(sample: memoryview, width: int) -> Iterator[memoryview]:
    """Yield the units of a length-prefixed sample; raise CannotScrub when a length runs past its
    end.
    """
    at, end = 0, len(sample)
    while at < end:
        start = at + width
        size = int.from_bytes(sample[at:start], "big")
        at = start + size
        if at > end:
            raise CannotScrub("a coded picture is damaged: a unit runs past its end")
        if size:
            yield sample[start:at]


def split_h264(config: bytes, sample: memoryview) -> list[memoryview]:
    """Return the units of an H.264 sample, which are behind start codes where the track has no
    set-up record.
    """
    if not config and begins_with_start_code(sample):
        return list(split_at_start_codes(sample))
    return list(split(sample, (config[4] & 3) + 1 if len(config) > 4 else 4))


def scrub(
    split_samples: list[list[memoryview]], sets: list[bytes], rules: Rules
) -> tuple[list[list[Bytes]], list[bytes], bool, Counter[str]]:
    """Return samples rebuilt with 4-byte lengths, the parameter sets for the set-up record, whether
    sets change on the way, and a count of what went.
    """
    removed: Counter[str] = Counter()
    if not any(_kind(unit, rules) in rules.parameters[:1] for unit in sets):
        sets = [*sets, *_sets_in(split_samples[0], rules)]
    known = {bytes(unit) for unit in sets}
    on_the_way = {unit for units in split_samples for unit in _sets_in(units, rules)}
    moving = not on_the_way <= known
    for unit in known | on_the_way:
        refuse_text(unit, "a parameter set")
    rebuilt = [_rebuild(units, rules, moving, removed) for units in split_samples]
    return rebuilt, list(dict.fromkeys(sets)), moving, removed


def fill_to(samples: list[list[Bytes]], total: int) -> None:
    """Add H.264 filler units (0xFF bytes alone, §7.3.2.7) evenly to the samples until all of them
    together have ``total`` bytes.

    Raises CannotScrub when they have too many bytes to be filled up.
    """
    gap = total - sum(len(piece) for pieces in samples for piece in pieces)
    each, rest = divmod(gap, len(samples))
    if each < SMALLEST_FILLER:
        raise CannotScrub(f"its pictures take {-gap} bytes more than the common bit rate allows")
    for index, pieces in enumerate(samples):
        size = each + (index < rest)
        pieces += [(size - 4).to_bytes(4, "big"), b"\x0c" + b"\xff" * (size - 6) + b"\x80"]


def tells_nothing(unit: Bytes) -> bool:
    """Say whether an H.264 unit is filler with nothing in it, or a recovery point and nothing
    else.
    """
    return _is_empty_filler(unit) or (unit[0] & 31 in H264.sei and recovery_point(unit) == unit)


def _is_empty_filler(unit: Bytes) -> bool:
    body = bytes(unit[1:]).rstrip(b"\x80")
    return unit[0] & 31 == FILLER and body.count(0xFF) == len(body)


def _kind(unit: Bytes, rules: Rules) -> int:
    return unit_type(unit, rules) if len(unit) >= rules.header else -1


def _sets_in(units: list[memoryview], rules: Rules) -> list[bytes]:
    return [bytes(unit) for unit in units if _kind(unit, rules) in rules.parameters]


def _rebuild(
    units: list[memoryview], rules: Rules, moving: bool, removed: Counter[str]
) -> list[Bytes]:
    pieces: list[Bytes] = []
    pictures = 0
    kinds = [_kind(unit, rules) for unit in units]
    may_recover = rules is H264 and IDR_SLICE not in kinds
    for kind, unit in zip(kinds, units, strict=True):
        recovery = b""
        if kind in rules.sei:
            refuse_what_changes(unit, rules.header)
            recovery = recovery_point(unit) if may_recover else b""
            pieces += [len(recovery).to_bytes(4, "big"), recovery] if recovery else []
        if recovery == unit:
            continue
        if kind in rules.slices or (moving and kind in rules.parameters):
            pieces += [len(unit).to_bytes(4, "big"), unit]
            pictures += kind in rules.slices
        elif kind in rules.ends:
            pieces += [rules.header.to_bytes(4, "big"), unit[: rules.header]]
        else:
            removed[
                rules.names.get(
                    kind, "repeated parameter set" if kind in rules.parameters else "unknown unit"
                )
            ] += 1
    if not pictures:
        raise CannotScrub("a sample holds no coded picture")
    return pieces


def _grading(
    config_units: list[bytes], sample: list[memoryview], rules: Rules
) -> tuple[bytes, bytes]:
    """Return what a picture was graded for, by the messages of its set-up record and first
    sample.
    """
    units: list[Bytes] = [*config_units, *sample]
    return grading((unit for unit in units if _kind(unit, rules) in rules.sei), rules.header)


def scrub_h264(config: bytes, samples: list[memoryview]) -> Coded:
    """Return an H.264 stream as slices with its SPS and PPS alone."""
    split_samples = [split_h264(config, sample) for sample in samples]
    if not config and begins_with_start_code(samples[0]):
        config = NO_SETS
    if len(config) < 7 or config[0] != 1:  # avcC version 1
        raise CannotScrub("its H.264 set-up record (avcC) is missing or damaged")
    sps, at = _counted(config, 6, config[5] & 31)
    pps, at = _counted(config, at + 1, config[at] if at < len(config) else 0)
    units, sets, moving, removed = scrub(split_samples, [*sps, *pps], H264)
    by_kind = {kind: [unit for unit in sets if unit[0] & 31 == kind] for kind in H264.parameters}
    if not by_kind[7] or not by_kind[8] or len(by_kind[7][0]) < 4:  # SPS and its four first bytes
        raise CannotScrub("it has no H.264 parameter sets")
    record = (
        b"\1" + by_kind[7][0][1:4] + b"\xff" + bytes([0xE0 | len(by_kind[7])]) + _joined(by_kind[7])
    )
    record += bytes([len(by_kind[8])]) + _joined(by_kind[8])
    if by_kind[7][0][1] in (100, 110, 122, 144) and at + 3 <= len(config):
        record += bytes(
            [0xFC | config[at], 0xF8 | config[at + 1], 0xF8 | config[at + 2], len(by_kind[13])]
        )
        record += _joined(by_kind[13])
    _count_leftovers(config, record, removed)
    mastering, light = _grading([], split_samples[0], H264)
    return Coded("avc3" if moving else "avc1", record, units, removed, mastering, light)


def _counted(config: bytes, at: int, count: int) -> tuple[list[bytes], int]:
    found = []
    for _ in range(count):
        size = int.from_bytes(config[at : at + 2], "big")
        if at + 2 + size > len(config):
            raise CannotScrub("its set-up record is damaged")
        found.append(config[at + 2 : at + 2 + size])
        at += 2 + size
    return found, at


def _joined(units: list[bytes]) -> bytes:
    return b"".join(len(unit).to_bytes(2, "big") + unit for unit in units)


def _count_leftovers(config: bytes, record: bytes, removed: Counter[str]) -> None:
    if len(config) > len(record):
        removed["bytes in the set-up record"] += len(config) - len(record)


def scrub_hevc(config: bytes, samples: list[memoryview]) -> Coded:
    """Return an HEVC stream as slices with its VPS, SPS and PPS alone."""
    if len(config) < 23 or config[0] != 1:  # hvcC version 1
        raise CannotScrub("its HEVC set-up record (hvcC) is missing or damaged")
    sets: list[bytes] = []
    messages: list[bytes] = []
    at = 23
    for _ in range(config[22]):
        kind, count = config[at] & 63, int.from_bytes(config[at + 1 : at + 3], "big")
        found, at = _counted(config, at + 3, count)
        sets += found if kind in HEVC.parameters else []
        messages += found if kind in HEVC.sei else []
    split_samples = [list(split(sample, (config[21] & 3) + 1)) for sample in samples]
    units, sets, moving, removed = scrub(split_samples, sets, HEVC)
    by_kind = {
        kind: [unit for unit in sets if unit_type(unit, HEVC) == kind] for kind in HEVC.parameters
    }
    if not all(by_kind.values()):
        raise CannotScrub("it has no HEVC parameter sets")
    record = _hevc_header(config)
    for kind, found in by_kind.items():
        record += (
            bytes([(0 if moving else 0x80) | kind]) + len(found).to_bytes(2, "big") + _joined(found)
        )
    _count_leftovers(config, record, removed)
    mastering, light = _grading(messages, split_samples[0], HEVC)
    return Coded("hev1" if moving else "hvc1", record, units, removed, mastering, light)


def _hevc_header(config: bytes) -> bytes:
    """Return the fixed part of hvcC with reserved bits set, no frame rate, 4-byte lengths and three
    arrays.
    """
    fixed = bytes(
        [
            0xF0 | config[13],
            config[14],
            0xFC | config[15],
            0xFC | config[16],
            0xF8 | config[17],
            0xF8 | config[18],
        ]
    )
    return config[:13] + fixed + b"\0\0" + bytes([config[21] & 0x3C | 3, 3])
