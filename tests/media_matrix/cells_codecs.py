"""Cells of what holds what: every container and program with every codec that it takes, and codecs
with each other.
"""

from dataclasses import replace
from itertools import product

from tests.media_matrix.cell import Cell, Shown

MP4_PICTURES = ("h264", "hevc", "vp9", "av1")
MP4_SOUNDS = ("aac", "opus", "mp3", "flac", "pcm", "alac", "ac3", "eac3")
ALL_PICTURES = ("h264", "hevc", "vp8", "vp9", "av1")
ALL_SOUNDS = ("aac", "opus", "mp3", "vorbis", "flac", "pcm", "alac", "ac3", "eac3")
WEBM = (("vp9", "vp8", "av1"), ("opus", "vorbis"))
MP4 = (MP4_PICTURES, MP4_SOUNDS)
MKV = (ALL_PICTURES, ALL_SOUNDS)
MOV = (("h264", "hevc", "mpeg4", "mjpeg", "prores"), ("aac", "mp3", "pcm", "alac", "ac3"))
HOLDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "mp4": (("h264", "hevc", "hevc hev1", "vp9", "av1", "mpeg4", "mjpeg"), MP4_SOUNDS),
    "mp4 faststart": MP4,
    "mp4 fragmented": MP4,
    "mp4 fragmented old": (MP4_PICTURES, ("aac", "opus", "mp3", "flac", "pcm")),
    "mp4 cmaf": (MP4_PICTURES, ("aac", "opus", "mp3")),
    "mp4 negative offsets": (("h264", "hevc"), ("aac", "opus")),
    "mp4 no edits": (MP4_PICTURES, ("aac", "opus", "mp3")),
    "mov": MOV,
    "mkv": (("h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mjpeg", "prores"), ALL_SOUNDS),
    "mkv short clusters": (ALL_PICTURES, ("aac", "opus")),
    "webm": WEBM,
    "webm live": WEBM,
    "mp4 from mkv": (MP4_PICTURES, ("aac", "opus", "mp3", "flac")),
    "mp4 from webm": (("vp9", "av1"), ("opus",)),
    "mp4 from mkvmerge": (MP4_PICTURES, ("aac", "opus", "mp3")),
    "mp4 from flv": (("h264",), ("aac", "mp3")),
    "mp4 from ts": (("h264", "hevc"), ("aac",)),
    "mp4 from fragments": (MP4_PICTURES, ("aac", "opus")),
    "fragments from mkv": (MP4_PICTURES, ("aac", "opus", "mp3")),
    "mov from mkv": (("h264", "hevc"), ("aac", "mp3", "pcm")),
    "mkv from mp4": (MP4_PICTURES, ("aac", "opus", "mp3")),
    "mkv from fragments": (MP4_PICTURES, ("aac", "opus")),
    "mkv by mkvmerge": (
        ALL_PICTURES,
        ("aac", "opus", "mp3", "vorbis", "flac", "pcm", "alac", "ac3", "eac3"),
    ),
    "mkv by mkvmerge from mp4": (MP4_PICTURES, ("aac", "opus", "mp3")),
    "mkv by mkvmerge from mov": (("h264", "hevc"), ("aac", "mp3", "pcm")),
    "mkv by mkvmerge unlaced": (("h264",), ("aac", "opus", "mp3")),
    "mkv by mkvmerge, durations": (("h264",), ("aac", "opus", "mp3")),
    "webm by mkvmerge": WEBM,
}
"""Which pictures and sounds each writer takes; the first of both are its usual ones."""

PICTURE_WORDS = "browsers do not play {} pictures in MP4"
REFUSED = {
    "vp8": PICTURE_WORDS.format("vp8"), "mpeg4": "browsers do not play", "mjpeg": "browsers do not "
                                                                                  "play",
    "prores": "browsers do not play", "vorbis": "not every browser plays vorbis sound in MP4",
    "pcm": "not every browser plays PCM sound in MP4", "alac": "not every browser plays ALAC sound "
                                                               "in MP4",
    "ac3": "not every browser plays AC-3 sound in MP4", "eac3": "not every browser plays E-AC-3 "
                                                                "sound in MP4",
    "flac": "FLAC sound is not carried over, since it may hold more than sound",
}  # fmt: skip
"""What is said of a codec that a copy does not carry over; of two, the picture's is said."""


WITHOUT_EDITS = ("mp4 fragmented old", "mp4 no edits")
FROM_MP4_BY_MKVMERGE = (
    "mkv by mkvmerge from mp4",
    "mkv by mkvmerge unlaced",
    "mkv by mkvmerge, durations",
)
REFUSED_IN = {
    (writer, "mp3"): "players differ on how much of the beginning of its sound they hide"
    for writer in ("mp4 fragmented", "mp4 cmaf", "fragments from mkv")
}


def coded(writer: str, picture: str, sound: str) -> Cell:
    """Return a cell without hand-made changes."""
    words = REFUSED.get(picture) or REFUSED.get(sound) or REFUSED_IN.get((writer, sound), "")
    return Cell(writer, picture, sound, shown=_shown(writer, picture, sound), refused=words)


def _shown(writer: str, picture: str, sound: str) -> Shown:
    if writer in WITHOUT_EDITS and picture in ("vp9", "av1"):
        return Shown(
            frame_slack_ms=24
        )  # ffmpeg lets the first frame last longer for the sound to begin before it
    if writer in FROM_MP4_BY_MKVMERGE and sound == "opus":
        return Shown(beep_ms=-6.5)  # mkvmerge takes what is to be skipped off twice
    return Shown()


def codec_cells(*, full: bool = False) -> list[Cell]:
    """Return the cells of what holds what; ``full`` pairs each picture of a writer with each of its
    sounds.
    """
    wanted: dict[tuple[str, str, str], Cell] = {}
    for writer, (pictures, sounds) in HOLDS.items():
        pairs = list(product(pictures, sounds)) if full else _covering(pictures, sounds)
        wanted |= {(writer, *pair): coded(writer, *pair) for pair in pairs}
    in_matroska = product(ALL_PICTURES, ALL_SOUNDS[:6])
    wanted |= {("mkv", *pair): coded("mkv", *pair) for pair in in_matroska}
    silent = [("mp4", "h264"), ("mp4 fragmented", "h264"), ("mov", "h264"), ("mkv", "h264"),
              ("webm", "vp9"),
              ("mp4", "hevc"), ("mp4", "av1"), ("mkv by mkvmerge", "h264")]  # fmt: skip
    layouts = [
        replace(coded("mkv", "h264", "pcm"), sound=f"pcm {layout}")
        for layout in ("mono", "5.1", "7.1")
    ]
    return [*wanted.values(), *layouts, *(coded(writer, picture, "") for writer, picture in silent)]


def _covering(pictures: tuple[str, ...], sounds: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return pairs in which each picture meets the usual sound, and each sound the usual
    picture.
    """
    return [
        *((picture, sounds[0]) for picture in pictures),
        *((pictures[0], sound) for sound in sounds[1:]),
    ]
