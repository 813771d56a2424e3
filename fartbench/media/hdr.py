"""What an HDR picture was graded for, as the numbers of the boxes “mdcv” and “clli”. No Django
here.

Sources: ISO/IEC 14496-12 §12.1.6, ITU-T H.265 §D.3.28 and §D.3.35 (messages of the same layout),
AV1 §5.8.3 and §5.8.4.
"""

from collections.abc import Sequence
from math import isnan
from struct import pack, unpack_from

CHROMATICITY = 50_000
LUMINANCE = 10_000
MOST = 0xFFFF
MOST_LUMINANCE = 0xFFFFFFFF
FIXED = (1 << 16, 1 << 8, 1 << 14)
"""How AV1 and WebM's boxes divide chromaticities, the highest and the lowest luminance."""


def mastering_numbers(chromaticities: Sequence[float], highest: float, lowest: float) -> bytes:
    """Return the payload of “mdcv” from x and y of red, green, blue and white, and the luminances
    of the display in candela per square metre.
    """
    red, green, blue, white = (chromaticities[at : at + 2] for at in range(0, 8, 2))
    places = [_whole(value * CHROMATICITY, MOST) for value in (*green, *blue, *red, *white)]
    lights = [_whole(value * LUMINANCE, MOST_LUMINANCE) for value in (highest, lowest)]
    return pack(">8H2I", *places, *lights)


def fixed_mastering_numbers(data: bytes | memoryview, at: int) -> bytes:
    """Return the payload of “mdcv” from the fixed-point fields that begin at ``at`` in an AV1
    message or a “SmDm” box; raise struct.error when they are cut off.
    """
    *places, highest, lowest = unpack_from(">8H2I", data, at)
    unit, high_unit, low_unit = FIXED
    return mastering_numbers(
        [place / unit for place in places], highest / high_unit, lowest / low_unit
    )


def light_numbers(most: float, average: float) -> bytes:
    """Return the payload of “clli” from the brightest pixel and the brightest frame on average, in
    candela per square metre.
    """
    return pack(">HH", _whole(most, MOST), _whole(average, MOST))


def _whole(value: float, most: int) -> int:
    """Return the nearest whole number from 0 to ``most``; 0 for what is not a number."""
    return 0 if isnan(value) else round(min(max(value, 0), most))
