"""What the elements of a WebM or Matroska file say beyond what playing it needs. No Django here.

Element names and numbers: RFC 9559 §5.
"""

from collections.abc import Iterator

from blinding.leaks.finding import Finding
from blinding.leaks.mp4 import free_text
from blinding.leaks.text import long_text, named, texts
from fartbench.media import ebml
from fartbench.media.ebml import BadElements, Bytes, Element

_ENTER = frozenset(
    {
        0x1A45DFA3,
        0x18538067,
        0x1549A966,
        0x1654AE6B,
        0x1F43B675,
        0xA0,
        0xAE,
        0xE0,
        0xE1,
        0x55B0,
        0x55D0,
        0x7670,
        0x1C53BB6B,
        0xBB,
        0xB7,
        0x114D9B74,
        0x4DBB,
    }
)
_PLAYED = frozenset(
    {
        0x4286, 0x42F7, 0x42F2, 0x42F3, 0x4282, 0x4287, 0x4285,  # the EBML header
        0x53AB, 0x53AC, 0xB3, 0xF7, 0xF1, 0xF0, 0x5378, 0xB2,  # SeekHead, Cues
        0x2AD7B1, 0x4489,  # TimestampScale, Duration
        0xD7, 0x83, 0x86, 0xB9, 0x88, 0x55AA, 0x9C, 0x23E383, 0x56AA, 0x56BB, 0x6DE7, 0x6DF8,
        0x55EE,
        0xAA,  # TrackEntry
        0xB0, 0xBA, 0x54B0, 0x54BA, 0x54B2, 0x9A, 0x9D, 0x53B8, 0x53C0, 0x54AA, 0x54BB, 0x54CC,
        0x54DD, 0x54B3,  # Video
        0x55B1, 0x55B2, 0x55B3, 0x55B4, 0x55B5, 0x55B6, 0x55B7, 0x55B8, 0x55B9, 0x55BA, 0x55BB,
        0x55BC, 0x55BD,  # Colour
        0x55D1, 0x55D2, 0x55D3, 0x55D4, 0x55D5, 0x55D6, 0x55D7, 0x55D8, 0x55D9, 0x55DA, 0x7671,
        0x7673, 0x7674, 0x7675,
        0xB5, 0x78B5, 0x9F, 0x6264,  # Audio
        0xE7, 0xA3, 0xA1, 0x9B, 0xFB, 0x75A2, 0xAB, 0xA7,  # Cluster
    }
)  # fmt: skip
_TOOL, _TEXT = "an encoder or tool", "free text"
_NAMES = {
    0x4D80: ("MuxingApp", _TOOL), 0x5741: ("WritingApp", _TOOL), 0x258688: ("CodecName", _TOOL),
    0x7BA9: ("Title", "a title"), 0x4461: ("DateUTC", "a time"), 0x73A4: ("SegmentUUID",
                                                                          "a random id"),
    0x536E: ("track Name", "a name of the track's maker"), 0x22B59C: ("Language", "a language"),
    0x22B59D: ("LanguageBCP47", "a language"), 0x1254C367: ("Tags", _TEXT), 0x1043A770: ("Chapters",
                                                                                         _TEXT),
    0x1941A469: ("Attachments", "an attached file"),
}  # fmt: skip
TRACK_UID, CODEC_PRIVATE, VOID, CRC = 0x73C5, 0x63A2, 0xEC, 0xBF


def scan_elements(data: Bytes) -> Iterator[Finding]:
    """Yield what the elements of a file say; what cannot be followed is read as text."""
    at = 0
    try:
        for element in ebml.walk(data, 0, len(data), _ENTER):
            at = element.start
            if element.ident not in _ENTER and element.ident not in _PLAYED:
                yield from _element(element, bytes(data[element.start : element.end]))
    except (BadElements, IndexError):
        yield from free_text(bytes(data[at:]), "file, bytes in no element")


def _element(element: Element, payload: bytes) -> Iterator[Finding]:
    if element.ident in (VOID, CRC):
        if element.ident == VOID and any(payload):
            yield from free_text(payload, "Void")
    elif element.ident == TRACK_UID:
        if len(payload.lstrip(b"\0")) > 1:
            yield Finding("TrackUID", payload.hex(), "a random id")
    elif element.ident == CODEC_PRIVATE:
        yield from (
            Finding("CodecPrivate", text[:200], named(text) or "free text")
            for text in _private_texts(payload)
        )
    else:
        yield from _named_element(element, payload)


def _named_element(element: Element, payload: bytes) -> Iterator[Finding]:
    name, what = _NAMES.get(
        element.ident, (f"element {element.ident:X}", "data that playing does not need")
    )
    if name.startswith("Language") and payload.rstrip(b"\0") == b"und":
        return
    found = list(dict.fromkeys(texts(payload, 1 if name in ("MuxingApp", "WritingApp") else 3)))
    yield from (Finding(name, text[:200], named(text) or what) for text in found)
    if payload.strip(b"\0") and not found:
        yield Finding(name, payload[:16].hex(), what)


def _private_texts(payload: bytes) -> Iterator[str]:
    """Yield the texts of a set-up record: those of a Vorbis comment, else runs too long to be
    numbers by chance.
    """
    if payload[:1] == b"\2" and b"\1vorbis" in payload:
        yield from texts(_vorbis_comment(payload))
    else:
        yield from long_text(payload, 12)


def _vorbis_comment(payload: bytes) -> bytes:
    """Return the comment header of three Vorbis headers without its mark; the other two hold
    numbers.
    """
    start = payload.find(b"\3vorbis") + 7
    end = payload.find(b"\5vorbis", start)
    return payload[start:end]
