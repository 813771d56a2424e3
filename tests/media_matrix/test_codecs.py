"""Every container and program with every codec that it takes: copied unchanged, or refused for a
known reason.
"""

import pytest

from tests.media_matrix.cells_codecs import HOLDS, codec_cells
from tests.media_matrix.checking import faults
from tests.media_matrix.writers import WRITERS

CELLS = codec_cells()


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_a_clip_is_copied_unchanged_or_refused_for_a_known_reason(cell, tmp_path):
    assert faults(cell, tmp_path) == []


def test_every_codec_meets_every_container_that_takes_it():
    there = {(cell.writer, codec) for cell in CELLS for codec in (cell.picture, cell.sound)}
    wanted = {
        (writer, codec) for writer, codecs in HOLDS.items() for kind in codecs for codec in kind
    }
    assert wanted <= there
    assert set(HOLDS) <= set(WRITERS)
