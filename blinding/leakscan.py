"""Listing everything that a media file says besides its picture and sound. No Django here.

Works on any file: what can be followed as MP4 or Matroska is read field by field, anything else as
bytes. A field counts unless playing needs it; a text counts whatever it says, and is marked with
what it names where that can be known.
"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from blinding.leaks.finding import Finding
from blinding.leaks.matroska import scan_elements
from blinding.leaks.mp4 import free_text, scan_boxes
from blinding.leaks.streams import scan_streams
from blinding.scrub.coded import CannotScrub
from fartbench.media.errors import MediaRefusal, NotAVideo
from fartbench.media.movie import Movie
from fartbench.media.reading import open_bytes, read_movie, sniff
from fartbench.media.sandbox import call_apart

SECONDS = 120.0
__all__ = ["Finding", "scan"]


def scan(path: Path) -> list[Finding]:
    """Return what is found in a file, in the file's order, each thing once; flagged() tells the
    leaks.

    Raises a MediaRefusal when the file cannot be opened or is beyond the bounds of a clip.
    """
    return [Finding(**found) for found in call_apart(_scan_here, path, seconds=SECONDS)]


def _scan_here(path: Path) -> list[dict[str, Any]]:
    with open_bytes(path) as data:
        return [asdict(finding) for finding in dict.fromkeys(_findings(path, data))]


def scan_movie(path: Path, data: memoryview, movie: Movie) -> list[Finding]:
    """Return what scan() does, for a file whose tracks were read already."""
    return list(dict.fromkeys(_findings(path, data, movie)))


def _findings(path: Path, data: memoryview, movie: Movie | None = None) -> Iterator[Finding]:
    try:
        container = sniff(path, data)
    except NotAVideo:
        yield from free_text(bytes(data), "file of no known kind")
        return
    yield from scan_elements(data) if container == "matroska" else scan_boxes(data)
    try:
        yield from scan_streams(data, movie or read_movie(path, data))
    except (MediaRefusal, CannotScrub, IndexError) as fault:
        reason = fault.reason if isinstance(fault, MediaRefusal) else str(fault)
        yield Finding(
            "samples", f"cannot be followed: {reason}", "media data that could not be checked"
        )
