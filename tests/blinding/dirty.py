"""Clips with something to hide in every place that a container or stream has for it. What must not
survive begins with ZZ.
"""

import struct
from collections.abc import Callable
from pathlib import Path

from blinding.copying import scrubbed_streams
from blinding.mp4_writer import Stream, box, mp4_pieces
from fartbench.media.bounds import BOUNDS
from fartbench.media.probe import facts
from fartbench.media.reading import open_bytes, read_movie
from tests.media.clips import clip, ffmpeg

CHAPTERS = (
    ";FFMETADATA1\ntitle=ZZTITLE\nartist=ZZARTIST\ncomment=ZZCOMMENT a cat on a "
    "sofa\ncopyright=ZZCOPY\n"
    "date=2026-01-02\n"
    "location=+52.5163+013.3777/\ncreation_time=2026-01-02T03:04:05Z\n"
    "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=700\ntitle=ZZCHAPTER1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=700\nEND=1500\n"
    "title=ZZCHAPTER2\n"
)
SUBTITLES = "1\n00:00:00,100 --> 00:00:01,000\nZZSUBTITLE\n"
TRACK_NAMES = (
    "-metadata:s:v", "language=deu", "-metadata:s:v", "handler_name=ZZHANDLERV", "-metadata:s:a",
    "language=fra",
    "-metadata:s:a", "handler_name=ZZHANDLERA", "-metadata:s:v", "title=ZZSTREAM", "-metadata:s:v",
    "encoder=ZZENCODER",
)  # fmt: skip
SEI = "086f3693-b7b3-4f2c-9653-21492feee5b8+ZZSEI"
XMP_ID = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
C2PA_ID = bytes.fromhex("d8fec3d61b0e483c92975828877ec481")
COVER = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


def dirty_container(kind: str, folder: Path) -> Path:
    """Return a copy of a clip with tags, chapters, subtitles, cover, time code, names and
    languages, by ffmpeg.
    """
    suffix = Path(kind).suffix
    tags, words, out = folder / "tags.txt", folder / "words.srt", folder / f"dirty_{kind}"
    tags.write_text(CHAPTERS)
    words.write_text(SUBTITLES)
    mp4 = suffix in (".mp4", ".mov")
    extra = ["-c:s", "mov_text" if mp4 else "webvtt" if suffix == ".webm" else "srt"]
    if mp4:
        extra += [
            "-timecode",
            "01:00:00:00",
            "-movflags",
            "use_metadata_tags" if suffix == ".mp4" else "faststart",
        ]
    if kind.startswith("h264"):
        extra += ["-bsf:v", f"h264_metadata=sei_user_data={SEI}"]
    ffmpeg(
        "-i", clip(kind), "-i", tags, "-i", words, "-map", "0:v", "-map", "0:a", "-map", "2:s",
        "-map_metadata", "1", "-map_chapters", "1", "-c", "copy", *TRACK_NAMES, *extra, out,
    )  # fmt: skip
    return out


def with_cover(kind: str, folder: Path) -> Path:
    """Return a copy of a clip with an attached picture and iTunes tags."""
    picture, out = folder / "cover.png", folder / f"cover_{kind}"
    picture.write_bytes(COVER)
    ffmpeg(
        "-i", clip(kind), "-i", picture, "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:1",
        "attached_pic",
        "-metadata", "title=ZZTITLE", "-metadata", "encoding_tool=ZZTOOL", out,
    )  # fmt: skip
    return out


def with_boxes(source: Path, folder: Path) -> Path:
    """Return a copy of an MP4 with XMP, C2PA, location, iTunes, free and unknown boxes, and media
    data in no sample.

    Boxes go to the end and into moov, which must be the last box so that no offset moves.
    """
    data = source.read_bytes()
    moov = data.index(b"moov") - 4
    (size,) = struct.unpack_from(">I", data, moov)
    assert moov + size == len(data), "moov is the last box"
    jumbf = box(
        b"jumb",
        box(b"jumd", b"c2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03c2pa\0"),
        box(b"json", b"ZZMANIFEST"),
    )
    udta = box(
        b"udta",
        box(b"\xa9xyz", struct.pack(">HH", 18, 0x15C7), b"+52.5163+013.3777/"),
        box(
            b"meta",
            bytes(4),
            box(b"ilst", box(b"\xa9too", box(b"data", struct.pack(">II", 1, 0), b"ZZTOOL"))),
        ),
        box(b"name", b"ZZUDTA"),
        bytes(4),
    )
    inside = udta + box(b"uuid", XMP_ID, b"<x:xmpmeta>ZZXMPMOOV</x:xmpmeta>")
    grown = struct.pack(">I", size + len(inside)) + data[moov + 4 : moov + size] + inside
    tail = box(b"uuid", C2PA_ID, bytes(4), b"manifest\0", bytes(8), jumbf) + box(
        b"uuid", XMP_ID, b"ZZXMPTOP"
    )
    tail += (
        box(b"free", b"ZZFREE")
        + box(b"skip", b"ZZSKIP")
        + box(b"ZZbx", b"ZZUNKNOWN")
        + box(b"mdat", b"ZZORPHAN " * 20)
    )
    path = folder / f"boxes_{source.name}"
    path.write_bytes(data[:moov] + grown + tail)
    return path


def with_fields(source: Path, folder: Path) -> Path:
    """Return a copy of an MP4 whose sample entries and headers carry vendor, compressor name, times
    and reserved bytes.
    """
    data = bytearray(source.read_bytes())
    entry = data.index(b"avc1", data.index(b"stsd")) - 4
    data[entry + 20 : entry + 24] = b"ZZVN"
    data[entry + 50 : entry + 82] = bytes([12]) + b"ZZCOMPRESSOR" + bytes(19)
    for name in (b"mvhd", b"tkhd", b"mdhd"):
        at = data.index(name) + 8
        data[at : at + 8] = struct.pack(">II", 3_850_167_845, 3_850_167_999)
    at = data.index(b"hdlr") + 16
    data[at : at + 4] = b"ZZVD"
    path = folder / f"fields_{source.name}"
    path.write_bytes(data)
    return path


def written(source: Path, target: Path, change: Callable[[list[Stream]], None]) -> Path:
    """Return a file with the streams of ``source`` after ``change`` did something to them."""
    with open_bytes(source) as data:
        movie = read_movie(source, data)
        streams, _ = scrubbed_streams(source, data, movie, facts(source, data, movie, BOUNDS))
        change(streams)
        target.write_bytes(b"".join(mp4_pieces(streams)))
    return target


def fill_element(text: bytes) -> bytes:
    """Return an AAC fill element around ``text``, whose length in bits is a whole number of bytes
    and seven bits.
    """
    count = len(text) + 1
    assert count >= 15
    bits = (
        f"{6:03b}{15:04b}{count - 14:08b}{0:04b}" + "".join(f"{byte:08b}" for byte in text) + "0000"
    )
    return bits.encode()


def with_fill(sample: bytes, text: bytes) -> bytes:
    """Return an AAC packet with a fill element before its sound."""
    bits = fill_element(text).decode() + "".join(f"{byte:08b}" for byte in sample)
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")
