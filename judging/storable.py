"""What a service sent, made fit to be stored. No Django here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fartbench.storable import storable as plain
from fartbench.storable import token_count

WORDS_LIMIT = 1_000
_LIMITS = {"reason": WORDS_LIMIT, "model_version": 120, "response_id": 200}


def storable(content: Mapping[str, Any], redacted: Callable[[str], str]) -> dict[str, Any]:
    """Return what came of a try with every text cleaned, ``redacted`` and cut, and impossible token
    counts unknown.
    """
    stored: dict[str, Any] = plain(content, redacted)
    stored |= {key: stored[key][:most] for key, most in _LIMITS.items()}
    return stored | {key: token_count(stored[key]) for key in ("input_tokens", "output_tokens")}
