"""H.264 units that follow start codes instead of lengths, as browsers record them into Matroska. No
Django here.

Source: ITU-T H.264 annex B.
"""

from collections.abc import Iterator

START_CODE = b"\0\0\1"
LONGER_START_CODE = b"\0\0\0\1"


def begins_with_start_code(sample: memoryview) -> bool:
    """Say whether a sample's first bytes are a start code."""
    return bytes(sample[:4]) == LONGER_START_CODE or bytes(sample[:3]) == START_CODE


def split_at_start_codes(sample: memoryview) -> Iterator[memoryview]:
    """Yield the units between the start codes, without the zero bytes that may follow a unit."""
    data = bytes(sample)
    start = data.find(START_CODE)
    while start >= 0:
        start += len(START_CODE)
        following = data.find(START_CODE, start)
        end = len(data) if following < 0 else following
        size = len(data[start:end].rstrip(b"\0"))
        if size:
            yield sample[start : start + size]
        start = following
