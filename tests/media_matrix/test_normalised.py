"""Normalised copies: the same frames in the same shape and turn, the beep as long after the flash
as in the clip.
"""

from fractions import Fraction
from itertools import groupby, pairwise

import pytest

from blinding.common_format import CommonFormat
from blinding.normalise import normalise
from tests.media_matrix.cell import Cell
from tests.media_matrix.cells_normalised import normalised_cells
from tests.media_matrix.reading import Part, Seen, see

RATE = 25
FRAME_MS = 1000 / RATE
SLACK_MS = 5 + FRAME_MS / 2
"""How far the beep may lie off: a frame is shown at the nearest of the common times."""
SPARE_S = 0.08
"""How much longer a copy is than its clip: what an encoder put before the sound makes some clips
longer.
"""
COMMON = CommonFormat(
    width=192, height=108, frame_rate=f"{RATE}/1", seconds=1.0, video_bit_rate=1_000_000
)


@pytest.mark.parametrize("cell", normalised_cells(), ids=lambda cell: cell.name)
def test_a_normalised_copy_shows_and_plays_the_same(cell, tmp_path):
    target = tmp_path / "normalised.mp4"
    wanted = _common(cell)
    normalise(cell.file(), target, format=wanted)
    part = wanted.fit(Fraction(*cell.size()))
    seen = see(target, Part(part.left, part.top, part.width, part.height))
    assert _differences(cell, seen, wanted) == []


def _common(cell: Cell) -> CommonFormat:
    """Return the common format, long enough for the clip and what lies before it."""
    seconds = cell.source.seconds + abs(cell.shown.beep_ms) / 1000 + SPARE_S
    return CommonFormat(
        COMMON.width, COMMON.height, COMMON.frame_rate, round(seconds, 2), COMMON.video_bit_rate
    )


def _differences(cell: Cell, seen: Seen, wanted: CommonFormat) -> list[str]:
    """Return how what the copy shows differs from what the cell says."""
    found = [] if seen.turn == cell.shown.turn else [f"turned: {seen.turn}"]
    if len(seen.times) != wanted.frames:
        found.append(f"{len(seen.times)} frames instead of {wanted.frames}")
    shown = [number for number, _ in groupby(seen.numbers)]
    if not _is_whole(shown, cell):
        found.append(f"frames {shown}")
    if (seen.beep_s is None) != (not cell.sound):
        return [*found, f"beep at {seen.beep_s}"]
    if seen.beep_s is not None:
        late = (seen.beep_s - seen.flash_s) * 1000 - cell.shown.beep_ms
        found += (
            [] if abs(late) <= SLACK_MS + cell.shown.beep_slack_ms else [f"beep {late:+.1f} ms off"]
        )
    return found


def _is_whole(shown: list[int], cell: Cell) -> bool:
    """Return whether frames follow each other as in the clip: all of them, or at a higher rate as
    many as fit.
    """
    frames = cell.shown.frames or range(cell.source.frames)
    if cell.source.rate <= RATE:
        return shown == list(frames)
    step = int(cell.source.rate / RATE) + 1
    steps = [after - before for before, after in pairwise(shown)]
    return (
        shown[0] < step
        and frames[-1] - shown[-1] < step
        and all(0 < each <= step for each in steps)
    )
