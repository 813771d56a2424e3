"""Sound of every layout and rate, at odd times, in odd packets and with odd words about itself."""

import pytest

from tests.media_matrix.cells_sound import sound_cells
from tests.media_matrix.checking import faults


@pytest.mark.parametrize("cell", sound_cells(), ids=lambda cell: cell.name)
def test_a_clip_sounds_the_same_or_is_refused_for_a_known_reason(cell, tmp_path):
    assert faults(cell, tmp_path) == []
