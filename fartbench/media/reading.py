"""Opening a video by what its bytes are, never by its name. No Django here.

Only two kinds of file are ever parsed: ISO base media (MP4, MOV) and Matroska (WebM). Playlists,
concat lists, DASH manifests, SDP files and images carry none of their marks, and nothing named
inside a file is ever opened.
"""

import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fartbench.media.bounds import BOUNDS, Bounds
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.matroska_reader import read_matroska
from fartbench.media.movie import Movie, Track
from fartbench.media.mp4_reader import read_mp4

_FIRST_BOXES = {b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"styp", b"pnot"}
SWITCHED_OFF = "its first picture track is switched off, and players differ on what they show then"
MUTED = "its sound track is switched off, and players differ on whether they play it"
_EBML = b"\x1a\x45\xdf\xa3"


@contextmanager
def open_bytes(path: Path, bounds: Bounds = BOUNDS) -> Iterator[memoryview]:
    """Give the bytes of a regular file, mapped not read; raise NotAVideo or UnsafeMedia for what is
    none or is too large.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise NotAVideo(path, f"cannot be opened ({error.strerror}).") from error
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        os.close(handle)
        raise NotAVideo(path, "is not a regular file.")
    with os.fdopen(handle, "rb") as file:
        size = about.st_size
        if size == 0:
            raise NotAVideo(path, "is empty (zero bytes).")
        if size > bounds.file_bytes:
            raise UnsafeMedia(
                path, f"is {size} bytes large; a clip may have at most {bounds.file_bytes}."
            )
        # Never closed by hand: samples handed out as slices keep the map alive, and it is freed
        # with the last of them.
        yield memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def sniff(path: Path, data: memoryview) -> str:
    """Return ``mp4`` or ``matroska`` from a file's first bytes; raise NotAVideo for anything
    else.
    """
    if bytes(data[:4]) == _EBML:
        return "matroska"
    if bytes(data[4:8]) in _FIRST_BOXES:
        return "mp4"
    raise NotAVideo(path, "is no MP4, MOV, WebM or Matroska file, whatever its name says.")


def read_movie(path: Path, data: memoryview, bounds: Bounds = BOUNDS) -> Movie:
    """Return a file's tracks with every sample checked to lie inside the file and inside the
    bounds.
    """
    movie = (read_matroska if sniff(path, data) == "matroska" else read_mp4)(path, data, bounds)
    video = movie.main("video")
    if video is None or not video.samples:
        raise NotAVideo(path, "holds no moving picture.")
    first = next(track for track in movie.tracks if track.kind == "video" and not track.attached)
    if not first.enabled:
        video.obstacle = video.obstacle or SWITCHED_OFF
    sound = movie.main("audio")
    if sound is not None and not sound.enabled:
        sound.obstacle = sound.obstacle or MUTED
    for track in (video, sound):
        if track is not None:
            _check(path, track, len(data), bounds)
    return movie


def _check(path: Path, track: Track, size: int, bounds: Bounds) -> None:
    _check_samples(path, track, size, bounds)
    if track.samples:
        times = [sample.pts for sample in track.samples]
        last = max(track.samples, key=lambda sample: sample.pts)
        length = (last.pts + last.duration - min(times)) / track.timescale
        if not 0 <= length <= bounds.seconds:
            raise UnsafeMedia(
                path,
                f"says its {track.kind} lasts {length:.3f} s; a clip may last at most "
                f"{bounds.seconds:g} s.",
            )
    if (
        track.width > bounds.side
        or track.height > bounds.side
        or track.width * track.height > bounds.pixels
    ):
        raise UnsafeMedia(
            path,
            f"is {track.width}x{track.height}; a clip may have at most {bounds.pixels} pixels.",
        )
    if track.channels > bounds.channels or track.sample_rate > bounds.sample_rate:
        raise UnsafeMedia(
            path,
            f"has {track.channels} channels at {track.sample_rate} Hz, more than a clip may have.",
        )


def _check_samples(path: Path, track: Track, size: int, bounds: Bounds) -> None:
    for index, sample in enumerate(track.samples):
        if sample.size > bounds.sample_bytes:
            raise UnsafeMedia(
                path,
                f"{track.kind} sample {index} says {sample.size} bytes, over the limit of "
                f"{bounds.sample_bytes}.",
            )
        if sample.size <= 0:
            raise NotAVideo(path, f"is damaged: {track.kind} sample {index} is empty.")
        if sample.offset < 0 or sample.offset + sample.size > size:
            raise NotAVideo(
                path, f"is cut off or damaged: {track.kind} sample {index} lies outside the file."
            )
