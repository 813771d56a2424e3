"""Walking the elements of an EBML file (RFC 8794). No Django here."""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import unpack_from

Bytes = bytes | memoryview


class BadElements(ValueError):
    """The element structure contradicts itself or runs past the file."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its ID with the length marker, and where it, its payload and its end lie;
    ``open`` when its size is unknown.
    """

    ident: int
    at: int
    start: int
    end: int
    open: bool = False


def _width(first: int, most: int) -> int:
    width = 9 - first.bit_length()
    if width > most:
        raise BadElements("an element header is malformed")
    return width


def read_size(data: Bytes, at: int, end: int) -> tuple[int | None, int]:
    """Return a variable-length number (None when all its bits are set: unknown) and where it
    ends.
    """
    if at >= end:
        raise BadElements("an element header is cut off")
    width = _width(data[at], 8)
    if at + width > end:
        raise BadElements("an element header is cut off")
    value = int.from_bytes(data[at : at + width], "big") & ((1 << 7 * width) - 1)
    return (None if value == (1 << 7 * width) - 1 else value), at + width


def walk(
    data: Bytes, start: int, end: int, enter: frozenset[int] = frozenset(), limit: int = 1_000_000
) -> Iterator[Element]:
    """Yield the elements from ``start`` on, going into those named in ``enter`` instead of past
    them.
    """
    at = start
    count = 0
    while at < end:
        width = _width(data[at], 4)
        ident = int.from_bytes(data[at : at + width], "big")
        size, first = read_size(data, at + width, end)
        last = end if size is None else first + size
        if last > end:
            raise BadElements(
                f"it is cut off: the element {ident:X} at byte {at} says {size} bytes, and "
                f"{end - first} are left"
            )
        if size is None and ident not in enter:
            raise BadElements(f"the element {ident:X} at byte {at} has no size")
        count += 1
        if count > limit:
            raise BadElements(f"over {limit} elements")
        yield Element(ident, at, first, last, size is None)
        at = first if ident in enter else last


def number(data: Bytes, element: Element) -> int:
    """Return an unsigned integer element."""
    if element.end - element.start > 8:  # the longest integer EBML has
        raise BadElements(f"the element {element.ident:X} is too long for a number")
    return int.from_bytes(data[element.start : element.end], "big")


def signed(data: Bytes, element: Element) -> int:
    """Return a signed integer element."""
    return int.from_bytes(data[element.start : element.end], "big", signed=True)


def real(data: Bytes, element: Element) -> float:
    """Return a floating-point element."""
    layout = {4: ">f", 8: ">d"}.get(element.end - element.start)
    return float(unpack_from(layout, data, element.start)[0]) if layout else 0.0
