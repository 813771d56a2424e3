"""Frames that are turned, stretched, cropped or hidden by the container, of every rate and form."""

import pytest

from tests.media_matrix.cells_picture import picture_cells
from tests.media_matrix.checking import faults
from tests.media_matrix.mkv_changes import CHANGES as MKV_CHANGES
from tests.media_matrix.mp4_changes import CHANGES as MP4_CHANGES
from tests.media_matrix.table import all_cells


@pytest.mark.parametrize("cell", picture_cells(), ids=lambda cell: cell.name)
def test_a_clip_looks_the_same_or_is_refused_for_a_known_reason(cell, tmp_path):
    assert faults(cell, tmp_path) == []


def test_every_change_by_hand_is_in_a_cell():
    assert {change for cell in all_cells() for change in cell.changes} >= {
        *MP4_CHANGES,
        *MKV_CHANGES,
    }


def test_no_two_cells_have_one_name():
    names = [cell.name for cell in all_cells()]
    assert len(set(names)) == len(names)
