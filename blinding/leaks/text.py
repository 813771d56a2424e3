"""Readable text in bytes, and what it names. No Django here."""

import re
from collections.abc import Iterator
from itertools import pairwise

SHORTEST = 4
LONG, DIFFERENT = 18, 8
VARIED = 0.6
"""The share of pairs of neighbours in a text that are no repeats: coded flat pictures repeat a few
bytes, prose does not.
"""
_RUN = re.compile(rb"(?:[\x20-\x7e]|[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}){4,}")
_WIDE = re.compile(rb"(?:[\x20-\x7e]\x00){4,}|(?:\x00[\x20-\x7e]){4,}")
_LONG = re.compile(rb"[A-Za-z0-9 .,:;/_()+@=-]{12,}")
_TOOLS = (
    r"Lavc|Lavf|FFmpeg|FFMP\b|libx?26[45]|\bx26[45]\b|libaom|libvpx|libopus|SVT-?AV1|rav1e|dav1d"
    r"|Xiph|Vorbis I"
    r"|LAME ?\d|faac\b|fdk|Nero"
    r"|HandBrake|GPAC|MP4Box|mp4v2|Bento4|Shaka|mkvmerge|libwebm|libebml|libmatroska|GStreamer|VLC|OBS|NVENC|QuickSync|VideoToolbox"
    r"|(?:Video|Sound|Audio|Subtitle|Text|TimeCode|Data)Handler|AVC Coding|Core Media|Mainconcept"
    r"|Elemental|Encoder|Encoded|encoding"
)
_VENDORS = (
    r"Apple|Adobe|Google|YouTube|OpenAI|Sora|Runway|Pika|Kling|Kuaishou|Luma|Veo|Gemini|Meta|Microsoft|Amazon|Nova|MiniMax|Hailuo|Vidu|Wan-?\d|LTX"
    r"|Stability|Hunyuan|Tencent|ByteDance|Seedance|Alibaba|Samsung|Sony|Canon|Nikon|GoPro|DJI|Android|iPhone|AppleTV|c2pa|jumb|xmp|contentauth"
)
_PATTERNS = (
    ("an encoder or tool", re.compile(_TOOLS, re.IGNORECASE)),
    ("a vendor", re.compile(_VENDORS, re.IGNORECASE)),
    (
        "a time",
        re.compile(r"\b(?:19|20)\d\d[-:/.](?:0\d|1[0-2])[-:/.][0-3]\d|\b[0-2]\d:[0-5]\d:[0-5]\d"),
    ),
    ("a place", re.compile(r"[+-]\d{1,3}\.\d{2,}[+-]\d{1,3}\.\d{2,}")),
    ("an address", re.compile(r"https?://|www\.|[\w.+-]+@[\w-]+\.[a-z]{2,}", re.IGNORECASE)),
    (
        "a random id",
        re.compile(r"\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b", re.IGNORECASE),
    ),
)
_KNOWN = re.compile(
    rb"Lavc\d|Lavf\d|x26[45] [-(]|libfaac|LAME\d\.|Xiph\.Org|libopus |libvpx|libaom|SVT-AV1"
    rb"|HandBrake|GPAC[ -]|JVT/AVC|jumdc2|c2pa\.|adobe:ns|x:xmpmeta"
)


def texts(data: bytes, shortest: int = SHORTEST) -> Iterator[str]:
    """Yield every run of readable characters (ASCII, UTF-8, UTF-16) of at least ``shortest``."""
    for match in _RUN.finditer(data):
        text = match.group().decode("utf-8", "replace").strip()
        if len(text) >= shortest:
            yield text
    for match in _WIDE.finditer(data):
        text = match.group().replace(b"\0", b"").decode("ascii")
        if len(text) >= shortest:
            yield text


def named(text: str) -> str:
    """Return what a text names (an encoder or tool, a vendor, a time, a place, an address, a random
    id), or "" for none of them.
    """
    return next((what for what, pattern in _PATTERNS if pattern.search(text)), "")


def long_text(data: bytes, shortest: int = LONG) -> Iterator[str]:
    """Yield runs of letters, digits and common signs too long to be chance in coded data (0.25 **
    18 a byte).
    """
    for match in _LONG.finditer(data):
        text = match.group().decode("ascii")[:80]
        if (
            len(text) >= shortest
            and len(set(text)) >= DIFFERENT
            and len(set(pairwise(text))) >= VARIED * len(text)
        ):
            yield text


def known_marks(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield where well-known marks of tools begin in any bytes, with the readable text from there
    on.
    """
    for match in _KNOWN.finditer(data):
        run = _RUN.match(data, match.start())
        yield match.start(), (run or match).group()[:80].decode("utf-8", "replace")
