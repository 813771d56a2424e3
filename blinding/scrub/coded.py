"""The outcome of a scrub: a stream's set-up record and samples, rebuilt from what may stay.

No Django here.
"""

from collections import Counter
from dataclasses import dataclass, field

Bytes = bytes | memoryview


class CannotScrub(ValueError):
    """The stream holds something that cannot be taken out or understood; the message says what."""


@dataclass(slots=True)
class Coded:
    """A scrubbed stream: the MP4 sample entry it needs, its set-up record, and per sample the
    pieces to write.

    ``mastering`` and ``light`` are what messages that were taken out say an HDR picture was graded
    for, as the payloads of the boxes “mdcv” and “clli”.
    """

    entry: str
    record: bytes
    samples: list[list[Bytes]]
    removed: Counter[str] = field(default_factory=Counter)
    mastering: bytes = b""
    light: bytes = b""


def refuse_text(record: bytes | memoryview, what: str, longest: int = 12) -> None:
    """Raise CannotScrub when a set-up record, whose fields are numbers, carries ``longest``
    readable characters in a row.
    """
    run = 0
    for byte in bytes(record):
        run = run + 1 if byte in _TEXT else 0
        if run >= longest:
            raise CannotScrub(f"{what} carries readable text")


_TEXT = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .-_:/")
