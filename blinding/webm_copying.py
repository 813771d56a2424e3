"""Making the blind WebM copy of a WebM clip, for blind_file; rounds are always MP4. No Django here."""

from dataclasses import asdict
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from struct import pack
from typing import Any

from blinding.copying import SECONDS, CopyResult, NotCopyable, finish, write_synced
from blinding.scrub.av1 import scrub_av1
from blinding.scrub.coded import CannotScrub, Coded
from blinding.scrub.opus import RATE, read_head, scrub_opus
from blinding.scrub.vorbis import scrub_vorbis
from blinding.webm_writer import WebmStream, webm_pieces
from fartbench.media.bounds import BOUNDS
from fartbench.media.movie import Movie, Track
from fartbench.media.probe import MediaFacts, facts
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart

CODECS = {"vp8": "V_VP8", "vp9": "V_VP9", "av1": "V_AV1", "opus": "A_OPUS", "vorbis": "A_VORBIS"}


def blind_webm_copy(src: Path, dst: Path) -> CopyResult:
    """Write the blind WebM copy of a WebM clip to ``dst``; times stay as the source rounds them. Raises like
    blind_copy()."""
    return finish(src, dst, lambda partial: call_apart(_copy_here, src, partial, seconds=SECONDS))


def _copy_here(path: Path, target: str) -> dict[str, Any]:
    with open_bytes(path) as data:
        movie = read_movie(path, data)
        if movie.container != "matroska":
            raise NotCopyable(
                path, "cannot be copied to WebM: only a WebM clip has times that WebM can hold. Name an MP4 file."
            )
        raw = facts(path, data, movie, BOUNDS)
        streams, removed = _streams(path, data, movie, raw)
        size, digest = write_synced(Path(target), webm_pieces(streams, raw.duration_s))
        return asdict(CopyResult(sha256(data).hexdigest(), digest, len(data), size, raw, removed))


def _streams(path: Path, data: memoryview, movie: Movie, raw: MediaFacts) -> tuple[list[WebmStream], dict[str, int]]:
    kept = [track for kind in ("video", "audio") if (track := movie.main(kind)) is not None and track.samples]
    removed = {"other track": len(movie.tracks) - len(kept)} if len(movie.tracks) > len(kept) else {}
    streams = []
    for track in kept:
        try:
            coded = _scrubbed(data, track)
        except (CannotScrub, IndexError) as fault:
            raise NotCopyable(path, f"cannot be copied to WebM: {fault}.") from fault
        stream = WebmStream(track, CODECS[track.codec], coded.record, coded.samples)
        if track.kind == "video":
            stream.width, stream.height = raw.width, raw.height
            stream.frame_ns = 0 if raw.variable_frame_rate else round(1_000_000_000 / Fraction(raw.frame_rate))
        else:
            stream.rate, stream.channels = raw.sample_rate or track.sample_rate, raw.channels
        streams.append(stream)
        removed |= dict(coded.removed)
    return streams, removed


def _scrubbed(data: memoryview, track: Track) -> Coded:
    if track.obstacle:
        raise CannotScrub(track.obstacle)
    samples = [data[s.offset : s.offset + s.size] for s in track.samples]
    if track.codec in ("vp8", "vp9"):
        return Coded(CODECS[track.codec], b"", [[sample] for sample in samples])
    if track.codec == "av1":
        return scrub_av1(track.config, samples)
    if track.codec == "vorbis":
        return scrub_vorbis(track.config, samples)
    if track.codec == "opus":
        coded, head = scrub_opus(track.config, samples), read_head(track.config)
        numbers = pack("<BBHIhB", 1, head.channels, head.skip, RATE, head.gain, head.family)
        return Coded("A_OPUS", b"OpusHead" + numbers + head.mapping, coded.samples, coded.removed)
    raise CannotScrub(f"WebM does not hold {track.codec}")
