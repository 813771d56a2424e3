"""What an MP4 or MOV file says about how its frames are shown, outside the coded frames. No Django
here.

Sources: ISO/IEC 14496-12 §8.2.2 (mvhd), §8.3.2 (tkhd), §12.1.4 (pasp, clap), §12.1.5 (colr),
§12.1.6 (mdcv, clli); VP Codec ISO Media File Format Binding (vpcC, SmDm, CoLL); QuickTime File
Format (matrices, tapt); Spherical Video RFC.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor
from struct import unpack_from
from uuid import UUID

from fartbench.media.boxes import BadBoxes, Box, Bytes, child, full, walk
from fartbench.media.display import SPHERE, TWO_VIEWS, UPRIGHT, hides_part, visible_part
from fartbench.media.hdr import fixed_mastering_numbers
from fartbench.media.movie import Track

Cells = tuple[int, int, int, int]
ONE = 0x10000
"""The number 1 in a matrix (16.16 fixed point)."""
NEAR = Fraction(1, 100)
"""How far an upright matrix may scale one side more than the other, or lean: players take no notice
of that much.
"""
QUARTER_TURNS = {(a, 0, 0, d) for a in (1, -1) for d in (1, -1)} | {
    (0, b, c, 0) for b in (1, -1) for c in (1, -1)
}
LARGEST_SIDE = 1 << 31
"""Players read the two sides of a pixel as signed numbers of 32 bits."""
UNSPECIFIED = 2
"""The colour code by which a record says that it does not know."""
SPHERE_MARK = UUID("ffcc8263-f855-4a93-8814-587a02521fdd").bytes
"""The box by which older spherical videos are marked."""
APERTURES = ("clef", "prof")


def read_cells(data: Bytes, box: Box, before_end: int) -> Cells:
    """Return the cells (a, b, c, d) of the matrix that begins ``before_end`` bytes before the end
    of a header box.
    """
    at = box.end - before_end
    if at < box.start:
        raise BadBoxes(f"the “{box.kind}” box is cut off")
    a, b, _, c, d = unpack_from(">5i", data, at)
    return a, b, c, d


def read_showing(data: Bytes, trak: Box, tkhd: Box, movie: Cells, track: Track) -> None:
    """Set the track's turn, and its pixels' shape by the size in its header; call it once the
    sample entry has been read.

    An obstacle is noted when no copy could be shown the same.
    """
    matrix = quarter_turn(_product(read_cells(data, tkhd, 44), movie))
    if matrix is None:
        track.obstacle = (
            "its container turns or scales the frames otherwise than by quarter turns, which "
            "players show differently"
        )
    else:
        track.matrix = matrix
    width, height = unpack_from(">II", data, tkhd.end - 8)
    shown, coded = (width >> 16, height >> 16), (track.width, track.height)
    if not track.aspect_declared and all(shown) and all(coded) and shown != coded:
        _declare_aspect(track, shown[0] * track.height, shown[1] * track.width)
    for box in walk(data, trak.start, trak.end):
        if (
            box.kind == "uuid"
            and bytes(data[box.start : box.start + len(SPHERE_MARK)]) == SPHERE_MARK
        ):
            track.obstacle = SPHERE
    _check_apertures(data, child(data, trak, "tapt"), track)


def _product(first: Cells, second: Cells) -> Cells:
    """Return the cells of turning by ``first`` and then by ``second``."""
    a, b, c, d = first
    e, f, g, h = second
    cells = (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
    return cells[0] // ONE, cells[1] // ONE, cells[2] // ONE, cells[3] // ONE


def quarter_turn(cells: Cells) -> tuple[int, ...] | None:
    """Return a matrix of quarter turns and mirrors as cells of -1, 0 and 1, or None for any other
    matrix.

    Players show a matrix of zeros upright, and upright frames as large as the page wants whatever
    the scale. Some turn by the angle that is nearest, but browsers turn by an exact matrix alone.
    """
    scale = max(map(abs, cells))
    if not scale:
        return UPRIGHT
    units = tuple(round(Fraction(cell, scale)) for cell in cells)
    if units == UPRIGHT:
        lean = max(
            abs(Fraction(cell, scale) - unit) for cell, unit in zip(cells, units, strict=True)
        )
        return units if lean <= NEAR else None
    is_exact = cells == tuple(unit * ONE for unit in units)
    return units if is_exact and units in QUARTER_TURNS else None


def _check_apertures(data: Bytes, tapt: Box | None, track: Track) -> None:
    """Note an obstacle when QuickTime's track apertures have another shape than the frame as it is
    shown.
    """
    if tapt is None or not track.width or not track.height:
        return
    width, height = track.width * Fraction(*track.pixel_aspect), track.height
    for box in walk(data, tapt.start, tapt.end):
        if box.kind in APERTURES and box.end - box.start >= 12:  # version, flags and two sides
            across, down = (side / ONE for side in unpack_from(">II", data, box.start + 4))
            if down and abs(across - width * down / height) > 1 + width / 100:
                track.obstacle, track.crop_is_known = (
                    hides_part("QuickTime's track aperture"),
                    False,
                )


def _declare_aspect(track: Track, wide: int, high: int) -> None:
    aspect = Fraction(wide, high)
    track.pixel_aspect, track.aspect_declared = (aspect.numerator, aspect.denominator), True


def read_display_boxes(data: Bytes, boxes: Sequence[Box], track: Track) -> None:
    """Set what the boxes inside a sample entry say about showing its frames."""
    for box in boxes:
        reader = _READERS.get(box.kind)
        if reader is not None:
            reader(data, box, track)
    if track.colour is None and len(track.config) >= 10 and track.codec in ("vp8", "vp9"):
        _vpx_colour(track)


def _shape(data: Bytes, box: Box, track: Track) -> None:
    wide, high = unpack_from(">II", data, box.start)
    if max(wide, high) >= LARGEST_SIDE:
        track.obstacle = (
            f"its pixels are said to be {wide} wide and {high} high, which players read differently"
        )
    elif wide and high:
        _declare_aspect(track, wide, high)


def _aperture(data: Bytes, box: Box, track: Track) -> None:
    numbers = unpack_from(">IIIIiIiI", data, box.start)
    if not all(numbers[1::2]):
        return  # a fraction by nothing: no player reads it
    width, height, right, down = (Fraction(*numbers[at : at + 2]) for at in (0, 2, 4, 6))
    hidden = track.width - width, track.height - height
    if max(hidden) > 0 or right or down:
        track.obstacle = hides_part("a clean aperture (clap)")
        left, top = floor(hidden[0] / 2 + right), floor(hidden[1] / 2 + down)
        track.visible = visible_part(
            (track.width, track.height), left, top, floor(width), floor(height)
        )
        track.crop_is_known = track.visible is not None


def _colour(data: Bytes, box: Box, track: Track) -> None:
    kind = bytes(data[box.start : box.start + 4])
    if kind in (b"nclx", b"nclc"):
        primaries, transfer, matrix = unpack_from(">HHH", data, box.start + 4)
        is_full = (
            data[box.start + 10] >> 7 if kind == b"nclx" and box.end - box.start > 10 else None
        )
        track.colour = (primaries, transfer, matrix, is_full)
    else:
        track.left_out["colour profile"] += 1


def _vpx_colour(track: Track) -> None:
    """Read the colours of a VP8 or VP9 record (vpcC): version and flags, profile, level, depth and
    range, codes.
    """
    depth_and_range, *codes = track.config[6:10]
    if any(code not in (0, UNSPECIFIED) for code in codes):
        track.colour = (codes[0], codes[1], codes[2], depth_and_range & 1)


def _mastering(data: Bytes, box: Box, track: Track) -> None:
    if box.end - box.start == 24:  # three primaries and white, each (x, y), and two brightnesses
        track.mastering = bytes(data[box.start : box.end])


def _light(data: Bytes, box: Box, track: Track) -> None:
    if box.end - box.start == 4:  # two brightnesses
        track.light = bytes(data[box.start : box.end])


def _webm_light(data: Bytes, box: Box, track: Track) -> None:
    if box.end - box.start == 8:  # the same behind a version
        track.light = bytes(data[box.start + 4 : box.end])


def _webm_mastering(data: Bytes, box: Box, track: Track) -> None:
    track.mastering = fixed_mastering_numbers(data[box.start : box.end], 4)


def _two_views(data: Bytes, box: Box, track: Track) -> None:
    _, _ = full(data, box)
    if data[box.start + 4]:
        track.obstacle = TWO_VIEWS


def _spatial(data: Bytes, box: Box, track: Track) -> None:
    if child(data, box, "eyes") is not None:
        track.obstacle = TWO_VIEWS


def _sphere(data: Bytes, box: Box, track: Track) -> None:  # noqa: ARG001 - one form for all boxes
    track.obstacle = SPHERE


def _dolby_vision(data: Bytes, box: Box, track: Track) -> None:
    """Count the record of Dolby Vision, or note an obstacle when the frames are made for nothing
    else.

    The fifth byte begins with what the frames by themselves are compatible with, four bits, 0 for
    nothing.
    """
    track.left_out["Dolby Vision record"] += 1
    if not data[box.start + 4] >> 4:
        track.obstacle = (
            "its frames have colours of Dolby Vision alone, which most players show wrongly"
        )


def _left_out(name: str) -> Callable[[Bytes, Box, Track], None]:
    def count(data: Bytes, box: Box, track: Track) -> None:  # noqa: ARG001 - one form for all boxes
        track.left_out[name] += 1

    return count


_READERS: dict[str, Callable[[Bytes, Box, Track], None]] = {
    "pasp": _shape,
    "clap": _aperture,
    "colr": _colour,
    "mdcv": _mastering,
    "clli": _light,
    "SmDm": _webm_mastering,
    "CoLL": _webm_light,
    "st3d": _two_views,
    "vexu": _spatial,
    "sv3d": _sphere,
    "dvcC": _dolby_vision,
    "dvvC": _dolby_vision,
    "amve": _left_out("record of the viewing light"),
}
