"""What the boxes of an MP4 or MOV file say beyond what playing it needs. No Django here."""

from collections.abc import Iterator
from struct import unpack_from

from blinding.leaks.finding import Finding
from blinding.leaks.text import long_text, named, texts
from fartbench.media.boxes import BadBoxes, Box, Bytes, full, walk

CONTAINERS = frozenset(
    {"moov", "trak", "mdia", "minf", "dinf", "stbl", "edts", "mvex", "moof", "traf", "mfra"}
)
TABLES = frozenset(
    {
        "ftyp", "styp", "mdat", "url ", "stts", "ctts", "stss", "stsc", "stsz", "stz2", "stco",
        "co64", "cslg", "sdtp",
        "sgpd", "sbgp", "elst", "vmhd", "smhd", "mehd", "trex", "mfhd", "tfhd", "tfdt", "trun",
        "sidx", "tfra", "mfro",
    }
)  # fmt: skip
RECORDS = frozenset(
    {
        "avcC",
        "hvcC",
        "av1C",
        "vpcC",
        "dOps",
        "esds",
        "pasp",
        "btrt",
        "clap",
        "fiel",
        "wave",
        "mdcv",
        "clli",
    }
)
NESTED = frozenset({"udta", "meta", "ilst", "gmhd", "jumb"})
SOUND, PICTURE = 28, 78
_KEYS = {
    "too": "an encoder or tool", "enc": "an encoder or tool", "swr": "an encoder or tool",
    "xyz": "a place",
    "day": "a time", "ART": "a person", "aut": "a person", "wrt": "a person", "mak": "a vendor",
    "mod": "a vendor",
    "nam": "a title",
}  # fmt: skip


def scan_boxes(data: Bytes) -> Iterator[Finding]:
    """Yield what the boxes of a file say; boxes that cannot be followed are read as text."""
    yield from _inside(data, 0, len(data), "", "")


def _inside(data: Bytes, start: int, end: int, place: str, handler: str) -> Iterator[Finding]:
    at = start
    try:
        for box in walk(data, start, end):
            at = box.end
            here = f"{place}/{box.kind}" if place else box.kind
            if box.kind == "hdlr":
                handler = bytes(data[box.start + 8 : box.start + 12]).decode("latin-1")
            if box.kind in CONTAINERS:
                yield from _inside(data, box.start, box.end, here, handler)
            elif box.kind not in TABLES:
                yield from _leaf(data, box, here, handler)
    except (BadBoxes, IndexError):
        yield from free_text(bytes(data[at:end]), f"{place or 'file'}, bytes in no box")


def _leaf(data: Bytes, box: Box, place: str, handler: str) -> Iterator[Finding]:
    readers = {
        "mvhd": _times,
        "tkhd": _times,
        "mdhd": _media_header,
        "hdlr": _handler,
        "dref": _references,
    }
    if box.kind in readers:
        yield from readers[box.kind](data, box, place)
    elif box.kind == "stsd":
        yield from _descriptions(data, box, place, handler)
    elif any(data[box.start : box.end]):
        yield from _needless(data, box.start, box.end, place)


def _needless(data: Bytes, start: int, end: int, place: str) -> Iterator[Finding]:
    """Yield the texts of a box that playing does not need, from the boxes inside it where it has
    some.
    """
    if place.rpartition("/")[2] in NESTED or place.rpartition("/")[0].endswith("ilst"):
        start += 4 if place.endswith("meta") and not any(data[start : start + 4]) else 0
        yield from _nested(data, start, end, place)
        return
    payload = bytes(data[start:end])
    found = list(free_text(payload, place))
    yield from found or [Finding(place, f"{len(payload)} bytes", "data that playing does not need")]


def _nested(data: Bytes, start: int, end: int, place: str) -> Iterator[Finding]:
    at = start
    try:
        for box in walk(data, start, end):
            at = box.end
            if any(data[box.start : box.end]):
                yield from _needless(data, box.start, box.end, f"{place}/{box.kind}")
    except BadBoxes:
        yield from free_text(bytes(data[at:end]), place)


