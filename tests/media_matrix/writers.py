"""The programs and containers that hold a picture and a sound, as people's files come."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.media_matrix.encodes import FOLDER, encode, ffmpeg, run

FRAGMENTS = "frag_keyframe+empty_moov+default_base_moof"
CUT_AT_S = 0.44
"""Where clips are cut: programs begin at the last key frame before it."""
Make = Callable[[Path, str, str], None]


def _direct(*more: object) -> Make:
    """Return a maker that encodes straight into the target."""
    return lambda target, seen, heard: encode(target, seen, heard, *more)


def _remux(first: str, *more: object) -> Make:
    """Return a maker that copies what another writer wrote by ffmpeg."""
    return lambda target, seen, heard: ffmpeg(
        "-i", made(first, seen, heard), "-map", "0", "-c", "copy", *more, target
    )


def _mkvmerge(first: str, *more: object) -> Make:
    """Return a maker that lets mkvmerge take over what another writer wrote."""
    return lambda target, seen, heard: run(
        "mkvmerge", "-q", "-o", target, *more, made(first, seen, heard)
    )


def _cut(first: str) -> Make:
    """Return a maker that leaves out the beginning of what another writer wrote, without encoding
    anew.
    """
    return lambda target, seen, heard: ffmpeg(
        "-ss", CUT_AT_S, "-i", made(first, seen, heard), "-map", "0", "-c", "copy", target
    )


def _late(first: str, *, picture: float = 0, sound: float = 0) -> Make:
    """Return a maker that copies what another writer wrote, its picture or sound moved by
    seconds.
    """

    def make(target: Path, seen: str, heard: str) -> None:
        source = made(first, seen, heard)
        inputs = ("-itsoffset", picture, "-i", source, "-itsoffset", sound, "-i", source)
        ffmpeg(*inputs, "-map", "0:v", "-map", "1:a", "-c", "copy", target)

    return make


def _second(first: str, *more: object) -> Make:
    """Return a maker that adds a second sound track, whose tone comes 0.2 s later."""

    def make(target: Path, seen: str, heard: str) -> None:
        source = made(first, seen, heard)
        late = "[0:a]adelay=200:all=1,asplit=1[late]"
        maps = ("-map", "0:v", "-map", "0:a", "-map", "[late]")
        coding = ("-c:v", "copy", "-c:a:0", "copy", "-c:a:1", "aac")
        ffmpeg("-i", source, "-filter_complex", late, *maps, *coding, *more, target)

    return make


def _two_pictures(target: Path, seen: str, heard: str) -> None:
    """Add a second picture track, which is mirrored."""
    maps = ("-map", "0:v", "-map", "0:a", "-map", "[other]")
    coding = ("-c:v:0", "copy", "-c:v:1", "libx264", "-c:a", "copy")
    ffmpeg(
        "-i",
        made("mp4", seen, heard),
        "-filter_complex",
        "[0:v]hflip[other]",
        *maps,
        *coding,
        target,
    )


def _cover(target: Path, seen: str, heard: str) -> None:
    """Add a cover picture, as music players show it."""
    cover = ("-f", "lavfi", "-i", "color=red:size=64x64:duration=0.04")
    maps = (
        "-map",
        "0",
        "-map",
        "1:v",
        "-c",
        "copy",
        "-c:v:1",
        "mjpeg",
        "-disposition:v:1",
        "attached_pic",
    )
    ffmpeg("-i", made("mp4", seen, heard), *cover, *maps, target)


def _attached(target: Path, seen: str, heard: str) -> None:
    """Attach a file, as Matroska keeps covers and fonts."""
    text = target.with_suffix(".txt")
    text.write_text("An attachment.")
    attached = ("-attach", text, "-metadata:s:t", "mimetype=text/plain")
    ffmpeg("-i", made("mp4", seen, heard), "-c", "copy", *attached, target)


def _subtitled(codec: str) -> Make:
    """Return a maker that adds a track of subtitles."""

    def make(target: Path, seen: str, heard: str) -> None:
        words = target.with_suffix(".srt")
        words.write_text("1\n00:00:00,100 --> 00:00:00,900\nWords below the picture\n")
        maps = ("-map", "0", "-map", "1", "-c", "copy", "-c:s", codec)
        ffmpeg("-i", made("mp4", seen, heard), "-i", words, *maps, target)

    return make


def _chapters(target: Path, seen: str, heard: str) -> None:
    """Add chapters, which ffmpeg keeps in a track of text."""
    names = target.with_suffix(".txt")
    names.write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=First\n")
    ffmpeg(
        "-i",
        made("mp4", seen, heard),
        "-i",
        names,
        "-map_metadata",
        "1",
        "-map",
        "0",
        "-c",
        "copy",
        target,
    )


WRITERS: dict[str, tuple[str, Make]] = {
    "mp4": ("mp4", _direct()),
    "mp4 faststart": ("mp4", _direct("-movflags", "+faststart")),
    "mp4 fragmented": ("mp4", _direct("-movflags", FRAGMENTS + "+delay_moov")),
    "mp4 fragmented old": ("mp4", _direct("-movflags", "frag_keyframe+empty_moov")),
    "mp4 cmaf": ("mp4", _direct("-movflags", "+cmaf+delay_moov")),
    "mp4 negative offsets": ("mp4", _direct("-movflags", "+negative_cts_offsets")),
    "mp4 no edits": ("mp4", _direct("-use_editlist", "0")),
    "mov": ("mov", _direct()),
    "mkv": ("mkv", _direct()),
    "mkv short clusters": ("mkv", _direct("-cluster_time_limit", "100")),
    "webm": ("webm", _direct()),
    "webm live": ("webm", _direct("-live", "1")),
    "mp4 from mkv": ("mp4", _remux("mkv")),
    "mp4 from webm": ("mp4", _remux("webm")),
    "mp4 from mkvmerge": ("mp4", _remux("mkv by mkvmerge")),
    "mp4 from flv": ("mp4", _remux("flv")),
    "mp4 from ts": ("mp4", _remux("ts", "-bsf:a", "aac_adtstoasc")),
    "mp4 from fragments": ("mp4", _remux("mp4 fragmented")),
    "fragments from mkv": ("mp4", _remux("mkv", "-movflags", FRAGMENTS + "+delay_moov")),
    "mov from mkv": ("mov", _remux("mkv")),
    "mkv from mp4": ("mkv", _remux("mp4")),
    "mkv from fragments": ("mkv", _remux("mp4 fragmented")),
    "mkv by mkvmerge": ("mkv", _mkvmerge("mkv")),
    "mkv by mkvmerge from mp4": ("mkv", _mkvmerge("mp4")),
    "mkv by mkvmerge from mov": ("mkv", _mkvmerge("mov")),
    "mkv by mkvmerge unlaced": ("mkv", _mkvmerge("mp4", "--disable-lacing")),
    "mkv by mkvmerge, durations": ("mkv", _mkvmerge("mp4", "--enable-durations")),
    "webm by mkvmerge": ("webm", _mkvmerge("webm", "-w")),
    "flv": ("flv", _direct()),
    "ts": ("ts", _direct()),
    "mkv cut from mp4": ("mkv", _cut("mp4")),
    "webm cut": ("webm", _cut("webm")),
    "mp4 cut": ("mp4", _cut("mp4")),
    "mp4 from a cut mkv": ("mp4", _remux("mkv cut from mp4")),
    "mp4 late picture": ("mp4", _late("mp4", picture=0.2)),
    "mp4 late sound": ("mp4", _late("mp4", sound=0.2)),
    "mov late picture": ("mov", _late("mov", picture=0.2)),
    "mov late sound": ("mov", _late("mov", sound=0.2)),
    "mkv late picture": ("mkv", _late("mkv", picture=0.2)),
    "mkv late sound": ("mkv", _late("mkv", sound=0.2)),
    "webm late picture": ("webm", _late("webm", picture=0.2)),
    "webm late sound": ("webm", _late("webm", sound=0.2)),
    "mp4 fragmented late picture": ("mp4", _late("mp4 fragmented", picture=0.2)),
    "mp4 fragmented late sound": ("mp4", _late("mp4 fragmented", sound=0.2)),
    "mp4 two sounds": (
        "mp4",
        _second("mp4", "-disposition:a:0", "default", "-disposition:a:1", "0"),
    ),
    "mkv two sounds": (
        "mkv",
        _second("mkv", "-disposition:a:0", "default", "-disposition:a:1", "0"),
    ),
    "mkv two sounds, second default": (
        "mkv",
        _second("mkv", "-disposition:a:0", "0", "-disposition:a:1", "default"),
    ),
    "mp4 two sounds, second default": (
        "mp4",
        _second("mp4", "-disposition:a:0", "0", "-disposition:a:1", "default"),
    ),
    "mp4 two pictures": ("mp4", _two_pictures),
    "mp4 with a cover": ("mp4", _cover),
    "mkv with an attachment": ("mkv", _attached),
    "mov with a timecode": ("mov", _direct("-timecode", "01:00:00:00")),
    "mkv with subtitles": ("mkv", _subtitled("srt")),
    "mp4 with subtitles": ("mp4", _subtitled("mov_text")),
    "mp4 with chapters": ("mp4", _chapters),
    "mp4 early sound": ("mp4", _late("mp4", sound=-0.2)),
    "mkv early sound": ("mkv", _late("mkv", sound=-0.2)),
}


@cache
def made(writer: str, picture: str, sound: str) -> Path:
    """Return the file that a writer makes of a picture and a sound; made once, treat it as
    read-only.
    """
    suffix, make = WRITERS[writer]
    path = Path(FOLDER.name) / f"{writer}, {picture}, {sound or 'silent'}.{suffix}".replace(
        "/", "_"
    )
    make(path, picture, sound)
    return path
