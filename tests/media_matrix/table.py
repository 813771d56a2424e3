"""How many cells of the matrix are copied, normalised and refused: ``make bench-media``, or
``python -m tests.media_matrix.table [--quick]``.

In full, each picture meets each sound in each container, and each turn, shape and crop each picture
codec. Status 1 when a cell is shown otherwise than it must be.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from blinding.common_format import CommonFormat
from blinding.normalise import normalise
from fartbench.media.errors import MediaRefusal
from tests.media_matrix.cell import Cell
from tests.media_matrix.cells_codecs import codec_cells
from tests.media_matrix.cells_picture import picture_cells
from tests.media_matrix.cells_sound import sound_cells
from tests.media_matrix.checking import copied, differences
from tests.media_matrix.reading import see

COMMON = CommonFormat(
    width=320, height=180, frame_rate="25/1", seconds=1.0, video_bit_rate=1_000_000
)
SHOWING = ("track ", "movie ", "pasp", "clap")
OTHER_PICTURES = ("hevc", "vp9", "av1")
OTHER_HOLDERS = ("mp4", "mp4 fragmented", "mp4 faststart")


def all_cells() -> list[Cell]:
    """Return the cells of the suite."""
    return [*codec_cells(), *sound_cells(), *picture_cells()]


def full_cells() -> list[Cell]:
    """Return the cells of the suite and all further combinations."""
    full = (*codec_cells(full=True), *sound_cells(full=True), *picture_cells(full=True))
    cells = {cell.name: cell for cell in (*all_cells(), *full)}
    shown = [cell for cell in full if (cell.writer, cell.picture) == ("mp4", "h264")]
    for cell in shown:
        if any(change.startswith(SHOWING) for change in cell.changes):
            further = [
                replace(cell, writer=holder, picture=picture)
                for holder in OTHER_HOLDERS
                for picture in OTHER_PICTURES
            ]
            cells |= {one.name: one for one in further}
    return list(cells.values())


@dataclass(slots=True)
class Tally:
    """What came of the cells: how many are copied, how many normalised and refused by reason, and
    which are wrong.
    """

    copied: int
    normalised: Counter[str]
    refused: Counter[str]
    wrong: list[str]


def tally(cells: list[Cell], folder: Path) -> Tally:
    """Try each cell: copy it, and where that is refused normalise it."""
    result = Tally(0, Counter(), Counter(), [])
    for cell in cells:
        copy, reason = copied(cell, folder)
        if copy is None:
            outcome = result.normalised if _is_normalised(cell, folder) else result.refused
            outcome[_kind(reason)] += 1
            continue
        result.copied += 1
        result.wrong += [f"{cell.name}: {fault}" for fault in differences(cell, see(copy))]
        copy.unlink()
    return result


def _is_normalised(cell: Cell, folder: Path) -> bool:
    target = folder / "normalised.mp4"
    try:
        normalise(cell.file(), target, format=COMMON)
    except MediaRefusal:
        return False
    target.unlink()
    return True


def _kind(reason: str) -> str:
    """Return a reason without the numbers of one clip."""
    words = reason.removeprefix("cannot be copied: ").partition("; normalising")[0].rstrip(".")
    return re.sub(r"\b\d[\d.]*\b", "N", words)


def lines(result: Tally) -> list[str]:
    """Return the table's lines, in Markdown."""
    normalised, refused = result.normalised.total(), result.refused.total()
    total = result.copied + normalised + refused
    rows = [
        ("copied unchanged", result.copied),
        ("refused as a copy, normalised", normalised),
        ("refused", refused),
    ]
    table = ["| | cells | share |", "|---|---|---|"]
    table += [f"| {what} | {count} | {100 * count / total:.1f} % |" for what, count in rows]
    table += ["", "| reason | normalised | refused |", "|---|---|---|"]
    reasons = sorted({*result.normalised, *result.refused})
    return table + [
        f"| {reason} | {result.normalised[reason]} | {result.refused[reason]} |"
        for reason in reasons
    ]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the cells of the suite")
    cells = all_cells() if parser.parse_args().quick else full_cells()
    with tempfile.TemporaryDirectory() as folder:
        result = tally(cells, Path(folder))
    sys.stdout.write("\n".join([*lines(result), *result.wrong]) + "\n")
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
