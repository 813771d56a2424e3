"""How a coded frame is shown: its shape in square pixels, its turn, its mirroring. No Django
here.
"""

from fractions import Fraction

from fartbench.media.movie import Track

Matrix = tuple[int, ...]
"""Cells (a, b, c, d): the frame's point (x, y) is shown at (a*x + c*y, b*x + d*y), y downwards."""

UPRIGHT = (1, 0, 0, 1)
TWO_VIEWS = "its frames hold two views (stereo), which some players show as one"
SPHERE = (
    "its frames are a map of a sphere (360 degrees), of which some players show one view and "
    "others the flat map"
)


def hides_part(by: str) -> str:
    """Return why no copy is made of a clip whose container hides part of each frame."""
    return (
        f"its container hides part of each frame by {by}: some players show that part and some do "
        "not, and a copy "
        "would bring it back"
    )


def visible_part(
    coded: tuple[int, int], left: int, top: int, width: int, height: int
) -> tuple[int, int, int, int] | None:
    """Return the part of a coded frame that is visible (left, top, width, height), or None when
    none of it would be.
    """
    left, top = max(left, 0), max(top, 0)
    width, height = min(width, coded[0] - left), min(height, coded[1] - top)
    return (left, top, width, height) if width > 0 and height > 0 else None


def rotation(matrix: Matrix) -> int:
    """Return the clockwise turn in degrees (0, 90, 180 or 270) of a quarter-turn matrix, mirroring
    taken off first.
    """
    a, b, _, _ = matrix
    if is_mirrored(matrix):
        a, b = -a, -b
    return {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}[a, b]


def is_mirrored(matrix: Matrix) -> bool:
    """Return whether a quarter-turn matrix also flips the frame."""
    a, b, c, d = matrix
    return a * d - b * c < 0


def shown_size(track: Track, width: int, height: int) -> tuple[int, int]:
    """Return width and height in square pixels at which a coded frame of ``width`` by ``height``,
    or the part of it that the container leaves visible, is shown.

    As browsers do, one side is stretched and none is shrunk, so that no line of the frame is lost.
    """
    if track.visible is not None:
        _, _, width, height = track.visible
    aspect = Fraction(*track.pixel_aspect)
    if aspect >= 1:
        width = round(width * aspect)
    else:
        height = round(height / aspect)
    return (width, height) if track.matrix[0] else (height, width)
