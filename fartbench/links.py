"""A place in the chain of the audit trail, as it is noted elsewhere. No Django here."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fartbench.storable import whole_number

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the chain, as it was noted somewhere else: in a release, in a letter."""

    sequence: int
    hash: str
    noted: str = "a note"

    @classmethod
    def parse(cls, text: str) -> Link:
        """Read ``SEQUENCE:HASH``, as releases and `head` print it. Raises ValueError."""
        sequence, _, found = text.strip().partition(":")
        number = whole_number(sequence)
        if number is None or not _HASH.fullmatch(found):
            raise ValueError(f"{text!r} is no SEQUENCE:HASH, such as 17:{'0' * 64}")
        return cls(number, found)

    def __str__(self) -> str:
        return f"{self.sequence}:{self.hash}"
