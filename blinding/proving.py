"""Proving that a normalised copy shows and plays what the clip does. No Django here; runs in the
sandbox.

Both files are decoded by libavcodec in this process, apart from the program that encoded the copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from blinding.clip_view import PieceView, heard
from blinding.common_format import CARD_S, Box, CommonFormat
from blinding.frame_likeness import Comparison, CopyFrames, compare_frames
from blinding.normalised_proof import NormalisedProof
from blinding.small_frames import Shrinker, Small, brightest_bar
from blinding.sound_likeness import RATE, Sound, compare_sound
from blinding.source_view import DEMUXERS, decoded_frames, opened, presented

FRAME_SLACK_S = 0.001
THREADS = 2
"""How many threads decode the copy: nothing else of the clip is left to do then."""
DARK, GREY, GREY_SLACK = 16.0, 128.0, 8.0
"""Levels of 0..255: the most of what is to be black, a card's, and how far from it a card may
be.
"""


@dataclass(slots=True)
class _Stretch:
    """Frames of the copy that belong together: those of a piece, or of the card between two
    (``piece`` is None).
    """

    first: int
    count: int
    piece: PieceView | None
    boxes: list[Box] = field(default_factory=list)
    cells: dict[Box, list[Small]] = field(default_factory=dict)
    bars: dict[Box, list[float]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def prove(
    blind: Path, pieces: Sequence[PieceView], lengths: Sequence[float], common: CommonFormat
) -> NormalisedProof:
    """Compare a normalised copy with what the clip shows and plays of each piece; ``lengths`` are
    theirs in seconds.
    """
    with opened(blind, DEMUXERS["mp4"]) as container:
        video, audio = container.streams.video[0].index, container.streams.audio[0].index
    stretches = list(_stretches(pieces, lengths, common))
    faults = _watch(blind, video, stretches, common)
    compared = [one for stretch in stretches if (one := _compared(stretch, common)) is not None]
    sound = heard(decoded_frames(blind, DEMUXERS["mp4"], audio), Fraction(0), common.seconds)
    played = compare_sound(_whole_sound(pieces), sound)
    for part in (
        *(stretch.faults[:1] for stretch in stretches),
        *(one.faults for one in compared),
        played.faults,
    ):
        faults += part
    offsets = sorted((one.offset for one in compared), key=abs)
    return NormalisedProof(
        frames=sum(stretch.count for stretch in stretches),
        largest_difference=round(
            max((float(one.differences.max()) for one in compared), default=0.0), 2
        ),
        picture_offset=round(offsets[-1] if offsets else 0.0, 6),
        sound_offset=_rounded(played.offset, 6),
        sound_level_db=_rounded(played.level_db, 2),
        sound_likeness=_rounded(played.likeness, 4),
        faults=faults,
    )


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _stretches(
    pieces: Sequence[PieceView], lengths: Sequence[float], common: CommonFormat
) -> Iterator[_Stretch]:
    first = 0
    for number, (piece, length) in enumerate(zip(pieces, lengths, strict=True)):
        if number:
            yield _Stretch(first, common.frames_in(CARD_S), None)
            first += common.frames_in(CARD_S)
        yield _Stretch(first, common.frames_in(length), piece, piece.frames.distinct_boxes)
        first += common.frames_in(length)


def _whole_sound(pieces: Sequence[PieceView]) -> Sound:
    card = np.zeros((round(CARD_S * RATE), 2), np.float32)
    parts = [part for piece in pieces for part in (card, piece.sound)]
    return np.concatenate(parts[1:])


def _watch(
    blind: Path, video: int, stretches: Sequence[_Stretch], common: CommonFormat
) -> list[str]:
    """Decode the copy's frames, keep them small with the stretch that each belongs to, and return
    what is wrong with their number, size or times.
    """
    shrinker, rate = Shrinker(), Fraction(common.frame_rate)
    owners = [stretch for stretch in stretches for _ in range(stretch.count)]
    faults: list[str] = []
    count = 0
    for frame in decoded_frames(blind, DEMUXERS["mp4"], video, threads=THREADS):
        if (frame.width, frame.height) != (common.width, common.height):
            return [f"frame {count} has {frame.width}x{frame.height} pixels"]
        late = float(presented(frame) - count / rate)
        if abs(late) > FRAME_SLACK_S and not faults:
            faults.append(f"frame {count} is shown {late * 1000:+.3f} ms off")
        if count < len(owners):
            _take(owners[count], frame, shrinker, common)
        count += 1
    if count != len(owners):
        faults.append(f"it has {count} frames, and {len(owners)} are due")
    return faults


def _take(stretch: _Stretch, frame: Any, shrinker: Shrinker, common: CommonFormat) -> None:
    working, full = shrinker.working(frame), (common.width, common.height)
    piece = stretch.piece
    if piece is None:
        if np.abs(working - GREY).mean() > GREY_SLACK:
            stretch.faults.append("the card between two pieces is not grey")
    elif not piece.frames.cells:
        if working.mean() > DARK:
            stretch.faults.append("there is a picture where none is to be shown")
    else:
        for box in stretch.boxes:
            stretch.cells.setdefault(box, []).append(shrinker.cells(working, box, full, piece.grid))
            stretch.bars.setdefault(box, []).append(brightest_bar(working, box, full))


def _compared(stretch: _Stretch, common: CommonFormat) -> Comparison | None:
    if stretch.piece is None or not stretch.cells:
        return None
    copy = CopyFrames(stretch.first, Fraction(common.frame_rate), stretch.cells, stretch.bars)
    return compare_frames(stretch.piece.frames, copy)
