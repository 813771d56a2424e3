"""Tables and tails as careless programs write them: read as players read them; what is cut off is
refused.
"""

import struct

import pytest

from blinding.copying import NotCopyable, blind_copy
from blinding.proof import prove
from fartbench.media.errors import NotAVideo
from fartbench.media.probe import probe
from tests.media import box_edits as edits
from tests.media.box_edits import Node
from tests.media.clips import clip, ffmpeg

FRAMES = 36
TAILS = {
    "four zeros": bytes(4),
    "zeros": bytes(128),
    "a tag": b"TAG" + b"a song".ljust(125),
    "words": b"made by somebody, some day",
    "ones": b"\xff" * 40,
    "a large box of an unknown kind": struct.pack(">I4s", 1 << 20, b"\xa9odd") + bytes(20),
}


def assert_copied(source, tmp_path, frames=FRAMES):
    blind = tmp_path / "blind.mp4"
    blind_copy(source, blind)
    proof = prove(source, blind)
    assert proof.holds, proof.faults
    assert proof.pictures == probe(source).frame_count == frames


@pytest.mark.parametrize("tail", TAILS)
def test_bytes_behind_the_last_box(tmp_path, tail):
    source = tmp_path / "tail.mp4"
    source.write_bytes(clip("h264_aac.mp4").read_bytes() + TAILS[tail])
    assert_copied(source, tmp_path)


@pytest.mark.parametrize("tail", ["zeros", "a tag"])
@pytest.mark.parametrize(
    "parent", [("moov",), ("moov", "trak", "mdia", "minf", "stbl")], ids=["movie", "tables"]
)
def test_bytes_behind_the_last_box_of_another(tmp_path, parent, tail):
    class Tail(Node):
        def written(self):
            return self.body

    def add(file):
        file.at(*parent).inside.append(Tail("tail", TAILS[tail]))

    assert_copied(edits.edited(clip("h264_aac.mp4"), tmp_path / "tail.mp4", add), tmp_path)


def runs(*rows):
    return struct.pack(">II", 0, len(rows)) + b"".join(struct.pack(">II", *row) for row in rows)


def table(kind, body):
    def change(file):
        node = edits.tables(file).at(kind)
        node.body = body(node.body) if callable(body) else body

    return change


