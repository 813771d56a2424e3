"""Numbers in words: a number that rounds to nothing has no sign, so “-0.00” is never printed.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import SupportsFloat

_ZEROS_ARE_SIGNED = ContextVar("zeros are signed", default=False)


def number_text(value: SupportsFloat, spec: str) -> str:
    """Format a number that may be negative, such as by ``.2f``, without a sign where only zeros are
    left.
    """
    return format(float(value), spec if _ZEROS_ARE_SIGNED.get() else f"z{spec}")


def exact_number(value: SupportsFloat) -> str:
    """Write a number so that it is read back to the last bit, a whole one without a point."""
    return number_text(value, "").removesuffix(".0")


def shown_number(value: SupportsFloat, spec: str) -> str:
    """Format a number as `number_text` does, for a page or a plot: with the typographic minus."""
    return number_text(value, spec).replace("-", "−")


@contextmanager
def signed_zeros() -> Iterator[None]:
    """Print “-0.00” as the program did once, so that a release from then is made again to the
    byte.
    """
    token = _ZEROS_ARE_SIGNED.set(True)
    try:
        yield
    finally:
        _ZEROS_ARE_SIGNED.reset(token)
