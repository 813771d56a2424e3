"""Re-encoding one clip and proving the result, in the sandbox. No Django here.

While the program encodes, the clip is decoded here for the proof: on two cores that costs no time.
"""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from blinding.clip_view import Piece, view_piece
from blinding.common_format import CommonFormat, Cut
from blinding.copying import NotCopyable, write_copy
from blinding.encoding import Encoding
from blinding.filters import MICROSECONDS, command
from blinding.proving import prove
from blinding.seeking import seek_time
from blinding.small_frames import Shape
from blinding.source_view import SourceView, view_source
from fartbench.media.bounds import BOUNDS
from fartbench.media.movie import Track
from fartbench.media.probe import facts
from fartbench.media.reading import open_bytes, read_movie, sniff


def reencode(
    path: Path,
    target: Path,
    program: str,
    common: CommonFormat,
    taken: Cut,
    *,
    seconds: float,
    may_be_short: bool,
) -> dict[str, Any]:
    """Write the proven blind copy of what is ``taken`` of a clip, and return it and its proof as
    JSON objects.

    ``seconds`` is how long encoding may take. Raises what `blinding.normalise.normalise` raises.
    """
    encoded = Path(f"{target}.encoded")
    view, shape, pieces = _plan(path, taken, may_be_short=may_be_short)
    arguments = command(path, encoded, view, common, taken, [piece.seek for piece in pieces])
    try:
        with Encoding(program, arguments, target.parent) as encoding:
            wanted = [view_piece(path, view, shape, common, piece, taken.shown) for piece in pieces]
            encoding.finish(path, encoded, seconds)
        copy = write_copy(path, encoded, target, picture_bytes=common.picture_bytes)
    finally:
        encoded.unlink(missing_ok=True)
    proof = prove(target, wanted, [piece.length for piece in pieces], common)
    proof.insist(path)
    return {"copy": copy, "proof": asdict(proof)}


def _plan(path: Path, taken: Cut, *, may_be_short: bool) -> tuple[SourceView, Shape, list[Piece]]:
    """Return how to read the clip, how its frames are shown, and which pieces of it to take."""
    with open_bytes(path) as data:
        movie = read_movie(path, data)
        video = movie.main("video")
        if video is None:
            raise RuntimeError("a movie that was read has frames")
        # Refuses what asks for too much, and finds out what shape a pixel has.
        length = facts(path, data, movie, BOUNDS).duration_s
        if not may_be_short:
            taken.insist(path, length)
        view = view_source(path, sniff(path, data), movie)
        pieces = []
        for begin, end in taken.pieces:
            start = view.origin + Fraction(begin).limit_denominator(MICROSECONDS)
            pieces.append(Piece(start, end - begin, seek_time(data, video, start)))
    return view, _shape(path, video), pieces


def _shape(path: Path, video: Track) -> Shape:
    if video.crop is None:
        raise NotCopyable(path, f"cannot be normalised: {video.obstacle}.")
    return Shape(Fraction(*video.pixel_aspect), video.crop, video.matrix)
