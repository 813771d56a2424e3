"""That the matrix sees what it is to see: a clip that shows something else than its cell says is
found.
"""

import pytest

from tests.media_matrix.cell import Cell, Shown
from tests.media_matrix.checking import differences
from tests.media_matrix.reading import see

PLAIN = Cell("mp4", "h264", "aac")


def of_another(
    writer: str = "mp4", picture: str = "h264", sound: str = "aac", *changes: str
) -> list[str]:
    """Return how another clip differs from what the plain one shows."""
    return differences(PLAIN, see(Cell(writer, picture, sound, changes).file()))


def test_the_plain_clip_shows_what_it_must():
    assert of_another() == []


@pytest.mark.parametrize(
    "turn", ["90", "180", "270", "mirrored", "flipped", "transposed", "transversed"]
)
def test_a_turn_is_found(turn):
    assert f"turned: {turn}" in of_another("mp4", "h264", "aac", f"track {turn}")


def test_another_shape_is_found():
    assert of_another("mp4", "h264", "aac", "pasp 2:1") == ["shown 320x90"]


def test_late_sound_is_found_to_the_millisecond():
    (said,) = of_another("mp4 late sound")
    assert 199 < float(said.split()[1]) < 201


def test_frames_that_are_missing_and_frames_that_are_late_are_found():
    assert of_another("mp4", "h264", "aac", "edit hides the first group")[0].startswith(
        "frames [10, 11,"
    )
    assert (
        of_another("mp4", "h264 24 fps")[0]
        == "frames [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, "
        "22, 23]"
    )
    (said,) = [
        one for one in of_another("webm", "vp9", "opus", "real-clock picture") if "a frame" in one
    ]
    assert said == "a frame 7.0 ms off"


def test_sound_that_is_gone_is_found():
    assert "without its beep" in of_another("mp4", "h264", "")
    silent = Cell("mp4", "h264", "", shown=Shown())
    assert differences(silent, see(PLAIN.file())) == ["a beep from nowhere"]