def free_text(payload: bytes, place: str) -> Iterator[Finding]:
    """Yield every text in bytes that playing does not need; all of them count, since any could be a
    name.
    """
    key = next((what for name, what in _KEYS.items() if f"\xa9{name}" in place), "")
    for text in dict.fromkeys(texts(payload)):
        yield Finding(place, text[:200], named(text) or key or "free text")


def _times(data: Bytes, box: Box, place: str) -> Iterator[Finding]:
    version, _ = full(data, box)
    for name, value in zip(
        ("creation", "modification"),
        unpack_from(">QQ" if version else ">II", data, box.start + 4),
        strict=True,
    ):
        if value:
            yield Finding(f"{place} {name} time", str(value), "a time")


def _media_header(data: Bytes, box: Box, place: str) -> Iterator[Finding]:
    yield from _times(data, box, place)
    (code,) = unpack_from(">H", data, box.end - 4)
    language = "".join(chr((code >> shift & 31) + 0x60) for shift in (10, 5, 0))
    if code not in (0x55C4, 0x7FFF):
        yield Finding(
            f"{place} language", language if code >= 0x400 else f"Macintosh {code}", "a language"
        )


def _handler(data: Bytes, box: Box, place: str) -> Iterator[Finding]:
    kind = bytes(data[box.start + 8 : box.start + 12]).decode("latin-1")
    if kind not in ("vide", "soun", "url ", "alis"):
        yield Finding(f"{place} type", kind, "a track that is neither picture nor sound")
    if any(data[box.start + 12 : box.start + 24]):
        yield Finding(
            f"{place} vendor", _printable(data[box.start + 12 : box.start + 24]), "a vendor"
        )
    name = bytes(data[box.start + 24 : box.end]).strip(b"\0")
    if name:
        yield Finding(
            f"{place} name",
            _printable(name),
            named(_printable(name)) or "a name of the track's maker",
        )


def _printable(raw: Bytes) -> str:
    return bytes(raw).decode("utf-8", "replace").replace("\0", " ").strip()


def _references(data: Bytes, box: Box, place: str) -> Iterator[Finding]:
    for entry in walk(data, box.start + 8, box.end, limit=64):
        if any(data[entry.start + 4 : entry.end]):
            yield Finding(
                f"{place}/{entry.kind}",
                _printable(data[entry.start + 4 : entry.end]),
                "a path or address",
            )


def _descriptions(data: Bytes, box: Box, place: str, handler: str) -> Iterator[Finding]:
    for entry in walk(data, box.start + 8, box.end, limit=64):
        here = f"{place}/{entry.kind}"
        fixed = PICTURE if handler == "vide" else SOUND
        if handler not in ("vide", "soun"):
            yield from _needless(data, entry.start + 8, entry.end, here)
            continue
        if any(data[entry.start + 12 : entry.start + 16]):
            yield Finding(
                f"{here} vendor", _printable(data[entry.start + 12 : entry.start + 16]), "a vendor"
            )
        compressor = bytes(data[entry.start + 42 : entry.start + 74]) if handler == "vide" else b""
        if any(compressor):
            text = _printable(compressor[1:])
            yield Finding(f"{here} compressor name", text, named(text) or "an encoder or tool")
        yield from _records(data, entry, fixed, here)


def _records(data: Bytes, entry: Box, fixed: int, place: str) -> Iterator[Finding]:
    try:
        for box in walk(data, entry.start + fixed, entry.end, limit=64):
            payload = bytes(data[box.start : box.end])
            here = f"{place}/{box.kind}"
            if box.kind in RECORDS or (box.kind == "colr" and payload[:3] == b"ncl"):
                yield from (
                    Finding(here, text, named(text) or "free text")
                    for text in long_text(payload, 12)
                )
            elif any(payload):
                yield from _needless(data, box.start, box.end, here)
    except BadBoxes:
        yield from free_text(bytes(data[entry.start + fixed : entry.end]), place)
