"""Text and data from outside, made fit for a database: no key, no character that it refuses, no
number that is none.

No Django here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

# PostgreSQL takes no NUL, and no encoding takes half a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MOST_TOKENS = 2**31 - 1
_WHOLE = re.compile(
    "[0-9]{1,9}"
)  # what every column holds; Python reads “²” as a digit, and no number out of it


def storable(value: Any, redacted: Callable[[str], str]) -> Any:
    """Return plain data with every text cleaned and ``redacted``; a number that is none becomes
    None.
    """
    if isinstance(value, str):
        return _UNSTORABLE.sub("�", redacted(value))
    if isinstance(value, Mapping):
        return {
            storable(str(key), redacted): storable(part, redacted) for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [storable(part, redacted) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def whole_number(text: str) -> int | None:
    """Return the number that a text writes in plain digits, None for any other text and for what no
    column holds.
    """
    if _WHOLE.fullmatch(text):
        return int(text)
    return None


def token_count(count: int | None) -> int | None:
    """Return a count of tokens, or None for one that cannot be."""
    if count is not None and 0 <= count <= MOST_TOKENS:
        return count
    return None
