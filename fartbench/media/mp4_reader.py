"""Reading MP4, MOV and fragmented MP4 into tracks of samples. No Django here.

Nothing outside the file is ever opened: a track that keeps its data elsewhere is refused.
"""

from pathlib import Path
from struct import error as struct_error
from struct import unpack_from

from fartbench.media.bounds import Bounds
from fartbench.media.boxes import BadBoxes, Box, Bytes, child, full, need, walk
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.movie import Movie, Sample, Track
from fartbench.media.mp4_display import Cells, read_cells, read_showing
from fartbench.media.mp4_edits import read_edits
from fartbench.media.mp4_entries import read_entries
from fartbench.media.mp4_priming import note_early_sound, note_priming, note_unlike_starts
from fartbench.media.mp4_tables import (
    Defaults,
    Fragment,
    read_defaults,
    read_fragments,
    read_tables,
    read_uncompressed,
)

SMALLEST_BOX = 8
FRAGMENTS_BEGIN = ("moof", "mdat", "styp", "sidx", "emsg", "prft")
SHOWN_EARLY = (
    "its fragments show frames before they are decoded, and players differ on how that lies to the "
    "sound"
)
_KINDS = {b"vide": "video", b"soun": "audio"}


def read_mp4(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    """Return the tracks of an MP4 or MOV file; raise NotAVideo or UnsafeMedia naming what is wrong
    with it.
    """
    try:
        return _read(path, data, bounds)
    except BadBoxes as fault:
        raise NotAVideo(path, f"is not a complete MP4 file: {fault}.") from fault
    except (struct_error, IndexError) as fault:
        raise NotAVideo(
            path, "is not a complete MP4 file: a field runs past the end of its box."
        ) from fault


def _read(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    top = list(walk(data, 0, len(data), bounds.boxes))
    moov = next((box for box in top if box.kind == "moov"), None)
    if moov is None:
        raise NotAVideo(
            path, "has no “moov” box, so it holds no movie (cut off, or another kind of file)."
        )
    ftyp = next((box for box in top if box.kind == "ftyp"), None)
    brand = bytes(data[ftyp.start : ftyp.start + 4]).decode("latin-1") if ftyp else "qt  "
    traks = [box for box in walk(data, moov.start, moov.end) if box.kind == "trak"]
    if len(traks) > bounds.tracks:
        raise UnsafeMedia(
            path, f"has {len(traks)} tracks; a clip may have at most {bounds.tracks}."
        )
    mvhd = need(data, moov, "mvhd")
    clock, turn = _movie_clock(data, mvhd), read_cells(data, mvhd, 64)
    quicktime = brand == "qt  "
    tracks = [
        _track(path, data, trak, clock=clock, turn=turn, quicktime=quicktime, bounds=bounds)
        for trak in traks
    ]
    moofs = [box for box in top if box.kind == "moof"]
    if (
        moofs
        and top[-1].kind != "mfra"
        and _may_begin_a_fragment(bytes(data[top[-1].end :][:SMALLEST_BOX]))
    ):
        raise BadBoxes("its last box is cut off")
    _add_fragments(data, moofs, tracks, read_defaults(data, moov), bounds)
    note_priming(data, moov, tracks)
    note_early_sound(tracks)
    note_unlike_starts(tracks, has_fragments=bool(moofs))
    _tell_films_from_covers(tracks)
    return Movie("mov" if brand == "qt  " else "mp4", brand, tracks)


def _tell_films_from_covers(tracks: list[Track]) -> None:
    """Take a track of still pictures for the film when a file has no other picture and it holds
    more than one.
    """
    pictures = [track for track in tracks if track.kind == "video"]
    if all(track.attached for track in pictures):
        for track in pictures:
            track.attached = len(track.samples) <= 1


def _may_begin_a_fragment(tail: bytes) -> bool:
    """Say whether a few bytes behind the last box may be what is left of another fragment's first
    box.

    Its size is below 16 MB, so it begins with a zero; four zeros are no size of such a box.
    """
    if not tail or len(tail) == SMALLEST_BOX or tail[0]:
        return False
    name = tail[4:].decode("latin-1")
    return tail[:4] != bytes(4) and any(kind.startswith(name) for kind in FRAGMENTS_BEGIN)


def _movie_clock(data: Bytes, mvhd: Box) -> int:
    version, _ = full(data, mvhd)
    return _timescale(unpack_from(">I", data, mvhd.start + (20 if version else 12))[0], "movie")


def _timescale(value: int, what: str) -> int:
    if not 1 <= value < 1 << 31:
        raise BadBoxes(f"the {what}'s clock says {value} ticks a second")
    return value


def _track(
    path: Path, data: Bytes, trak: Box, *, clock: int, turn: Cells, quicktime: bool, bounds: Bounds
) -> Track:
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
    minf = need(data, mdia, "minf")
    _refuse_outside_data(path, data, minf)
    stbl = need(data, minf, "stbl")
    uncompressed = read_uncompressed(data, stbl, bounds) if kind == "audio" else None
    track.samples, used = uncompressed or read_tables(data, stbl, bounds)
    read_entries(data, need(data, stbl, "stsd"), track, used or {1}, quicktime)
    if track.kind == "video":
        read_showing(data, trak, tkhd, turn, track)
    read_edits(data, child(data, trak, "edts", "elst"), track, clock)
    return track


def _refuse_outside_data(path: Path, data: Bytes, minf: Box) -> None:
    dref = child(data, minf, "dinf", "dref")
    if dref is None:
        return
    for entry in walk(data, dref.start + 8, dref.end, limit=64):
        if not full(data, entry)[1] & 1:
            raise UnsafeMedia(
                path,
                "keeps its picture or sound in another file (an external data reference). Export "
                "it as one file that holds everything.",
            )


def _add_fragments(
    data: Bytes, moofs: list[Box], tracks: list[Track], trex: dict[int, Defaults], bounds: Bounds
) -> None:
    """Add the samples of the fragments to their tracks.

    Frames that are shown before their decoding time are an obstacle beside sound: libavformat moves
    all frames by the largest such step, other players none.
    """
    shown = {track.number: track for track in tracks if track.kind != "other"}
    clocks = {
        number: sum(sample.duration for sample in track.samples) for number, track in shown.items()
    }
    has_sound = any(track.kind == "audio" for track in tracks)
    for fragment in (found for moof in moofs for found in read_fragments(data, moof, trex, bounds)):
        track = shown.get(fragment.track)
        if track is None:
            continue
        now = clocks[fragment.track] if fragment.start is None else fragment.start
        clocks[fragment.track] = _add_samples(track, fragment, now)
        if len(track.samples) > bounds.samples:
            raise BadBoxes(f"over {bounds.samples} samples in one track")
        if has_sound and track.kind == "video" and any(row[3] < 0 for row in fragment.rows):
            track.obstacle = SHOWN_EARLY
    for track in shown.values():
        _lengthen_last(track)


def _add_samples(track: Track, fragment: Fragment, now: int) -> int:
    """Add a fragment's samples, the first of which is decoded ``now`` (track ticks); return when
    the last one ends.

    How long an edit list shows the track was written before the fragments were: players show them
    all.
    """
    track.end = None
    for offset, size, duration, shift, sync in fragment.rows:
        track.samples.append(Sample(offset, size, now + shift, duration, sync))
        now += duration
    return now


def _lengthen_last(track: Track) -> None:
    """Let a last sample that lasts for no time last as long as the one before it."""
    if len(track.samples) > 1 and not track.samples[-1].duration:
        track.samples[-1] = track.samples[-1]._replace(duration=track.samples[-2].duration)
