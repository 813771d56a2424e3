"""The cells of which a normalised copy is made: one of every kind of clip, and of every kind that
is not copied.
"""

from tests.media_matrix.cell import Cell
from tests.media_matrix.cells_codecs import codec_cells
from tests.media_matrix.cells_picture import picture_cells
from tests.media_matrix.cells_sound import sound_cells

NOT_COPIED = (
    "webm, vp8, opus", "mkv, h264, vorbis", "mkv, h264, flac", "mov, h264, pcm", "mkv, h264, ac3",
    "mkv, h264, pcm", "mkv, h264, pcm 5.1", "mkv, h264, pcm 7.1", "mkv by mkvmerge, h264, alac",
    "mov, prores, aac", "mp4, mjpeg, aac",
)  # fmt: skip
COPIED = (
    "mp4, h264, aac", "mp4 late picture, h264, aac", "mkv late picture, h264, aac",
    "webm late sound, vp9, opus",
    "mp4, h264, aac, track 90", "mkv, h264, aac, roll 90", "mp4, h264, aac, movie mirrored",
    "mp4, h264, aac, pasp 2:1",
    "mp4, h264, aac, track 90, pasp 2:1", "mkv, h264, aac, shown 320x90", "mp4, h264 wide bits, "
                                                                          "aac, pasp 1:1",
    "mp4, h264, aac, edit hides the first group", "mp4, h264 1 fps, aac", "mp4, h264 60 fps, aac",
    "mp4, h264, aac 7.1",
    "mp4, h264, silent",
)  # fmt: skip


def normalised_cells() -> list[Cell]:
    """Return the cells that are normalised."""
    by_name = {
        cell.name: cell
        for cell in (*codec_cells(), *sound_cells(full=True), *picture_cells(full=True))
    }
    return [by_name[name] for name in (*NOT_COPIED, *COPIED)]
