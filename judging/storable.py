"""What a service sent, made fit to be stored: no key, no text that a database refuses, no number that is none.

No Django here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

WORDS_LIMIT = 1_000
MOST_TOKENS = 2**31 - 1
_LIMITS = {"reason": WORDS_LIMIT, "model_version": 120, "response_id": 200}
# PostgreSQL takes no NUL, and no encoding takes half a surrogate pair.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(content: Mapping[str, Any], redacted: Callable[[str], str]) -> dict[str, Any]:
    """Return what came of a try with every text cleaned, ``redacted`` and cut, and impossible token counts unknown."""
    found = {key: _plain(value, redacted) for key, value in content.items()}
    found |= {key: found[key][:most] for key, most in _LIMITS.items()}
    return found | {key: _tokens(found[key]) for key in ("input_tokens", "output_tokens")}


def _plain(value: Any, redacted: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return _UNSTORABLE.sub("�", redacted(value))
    if isinstance(value, Mapping):
        return {_plain(str(key), redacted): _plain(part, redacted) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, redacted) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _tokens(count: int | None) -> int | None:
    return count if count is not None and 0 <= count <= MOST_TOKENS else None
