"""Makes the table of what peers and the product leave in dirty clips: ``python -m
tests.bench.peers_leftovers``.

The clips are made as the tests make them, with words planted in every place that a file has for
words. Each program gets its own copy. The table, between two marks in docs/blinding.md, is
replaced; a program that is not installed is named and its column kept out.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from blinding.copying import blind_copy
from blinding.leakscan import scan
from fartbench.errors import Refusal
from tests.blinding import dirty
from tests.media.clips import clip, ffmpeg

PAGE = Path(__file__).resolve().parents[2] / "docs" / "blinding.md"
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
PLANTED = (b"ZZ", b"+52.5163")
MARKS = (
    b"Lavc", b"Lavf", b"x264", b"x265", b"LAME", b"libvorbis", b"libopus", b"VideoHandler",
    b"SoundHandler", b"c2pa",
    b"x:xmpmeta", b"FFMP", b"SVT", b"HandBrake",
)  # fmt: skip
KINDS = (
    "h264_aac.mp4",
    "h264_aac.mov",
    "h264_mp3.mp4",
    "hevc_hvc1.mp4",
    "av1_opus.mp4",
    "vp9_opus.webm",
    "h264_aac.mkv",
)


@dataclass(frozen=True)
class Cleaner:
    """A way to clean a file: its name, the program it needs, and what it does from one path to
    another.
    """

    name: str
    program: str
    clean: Callable[[Path, Path], object]


def run(*arguments: object) -> None:
    """Run a program; raise CalledProcessError when it fails."""
    subprocess.run(
        [str(argument) for argument in arguments], check=True, capture_output=True, timeout=60
    )


def by_mat2(source: Path, target: Path) -> None:
    """Clean with mat2, which writes a file of its own name."""
    run("mat2", source)
    source.with_suffix(f".cleaned{source.suffix}").rename(target)


def by_exiftool(source: Path, target: Path) -> None:
    """Clean with exiftool in place."""
    shutil.copyfile(source, target)
    run("exiftool", "-all=", "-overwrite_original", target)


def by_ffmpeg(source: Path, target: Path) -> None:
    """Copy with ffmpeg as its manual suggests for dropping metadata."""
    ffmpeg(
        "-i",
        source,
        "-map_metadata",
        "-1",
        "-map_chapters",
        "-1",
        "-fflags",
        "+bitexact",
        "-c",
        "copy",
        target,
    )


def by_us(source: Path, target: Path) -> None:
    """Make the blind copy, an MP4 file."""
    blind_copy(source, target)


CLEANERS = (
    Cleaner("ffmpeg, no metadata", "", by_ffmpeg),
    Cleaner("mat2", "mat2", by_mat2),
    Cleaner("exiftool -all=", "exiftool", by_exiftool),
    Cleaner("blind copy", "", by_us),
)


def sources(folder: Path) -> dict[str, Path]:
    """Return the dirty clips by name."""
    made = {f"{name}, everything": dirty.dirty_container(name, folder) for name in KINDS}
    made["h264_aac.mp4, boxes and fields"] = dirty.with_fields(
        dirty.with_boxes(clip("h264_aac.mp4"), folder), folder
    )
    made["h264_aac.mp4, cover and iTunes tags"] = dirty.with_cover("h264_aac.mp4", folder)
    made["fragmented.mp4, as encoded"] = folder / "fragmented.mp4"
    shutil.copyfile(clip("fragmented.mp4"), made["fragmented.mp4, as encoded"])
    return made


def leftovers(path: Path) -> str:
    """Return how many leaks the scan flags and which planted words and tools' marks a plain search
    finds.
    """
    data = path.read_bytes()
    words = [mark.decode() for mark in (*PLANTED, *MARKS) if mark in data]
    planted = f"{data.count(b'ZZ')} planted" if b"ZZ" in words or "ZZ" in words else ""
    shown = [planted, *(word for word in words if word != "ZZ")]
    count = sum(finding.flagged for finding in scan(path))
    return f"{count}: {', '.join(filter(None, shown)) or 'other fields'}" if count else "nothing"


def cell(cleaner: Cleaner, source: Path, folder: Path) -> str:
    """Return what a cleaner leaves in a file, or that it refuses it."""
    target = folder / f"{cleaner.name.split()[0].strip(',')}_{source.name}"
    try:
        cleaner.clean(source, target)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, FileNotFoundError, Refusal):
        return "refuses"
    return leftovers(target)


def table(folder: Path) -> str:
    """Return the table in Markdown."""
    here = [cleaner for cleaner in CLEANERS if not cleaner.program or shutil.which(cleaner.program)]
    for absent in set(CLEANERS) - set(here):
        sys.stderr.write(f"{absent.program} is not installed; its column is left out.\n")
    rows = [["clip", "as made", *(cleaner.name for cleaner in here)], ["---"] * (2 + len(here))]
    for name, source in sources(folder).items():
        rows.append([name, leftovers(source), *(cell(cleaner, source, folder) for cleaner in here)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Replace the table in the page."""
    with tempfile.TemporaryDirectory() as name:
        made = table(Path(name))
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}")
    sys.stdout.write(f"{made}\n")


if __name__ == "__main__":
    main()
