"""Reading MP4, MOV and fragmented MP4 into tracks of samples. No Django here.

Nothing outside the file is ever opened: a track that keeps its data elsewhere is refused.
"""

from fractions import Fraction
from pathlib import Path
from struct import error as struct_error
from struct import unpack_from

from fartbench.media.bounds import Bounds
from fartbench.media.boxes import BadBoxes, Box, Bytes, child, full, need, walk
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.movie import Movie, Sample, Track
from fartbench.media.mp4_entries import read_entries
from fartbench.media.mp4_tables import Defaults, read_defaults, read_fragments, read_tables

_KINDS = {b"vide": "video", b"soun": "audio"}
HALF = 2
"""Of the four cells of a quarter turn, this many are zero."""
_UNIT = {0x10000: 1, 0: 0, 0xFFFF0000: -1}


def read_mp4(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    """Return the tracks of an MP4 or MOV file; raise NotAVideo or UnsafeMedia naming what is wrong with it."""
    try:
        return _read(path, data, bounds)
    except BadBoxes as fault:
        raise NotAVideo(path, f"is no whole MP4 file: {fault}.") from fault
    except (struct_error, IndexError) as fault:
        raise NotAVideo(path, "is no whole MP4 file: a field runs past the end of its box.") from fault


def _read(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    top = list(walk(data, 0, len(data), bounds.boxes))
    moov = next((box for box in top if box.kind == "moov"), None)
    if moov is None:
        raise NotAVideo(path, "has no “moov” box, so it holds no movie (cut off, or another kind of file).")
    ftyp = next((box for box in top if box.kind == "ftyp"), None)
    brand = bytes(data[ftyp.start : ftyp.start + 4]).decode("latin-1") if ftyp else "qt  "
    traks = [box for box in walk(data, moov.start, moov.end) if box.kind == "trak"]
    if len(traks) > bounds.tracks:
        raise UnsafeMedia(path, f"has {len(traks)} tracks; a clip may have at most {bounds.tracks}.")
    clock = _movie_clock(data, need(data, moov, "mvhd"))
    tracks = [_track(path, data, trak, clock=clock, quicktime=brand == "qt  ", bounds=bounds) for trak in traks]
    _add_fragments(data, [box for box in top if box.kind == "moof"], tracks, read_defaults(data, moov), bounds)
    return Movie("mov" if brand == "qt  " else "mp4", brand, tracks)


def _movie_clock(data: Bytes, mvhd: Box) -> int:
    version, _ = full(data, mvhd)
    return _timescale(unpack_from(">I", data, mvhd.start + (20 if version else 12))[0], "movie")


def _timescale(value: int, what: str) -> int:
    if not 1 <= value < 1 << 31:
        raise BadBoxes(f"the {what}'s clock says {value} ticks a second")
    return value


def _track(path: Path, data: Bytes, trak: Box, *, clock: int, quicktime: bool, bounds: Bounds) -> Track:
    tkhd = need(data, trak, "tkhd")
    version, flags = full(data, tkhd)
    (number,) = unpack_from(">I", data, tkhd.start + (20 if version else 12))
    mdia = need(data, trak, "mdia")
    mdhd = need(data, mdia, "mdhd")
    mdhd_version, _ = full(data, mdhd)
    (timescale,) = unpack_from(">I", data, mdhd.start + (20 if mdhd_version else 12))
    hdlr = need(data, mdia, "hdlr")
    kind = _KINDS.get(bytes(data[hdlr.start + 8 : hdlr.start + 12]), "other")
    track = Track(number, kind, "", 1)
    track.enabled = bool(flags & 1)
    if kind == "other":
        return track
    track.timescale = _timescale(timescale, "track")
    track.matrix = _matrix(data, tkhd, track)
    minf = need(data, mdia, "minf")
    _refuse_outside_data(path, data, minf)
    stbl = need(data, minf, "stbl")
    track.samples, used = read_tables(data, stbl, bounds)
    read_entries(data, need(data, stbl, "stsd"), track, used or {1}, quicktime)
    _edits(data, child(data, trak, "edts", "elst"), track, clock)
    return track


def _matrix(data: Bytes, tkhd: Box, track: Track) -> tuple[int, ...]:
    at = tkhd.end - 44
    a, b, _, c, d = unpack_from(">5I", data, at)
    cells = [_UNIT.get(value) for value in (a, b, c, d)]
    if None in cells or cells.count(0) != HALF or bool(cells[0]) != bool(cells[3]):
        track.obstacle = "the picture is turned or scaled by other than quarter turns"
        return (1, 0, 0, 1)
    return tuple(cell for cell in cells if cell is not None)


def _refuse_outside_data(path: Path, data: Bytes, minf: Box) -> None:
    dref = child(data, minf, "dinf", "dref")
    if dref is None:
        return
    for entry in walk(data, dref.start + 8, dref.end, limit=64):
        if not full(data, entry)[1] & 1:
            raise UnsafeMedia(path, "keeps its picture or sound in another file (an external data reference).")


def _edits(data: Bytes, elst: Box | None, track: Track, clock: int) -> None:
    """Set the track's shift, begin and end from its edit list: empty edits, then one stretch at normal speed."""
    if elst is None:
        return
    version, _ = full(data, elst)
    (count,) = unpack_from(">I", data, elst.start + 4)
    layout, width = (">Qqi", 20) if version else (">Iii", 12)
    if elst.start + 8 + count * width > elst.end:
        raise BadBoxes("the “elst” table is cut off")
    rows = [unpack_from(layout, data, elst.start + 8 + index * width) for index in range(min(count, 64))]
    start = 0
    while rows and rows[0][1] == -1:
        start += rows.pop(0)[0]
    if not rows:
        return
    length, media_time, rate = rows[0]
    if count > 64 or any(row[0] for row in rows[1:]) or rate != 0x10000 or media_time < 0:
        track.obstacle = "its edit list cuts the clip into pieces or changes its speed"
    track.begin = Fraction(start, clock)
    track.shift = track.begin - Fraction(media_time, track.timescale)
    if length:
        track.end = track.begin + Fraction(length, clock)


def _add_fragments(
    data: Bytes, moofs: list[Box], tracks: list[Track], trex: dict[int, Defaults], bounds: Bounds
) -> None:
    by_number = {track.number: track for track in tracks}
    clocks = {track.number: sum(sample.duration for sample in track.samples) for track in tracks}
    for moof in moofs:
        for fragment in read_fragments(data, moof, trex, bounds):
            track = by_number.get(fragment.track)
            if track is None or track.kind == "other":
                continue
            now = clocks[fragment.track] if fragment.start is None else fragment.start
            for offset, size, duration, shift, sync in fragment.rows:
                track.samples.append(Sample(offset, size, now + shift, duration, sync))
                now += duration
            clocks[fragment.track] = now
            if len(track.samples) > bounds.samples:
                raise BadBoxes(f"over {bounds.samples} samples in one track")
