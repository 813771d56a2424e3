"""H.264 as other programs cut and record it: copied with what a decoder needs, frame for frame."""

import struct
from itertools import count, product

import pytest

from blinding.copying import blind_copy
from blinding.leakscan import scan
from blinding.proof import prove
from blinding.scrub.annex_b import split_at_start_codes
from blinding.scrub.sei import recovery_point
from fartbench.media import ebml
from fartbench.media.probe import probe
from tests.media.clips import clip, ffmpeg

SEGMENT, TRACKS, ENTRY, CLUSTER, GROUP = 0x18538067, 0x1654AE6B, 0xAE, 0x1F43B675, 0xA0
PARENTS = frozenset({SEGMENT, TRACKS, ENTRY, CLUSTER, GROUP})
BLOCKS = (0xA3, 0xA1)
CODEC_PRIVATE = 0x63A2
INDEX = {0x114D9B74, 0x1C53BB6B}
"""The elements that say where others lie."""
SLICES = (1, 5)
FRAMES_AFTER_THE_CUT = 20


def copied(source, tmp_path):
    """Copy and prove a clip, and check that nothing is left in the copy; return the proof and what
    was removed.
    """
    blind = tmp_path / "blind.mp4"
    removed = blind_copy(source, blind).removed
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    assert [finding for finding in scan(blind) if not finding.may_be_chance] == []
    return proof, removed


def test_a_clip_that_begins_at_a_recovery_point(tmp_path):
    """Programs that split files cut at I frames that are not IDR frames, with leading frames behind
    them.
    """
    whole, cut, source = tmp_path / "whole.mkv", tmp_path / "cut.mkv", tmp_path / "source.mkv"
    picture = ("-f", "lavfi", "-i", "testsrc2=size=160x96:rate=24:duration=1.5")
    coding = (
        "-c:v",
        "libx264",
        "-x264-params",
        "open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=2:b-adapt=0",
    )
    ffmpeg(*picture, *coding, whole)
    keys = _key_blocks(whole.read_bytes())
    cut.write_bytes(
        _changed(whole.read_bytes(), lambda number, block: block if number >= keys[1] else b"")
    )
    ffmpeg("-fflags", "+genpts", "-i", cut, "-c", "copy", source)
    for path in (cut, source):
        proof, _ = copied(path, tmp_path)
        assert proof.pictures > FRAMES_AFTER_THE_CUT


def emulated(unit):
    """Say whether a unit has three bytes that could be read as a start code."""
    return any(unit[at : at + 2] == b"\0\0" and unit[at + 2] < 4 for at in range(len(unit) - 2))


def test_every_recovery_point_is_written_as_it_was_read():
    numbers = {
        0,
        1,
        2,
        3,
        40_000,
        *(2**power + step for power in range(2, 17) for step in (-2, -1, 0) if power + step),
    }
    for frames, flags in product(sorted(number for number in numbers if number < 2**16), range(16)):
        code = f"{frames + 1:b}"
        bits = "0" * (len(code) - 1) + code + f"{flags:04b}"
        bits += ("1" + "0" * 7)[: -len(bits) % 8]
        body = int(bits, 2).to_bytes(len(bits) // 8, "big")
        unit = bytes([6, 6, len(body)]) + body + b"\x80"
        assert recovery_point(unit) == unit
        assert not emulated(unit)
        with_text = b"\6\5\x04name" + unit[1:]
        assert recovery_point(with_text) == unit


@pytest.mark.parametrize("payload", [b"", b"\0\0\0\0\0\0\0\0", b"\0\0\x03\0\x01\0\0\0"])
def test_a_recovery_point_without_its_numbers_is_left_out(payload):
    assert recovery_point(bytes([6, 6, len(payload)]) + payload + b"\x80") == b""


def recorded(tmp_path, start_code):
    """Write a clip whose units follow start codes and whose track has no set-up record, as Chromium
    records it.
    """
    stream, source, path = tmp_path / "s.264", tmp_path / "raw.mkv", tmp_path / "recorded.mkv"
    ffmpeg(
        "-i", clip("silent.mp4"), "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", stream
    )
    ffmpeg("-i", clip("silent.mp4"), "-c", "copy", source)
    units = split_at_start_codes(memoryview(stream.read_bytes()))
    frames = list(_frames(units, start_code))
    changed = _changed(
        source.read_bytes(), lambda number, block: block[:4] + frames[number], {CODEC_PRIVATE}
    )
    path.write_bytes(changed)
    return path


def _frames(units, start_code):
    """Yield the coded frames: each ends with its slice, for these clips have one slice a frame."""
    frame = b""
    for unit in units:
        frame += start_code + bytes(unit)
        if unit[0] & 31 in SLICES:
            yield frame
            frame = b""


def _key_blocks(data):
    """Return the numbers of the simple blocks that are marked as key frames."""
    blocks = [part for part in ebml.walk(data, 0, len(data), PARENTS) if part.ident in BLOCKS]
    return [
        at
        for at, block in enumerate(blocks)
        if block.ident == BLOCKS[0] and data[block.start + 3] & 0x80
    ]


def _changed(data, change, without=frozenset()):
    """Return a Matroska file without some elements and with changed blocks, by ``change(number,
    block)``; an empty block is left out, and so is the index.
    """
    numbers = count()
    return b"".join(
        _rebuilt(data, part, change, numbers, without) for part in ebml.walk(data, 0, len(data))
    )


def _rebuilt(data, part, change, numbers, without):
    payload = data[part.start : part.end]
    if part.ident in PARENTS:
        inside = ebml.walk(data, part.start, part.end)
        payload = b"".join(_rebuilt(data, one, change, numbers, without) for one in inside)
    elif part.ident in BLOCKS:
        payload = change(next(numbers), payload)
    if not payload or part.ident in without or part.ident in INDEX:
        return b""
    size = struct.pack(">Q", len(payload) | 1 << 56)
    return part.ident.to_bytes((part.ident.bit_length() + 7) // 8, "big") + size + payload


@pytest.mark.parametrize("start_code", [b"\0\0\0\1", b"\0\0\1"])
def test_units_behind_start_codes(tmp_path, start_code):
    source = recorded(tmp_path, start_code)
    proof, _ = copied(source, tmp_path)
    assert proof.pictures == probe(clip("silent.mp4")).frame_count
