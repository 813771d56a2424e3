"""What a Matroska or WebM track says about how its frames are shown. No Django here.

Source: RFC 9559 §5.1.4.1.28 (Video), read as libavformat and browsers read it.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from fartbench.media.display import SPHERE, TWO_VIEWS, UPRIGHT, hides_part, visible_part
from fartbench.media.hdr import light_numbers, mastering_numbers
from fartbench.media.movie import Track

COLOUR, MASTERING, PROJECTION = 0x55B0, 0x55D0, 0x7670
PARENTS = frozenset({COLOUR, MASTERING, PROJECTION})
"""The elements below Video that the numbers lie in."""
NUMBERS = {
    0xB0: "width", 0xBA: "height", 0x54B0: "shown_width", 0x54BA: "shown_height",
    0x54B2: "shown_unit",
    0x54AA: "crop_bottom", 0x54BB: "crop_top", 0x54CC: "crop_left", 0x54DD: "crop_right",
    0x53B8: "stereo", 0x7671: "projection",
    0x55B1: "matrix", 0x55B9: "range", 0x55BA: "transfer", 0x55BB: "primaries",
    0x55BC: "most_light", 0x55BD: "average_light",
}  # fmt: skip
CHROMATICITIES = ("red_x", "red_y", "green_x", "green_y", "blue_x", "blue_y", "white_x", "white_y")
REALS = {
    0x7673: "yaw", 0x7674: "pitch", 0x7675: "roll",
    **{0x55D1 + place: name for place, name in enumerate((*CHROMATICITIES, "highest", "lowest"))},
}  # fmt: skip
CROPS = ("crop_bottom", "crop_top", "crop_left", "crop_right")
COLOURS = ("primaries", "transfer", "matrix")
PIXELS, UNKNOWN_UNIT = 0, 4
UNSPECIFIED = 2
RANGES = {1: 0, 2: 1}
"""Whether the range is full, for the two ranges that are said by themselves."""
ROLLS = {0.0: UPRIGHT, 90.0: (0, -1, 1, 0), 180.0: (-1, 0, 0, -1), 270.0: (0, 1, -1, 0)}
"""The quarter turn that a ProjectionPoseRoll in degrees (counter-clockwise) is."""
ALPHA = 1
"""The BlockAddID of what belongs to the coded frame itself: the alpha plane of VP8 and VP9."""
Values = Mapping[str, float]


class Addition(NamedTuple):
    """What a block carries beside the coded frame: its kind (BlockAddID), and where it lies in the
    file.
    """

    kind: int
    offset: int
    size: int


def set_showing(track: Track, values: Values, additions: Sequence[Addition]) -> None:
    """Set size, shape, turn and colours of a picture track from its numbers by name, and what its
    blocks carry beside the coded frames.

    An obstacle is noted when no copy could be shown the same.
    """
    track.width, track.height = int(values.get("width", 0)), int(values.get("height", 0))
    if any(values.get(name) for name in CROPS):
        track.obstacle = hides_part("PixelCrop")
        track.visible = _visible(track, values)
        track.crop_is_known = track.visible is not None
    _set_shape(track, values)
    _set_colours(track, values)
    turn = quarter_turn(values)
    track.matrix = turn or UPRIGHT
    if turn is None:
        track.obstacle = (
            "its container turns the frames by other than quarter turns, which players show "
            "differently"
        )
    if values.get("stereo"):
        track.obstacle = TWO_VIEWS
    if values.get("projection"):
        track.obstacle = SPHERE
    track.alpha = [(added.offset, added.size) for added in additions if added.kind == ALPHA]
    if len(additions) > len(track.alpha):
        track.left_out["addition to a block"] = len(additions) - len(track.alpha)


def _visible(track: Track, values: Values) -> tuple[int, int, int, int] | None:
    bottom, top, left, right = (int(values.get(name, 0)) for name in CROPS)
    coded = track.width, track.height
    return visible_part(coded, left, top, track.width - left - right, track.height - top - bottom)


def _set_shape(track: Track, values: Values) -> None:
    """Set the shape of a pixel from the display size, of which players take the ratio in every unit
    but “unknown”.

    It is the size of what is visible. In pixels, which is the unit where none is said, a side that
    is not said is as long as the coded one.
    """
    unit = int(values.get("shown_unit", PIXELS))
    width, height = track.visible[2:] if track.visible else (track.width, track.height)
    default = (width, height) if unit == PIXELS else (0, 0)
    wide, high = (
        int(values.get("shown_width", default[0])),
        int(values.get("shown_height", default[1])),
    )
    if unit >= UNKNOWN_UNIT or not all((wide, high, width, height)):
        return
    aspect = Fraction(wide * height, high * width)
    track.pixel_aspect, track.aspect_declared = (aspect.numerator, aspect.denominator), True


def _set_colours(track: Track, values: Values) -> None:
    is_full = RANGES.get(int(values.get("range", 0)))
    if is_full is not None or any(name in values for name in COLOURS):
        primaries, transfer, matrix = (int(values.get(name, UNSPECIFIED)) for name in COLOURS)
        track.colour = (primaries, transfer, matrix, is_full)
    if all(name in values for name in (*CHROMATICITIES, "highest", "lowest")):
        places = [values[name] for name in CHROMATICITIES]
        track.mastering = mastering_numbers(places, values["highest"], values["lowest"])
    if values.get("most_light") or values.get("average_light"):
        track.light = light_numbers(values.get("most_light", 0), values.get("average_light", 0))


def quarter_turn(values: Values) -> tuple[int, ...] | None:
    """Return the quarter turn or mirror that a projection's pose is, or None for any other pose.

    As libavformat reads it: half a turn about the upright axis (yaw) shows the frame from behind,
    so mirrored, and turns it by the roll the other way.
    """
    roll, pitch, yaw = (values.get(name, 0.0) % 360 for name in ("roll", "pitch", "yaw"))
    if pitch or yaw not in (0, 180):
        return None
    turn = ROLLS.get(-roll % 360 if yaw else roll)
    if turn is None or not yaw:
        return turn
    a, b, c, d = turn
    return -a, b, -c, d
