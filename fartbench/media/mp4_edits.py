"""Edit lists of MP4 and MOV: which stretch of a track is shown, and when. No Django here.

Source: ISO/IEC 14496-12 §8.6.6. Where players agree on more than the standard says, they are
followed: frames that begin after the stretch does are shown from its beginning on (libavformat, and
browsers that use it).
"""

from fractions import Fraction
from itertools import pairwise
from struct import unpack_from
from typing import NamedTuple

from fartbench.media.boxes import BadBoxes, Box, Bytes, full
from fartbench.media.movie import Track

NORMAL_SPEED = 0x10000
NOTHING = -1
"""The media time by which a row says that nothing is shown."""
MOST_ROWS = 64
IN_PIECES = "its edit list cuts the clip into pieces or changes its speed"
ENDS_EMPTY = "its edit list ends with a stretch that shows nothing, which players show differently"
SHOWS_NOTHING = "its edit list shows nothing of it"
SOUND_IN_ROWS = (
    "its sound has an edit list of several rows, and players differ on how they put the rows "
    "together"
)
NO_LENGTH = (
    "its edit list says that it lasts for no time, and players differ on whether they show it"
)


class Row(NamedTuple):
    """One row: how long it lasts (movie ticks), the media time that it begins with (track ticks),
    and the speed.
    """

    length: int
    begin: int
    speed: int


def read_edits(data: Bytes, elst: Box | None, track: Track, clock: int) -> None:
    """Set the track's shift, begin and end from its edit list; ``clock`` is the movie's ticks a
    second.

    Followed are empty rows, then one stretch at normal speed, which may be written in several rows.
    Anything else is noted as an obstacle.
    """
    rows = [] if elst is None else _rows(data, elst)
    if not rows:
        return
    wait = 0
    while rows and rows[0].begin == NOTHING:
        wait += rows.pop(0).length
    if not rows:
        track.obstacle = SHOWS_NOTHING
        return
    track.obstacle = _obstacle(rows, track, clock) or track.obstacle
    length = Fraction(sum(row.length for row in rows), clock)
    first = _first_shown(rows[0].begin, track)
    track.begin = Fraction(wait, clock)
    track.shift = track.begin - Fraction(first, track.timescale)
    if length:
        track.end = track.begin + length - Fraction(first - rows[0].begin, track.timescale)


def _obstacle(rows: list[Row], track: Track, clock: int) -> str:
    """Return why no copy can follow the rows that are left behind the empty ones, empty when one
    can.
    """
    if track.samples and not any(row.length for row in rows):
        return NO_LENGTH  # in fragments, which come later, it means to the end
    if rows[-1].begin == NOTHING:
        return ENDS_EMPTY
    if len(rows) > MOST_ROWS or not _is_one_stretch(rows, track, clock):
        return IN_PIECES
    if track.kind == "audio" and len(rows) > 1:
        return SOUND_IN_ROWS  # libavformat plays what lies before the beginning of a row again
    return ""


def _rows(data: Bytes, elst: Box) -> list[Row]:
    """Return the rows without those that change nothing: empty ones of no length, and one of no
    length at the end.

    The only row that shows something is kept without a length as well: it says that the track is
    shown to its end, as programs write it that do not know yet how many fragments will follow.
    """
    version, _ = full(data, elst)
    (count,) = unpack_from(">I", data, elst.start + 4)
    layout, width = (">Qqi", 20) if version else (">Iii", 12)
    if elst.start + 8 + count * width > elst.end:
        raise BadBoxes("the “elst” table is cut off")
    most = min(count, MOST_ROWS + 1)
    rows = [
        Row(*unpack_from(layout, data, elst.start + 8 + index * width)) for index in range(most)
    ]
    rows = [row for row in rows if row.length or row.begin != NOTHING]
    while len(rows) > 1 and not rows[-1].length and rows[-2].begin != NOTHING:
        rows.pop()
    return rows


def _is_one_stretch(rows: list[Row], track: Track, clock: int) -> bool:
    """Say whether the rows follow each other in the media at normal speed.

    Players cut between frames only: a row that begins elsewhere than at a key frame is put together
    differently.
    """
    if any(row.speed != NORMAL_SPEED or row.begin < 0 for row in rows):
        return False
    keys = {sample.pts for sample in track.samples if sample.sync}
    if len(rows) > 1 and not rows[0].length:
        return False  # browsers flash a frame of it
    due = rows[0].begin
    for row, following in pairwise(rows):
        due += round(Fraction(row.length * track.timescale, clock))
        is_next = abs(following.begin - due) <= max(1, track.timescale // clock)
        if not is_next or (track.kind == "video" and following.begin not in keys):
            return False
    return True


def _first_shown(begin: int, track: Track) -> int:
    """Return the media time that is shown first: that of the first frame when it comes after
    ``begin``.
    """
    if track.kind != "video" or not track.samples:
        return begin
    return max(begin, min(sample.pts for sample in track.samples))
