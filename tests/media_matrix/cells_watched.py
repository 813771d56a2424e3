"""The cells that are watched in Chromium: some of every kind that it plays, since playing takes
real time.
"""

from collections.abc import Sequence

from tests.media_matrix.cell import Cell
from tests.media_matrix.cells_codecs import codec_cells
from tests.media_matrix.cells_picture import picture_cells
from tests.media_matrix.cells_sound import sound_cells

CODECS = (
    "mp4, h264, aac", "mp4, vp9, aac", "mp4, av1, aac", "mp4, h264, opus", "mp4, h264, mp3",
    "mov, h264, aac",
    "mp4 fragmented, h264, aac", "mp4 cmaf, h264, opus", "mp4 negative offsets, h264, aac",
    "mkv, h264, aac",
    "mkv, h264, mp3", "webm, vp9, opus", "webm, av1, opus", "mp4 from mkv, h264, aac",
    "mp4 from flv, h264, aac",
    "mp4 from ts, h264, aac", "mp4 from mkvmerge, h264, aac", "mkv by mkvmerge from mp4, h264, aac",
    "webm by mkvmerge, vp9, opus", "mp4, h264, silent",
)  # fmt: skip
SOUNDS = (
    "mp4, h264, aac mono", "mp4, h264, aac 5.1", "mp4, h264, aac 7.1", "mkv, h264, opus 5.1",
    "mp4, h264, opus 7.1",
    "mp4, h264, aac 8000 Hz", "mp4, h264, aac 44100 Hz", "mp4, h264, aac 96000 Hz",
    "mp4 late picture, h264, aac",
    "mp4 late sound, h264, aac", "mkv late picture, h264, aac", "webm late sound, vp9, opus",
    "mp4 fragmented late picture, h264, aac", "mp4 early sound, h264, aac",
    "mp4, h264, aac, sound edit hides 0.2 s", "mp4, h264, aac, entry rate 0", "mp4, h264, aac, "
                                                                              "entry rate 24000",
    "mp4, h264, aac 96000 Hz, entry rate 24000", "mp4, h264, aac, sound matrix zero",
    "mkv, h264, aac, Xiph lacing",
    "webm, vp9, opus, EBML lacing", "mkv, h264, aac, real-clock sound", "webm, vp9, opus, "
                                                                        "real-clock sound",
    "mp4 two sounds, second default, h264, aac", "mkv two sounds, second default, h264, aac",
)  # fmt: skip
PICTURES = (
    "mp4, h264, aac, track 90", "mp4, h264, aac, track 180", "mp4, h264, aac, track 270",
    "mp4, h264, aac, movie 90", "mov, h264, aac, movie 180", "mp4, h264, aac, track zero",
    "mp4, h264, aac, movie zero", "mkv, h264, aac, roll 90", "webm, vp9, opus, roll -90",
    "mp4, h264, aac, track 90, movie 90", "mp4, h264, aac, track size 320x90", "mp4, h264, aac, "
                                                                               "track size 160x180",
    "mp4, h264, aac, track size with fractions", "mp4, h264, aac, pasp 2:1", "mp4, h264, aac, pasp "
                                                                             "1:2",
    "mp4, h264 wide bits, aac", "mp4, h264 wide bits, aac, pasp 1:1", "mp4, h264 wide bits, aac, "
                                                                      "no pasp",
    "mp4, vp9 wide, aac", "mp4, av1 wide, aac", "mkv, h264, aac, shown 320x90",
    "mkv, h264, aac, shown 2:1 as a ratio", "mkv, h264, aac, shown in centimetres",
    "mp4, h264, aac, edit hides the first group", "mp4, h264, aac, two empty edits",
    "mp4, h264, aac, last frame lasts 0", "mp4, h264, aac, signed offsets", "mp4, h264 1 frame, "
                                                                            "aac",
    "mp4, h264 1 fps, aac", "mp4, h264 ntsc, aac", "mp4, h264 60 fps, aac", "mp4, h264 odd size, "
                                                                            "aac",
    "mp4, h264 444, aac", "mp4, vp9 10 bit, aac", "mp4, h264, aac, stts too long",
    "mp4, h264, aac, text behind",
)  # fmt: skip


ALONE = (
    "mkv cut from mp4, h264 open groups, aac", "mp4, h264 open groups, aac",
    "mkv, h264 open groups, aac", "mkv late sound, h264, aac",
)  # fmt: skip
"""Clips that Chromium does not play, or not where it seeks, and of which it plays the copies."""


def watched_cells() -> list[Cell]:
    """Return the cells that are watched, clip beside copy."""
    return _named((*CODECS, *SOUNDS, *PICTURES))


def cells_watched_alone() -> list[Cell]:
    """Return the cells of which the copy alone is watched."""
    return _named(ALONE)


def _named(names: Sequence[str]) -> list[Cell]:
    by_name = {
        cell.name: cell
        for cell in (*codec_cells(), *sound_cells(full=True), *picture_cells(full=True))
    }
    return [by_name[name] for name in names]
