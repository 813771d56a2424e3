"""What Chromium itself shows of blind copies, and of the clips that they come from: the same, and
what their cells say.

Frames are read by seeking. The beep is heard while clips play, on the clock of the sound; where a
busy machine lets that clock drift from the picture's, by as much the result may be off.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from blinding.copying import blind_copy
from tests.media_matrix.cell import Cell
from tests.media_matrix.cells_watched import cells_watched_alone, watched_cells
from tests.media_matrix.reading import Seen, see
from tests.media_matrix.watching import Watched, open_page, watch

SLACK_MS = 12
EARLY_MS = {"opus": 9, "mp3": 25}
"""How much too early (ms) Chromium plays these sounds in MP4, as in ffmpeg's files: it skips their
start twice. Copies of Matroska files have nothing to skip.
"""
HALF_A_FRAME_S = 0.02
"""Half of how long a frame of most clips lasts."""
SHAPE_SLACK = 0.02
ROWS = 4
TRIES = 3
"""How often a clip is watched before it counts as wrong: what a busy machine did to one frame it
does not do again.
"""


@pytest.fixture
def player(browser: Browser) -> Iterator[Page]:
    """Give a page that plays clips."""
    page = open_page(browser)
    yield page
    page.context.close()


@pytest.mark.parametrize("part", range(ROWS))
def test_chromium_shows_a_copy_as_it_shows_the_clip(player, tmp_path, part):
    cells = watched_cells()[part::ROWS]
    copies = [tmp_path / f"{place}.mp4" for place in range(len(cells))]
    for cell, copy in zip(cells, copies, strict=True):
        blind_copy(cell.file(), copy)
    pairs, faults = list(zip(cells, copies, strict=True)), {}
    for _ in range(TRIES):
        faults = _faults(player, pairs)
        pairs = [(cell, copy) for cell, copy in pairs if faults[cell.name]]
        if not pairs:
            return
    pytest.fail("\n".join(f"{cell.name}: {faults[cell.name]}" for cell, _ in pairs))


def test_chromium_plays_copies_of_clips_that_it_cannot_seek_in(player, tmp_path):
    cells = cells_watched_alone()
    copies = [tmp_path / f"{place}.mp4" for place in range(len(cells))]
    for cell, copy in zip(cells, copies, strict=True):
        blind_copy(cell.file(), copy)
    seen = [see(copy) for copy in copies]
    moments = [[time + HALF_A_FRAME_S for time in one.times] for one in seen]
    watched = watch(player, list(zip(copies, moments, strict=True)))
    assert [one.fault for one in watched] == [""] * len(cells)
    assert [one.numbers for one in watched] == [tuple(one.numbers) for one in seen]
    late = [(one.beep_s - look.flash_s) * 1000 for one, look in zip(watched, seen, strict=True)]
    wrong = [
        (cell.name, ms)
        for cell, ms, one in zip(cells, late, watched, strict=True)
        if not _is_near(ms - cell.shown.beep_ms, cell, one)
    ]
    assert wrong == []


def _faults(player: Page, pairs: list[tuple[Cell, Path]]) -> dict[str, list[str]]:
    """Return what is wrong with each copy, by the names of their cells."""
    seen = [see(copy) for _, copy in pairs]
    moments = [_middles(one) for one in seen]
    of_copies = watch(
        player, [(copy, times) for (_, copy), times in zip(pairs, moments, strict=True)]
    )
    moved = [_later(cell, one) for (cell, _), one in zip(pairs, seen, strict=True)]
    in_clips = [[time - by for time in times] for times, by in zip(moments, moved, strict=True)]
    of_clips = watch(
        player, [(cell.file(), times) for (cell, _), times in zip(pairs, in_clips, strict=True)]
    )
    of_clips = [
        one if one.beep_s is None else replace(one, beep_s=one.beep_s + by)
        for one, by in zip(of_clips, moved, strict=True)
    ]
    return {
        cell.name: _wrong(cell, one, copy) + _unlike(cell, copy, clip)
        for (cell, _), one, copy, clip in zip(pairs, seen, of_copies, of_clips, strict=True)
    }


def _later(cell: Cell, seen: Seen) -> float:
    """Return how much later (s) a copy shows and plays everything than the clip: by the beginning
    of MP3 that Matroska hides and the copy plays.
    """
    is_moved = cell.sound.startswith("mp3") and cell.file().suffix == ".mkv"
    return seen.times[0] if is_moved else 0.0


def _places(seen: Seen) -> list[int]:
    """Return which frames are looked at: the first, the one that flashes, and the last."""
    return [0, seen.times.index(seen.flash_s), len(seen.times) - 1]


def _middles(seen: Seen) -> list[float]:
    """Return when the frames that are looked at are half over (s)."""
    step = seen.times[1] - seen.times[0] if len(seen.times) > 1 else 0.04
    return [seen.times[place] + step / 2 for place in _places(seen)]


def _wrong(cell: Cell, seen: Seen, copy: Watched) -> list[str]:
    """Return how what Chromium shows of a copy differs from what its cell says."""
    if copy.fault:
        return [f"does not play: {copy.fault}"]
    wanted = tuple(seen.numbers[place] for place in _places(seen))
    found = [] if copy.numbers == wanted else [f"shows the frames {copy.numbers}, not {wanted}"]
    if copy.flashes != tuple(number in cell.source.flashing for number in wanted):
        found.append(f"flashes {copy.flashes}")
    if copy.turn != cell.shown.turn:
        found.append(f"turned: {copy.turn}")
    if not _has_shape(copy.size, cell.size()):
        found.append(f"shown {copy.size}")
    if (copy.beep_s is None) != (not cell.sound):
        return [*found, f"beep at {copy.beep_s}"]
    if copy.beep_s is not None:
        late = (copy.beep_s - seen.flash_s) * 1000 - cell.shown.beep_ms
        found += [] if _is_near(late, cell, copy) else [f"beep {late:+.1f} ms off"]
    return found


def _unlike(cell: Cell, copy: Watched, clip: Watched) -> list[str]:
    """Return how what Chromium shows of a clip and of its copy differs."""
    if copy.fault or clip.fault:
        return [f"the clip does not play: {clip.fault}"] if clip.fault else []
    found = [
        f"{what}: {ours} of the copy, {theirs} of the clip"
        for what, ours, theirs in (
            ("frames", copy.numbers, clip.numbers),
            ("turn", copy.turn, clip.turn),
        )
        if ours != theirs
    ]
    if not _has_shape(copy.size, clip.size):
        found.append(f"size: {copy.size} of the copy, {clip.size} of the clip")
    if copy.beep_s is not None and clip.beep_s is not None:
        late = (copy.beep_s - clip.beep_s) * 1000
        found += [] if _is_near(late, cell, copy, clip) else [f"beep {late:+.1f} ms off the clip's"]
    return found


def _is_near(late_ms: float, cell: Cell, *watched: Watched) -> bool:
    slack = SLACK_MS + 1000 * sum(one.drift_s for one in watched)
    is_mp4 = cell.file().suffix in (".mp4", ".mov")
    early = EARLY_MS.get(cell.sound.partition(" ")[0], 0) if is_mp4 else 0
    return -slack - early <= late_ms <= slack


def _has_shape(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] * other[1] / (one[1] * other[0]) - 1) < SHAPE_SLACK
