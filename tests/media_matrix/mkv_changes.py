"""What is changed by hand in Matroska files, by name: turns, shapes, crops, lacing and block
times.
"""

from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from struct import pack

from tests.media_matrix import elements as ids
from tests.media_matrix.elements import Block, Element, MkvFile, read_block

Change = Callable[[MkvFile], None]
PICTURE, SOUND = 1, 2
FIXED, XIPH, EBML = 2, 1, 3
"""The kinds of lacing, as a block's flags number them."""
ROLL, POSE, SHOWN_WIDTH, SHOWN_HEIGHT, SHOWN_UNIT = 0x7675, 0x7671, 0x54B0, 0x54BA, 0x54B2
CROP = {"bottom": 0x54AA, "top": 0x54BB, "left": 0x54CC, "right": 0x54DD}


def roll(degrees: float) -> Change:
    """Return a change that turns the picture counter-clockwise by degrees."""

    def change(file: MkvFile) -> None:
        video = _video(file)
        video.drop(ids.PROJECTION)
        kind = Element(POSE, b"\0")
        assert video.inside is not None
        video.inside.append(
            Element(ids.PROJECTION, b"", [kind, Element(ROLL, pack(">d", degrees))])
        )

    return change


def _video(file: MkvFile) -> Element:
    video = file.track(PICTURE).first(ids.VIDEO)
    assert video is not None
    return video


def shown(width: int, height: int, unit: int = 0) -> Change:
    """Return a change of the display size; units are 0 pixels, 1 cm, 2 inches, 3 aspect ratio, 4
    unknown.
    """

    def change(file: MkvFile) -> None:
        video = _video(file)
        video.put(SHOWN_WIDTH, width.to_bytes(2, "big"))
        video.put(SHOWN_HEIGHT, height.to_bytes(2, "big"))
        video.put(SHOWN_UNIT, bytes([unit]))

    return change


def no_shown_size(file: MkvFile) -> None:
    """Take the display size out."""
    _video(file).drop(SHOWN_WIDTH, SHOWN_HEIGHT, SHOWN_UNIT)


def crop(**sides: int) -> Change:
    """Return a change that cuts pixels off the sides of the picture."""

    def change(file: MkvFile) -> None:
        for side, pixels in sides.items():
            _video(file).put(CROP[side], bytes([pixels]))

    return change


def moved(kind: int, *by: int) -> Change:
    """Return a change of the times of a kind's blocks by milliseconds, one after the other and
    again from the first.
    """

    def change(file: MkvFile) -> None:
        number, count = file.track(kind).number(0xD7), 0
        for cluster, holder, block in _blocks(file):
            if block.track == number:
                block.time = max(block.time + by[count % len(by)], cluster.number(ids.TIMESTAMP))
                holder.body = block.written(cluster.number(ids.TIMESTAMP))
                count += 1

    return change


def _blocks(file: MkvFile) -> list[tuple[Element, Element, Block]]:
    """Return each block with its cluster and the element that holds it."""
    blocks = []
    for cluster in file.clusters():
        time = cluster.number(ids.TIMESTAMP)
        for child in cluster.inside or []:
            holder = child.first(ids.BLOCK) if child.ident == ids.BLOCK_GROUP else child
            if holder is not None and holder.ident in (ids.SIMPLE_BLOCK, ids.BLOCK):
                blocks.append((cluster, holder, read_block(holder, time)))
    return blocks


def laced(kind: int, count: int) -> Change:
    """Return a change that puts several sound packets into one block."""

    def change(file: MkvFile) -> None:
        number = file.track(SOUND).number(0xD7)
        for cluster in file.clusters():
            _lace_cluster(cluster, number, kind, count)

    return change


