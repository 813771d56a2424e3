"""Vorbis: the first and third header hold numbers and stay; the comment header is made empty. No Django here.

Source: Vorbis I specification §4.2 and §5.2 (headers), RFC 9559 §6.4 by way of the Xiph codec mapping (CodecPrivate).
"""

from collections import Counter

from blinding.scrub.coded import CannotScrub, Coded

EMPTY_COMMENT = b"\3vorbis" + bytes(4) + bytes(4) + b"\1"
FIRST_HEADER = 30


def scrub_vorbis(config: bytes, samples: list[memoryview]) -> Coded:
    """Return a Vorbis stream whose headers name nobody."""
    first, comment, third = _headers(config)
    if len(first) != FIRST_HEADER or not first.startswith(b"\1vorbis") or not third.startswith(b"\5vorbis"):
        raise CannotScrub("its Vorbis headers are damaged")
    record = b"\2" + bytes([len(first), len(EMPTY_COMMENT)]) + first + EMPTY_COMMENT + third
    removed = Counter({"Vorbis comment byte": len(comment) - len(EMPTY_COMMENT)})
    return Coded("A_VORBIS", record, [[sample] for sample in samples], +removed)


def _headers(config: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the three headers that Matroska keeps in one record with Xiph lacing."""
    if config[:1] != b"\2":
        raise CannotScrub("its Vorbis headers are missing")
    at, sizes = 1, []
    for _ in range(2):
        size = 0
        while config[at : at + 1] == b"\xff":  # 255 says more follows
            size, at = size + 255, at + 1
        sizes.append(size + sum(config[at : at + 1]))
        at += 1
    middle = at + sizes[0]
    if middle + sizes[1] > len(config):
        raise CannotScrub("its Vorbis headers are damaged")
    return config[at:middle], config[middle : middle + sizes[1]], config[middle + sizes[1] :]
