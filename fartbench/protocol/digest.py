"""The identity of a protocol: SHA-256 over one canonical form of its content. No Django here."""

import hashlib
import json
from typing import Any


def canonical_bytes(content: Any) -> bytes:
    """Return JSON with sorted keys and no spaces, in UTF-8: equal content gives equal bytes."""
    return json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def digest_of(content: Any) -> str:
    """Return the lower-case hex SHA-256 of the canonical bytes of ``content``."""
    return hashlib.sha256(canonical_bytes(content)).hexdigest()