def _lace_cluster(cluster: Element, number: int, kind: int, count: int) -> None:
    time = cluster.number(ids.TIMESTAMP)
    written: list[Element] = []
    packets: list[Block] = []
    for child in cluster.inside or []:
        block = read_block(child, time) if child.ident == ids.SIMPLE_BLOCK else None
        if block is None and packets:  # nothing overtakes a packet that waits
            written.append(_one_block(packets, kind, time))
            packets = []
        if block is None or block.track != number:
            written.append(child)
            continue
        packets.append(block)
        is_even = kind != FIXED or len({len(packet.payload) for packet in packets}) == 1
        if len(packets) == count or not is_even:
            whole = packets if is_even else packets[:-1]
            written.append(_one_block(whole, kind, time))
            packets = [] if is_even else packets[-1:]
    if packets:
        written.append(_one_block(packets, kind, time))
    cluster.inside = written


def _one_block(packets: list[Block], kind: int, cluster_time: int) -> Element:
    first = packets[0]
    if len(packets) > 1:
        payloads = [packet.payload for packet in packets]
        sizes = _sizes(payloads, kind)
        body = bytes([len(packets) - 1]) + sizes + b"".join(payloads)
        first = Block(first.track, first.time, first.flags | kind << 1, body)
    return Element(ids.SIMPLE_BLOCK, first.written(cluster_time))


def _sizes(payloads: list[bytes], kind: int) -> bytes:
    lengths = [len(payload) for payload in payloads[:-1]]
    if kind == FIXED:
        return b""
    if kind == XIPH:
        return b"".join(b"\xff" * (length // 255) + bytes([length % 255]) for length in lengths)
    steps = [b - a for a, b in pairwise(lengths)]
    first = (lengths[0] | 1 << 14).to_bytes(2, "big")
    return first + b"".join((step + (1 << 13) - 1 | 1 << 14).to_bytes(2, "big") for step in steps)


def sound_number(ident: int, value: int | None) -> Change:
    """Return a change of a number of the sound's track entry; None takes it out."""

    def change(file: MkvFile) -> None:
        entry = file.track(SOUND)
        entry.drop(ident)
        if value is not None:
            entry.put(ident, value.to_bytes(8, "big"))

    return change


def rate_says(hertz: float) -> Change:
    """Return a change of the sampling frequency that the sound's entry says."""

    def change(file: MkvFile) -> None:
        audio = file.track(SOUND).first(ids.AUDIO)
        assert audio is not None
        audio.put(0xB5, pack(">d", hertz))

    return change


def behind(file: MkvFile) -> None:
    """Put bytes behind the segment that are no element."""
    file.top.append(Element(0xEC, b"text behind the segment"))


def joined(file: MkvFile) -> None:
    """Put the whole file behind itself."""
    file.top += deepcopy(file.top)


def no_default_durations(file: MkvFile) -> None:
    """Take the usual length of a frame and of a packet out."""
    for kind in (PICTURE, SOUND):
        file.track(kind).drop(ids.DEFAULT_DURATION)


DEFAULT, ENABLED = 0x88, 0xB9
CHANGES: dict[str, Change] = {
    **{f"roll {degrees}": roll(degrees) for degrees in (90, -90, 180, -180, 270, 45)},
    "shown 320x90": shown(320, 90),
    "shown 160x180": shown(160, 180),
    "shown 320x180": shown(320, 180),
    "shown 2:1 as a ratio": shown(32, 9, unit=3),
    "shown in centimetres": shown(32, 9, unit=1),
    "shown in unknown units": shown(32, 9, unit=4),
    "no shown size": no_shown_size,
    "crop left half": crop(left=80),
    "crop top and bottom": crop(top=10, bottom=10),
    "real-clock sound": moved(SOUND, 0, 4, -3, 2, 5, -4),
    "real-clock picture": moved(PICTURE, 0, 3, 7, -5, 1),
    "Xiph lacing": laced(XIPH, 4),
    "EBML lacing": laced(EBML, 4),
    "fixed lacing": laced(FIXED, 3),
    "no codec delay": sound_number(ids.CODEC_DELAY, None),
    "codec delay 0.1 s": sound_number(ids.CODEC_DELAY, 100_000_000),
    "rate says 24000": rate_says(24_000),
    "rate says 44100": rate_says(44_100),
    "no default durations": no_default_durations,
    "bytes behind": behind,
    "joined to itself": joined,
    "sound disabled": sound_number(ENABLED, 0),
    "sound not default": sound_number(DEFAULT, 0),
}  # fmt: skip
