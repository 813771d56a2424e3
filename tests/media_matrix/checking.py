"""Making the blind copy of a cell as the product does, and comparing what it shows with what it
must show.
"""

from pathlib import Path

from blinding.copying import blind_copy
from blinding.proof import prove
from fartbench.media.errors import MediaRefusal, MediaToolDied
from tests.media_matrix.cell import Cell
from tests.media_matrix.reading import Seen, expected_times, see


def copied(cell: Cell, folder: Path) -> tuple[Path | None, str]:
    """Return the proven blind copy of a cell's file, or None and the words in which it was refused.

    Raises MediaToolDied when the reader died, which is no answer.
    """
    target = folder / f"{cell.name.replace('/', '_')}.mp4"
    try:
        blind_copy(cell.file(), target)
        prove(cell.file(), target).insist(cell.file())
    except MediaToolDied:
        raise
    except MediaRefusal as refusal:
        target.unlink(missing_ok=True)
        return None, refusal.reason
    return target, ""


def faults(cell: Cell, folder: Path) -> list[str]:
    """Return what is wrong with what comes of a cell; empty when it is as the cell says."""
    copy, reason = copied(cell, folder)
    if copy is None:
        is_expected = cell.refused and cell.refused in reason
        return [] if is_expected else [f"refused: {reason}"]
    if cell.refused:
        return [f"copied, but must be refused ({cell.refused})"]
    return differences(cell, see(copy))


def differences(cell: Cell, seen: Seen) -> list[str]:
    """Return how what a file shows differs from what its cell says."""
    wanted, found = cell.shown, []
    frames = wanted.frames or range(cell.source.frames)
    if seen.size != cell.size():
        found.append(f"shown {seen.size[0]}x{seen.size[1]}")
    if seen.turn != wanted.turn:
        found.append(f"turned: {seen.turn}")
    if seen.numbers != list(frames):
        found.append(f"frames {seen.numbers}")
    else:
        found += _late_frames(cell, seen, frames)
    if (seen.beep_s is None) != (not cell.sound):
        found.append("without its beep" if cell.sound else "a beep from nowhere")
    elif seen.beep_s is not None:
        off = (seen.beep_s - seen.flash_s) * 1000 - wanted.beep_ms
        found += [f"beep {off:+.1f} ms off"] if abs(off) > wanted.beep_slack_ms else []
    return found


def _late_frames(cell: Cell, seen: Seen, frames: range) -> list[str]:
    due = expected_times(cell.source)[frames.start : frames.stop]
    pairs = zip(seen.times, due, strict=True)
    worst = 1000 * max(abs((time - seen.times[0]) - (right - due[0])) for time, right in pairs)
    return [f"a frame {worst:.1f} ms off"] if worst > cell.shown.frame_slack_ms else []