def with_more_rows(width, *added):
    """Return what adds rows of ``width`` numbers to a counted table."""

    def change(body):
        (count,) = struct.unpack_from(">I", body, 4)
        rows = struct.pack(f">{len(added)}I", *added)
        return body[:4] + struct.pack(">I", count + len(added) // width) + body[8:] + rows

    return change


def wide_offsets(file):
    chunks = edits.tables(file).at("stco")
    offsets = struct.unpack_from(f">{len(chunks.body) // 4 - 2}I", chunks.body, 8)
    chunks.kind, chunks.body = "co64", chunks.body[:8] + struct.pack(f">{len(offsets)}Q", *offsets)


def compact_sizes(file):
    sizes = edits.tables(file).at("stsz")
    values = struct.unpack_from(f">{FRAMES}I", sizes.body, 12)
    sizes.kind, sizes.body = "stz2", struct.pack(f">III{FRAMES}H", 0, 16, FRAMES, *values)


READ = {
    "durations for more samples": table("stts", runs((FRAMES + 12, 512))),
    "durations in a row too many": table("stts", runs((FRAMES, 512), (5, 99))),
    "a last duration of nothing": table("stts", runs((FRAMES - 1, 512), (1, 0))),
    "shifts for more samples": table("ctts", with_more_rows(2, 9, 512)),
    "sizes of more samples": table(
        "stsz", lambda body: body[:8] + struct.pack(">I", FRAMES + 2) + body[12:] + bytes(8)
    ),
    "no key frames": table("stss", runs()),
    "key frames that are not there": table("stss", with_more_rows(1, 500)),
    "no table of key frames": lambda file: edits.remove(edits.tables(file), "stss"),
    "wide offsets": wide_offsets,
    "compact sizes": compact_sizes,
    "free space in between": lambda file: file.at("moov").inside.insert(
        1, Node("free", b"some room")
    ),
}


@pytest.mark.parametrize("kind", READ)
def test_tables_that_are_read(tmp_path, kind):
    assert_copied(edits.edited(clip("h264_aac.mp4"), tmp_path / "odd.mp4", READ[kind]), tmp_path)


REFUSED = {
    "durations of fewer samples": (
        table("stts", runs((FRAMES - 5, 512))),
        "says how long 31 of 36 samples last",
    ),
    "no durations": (table("stts", runs()), "says how long 0 of 36 samples last"),
    "sizes of fewer samples": (
        table("stsz", lambda body: body[:8] + struct.pack(">I", FRAMES - 3) + body[12:-12]),
        "hold more samples than the 33 that have a size",
    ),
    "an empty sample": (table("stsz", lambda body: body[:-4] + bytes(4)), "sample 35 is empty"),
    "chunks that are not there": (
        table("stsc", with_more_rows(3, 900, 1, 1)),
        "chunks that are not there",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_tables_that_are_refused_by_name(tmp_path, kind):
    change, reason = REFUSED[kind]
    with pytest.raises(NotAVideo, match=reason):
        probe(edits.edited(clip("h264_aac.mp4"), tmp_path / "odd.mp4", change))


def test_shifts_of_fewer_samples(tmp_path):
    """A frame without a shift is shown when it is decoded, which may be when another one is."""
    source = edits.edited(
        clip("h264_aac.mp4"), tmp_path / "odd.mp4", table("ctts", runs((FRAMES - 4, 1024)))
    )
    with pytest.raises(NotCopyable, match="the same time"):
        blind_copy(source, tmp_path / "blind.mp4")


@pytest.fixture(scope="session")
def moov_first(tmp_path_factory):
    path = tmp_path_factory.mktemp("fast") / "fast.mp4"
    ffmpeg("-i", clip("h264_aac.mp4"), "-c", "copy", "-movflags", "faststart", path)
    return path.read_bytes()


@pytest.mark.parametrize("more", [None, 1, 5000])
def test_media_data_to_the_end_of_the_file(tmp_path, moov_first, more):
    """Its size may be 0, or more than there is as long as no sample is missing."""
    at = moov_first.index(b"mdat") - 4
    size = 0 if more is None else len(moov_first) - at + more
    source = tmp_path / "open.mp4"
    source.write_bytes(moov_first[:at] + struct.pack(">I", size) + moov_first[at + 4 :])
    assert_copied(source, tmp_path)


@pytest.mark.parametrize("missing", [1, 100, 5000])
def test_media_data_that_is_cut_off(tmp_path, moov_first, missing):
    source = tmp_path / "cut.mp4"
    source.write_bytes(moov_first[:-missing])
    with pytest.raises(NotAVideo, match="cut off"):
        probe(source)


@pytest.mark.parametrize("left", [1, 4, 7, 8, 30, 200])
def test_fragments_that_are_cut_off(tmp_path, left):
    """However little of the next fragment is there, the file does not end where it should."""
    data = clip("fragmented.mp4").read_bytes()
    source = tmp_path / "cut.mp4"
    source.write_bytes(data[: data.rindex(b"moof") - 4 + left])
    with pytest.raises(NotAVideo, match=r"cut off|are left"):
        probe(source)


@pytest.mark.parametrize("tail", [b"\n", b"EOF", bytes(4), bytes(7), b"a tag"])
def test_a_few_bytes_behind_fragments(tmp_path, tail):
    """They are no part of a fragment where they cannot begin one, or come behind the index that is
    the last box.
    """
    data = clip("fragmented.mp4").read_bytes()
    source = tmp_path / "tail.mp4"
    for whole in (data, data[: data.rindex(b"mfra") - 4]):
        source.write_bytes(whole + tail)
        assert_copied(source, tmp_path)
        (tmp_path / "blind.mp4").unlink()


def test_an_index_behind_the_fragments_that_is_cut_off(tmp_path):
    data = clip("fragmented.mp4").read_bytes()
    source = tmp_path / "cut.mp4"
    source.write_bytes(data[: data.rindex(b"mfra") + 10])
    assert_copied(source, tmp_path)
