"""What the header of Opus says to hide at its beginning. No Django here.

Sources: RFC 7845 §5.1 (OpusHead), Encapsulation of Opus in ISO BMFF §4.3.2 (dOps).
"""

MAGIC = b"OpusHead"
SHORTEST = 11
"""The bytes of a header without its mapping of channels, and without the magic."""
PRE_SKIP = slice(2, 4)


def pre_skip(config: bytes) -> int:
    """Return how many samples at 48 kHz a header says to skip, as OpusHead (WebM) or dOps (MP4); 0
    for one that is damaged.
    """
    is_little = config.startswith(MAGIC)
    body = config.removeprefix(MAGIC)
    if len(body) < SHORTEST:
        return 0
    return int.from_bytes(body[PRE_SKIP], "little" if is_little else "big")


def without_pre_skip(record: bytes) -> bytes:
    """Return a dOps record that says to skip nothing."""
    return record[: PRE_SKIP.start] + bytes(2) + record[PRE_SKIP.stop :]
