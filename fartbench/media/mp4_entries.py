"""Sample entries: which codec a track holds and how it is set up. No Django here.

Sources: ISO/IEC 14496-12 §12, 14496-14 (esds), 14496-15 (avcC, hvcC), the AV1, VP9 and Opus
bindings, QuickTime File Format.
"""

from struct import unpack_from

from fartbench.media.boxes import BadBoxes, Box, Bytes, walk
from fartbench.media.movie import Track
from fartbench.media.mp4_display import read_display_boxes

VIDEO = {
    "avc1": ("h264", "avcC"),
    "avc3": ("h264", "avcC"),
    "hvc1": ("hevc", "hvcC"),
    "hev1": ("hevc", "hvcC"),
    "av01": ("av1", "av1C"),
    "vp09": ("vp9", "vpcC"),
    "vp08": ("vp8", "vpcC"),
    "jpeg": ("mjpeg", ""),
    "mjpa": ("mjpeg", ""),
    "mjpb": ("mjpeg", ""),
}
AUDIO = {"mp4a": "esds", ".mp3": "", "Opus": "dOps"}
OBJECT_TYPES = {
    0x40: "aac",
    0x66: "aac",
    0x67: "aac",
    0x68: "aac",
    0x69: "mp3",
    0x6B: "mp3",
    0xDD: "vorbis",
}
PICTURES = {"jpeg", "mjpa", "mjpb", "png ", "gif ", "tiff"}


def read_entries(data: Bytes, stsd: Box, track: Track, used: set[int], quicktime: bool) -> None:
    """Set the track's codec, set-up record and size or rate; note as its obstacle what a copy
    cannot carry.
    """
    entries = list(walk(data, stsd.start + 8, stsd.end, limit=64))
    if not entries or max(used) > len(entries):
        raise BadBoxes("a track has no sample description")
    distinct = {bytes(data[entries[number - 1].start : entries[number - 1].end]) for number in used}
    if len(distinct) > 1:
        track.obstacle = "its coding changes half-way (several sample descriptions)"
    entry = entries[min(used) - 1]
    if track.kind == "video":
        _video(data, entry, track)
    else:
        _audio(data, entry, track, quicktime)
    if any(box.kind == "sinf" for box in _inner(data, entry, 78 if track.kind == "video" else 28)):
        track.obstacle = "it is encrypted"


def _inner(data: Bytes, entry: Box, skip: int) -> list[Box]:
    """Return the boxes inside an entry; QuickTime may end the list with zero bytes."""
    found: list[Box] = []
    try:
        for box in walk(data, entry.start + skip, entry.end, limit=64):
            found.append(box)  # noqa: PERF402 - what was found before a fault is kept
    except BadBoxes:
        return found
    return found


def _video(data: Bytes, entry: Box, track: Track) -> None:
    track.codec, record = VIDEO.get(entry.kind, (entry.kind.strip(), ""))
    track.attached = entry.kind in PICTURES and len(track.samples) <= 1  # more of them are a film
    track.width, track.height = unpack_from(">HH", data, entry.start + 24)
    inside = _inner(data, entry, 78)
    for box in inside:
        if box.kind == record:
            track.config = bytes(data[box.start : box.end])
    read_display_boxes(data, inside, track)


def _audio(data: Bytes, entry: Box, track: Track, quicktime: bool) -> None:
    version, channels, rate = unpack_from(">H6xH6xI", data, entry.start + 8)
    track.channels, track.sample_rate = channels, rate >> 16
    skip = 28
    if quicktime and version == 1:
        skip = 44
    elif quicktime and version == 2:  # QuickTime's second layout
        skip = 64
        exact, track.channels = unpack_from(">dI", data, entry.start + 32)
        track.sample_rate = int(exact) if 0 < exact < 1e6 else 0
    track.codec = entry.kind.strip(" .")
    inside = _inner(data, entry, skip)
    for wave in [box for box in inside if box.kind == "wave"]:
        inside += _inner(data, wave, 0)
    record = AUDIO.get(entry.kind)
    found = next((box for box in inside if box.kind == record), None)
    if entry.kind == "mp4a":
        if found is None:
            raise BadBoxes("an “mp4a” track has no “esds” box")
        track.codec, track.config = read_esds(bytes(data[found.start + 4 : found.end]))
    elif entry.kind == "Opus" and found is not None:
        track.codec, track.config = "opus", bytes(data[found.start : found.end])


def read_esds(record: bytes) -> tuple[str, bytes]:
    """Return the codec and its AudioSpecificConfig from an elementary stream descriptor (ISO/IEC
    14496-1 §7.2.6).
    """
    tag, start, end = _descriptor(record, 0, len(record))
    if tag != 3:  # ES_Descriptor
        raise BadBoxes("the “esds” box holds no elementary stream descriptor")
    flags = record[start + 2]
    at = start + 3 + (2 if flags & 0x80 else 0) + (2 if flags & 0x20 else 0)
    if flags & 0x40:
        at += 1 + record[at]
    tag, start, end = _descriptor(record, at, end)
    if tag != 4:  # DecoderConfigDescriptor
        raise BadBoxes("the “esds” box holds no decoder set-up")
    codec = OBJECT_TYPES.get(record[start], f"mp4a.{record[start]:02x}")
    if start + 13 >= end:
        return codec, b""
    tag, start, end = _descriptor(record, start + 13, end)
    return codec, record[start:end] if tag == 5 else b""  # DecoderSpecificInfo


def _descriptor(record: bytes, at: int, limit: int) -> tuple[int, int, int]:
    if at + 2 > limit:
        raise BadBoxes("the “esds” box is cut off")
    tag, size = record[at], 0
    for index in range(1, 5):
        if at + index >= limit:
            raise BadBoxes("the “esds” box is cut off")
        size = size << 7 | record[at + index] & 0x7F
        if not record[at + index] & 0x80:
            break
    start = at + index + 1
    if start + size > limit:
        raise BadBoxes("the “esds” box is cut off")
    return tag, start, start + size
